//! The parts of a container that can be lost.

use std::ops::Range;

use bloscpack_format::checksum::Checksum;

/// A part of a damaged container. Its `Display` text says what happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostPart {
    /// The header of a bloscpack file is damaged. Fields with valid values are used.
    Header,
    /// The header of a bloscpack file names a different checksum than the chunks have.
    Checksum {
        /// The checksum in the header.
        stated: Checksum,
        /// The checksum of the chunks.
        found: Checksum,
    },
    /// The metadata cannot be read and is left out.
    Metadata,
    /// The metadata is kept although its digest does not match.
    UncheckedMetadata,
    /// Entries of the offsets section are wrong. The new file has correct ones.
    Offsets {
        /// The number of entries.
        entries: u64,
    },
    /// Chunks in the middle of a bloscpack file are lost and replaced by zeros.
    Chunks {
        /// Their numbers in the new file.
        chunks: Range<u64>,
        /// Their position in the damaged file.
        bytes: Range<u64>,
        /// The uncompressed bytes of the new file that are zeros.
        plain: Range<u64>,
        /// Whether their number is estimated from the size of the gap.
        guessed: bool,
    },
    /// Chunks at the end of a bloscpack file, counted by the header or the shape of the array.
    End {
        /// The number of chunks.
        chunks: u64,
        /// The uncompressed bytes of the new file that are zeros, in an array. Other files end before them.
        plain: Range<u64>,
    },
    /// A damaged chunk of unknown uncompressed size. It is not replaced by zeros.
    LeftOut {
        /// Its position in the damaged file.
        bytes: Range<u64>,
    },
    /// Bytes between the chunks of a bloscpack file that belong to no chunk, where none is missing.
    Garbage {
        /// The bytes of the damaged file.
        bytes: Range<u64>,
    },
    /// The search for chunks ended early, because it would take too long in this file.
    Unsearched {
        /// The bytes that were not searched.
        bytes: Range<u64>,
    },
    /// A chunk is kept, but could not be checked.
    Unchecked {
        /// Its number in the new container.
        chunk: u64,
    },
    /// The index of a frame. Order, deletions and special values are unknown.
    Index,
    /// The index of a frame is from an older state. Chunks that follow it are placed at the end.
    OldIndex,
    /// The vlmetalayers of a frame.
    VlMetalayers,
    /// The vlmetalayers are from an older state of the frame.
    OldVlMetalayers,
    /// A vlmetalayer is damaged and left out.
    VlMetalayer {
        /// Its name.
        name: String,
    },
    /// A chunk of a frame. In an array it is replaced by zeros.
    Chunk {
        /// Its number.
        chunk: u64,
    },
    /// Bytes at the end of a frame that cannot be parsed.
    Trailing {
        /// The bytes of the damaged frame.
        bytes: Range<u64>,
    },
    /// Chunks at the end of an array in a frame. They are replaced by zeros.
    MissingChunks {
        /// The number of chunks.
        chunks: u64,
    },
    /// Chunks beyond the shape of an array in a frame are left out.
    SurplusChunks {
        /// The number of chunks.
        chunks: u64,
    },
    /// The journal of an interrupted change of a bcolz directory. The change is not completed.
    Journal,
    /// The list of columns. All directories that are arrays are used, in the order of their names.
    ColumnList,
    /// A whole column.
    Column,
    /// The attributes of a carray or ctable.
    Attributes,
    /// The number of rows. All complete rows are used, including rows that were never flushed.
    RowCount,
    /// The axes within a row. A shape of the same size is used.
    RowShape {
        /// The axes.
        atom_shape: Vec<u64>,
    },
    /// A chunk of a carray, or its last rows.
    Rows {
        /// The number of the chunk.
        chunk: u64,
        /// The lost rows.
        rows: Range<u64>,
        /// Whether the rows have the default value in the new carray; otherwise the array ends before them.
        filled: bool,
    },
    /// Rows after a lost chunk, which cannot keep their numbers without it. Undamaged rows among them are left out,
    /// too.
    FollowingRows {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows at the end that have no chunk file.
    MissingRows {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows that other columns do not have are left out.
    SurplusRows {
        /// The rows.
        rows: Range<u64>,
    },
}

impl LostPart {
    /// Returns the number of chunks that are lost with this part, as far as known.
    #[must_use]
    pub fn chunks(&self) -> u64 {
        match self {
            Self::Chunks { chunks, .. } => chunks.end.saturating_sub(chunks.start),
            Self::End { chunks, .. } | Self::MissingChunks { chunks } | Self::SurplusChunks { chunks } => *chunks,
            Self::LeftOut { .. } | Self::Chunk { .. } | Self::Rows { .. } => 1,
            _ => 0,
        }
    }
}
