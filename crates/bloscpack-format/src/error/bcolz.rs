//! Errors of the files of a bcolz directory and of values to be written to them.

use super::part::Part;
use blosc_core::{ErrorKind, Location};
use std::fmt;

/// Why a file of a bcolz directory was refused, or cannot be written. Malformed JSON is
/// [`FormatError::Text`](crate::FormatError::Text). A dtype unknown to NumPy is
/// [`FormatError::Numpy`](crate::FormatError::Numpy).
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
    /// The value of a key is invalid.
    Value {
        /// The file.
        part: Part,
        /// The key.
        key: &'static str,
        /// The beginning of the value, as JSON.
        found: Box<str>,
        /// A description of the valid values.
        expected: &'static str,
    },
    /// A row takes no bytes, or more than a chunk may have.
    AtomSize {
        /// Bytes of a row; `None` if the number does not fit 64 bits.
        found: Option<u64>,
        /// Maximum number of bytes.
        max: u64,
    },
    /// A chunk of `chunklen` rows exceeds the size that Blosc allows, or `chunklen` is 0.
    ChunkLen {
        /// Rows of a chunk.
        chunklen: u64,
        /// Bytes of a row.
        atomsize: u64,
        /// Maximum number of bytes of a chunk.
        max: u64,
    },
    /// All rows together take more than 2⁶³ - 1 bytes.
    TooManyRows {
        /// Number of rows.
        len: u64,
        /// Bytes of a row.
        atomsize: u64,
    },
    /// An array of Python objects has more than one axis.
    ObjectShape {
        /// Its axes.
        ndim: usize,
    },
    /// The name of a column is not a valid directory name.
    ColumnName {
        /// The name.
        name: Box<str>,
        /// The reason.
        why: &'static str,
    },
    /// Two columns have the same name.
    DuplicateColumn {
        /// The name.
        name: Box<str>,
    },
    /// The default value is invalid for the dtype, or bcolz cannot write it.
    Default {
        /// The beginning of the value, as JSON or as bytes.
        found: Box<str>,
        /// The dtype.
        dtype: Box<str>,
    },
}

impl std::error::Error for BcolzError {}

impl BcolzError {
    /// Returns the category of the error: [`ErrorKind::Damaged`], both for files that are read and for values given to
    /// a writer.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Damaged
    }

    /// Returns the file, and the key in it.
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

    /// Returns the file that the message starts with.
    pub(super) fn part(&self) -> Option<Part> {
        match self {
            Self::NotAnObject { part } | Self::MissingKey { part, .. } | Self::Value { part, .. } => Some(*part),
            _ => None,
        }
    }

    /// Writes the message without the file.
    pub(super) fn problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { .. } => f.write_str("not a JSON object"),
            Self::MissingKey { key, .. } => write!(f, "{key:?} is missing"),
            Self::Value { key, found, expected, .. } => write!(f, "{key:?} is {found}, expected {expected}"),
            Self::AtomSize { found: None, max } => write!(f, "a row has more than 2^64 bytes, expected 1..={max}"),
            Self::AtomSize { found: Some(found), max } => write!(f, "a row has {found} bytes, expected 1..={max}"),
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
            Self::ColumnName { name, why } => write!(f, "{name:?} cannot be the name of a column: {why}"),
            Self::DuplicateColumn { name } => write!(f, "two columns are named {name:?}"),
            Self::Default { found, dtype } => write!(f, "default value {found} does not fit dtype {dtype}"),
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
