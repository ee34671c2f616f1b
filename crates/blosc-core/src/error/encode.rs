//! The error type of encoding.

use core::fmt;
use std::error::Error;

use super::{Location, Report};
use crate::cancel::Cancelled;
use crate::codec::Codec;
use crate::filter::{Filter, FilterError};
use crate::kind::ErrorKind;
use crate::memory::OutOfMemory;
use crate::plugin::PluginError;

/// The reason why data could not be encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// A compression level outside 0..=9.
    Clevel {
        /// The level asked for.
        found: u8,
    },
    /// A typesize of 0.
    Typesize,
    /// A filter that cannot be applied.
    Filter {
        /// The filter.
        filter: Filter,
        /// The reason.
        what: &'static str,
    },
    /// A codec that the chunk format does not support, or not with these parameters.
    Codec {
        /// The codec.
        codec: Codec,
        /// The reason.
        what: &'static str,
    },
    /// A block size larger than the chunk format can express.
    BlockSize {
        /// Bytes asked for.
        found: usize,
        /// Maximum bytes allowed.
        max: usize,
    },
    /// An empty block, or an empty list of blocks, for a chunk of variable-length blocks.
    EmptyBlock {
        /// The block's number.
        block: usize,
    },
    /// A repeated value whose size does not divide the number of plain bytes.
    SpecialValue {
        /// Bytes of the value.
        width: usize,
        /// Plain bytes asked for.
        nbytes: usize,
    },
    /// A [prefilter](crate::Encoder::prefilter) failed.
    Prefilter {
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
    /// More data than one chunk holds.
    TooLarge {
        /// Bytes given.
        nbytes: usize,
        /// Bytes that fit into a chunk.
        max: usize,
    },
    /// The chunk fits into the destination neither compressed nor uncompressed.
    Destination {
        /// Bytes the chunk takes.
        needed: usize,
        /// Bytes the destination has.
        found: usize,
    },
    /// The codec was compiled out.
    CodecUnavailable {
        /// The codec.
        codec: Codec,
        /// The cargo feature of `blosc-core` that adds it.
        feature: &'static str,
    },
    /// A [`Cancel`](crate::Cancel) was set.
    Cancelled,
    /// The system refused memory that encoding needs.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clevel { found } => write!(f, "clevel is {found}, expected 0..=9"),
            Self::Typesize => write!(f, "typesize is 0, expected 1 or more"),
            Self::Filter { filter, what } => write!(f, "filter {filter} (id {}): {what}", filter.id()),
            Self::Codec { codec, what } => write!(f, "codec {codec}: {what}"),
            Self::BlockSize { found, max } => write!(f, "the block size is {found} bytes, expected at most {max}"),
            Self::EmptyBlock { block } => {
                write!(
                    f,
                    "block {block} is empty; a chunk of variable-length blocks has at least one block, and none is empty"
                )
            }
            Self::SpecialValue { width, nbytes } => {
                write!(f, "{nbytes} bytes are not a whole number of values of {width} bytes")
            }
            Self::Prefilter { block, .. } => write!(f, "prefilter of block {block}"),
            Self::FilterPlugin { filter, .. } => write!(f, "filter {filter} (id {})", filter.id()),
            Self::TooLarge { nbytes, max } => {
                write!(f, "{nbytes} bytes do not fit into one chunk, whose maximum is {max}")
            }
            Self::Destination { needed, found } => {
                write!(f, "the destination has {found} bytes, the chunk needs {needed}")
            }
            Self::Cancelled => Cancelled.fmt(f),
            Self::CodecUnavailable { codec, feature } => {
                write!(f, "build blosc-core with feature `{feature}` to write {codec}")
            }
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl Error for EncodeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Prefilter { source, .. } | Self::FilterPlugin { source, .. } => Some(source),
            // `OutOfMemory` displays its content itself.
            _ => None,
        }
    }
}

impl EncodeError {
    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::CodecUnavailable { .. } => ErrorKind::Unsupported,
            Self::Prefilter { .. } | Self::FilterPlugin { .. } => ErrorKind::Plugin,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            _ => ErrorKind::InvalidInput,
        }
    }

    /// Returns the position of the error in the data.
    #[must_use]
    pub fn location(&self) -> Location {
        match self {
            Self::EmptyBlock { block } | Self::Prefilter { block, .. } => {
                Location { block: Some(*block), ..Location::default() }
            }
            _ => Location::default(),
        }
    }

    /// Returns a report on one line: the error and its sources.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report::new(self)
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

impl From<Cancelled> for EncodeError {
    fn from(_: Cancelled) -> Self {
        EncodeError::Cancelled
    }
}

impl From<FilterError> for EncodeError {
    fn from(error: FilterError) -> Self {
        match error {
            FilterError::Filter { filter, what } => EncodeError::Filter { filter, what },
            FilterError::Plugin { filter, source } => EncodeError::FilterPlugin { filter, source },
            FilterError::OutOfMemory(error) => error.into(),
        }
    }
}

impl From<OutOfMemory> for EncodeError {
    fn from(error: OutOfMemory) -> Self {
        EncodeError::OutOfMemory(error)
    }
}
