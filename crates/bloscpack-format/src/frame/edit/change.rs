//! The values of which an edit consists: new chunks, their places, new orders.

use crate::error::{FormatError, Part};
use crate::frame::ChunkInfo;
use blosc_core::Special;

/// A chunk that comes into a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NewChunk {
    /// A chunk that the caller has, and writes; one of zeros, not-a-numbers or uninitialised bytes becomes
    /// [`Special`](Self::Special), as in every frame of C-Blosc2, which does not open one whose first chunk is stored as a
    /// header and nothing else.
    Stored(ChunkInfo),
    /// So many plain bytes of a special value, for which nothing is written if the frame can do without.
    Special(Special, u32),
}

impl NewChunk {
    /// The same, where a stored chunk says nothing that an entry of the index does not.
    pub(super) fn without_header(self) -> Self {
        match self {
            Self::Stored(ChunkInfo { nbytes, special: Some(special), .. }) if special != Special::Value => {
                Self::Special(special, nbytes)
            }
            other => other,
        }
    }
}

/// Where the caller has to write a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkPlace {
    /// At this place of the file, counted from the frame's first byte.
    At(u64),
    /// To a new file of this number.
    File(u32),
}

/// The content of a slot in a new order of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The chunk that has this number now.
    Keep(u64),
    /// A chunk of the frame's size that is all this.
    Special(Special),
}

/// The effect of an edit on the chunk numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Insert(u64),
    Update(u64),
}

/// More bytes than the format's 63 bits count.
pub(super) const TOO_MANY_BYTES: FormatError =
    FormatError::LimitExceeded { part: Part::FrameChunk, limit: i64::MAX as u64 };
