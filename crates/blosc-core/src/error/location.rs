//! The position of an error, as structured data.

use std::path::PathBuf;

/// The position of an error: file, chunk, offset, field. Fields that are unknown or do not apply are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file or directory. Only `bloscpack-io` sets it.
    pub file: Option<PathBuf>,
    /// The structure that `offset` counts from, such as `frame header`. `None` means the start of the file or of the
    /// given bytes.
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
    /// Creates a location of a field at an offset.
    #[must_use]
    pub fn of_field(offset: u64, field: &'static str) -> Self {
        Location { offset: Some(offset), field: Some(field), ..Location::default() }
    }

    /// Moves the location into a chunk that starts at `offset`.
    #[must_use]
    pub fn in_chunk(self, chunk: u64, offset: u64) -> Self {
        let within = self.offset.unwrap_or(0);
        Location { chunk: Some(chunk), offset: Some(offset.saturating_add(within)), ..self }
    }

    /// Adds the file.
    #[must_use]
    pub fn in_file(self, file: impl Into<PathBuf>) -> Self {
        Location { file: Some(file.into()), ..self }
    }

    /// Adds the part of a file.
    #[must_use]
    pub fn in_part(self, part: &'static str) -> Self {
        Location { part: Some(part), ..self }
    }
}
