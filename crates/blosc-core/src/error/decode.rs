//! The error type of decoding.

use core::fmt;
use std::error::Error;

use super::{Location, Report};
use crate::cancel::Cancelled;
use crate::codec::{Codec, CorruptStream};
use crate::filter::{Filter, FilterError};
use crate::kind::ErrorKind;
use crate::limits::OverLimit;
use crate::memory::OutOfMemory;
use crate::plugin::PluginError;

/// The reason why a chunk could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than a header needs.
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
        /// The versions that are valid here.
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
        /// The reason why it is invalid.
        what: &'static str,
    },
    /// The codec bits name no known codec.
    UnknownCodec {
        /// Bits 5–7 of the flags byte.
        format: u8,
    },
    /// A codec that Blosc2 leaves to plugins, and that is not registered.
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
        /// The reason.
        what: &'static str,
    },
    /// The chunk needs a codec that this build was compiled without.
    CodecUnavailable {
        /// The codec.
        codec: Codec,
        /// The cargo feature of `blosc-core` that adds it.
        feature: &'static str,
    },
    /// The chunk extends past the end of the given bytes.
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
        /// The position in the dictionary and the reason.
        source: CorruptStream,
    },
    /// A lazy chunk: header and index only. Its blocks are still in the file of a frame.
    Lazy,
    /// A [postfilter](crate::Decoder::postfilter) failed.
    Postfilter {
        /// The block it was given.
        block: usize,
        /// The error it returned.
        source: PluginError,
    },
    /// A [filter provided by the caller](crate::BlockFilter) failed.
    FilterPlugin {
        /// The filter.
        filter: Filter,
        /// The error it returned.
        source: PluginError,
    },
    /// A [codec provided by the caller](crate::BlockCodec) rejected a stream.
    CodecPlugin {
        /// The block that the stream belongs to.
        block: usize,
        /// The number of the stream within the block.
        stream: usize,
        /// Position of its first byte in the chunk.
        offset: usize,
        /// The error it returned.
        source: PluginError,
    },
    /// The header claims more plain bytes than the compressed bytes can hold.
    Unearned {
        /// `nbytes`, the plain size in the header.
        nbytes: usize,
        /// `cbytes`, the compressed size in the header.
        cbytes: usize,
    },
    /// A number that points outside the chunk.
    Place {
        /// The block it belongs to.
        block: usize,
        /// Position of the number in the chunk.
        offset: usize,
        /// The name of the number, such as `bstart` or `csize`.
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
        /// The position in the stream and the reason.
        source: CorruptStream,
    },
    /// The destination does not have the required size.
    Destination {
        /// Bytes needed.
        needed: usize,
        /// Bytes it has.
        found: usize,
    },
    /// A range that reaches past the end.
    Range {
        /// The unit: `bytes`, `items` or `blocks`.
        unit: &'static str,
        /// Start of the range.
        start: usize,
        /// End of the range (exclusive).
        end: usize,
        /// The number of units.
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
                write!(f, "the chunk header is truncated: {found} of {needed} bytes")
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
            Self::Dictionary { offset, .. } => write!(f, "dictionary at offset {offset}"),
            Self::Lazy => {
                write!(f, "offset 31: this is a lazy chunk: its blocks must be read from its frame")
            }
            Self::Postfilter { block, .. } => write!(f, "postfilter of block {block}"),
            Self::FilterPlugin { filter, .. } => write!(f, "filter {filter} (id {})", filter.id()),
            Self::CodecUnavailable { codec, feature } => {
                write!(f, "the chunk is compressed with {codec}; build blosc-core with feature `{feature}` to read it")
            }
            Self::Truncated { cbytes, found } => {
                write!(f, "the chunk is truncated: {found} of {cbytes} bytes")
            }
            Self::Unearned { nbytes, cbytes } => {
                write!(f, "offset 4: nbytes is {nbytes}, more than {cbytes} compressed bytes can hold")
            }
            Self::Place { block, offset, what, found, min, max } => {
                write!(f, "offset {offset}: {what} of block {block} is {found}, expected {min}..={max}")
            }
            Self::Stream { block, stream, offset, .. } | Self::CodecPlugin { block, stream, offset, .. } => {
                write!(f, "block {block}, stream {stream} at offset {offset}")
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

impl Error for DecodeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Dictionary { source, .. } | Self::Stream { source, .. } => Some(source),
            Self::Postfilter { source, .. } | Self::FilterPlugin { source, .. } | Self::CodecPlugin { source, .. } => {
                Some(source)
            }
            // `Limit` and `OutOfMemory` display their content themselves.
            _ => None,
        }
    }
}

impl DecodeError {
    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::HeaderTooShort { .. } | Self::Truncated { .. } => ErrorKind::Truncated,
            Self::Version { .. }
            | Self::UnregisteredCodec { .. }
            | Self::CodecUnavailable { .. }
            | Self::Filter { .. }
            | Self::Lazy => ErrorKind::Unsupported,
            Self::Field { .. }
            | Self::Flags { .. }
            | Self::UnknownCodec { .. }
            | Self::Dictionary { .. }
            | Self::Unearned { .. }
            | Self::Place { .. }
            | Self::Stream { .. } => ErrorKind::Damaged,
            Self::Postfilter { .. } | Self::FilterPlugin { .. } | Self::CodecPlugin { .. } => ErrorKind::Plugin,
            Self::Destination { .. } | Self::Range { .. } => ErrorKind::InvalidInput,
            Self::Limit(_) => ErrorKind::Limit,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
        }
    }

    /// Returns the position of the error in the chunk.
    #[must_use]
    pub fn location(&self) -> Location {
        let of_block = |block: usize, offset: usize| Location {
            block: Some(block),
            offset: Some(offset as u64),
            ..Location::default()
        };
        match self {
            Self::Version { .. } => Location::of_field(0, "version"),
            Self::Field { offset, field, .. } => Location::of_field(*offset as u64, field),
            Self::Flags { offset, .. } => Location::of_field(*offset as u64, "flags"),
            Self::UnknownCodec { .. } => Location::of_field(2, "codec format"),
            Self::UnregisteredCodec { .. } => Location::of_field(22, "codec"),
            Self::Lazy => Location::of_field(31, "flags"),
            Self::Unearned { .. } => Location::of_field(4, "nbytes"),
            Self::Dictionary { offset, source } => {
                Location { offset: Some(offset.saturating_add(source.at) as u64), ..Location::default() }
            }
            Self::Place { block, offset, what, .. } => Location { field: Some(what), ..of_block(*block, *offset) },
            Self::Stream { block, offset, source, .. } => of_block(*block, offset.saturating_add(source.at)),
            Self::CodecPlugin { block, offset, source, .. } => {
                of_block(*block, offset.saturating_add(source.offset().unwrap_or(0)))
            }
            Self::Postfilter { block, .. } => Location { block: Some(*block), ..Location::default() },
            _ => Location::default(),
        }
    }

    /// Returns a report on one line: the error, its sources, and advice if there is any.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report::new(self).advise(self.over_limit())
    }

    /// Returns the limit that was exceeded, if that is the reason.
    #[must_use]
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Self::Limit(over) => Some(over),
            _ => None,
        }
    }

    /// Returns the allocation that the system refused, if that is the reason.
    #[must_use]
    pub fn out_of_memory(&self) -> Option<OutOfMemory> {
        match self {
            Self::OutOfMemory(error) => Some(*error),
            _ => None,
        }
    }
}

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
            FilterError::Plugin { filter, source } => DecodeError::FilterPlugin { filter, source },
            FilterError::OutOfMemory(error) => error.into(),
        }
    }
}

impl From<OutOfMemory> for DecodeError {
    fn from(error: OutOfMemory) -> Self {
        DecodeError::OutOfMemory(error)
    }
}
