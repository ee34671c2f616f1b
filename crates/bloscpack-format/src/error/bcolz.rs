//! What can be wrong with the files of a bcolz directory, or with what is to be put in them.

use super::part::Part;
use blosc_core::{ErrorKind, Location};
use std::fmt;

/// Why a file of a bcolz directory was refused, or cannot be written. JSON that is none is [`FormatError::Text`](crate::FormatError::Text), a dtype
/// that NumPy does not have [`FormatError::Numpy`](crate::FormatError::Numpy).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BcolzError {
    /// The file is not a JSON object.
    NotAnObject {
        /// The file.
        part: Part,
    },
    /// The file lacks a key.
    MissingKey {
        /// The file.
        part: Part,
        /// The key.
        key: &'static str,
    },
    /// A key has a value that cannot be.
    Value {
        /// The file.
        part: Part,
        /// The key.
        key: &'static str,
        /// The value as JSON, the beginning of it.
        found: Box<str>,
        /// What it had to be.
        expected: &'static str,
    },
    /// A row takes no bytes, or more than a chunk may have.
    AtomSize {
        /// Bytes of a row; `None` if they are more than 64 bits count.
        found: Option<u64>,
        /// The most there may be.
        max: u64,
    },
    /// A chunk of so many rows is larger than Blosc allows, or has none.
    ChunkLen {
        /// Rows of a chunk.
        chunklen: u64,
        /// Bytes of a row.
        atomsize: u64,
        /// The most bytes of a chunk.
        max: u64,
    },
    /// All rows together take more than 2⁶³ - 1 bytes.
    TooManyRows {
        /// How many rows.
        len: u64,
        /// Bytes of a row.
        atomsize: u64,
    },
    /// An array of Python objects has more axes than one.
    ObjectShape {
        /// Its axes.
        ndim: usize,
    },
    /// The name of a column is none of a directory in the root.
    ColumnName {
        /// The name.
        name: Box<str>,
        /// Why not.
        why: &'static str,
    },
    /// Two columns have the same name.
    DuplicateColumn {
        /// The name.
        name: Box<str>,
    },
    /// The default value is none of the dtype, or cannot be written as bcolz writes them.
    Default {
        /// The value as JSON, or its bytes, the beginning of it.
        found: Box<str>,
        /// The dtype.
        dtype: Box<str>,
    },
}

impl std::error::Error for BcolzError {}

impl BcolzError {
    /// The category of the error. It is [`ErrorKind::Damaged`] for files that are read and for values given to a writer.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Damaged
    }

    /// The file, and the key in it.
    #[must_use]
    pub fn location(&self) -> Location {
        let field = match self {
            Self::MissingKey { key, .. } | Self::Value { key, .. } => Some(*key),
            Self::ChunkLen { .. } => Some("chunklen"),
            Self::TooManyRows { .. } => Some("shape"),
            _ => None,
        };
        let mut location = Location::default();
        location.part = self.part().map(Part::name);
        location.field = field;
        location
    }

    /// The file that the message starts with.
    pub(super) fn part(&self) -> Option<Part> {
        match self {
            Self::NotAnObject { part } | Self::MissingKey { part, .. } | Self::Value { part, .. } => Some(*part),
            _ => None,
        }
    }

    /// The message without the file.
    pub(super) fn problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { .. } => f.write_str("not a JSON object"),
            Self::MissingKey { key, .. } => write!(f, "{key:?} is missing"),
            Self::Value { key, found, expected, .. } => write!(f, "{key:?} is {found}, expected {expected}"),
            Self::AtomSize { found: None, max } => write!(f, "a row takes more than 2^64 bytes, expected 1..={max}"),
            Self::AtomSize { found: Some(found), max } => write!(f, "a row takes {found} bytes, expected 1..={max}"),
            Self::ChunkLen { chunklen, atomsize, max } => {
                write!(
                    f,
                    "\"chunklen\" is {chunklen}, expected 1..={} rows of {atomsize} bytes",
                    max / atomsize.max(&1)
                )
            }
            Self::TooManyRows { len, atomsize } => {
                write!(f, "\"shape\" says {len} rows of {atomsize} bytes, more than {} bytes", i64::MAX)
            }
            Self::ObjectShape { ndim } => write!(f, "an array of Python objects has {ndim} axes, expected 1"),
            Self::ColumnName { name, why } => write!(f, "{name:?} is no name of a column: {why}"),
            Self::DuplicateColumn { name } => write!(f, "there are two columns {name:?}"),
            Self::Default { found, dtype } => write!(f, "default value {found} is none of dtype {dtype}"),
        }
    }
}

impl fmt::Display for BcolzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = self.part() {
            write!(f, "{part}: ")?;
        }
        self.problem(f)
    }
}
