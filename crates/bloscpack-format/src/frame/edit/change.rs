//! The values of an edit: new chunks, their positions, new orders.

use crate::error::{FormatError, Part};
use crate::frame::ChunkInfo;
use blosc_core::Special;

/// A chunk to be added to a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NewChunk {
    /// A chunk that the caller has compressed and writes itself.
    ///
    /// A chunk of zeros, not-a-numbers or uninitialised bytes becomes [`Special`](Self::Special), as in every frame of
    /// C-Blosc2. C-Blosc2 does not open a frame whose first chunk is stored as a header alone.
    Stored(ChunkInfo),
    /// This number of uncompressed bytes of a special value. Nothing is written for it if the index can express it.
    Special(Special, u32),
}

impl NewChunk {
    /// Converts a stored chunk that an entry of the index can express.
    pub(super) fn without_header(self) -> Self {
        match self {
            Self::Stored(ChunkInfo { nbytes, special: Some(special), .. }) if special != Special::Value => {
                Self::Special(special, nbytes)
            }
            other => other,
        }
    }
}

/// The position where the caller must write a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkTarget {
    /// At this offset of the file, counted from the frame's first byte.
    At(u64),
    /// To a new file of this number.
    File(u32),
}

/// The content of a slot in a new order of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NewOrder {
    /// The chunk that currently has this number.
    Keep(u64),
    /// A chunk of the frame's chunk size that repeats this value.
    Special(Special),
}

/// The effect of an edit on the chunk numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Insert(u64),
    Update(u64),
}

/// The size exceeds the format's 63 bits.
pub(super) const TOO_MANY_BYTES: FormatError =
    FormatError::LimitExceeded { part: Part::FrameChunk, limit: i64::MAX as u64 };
