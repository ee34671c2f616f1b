//! Why a chunk could not be decoded.

use core::fmt;

use crate::cancel::Cancelled;
use crate::codec::{Codec, CorruptStream};
use crate::filter::{Filter, FilterError};
use crate::limits::OverLimit;
use crate::memory::OutOfMemory;

/// Why a chunk could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than a header has.
    HeaderTooShort {
        /// Bytes a header needs.
        needed: usize,
        /// Bytes that were given.
        found: usize,
    },
    /// A chunk format version that this build does not read.
    Version {
        /// The version byte.
        found: u8,
        /// The versions that could be here.
        expected: &'static str,
    },
    /// A header field outside its range.
    Field {
        /// Position of the field in the chunk.
        offset: usize,
        /// The field's name in the format.
        field: &'static str,
        /// The value found.
        found: i64,
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// Flag bits that no writer of this version sets.
    Flags {
        /// Position of the flags byte in the chunk.
        offset: usize,
        /// The flags byte.
        found: u8,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The codec bits name no codec that exists.
    UnknownCodec {
        /// Bits 5–7 of the flags byte.
        format: u8,
    },
    /// The codec is one that Blosc2 leaves to plugins, and none was given.
    UnregisteredCodec {
        /// Byte 22 of the header.
        id: u8,
        /// Its name in the Blosc project's list, or `user`.
        name: &'static str,
    },
    /// A filter that cannot be undone.
    Filter {
        /// The filter.
        filter: Filter,
        /// Why not.
        what: &'static str,
    },
    /// The chunk needs a codec that this build was compiled without.
    CodecUnavailable {
        /// The codec.
        codec: Codec,
        /// The cargo feature of `blosc-core` that brings it.
        feature: &'static str,
    },
    /// The chunk goes on behind the end of the bytes given.
    Truncated {
        /// `cbytes`, the size in the header.
        cbytes: usize,
        /// Bytes that were given.
        found: usize,
    },
    /// The chunk's dictionary is damaged.
    Dictionary {
        /// Position of its first byte in the chunk.
        offset: usize,
        /// Where in the dictionary, and why.
        source: CorruptStream,
    },
    /// A lazy chunk: header and index only, the blocks are still in the file of a frame.
    Lazy,
    /// A [postfilter](crate::Decoder::postfilter) said no.
    Postfilter {
        /// The block it was given.
        block: usize,
        /// What it said.
        what: String,
    },
    /// The header promises more plain bytes than so few compressed ones can hold.
    Unearned {
        /// `nbytes`, the plain size in the header.
        nbytes: usize,
        /// `cbytes`, the compressed size in the header.
        cbytes: usize,
    },
    /// A number that points outside of the chunk.
    Place {
        /// The block it belongs to.
        block: usize,
        /// Position of the number in the chunk.
        offset: usize,
        /// What the number is: `bstart` or `csize`.
        what: &'static str,
        /// The value found.
        found: i64,
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// A compressed stream is damaged.
    Stream {
        /// The block it belongs to.
        block: usize,
        /// Its number within the block.
        stream: usize,
        /// Position of its first byte in the chunk.
        offset: usize,
        /// Where in the stream, and why.
        source: CorruptStream,
    },
    /// The destination has not the size that was asked for.
    Destination {
        /// Bytes needed.
        needed: usize,
        /// Bytes it has.
        found: usize,
    },
    /// A range that reaches behind the end.
    Range {
        /// What is counted: `bytes`, `items` or `blocks`.
        unit: &'static str,
        /// Start of the range.
        start: usize,
        /// End of the range (exclusive).
        end: usize,
        /// How many there are.
        len: usize,
    },
    /// More than the caller's [`Limits`](crate::Limits) allow.
    Limit(OverLimit),
    /// A [`Cancel`](crate::Cancel) was set.
    Cancelled,
    /// The system refused memory that decoding needs.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderTooShort { needed, found } => {
                write!(f, "a Blosc chunk header has {needed} bytes, only {found} are there")
            }
            Self::Version { found, expected } => {
                write!(f, "offset 0: chunk format version is {found}, expected {expected}")
            }
            Self::Field { offset, field, found, min, max } => {
                write!(f, "offset {offset}: {field} is {found}, expected {min}..={max}")
            }
            Self::Flags { offset, found, what } => write!(f, "offset {offset}: flags are {found:#04x}: {what}"),
            Self::UnknownCodec { format } => {
                write!(f, "offset 2: codec format is {format}, expected 0..=4, or 6 in a Blosc2 chunk")
            }
            Self::UnregisteredCodec { id, name } => {
                write!(f, "offset 22: codec {id} ({name}) is not built in; register one to read this chunk")
            }
            Self::Filter { filter, what } => write!(f, "filter {filter} (id {}): {what}", filter.id()),
            Self::Dictionary { offset, source } => write!(f, "dictionary at offset {offset}: {source}"),
            Self::Lazy => {
                write!(f, "offset 31: a lazy chunk, without its blocks; read them from the frame it belongs to")
            }
            Self::Postfilter { block, what } => write!(f, "postfilter of block {block}: {what}"),
            Self::CodecUnavailable { codec, feature } => {
                write!(f, "the chunk is compressed with {codec}; build blosc-core with feature `{feature}` to read it")
            }
            Self::Truncated { cbytes, found } => {
                write!(f, "the chunk has {cbytes} bytes, only {found} are there")
            }
            Self::Unearned { nbytes, cbytes } => {
                write!(f, "offset 4: nbytes is {nbytes}, more than {cbytes} compressed bytes can hold")
            }
            Self::Place { block, offset, what, found, min, max } => {
                write!(f, "offset {offset}: {what} of block {block} is {found}, expected {min}..={max}")
            }
            Self::Stream { block, stream, offset, source } => {
                write!(f, "block {block}, stream {stream} at offset {offset}: {source}")
            }
            Self::Destination { needed, found } => {
                write!(f, "the destination has {found} bytes, expected {needed}")
            }
            Self::Range { unit, start, end, len } => {
                write!(f, "{unit} {start}..{end} are not within 0..{len}")
            }
            Self::Limit(error) => error.fmt(f),
            Self::Cancelled => Cancelled.fmt(f),
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<OverLimit> for DecodeError {
    fn from(error: OverLimit) -> Self {
        DecodeError::Limit(error)
    }
}

impl From<Cancelled> for DecodeError {
    fn from(_: Cancelled) -> Self {
        DecodeError::Cancelled
    }
}

impl From<FilterError> for DecodeError {
    fn from(error: FilterError) -> Self {
        match error {
            FilterError::Filter { filter, what } => DecodeError::Filter { filter, what },
            FilterError::OutOfMemory(error) => error.into(),
        }
    }
}

impl From<OutOfMemory> for DecodeError {
    fn from(error: OutOfMemory) -> Self {
        DecodeError::OutOfMemory(error)
    }
}
