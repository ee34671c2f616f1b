//! What was salvaged, and what was lost.

use std::fmt;

/// What was salvaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoverReport {
    /// Chunks in the new frame, those that stand in for lost ones not counted.
    pub chunks: u64,
    /// Plain bytes in the new frame.
    pub nbytes: u64,
    /// What was lost, or could not be made sure of.
    pub lost: Vec<Lost>,
}

/// Something that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// The index: order, deletions and special values are not known.
    Index,
    /// The vlmetalayers.
    VlMetalayers,
    /// The vlmetalayers are those of an older state of the frame.
    OldVlMetalayers,
    /// A vlmetalayer is not whole, and left out.
    VlMetalayer {
        /// Its name.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The index is that of an older state; chunks behind it stand at the end.
    OldIndex,
    /// A chunk of this number is not whole. In an array, zeros stand in for it.
    Chunk {
        /// Its number.
        chunk: u64,
        /// What is wrong.
        why: String,
    },
    /// A chunk that nobody here can decode, for want of its codec or of a filter: it is kept as it is.
    Unchecked {
        /// Its number.
        chunk: u64,
        /// What is wanting.
        why: String,
    },
    /// Bytes from here on mean nothing.
    Bytes {
        /// Where they start, from the frame's first byte.
        from: u64,
        /// How many they are.
        len: u64,
    },
    /// An array has a chunk of each number; zeros stand in for these at its end.
    Missing {
        /// How many are missing.
        chunks: u64,
    },
    /// Chunks more than an array has are left out.
    TooMany {
        /// How many.
        chunks: u64,
    },
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Index => f.write_str("the index is lost: special values, the order after changes, and deletions"),
            Lost::VlMetalayers => f.write_str("the vlmetalayers are lost, if there were any"),
            Lost::OldVlMetalayers => f.write_str("the vlmetalayers are those of an older state"),
            Lost::VlMetalayer { name, why } => write!(f, "vlmetalayer {name:?} is lost: {why}"),
            Lost::Unchecked { chunk, why } => write!(f, "chunk {chunk} is kept, but could not be checked: {why}"),
            Lost::OldIndex => f.write_str("the index is that of an older state; chunks behind it are appended"),
            Lost::Chunk { chunk, why } => write!(f, "chunk {chunk} is lost: {why}"),
            Lost::Bytes { from, len } => write!(f, "{len} bytes from offset {from} on mean nothing"),
            Lost::Missing { chunks } => write!(f, "{chunks} chunks at the end of the array are lost: zeros instead"),
            Lost::TooMany { chunks } => write!(f, "{chunks} chunks are left out: the array has no room for them"),
        }
    }
}
