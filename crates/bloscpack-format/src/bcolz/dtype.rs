//! Dtypes of carrays: their names, and the typesizes with which Blosc compresses them.

use crate::error::FormatError;
use crate::numpy::{self, NumpyError, ScalarKind};
use std::fmt;

/// The dtype of a carray.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// Items of a fixed size.
    Plain(numpy::Dtype),
    /// Python objects: each has its own chunk file, which contains a pickle.
    Object,
}

/// The largest typesize that a Blosc1 chunk can store.
const MAX_TYPESIZE: u64 = 255;

impl Dtype {
    /// Parses the output of `str(numpy.dtype)`. A native type is a name, `int32`, `datetime64[ns]`. Any other is a type
    /// string or `descr`: `|S5`, `>i4`, `[('a', '<i4')]`. A name means little-endian here, as it did on nearly all
    /// machines that wrote one.
    ///
    /// # Errors
    ///
    /// [`FormatError::Numpy`] or [`FormatError::Text`].
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        if text.trim_start().starts_with(['[', '(']) {
            return Ok(Self::Plain(numpy::Dtype::parse(text)?));
        }
        match numpy::Dtype::from_type_string(text) {
            Ok(dtype) => Ok(Self::Plain(dtype)),
            Err(NumpyError::Object) => Ok(Self::Object),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the size of an item in bytes. For an object it is 8, the size that bcolz counts.
    #[must_use]
    pub fn itemsize(&self) -> u64 {
        match self {
            Self::Plain(dtype) => dtype.itemsize(),
            Self::Object => 8,
        }
    }

    /// Returns the typesize with which bcolz compresses chunks: the size of an item, whatever the axes. It is 1 for
    /// bytes, objects and items that are too large, and 4 for text.
    #[must_use]
    pub fn typesize(&self) -> usize {
        let kind = match self {
            Self::Object => return 1,
            Self::Plain(numpy::Dtype::Scalar(scalar)) => Some(scalar.kind()),
            Self::Plain(_) => None,
        };
        match (kind, self.itemsize()) {
            (Some(ScalarKind::Bytes), _) => 1,
            (Some(ScalarKind::Str), _) => 4,
            // At most 255: the cast is exact.
            (_, itemsize @ 1..=MAX_TYPESIZE) => itemsize as usize,
            _ => 1,
        }
    }

    /// Returns whether bcolz can open an array of this dtype. It writes the `descr` of a dtype with fields, but cannot
    /// read it.
    #[must_use]
    pub fn is_readable_by_bcolz(&self) -> bool {
        matches!(self, Self::Object | Self::Plain(numpy::Dtype::Scalar(_)))
    }

    /// Returns the dtype of the items, unless they are objects.
    #[must_use]
    pub fn as_plain(&self) -> Option<&numpy::Dtype> {
        match self {
            Self::Plain(dtype) => Some(dtype),
            Self::Object => None,
        }
    }
}

/// Writes the output of `str(numpy.dtype)`.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(numpy::Dtype::Scalar(scalar)) => f.write_str(&scalar.name()),
            Self::Plain(dtype) => dtype.fmt(f),
            Self::Object => f.write_str("object"),
        }
    }
}

impl From<numpy::Dtype> for Dtype {
    fn from(dtype: numpy::Dtype) -> Self {
        Self::Plain(dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `str(numpy.dtype(text))` of NumPy 2.4.6, and bcolz's typesizes.
    #[test]
    fn names_and_typesizes() {
        for (text, name, itemsize, typesize) in [
            ("b1", "bool", 1, 1),
            (">i1", "int8", 1, 1),
            ("<f2", "float16", 2, 2),
            ("f16", "float128", 16, 16),
            ("<c8", "complex64", 8, 8),
            (">c16", ">c16", 16, 16),
            ("M8", "datetime64", 8, 8),
            ("<M8[ns]", "datetime64[ns]", 8, 8),
            ("M8[25s]", "datetime64[25s]", 8, 8),
            (">M8[ns]", ">M8[ns]", 8, 8),
            ("m8[D]", "timedelta64[D]", 8, 8),
            ("S5", "|S5", 5, 1),
            ("S300", "|S300", 300, 1),
            ("U3", "<U3", 12, 4),
            (">U80", ">U80", 320, 4),
            ("V5", "|V5", 5, 5),
            ("V300", "|V300", 300, 1),
            (">i4", ">i4", 4, 4),
            ("|O", "object", 8, 1),
            ("[('a', '<i4'), ('b', '>f8', (2,))]", "[('a', '<i4'), ('b', '>f8', (2,))]", 20, 20),
        ] {
            let dtype = Dtype::parse(text).unwrap();
            assert_eq!((&*dtype.to_string(), dtype.itemsize(), dtype.typesize()), (name, itemsize, typesize));
            assert_eq!(Dtype::parse(name).as_ref(), Ok(&dtype));
        }
        for text in ["", "int13", "float64 ", "[('a', '|O')]", "[('a',"] {
            assert!(Dtype::parse(text).is_err(), "{text}");
        }
    }
}
