//! Where an error was found, as data.

use std::path::PathBuf;

/// Where an error was found: file, chunk, offset, field. Unknown or unsuitable fields are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file or directory. `bloscpack-io` alone knows it.
    pub file: Option<PathBuf>,
    /// The structure that `offset` counts from, such as `frame header`. `None`: the start of the file, or of the bytes
    /// that were given.
    pub part: Option<&'static str>,
    /// The number of the chunk.
    pub chunk: Option<u64>,
    /// The number of the block in its chunk.
    pub block: Option<usize>,
    /// The position of the first wrong byte.
    pub offset: Option<u64>,
    /// The format's name for the field.
    pub field: Option<&'static str>,
}

impl Location {
    /// A field at an offset.
    #[must_use]
    pub fn of_field(offset: u64, field: &'static str) -> Self {
        Location { offset: Some(offset), field: Some(field), ..Location::default() }
    }

    /// The same, where everything so far counts from `offset` of a chunk.
    #[must_use]
    pub fn in_chunk(self, chunk: u64, offset: u64) -> Self {
        let within = self.offset.unwrap_or(0);
        Location { chunk: Some(chunk), offset: Some(offset.saturating_add(within)), ..self }
    }

    /// The same, in a file.
    #[must_use]
    pub fn in_file(self, file: impl Into<PathBuf>) -> Self {
        Location { file: Some(file.into()), ..self }
    }

    /// The same, in a part of a file.
    #[must_use]
    pub fn in_part(self, part: &'static str) -> Self {
        Location { part: Some(part), ..self }
    }
}
