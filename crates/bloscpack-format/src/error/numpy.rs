//! Errors of NumPy dtypes, array metadata, slices and `.npy` headers.

use blosc_core::{ErrorKind, OutOfMemory};
use std::fmt;

/// Why a value is not a supported NumPy array.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumpyError {
    /// The metadata is not that of a NumPy array: it is not an object whose `container` is `numpy`.
    NotNumpy,
    /// The metadata or the `.npy` header lacks this key, or its value is invalid.
    Key(&'static str),
    /// No data type has this type string.
    TypeString(Box<str>),
    /// The array holds Python objects: its bytes are pointers or pickles.
    Object,
    /// The description of the dtype is malformed.
    Descr(&'static str),
    /// Two fields share a name or title.
    DuplicateField(Box<str>),
    /// The system refused memory for a dtype.
    OutOfMemory(OutOfMemory),
    /// One item takes more bytes than NumPy allows.
    ItemTooLarge {
        /// The maximum, 2³¹ - 1.
        limit: u32,
    },
    /// The items of an array of this shape take more than 2⁶³ - 1 bytes.
    ShapeTooLarge,
    /// A part of a slice is not an index, a range or an ellipsis.
    Slice {
        /// The part.
        entry: Box<str>,
        /// Why it is refused.
        problem: &'static str,
    },
    /// A slice has more entries than the array has axes.
    TooManyIndices {
        /// Entries of the slice, the ellipsis not counted.
        found: usize,
        /// Axes of the array.
        expected: usize,
    },
    /// An index outside its axis.
    Index {
        /// The axis.
        axis: usize,
        /// The index.
        index: i64,
        /// Items along the axis.
        len: u64,
    },
    /// This is not the start of a `.npy` file.
    NpyMagic,
    /// A `.npy` format version other than 1.0, 2.0, 3.0.
    NpyVersion {
        /// The first number.
        major: u8,
        /// The second number.
        minor: u8,
    },
}

/// No error has a source: `OutOfMemory` displays its content itself.
impl std::error::Error for NumpyError {}

impl NumpyError {
    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Object | Self::NpyVersion { .. } => ErrorKind::Unsupported,
            Self::Slice { .. } | Self::TooManyIndices { .. } | Self::Index { .. } => ErrorKind::InvalidInput,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            _ => ErrorKind::Damaged,
        }
    }
}

impl From<OutOfMemory> for NumpyError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

impl fmt::Display for NumpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNumpy => f.write_str("the metadata is not that of a NumPy array"),
            Self::Key(key) => write!(f, "numpy: {key:?} is missing or malformed"),
            Self::TypeString(text) => write!(f, "numpy: data type {text:?} not understood"),
            Self::Object => f.write_str("numpy: arrays of Python objects are not supported"),
            Self::Descr(what) => write!(f, "numpy: {what}"),
            Self::DuplicateField(name) => write!(f, "numpy: field {name:?} occurs more than once"),
            Self::OutOfMemory(error) => error.fmt(f),
            Self::ItemTooLarge { limit } => write!(f, "numpy: an item exceeds {limit} bytes"),
            Self::ShapeTooLarge => write!(f, "numpy: the array exceeds {} bytes", i64::MAX),
            Self::Slice { entry, problem } => write!(f, "slice: {entry:?}: {problem}"),
            Self::TooManyIndices { found, expected } => {
                write!(f, "slice: too many indices: the array has {expected} axes, but {found} were indexed")
            }
            Self::Index { axis, index, len } => {
                write!(f, "slice: index {index} is out of bounds for axis {axis} with size {len}")
            }
            Self::NpyMagic => f.write_str("npy: the file does not start with b'\\x93NUMPY'"),
            Self::NpyVersion { major, minor } => {
                write!(f, "npy: format version is {major}.{minor}, expected 1.0, 2.0 or 3.0")
            }
        }
    }
}
