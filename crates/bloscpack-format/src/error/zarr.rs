//! Errors of Zarr metadata, shard indexes and zip archives, and of values to be written to them.

use blosc_core::{ErrorKind, Location};
use std::fmt;

/// Why Zarr metadata, a shard index or a zip archive was refused, or cannot be written. Malformed JSON is
/// [`FormatError::Text`](crate::FormatError::Text). A dtype unknown to NumPy is
/// [`FormatError::Numpy`](crate::FormatError::Numpy).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZarrError {
    /// The metadata is not a JSON object.
    NotAnObject,
    /// The metadata lacks a member.
    Missing {
        /// The member.
        field: Box<str>,
    },
    /// The value of a member is invalid.
    Value {
        /// The member.
        field: Box<str>,
        /// The beginning of the value, as JSON.
        found: Box<str>,
        /// A description of the valid values.
        expected: Box<str>,
    },
    /// A feature of Zarr that is not supported.
    Unsupported {
        /// The kind of feature: `codec`, `filter`, `data type`.
        what: &'static str,
        /// The name in the metadata.
        name: Box<str>,
        /// The supported alternatives; may be empty.
        advice: &'static str,
    },
    /// An item takes no bytes.
    ItemSize,
    /// All items together take more than 2⁶³ - 1 bytes.
    ShapeTooLarge,
    /// A chunk takes too many bytes.
    ChunkTooLarge {
        /// Bytes of a chunk; `None` if the number does not fit 64 bits.
        found: Option<u64>,
        /// The maximum.
        max: u64,
    },
    /// The value does not exist in this version of the format.
    NotInVersion {
        /// The version of the format.
        version: u8,
        /// The member.
        field: &'static str,
        /// The value.
        value: Box<str>,
    },
    /// The stored bytes of a chunk are not a valid stream of its codec.
    Stream {
        /// The codec.
        codec: &'static str,
        /// The problem.
        problem: Box<str>,
    },
    /// The size of a chunk differs from that of its shape and dtype.
    ChunkNbytes {
        /// Bytes found.
        found: u64,
        /// Bytes by the metadata.
        expected: u64,
    },
    /// The index of a shard is damaged.
    ShardIndex {
        /// The problem.
        problem: Box<str>,
    },
    /// The directory of a zip archive is damaged, or an entry cannot be read.
    Zip {
        /// Where the structure is in the archive.
        offset: u64,
        /// The problem.
        problem: Box<str>,
    },
}

impl std::error::Error for ZarrError {}

impl ZarrError {
    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unsupported { .. } | Self::ItemSize | Self::ChunkTooLarge { .. } => ErrorKind::Unsupported,
            Self::NotInVersion { .. } => ErrorKind::InvalidInput,
            _ => ErrorKind::Damaged,
        }
    }

    /// Returns the offset in a zip archive.
    #[must_use]
    pub fn location(&self) -> Location {
        let mut location = Location::default();
        if let Self::Zip { offset, .. } = self {
            location.offset = Some(*offset);
        }
        location
    }
}

impl fmt::Display for ZarrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("not a JSON object"),
            Self::Missing { field } => write!(f, "{field:?} is missing"),
            Self::Value { field, found, expected } => write!(f, "{field:?} is {found}, expected {expected}"),
            Self::Unsupported { what, name, advice: "" } => write!(f, "{what} {name:?} is not supported"),
            Self::Unsupported { what, name, advice } => write!(f, "{what} {name:?} is not supported: {advice}"),
            Self::ItemSize => f.write_str("items without bytes are not supported"),
            Self::ShapeTooLarge => write!(f, "\"shape\" says more than {} bytes", i64::MAX),
            Self::ChunkTooLarge { found: None, max } => {
                write!(f, "a chunk has more than 2^64 bytes, expected at most {max}")
            }
            Self::ChunkTooLarge { found: Some(found), max } => {
                write!(f, "a chunk has {found} bytes, expected at most {max}")
            }
            // Format 2 has all dtypes of NumPy but objects.
            Self::NotInVersion { version: 3, field: "data_type", value } => {
                write!(f, "\"data_type\" {value} does not exist in Zarr format 3, only in format 2")
            }
            Self::NotInVersion { version, field, value } => {
                write!(f, "{field:?} {value} does not exist in Zarr format {version}")
            }
            Self::Stream { codec, problem } => write!(f, "{codec}: {problem}"),
            Self::ChunkNbytes { found, expected } => {
                write!(f, "the chunk has {found} bytes, expected {expected} by its shape and dtype")
            }
            Self::ShardIndex { problem } => write!(f, "shard index: {problem}"),
            Self::Zip { offset, problem } => write!(f, "zip archive, offset {offset}: {problem}"),
        }
    }
}
