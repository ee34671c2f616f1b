//! The parts of a container that can be lost.

use std::ops::Range;

use bloscpack_format::checksum::Checksum;

/// A part of a damaged container. `Display` says what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostPart {
    /// The header of a bloscpack file is damaged. Fields that can be valid are used.
    Header,
    /// The header of a bloscpack file names another checksum than the one that the chunks have.
    Checksum {
        /// In the header.
        stated: Checksum,
        /// Of the chunks.
        found: Checksum,
    },
    /// The metadata cannot be read, and is left out.
    Metadata,
    /// The metadata is kept although its digest does not match.
    UncheckedMetadata,
    /// Entries of the offsets section are wrong. The new file has right ones.
    Offsets {
        /// How many.
        entries: u64,
    },
    /// Chunks in the middle of a bloscpack file. Zeros stand for them.
    Chunks {
        /// Their numbers in the new file.
        chunks: Range<u64>,
        /// The bytes of the damaged file where they were.
        bytes: Range<u64>,
        /// The uncompressed bytes of the new file that are zeros.
        plain: Range<u64>,
        /// Whether their number is a guess by the size of the gap.
        guessed: bool,
    },
    /// Chunks at the end of a bloscpack file, as the header or the shape of the array counts them.
    End {
        /// How many.
        chunks: u64,
        /// The uncompressed bytes of the new file that are zeros: those of an array. Other files end before them.
        plain: Range<u64>,
    },
    /// A damaged chunk of unknown uncompressed size. No zeros stand for it.
    LeftOut {
        /// The bytes of the damaged file where it was.
        bytes: Range<u64>,
    },
    /// Bytes between the chunks of a bloscpack file that belong to none, although none is missing there.
    Garbage {
        /// The bytes of the damaged file.
        bytes: Range<u64>,
    },
    /// The search for chunks ended early: this file makes it take too long.
    Unsearched {
        /// The bytes that were not searched.
        bytes: Range<u64>,
    },
    /// A chunk is kept that could not be checked.
    Unchecked {
        /// Its number in the new container.
        chunk: u64,
    },
    /// The index of a frame: order, deletions and special values are not known.
    Index,
    /// The index of a frame is that of an older state. Chunks after it stand at the end.
    OldIndex,
    /// The vlmetalayers of a frame.
    VlMetalayers,
    /// The vlmetalayers are those of an older state of the frame.
    OldVlMetalayers,
    /// A vlmetalayer is damaged, and left out.
    VlMetalayer {
        /// Its name.
        name: String,
    },
    /// A chunk of a frame. In an array, zeros stand for it.
    Chunk {
        /// Its number.
        chunk: u64,
    },
    /// Bytes at the end of a frame that cannot be parsed.
    Trailing {
        /// The bytes of the damaged frame.
        bytes: Range<u64>,
    },
    /// Chunks at the end of an array in a frame. Zeros stand for them.
    MissingChunks {
        /// How many.
        chunks: u64,
    },
    /// Chunks that an array in a frame has no room for are left out.
    SurplusChunks {
        /// How many.
        chunks: u64,
    },
    /// The journal of an interrupted change of a bcolz directory. The change is not completed.
    Journal,
    /// The list of columns. All directories that are arrays are taken, in the order of their names.
    ColumnList,
    /// A whole column.
    Column,
    /// The attributes of a carray or ctable.
    Attributes,
    /// The number of rows. All whole ones are taken, also those that were never flushed.
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
        /// Its rows that are lost.
        rows: Range<u64>,
        /// Whether they have the default value now; otherwise the array ends before them.
        filled: bool,
    },
    /// Rows after a lost chunk, which cannot keep their numbers without it. Whole ones among them are left out.
    FollowingRows {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows at the end that have no chunk file.
    MissingRows {
        /// The rows.
        rows: Range<u64>,
    },
    /// Rows that other columns lack are left out.
    SurplusRows {
        /// The rows.
        rows: Range<u64>,
    },
}

impl LostPart {
    /// Number of chunks that are lost with this part, as far as it says.
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
