//! The default value of new rows, `dflt` in `meta/storage`: conversions between its JSON and bytes.
//!
//! bcolz writes the result of `tolist()`: a number, a boolean or text, where bytes are ASCII text. Up to 1.0 it may
//! also be a list of such values in the shape of a row. Like JSON, bcolz cannot store a complex number with an
//! imaginary part, or bytes beyond ASCII.

mod decode;
mod encode;
mod fields;
mod zero;

pub use zero::zero;

use super::text::shown;
use super::{BcolzError, Dtype, MAX_CHUNK_NBYTES};
use crate::json::Json;

/// Encodes the value. The result is one item, which is repeated over the row. If the value is a list in the shape of a
/// row, it is a whole row. It is never an empty list. Python objects have no such value.
///
/// # Errors
///
/// [`BcolzError::Default`] if the value is invalid for the dtype, or its list has another shape;
/// [`BcolzError::AtomSize`].
pub fn to_bytes(dflt: &Json, dtype: &Dtype, atom_shape: &[u64]) -> Result<Vec<u8>, BcolzError> {
    encoded(dflt, dtype, atom_shape, true)
}

/// Checks whether [`to_bytes`] would succeed, without writing the padding of items, which may be 2 GiB.
///
/// # Errors
///
/// As [`to_bytes`].
pub fn check(dflt: &Json, dtype: &Dtype, atom_shape: &[u64]) -> Result<(), BcolzError> {
    encoded(dflt, dtype, atom_shape, false).map(drop)
}

fn encoded(dflt: &Json, dtype: &Dtype, atom_shape: &[u64], whole: bool) -> Result<Vec<u8>, BcolzError> {
    let refuse = || BcolzError::Default { found: shown(dflt), dtype: dtype.to_string().into() };
    let plain = dtype.as_plain().ok_or_else(refuse)?;
    if plain.itemsize() > MAX_CHUNK_NBYTES {
        return Err(BcolzError::AtomSize { found: Some(plain.itemsize()), max: MAX_CHUNK_NBYTES });
    }
    let mut bytes = encode::Out::new(whole);
    if !atom_shape.is_empty() && encode::nested(dflt, plain, atom_shape, &mut bytes).is_some() {
        return Ok(bytes.bytes);
    }
    bytes.clear();
    encode::item(dflt, plain, &mut bytes).ok_or_else(refuse)?;
    Ok(bytes.bytes)
}

/// Returns the JSON of an item, as bcolz would write it and read it back.
///
/// # Errors
///
/// [`BcolzError::Default`] if JSON cannot represent it, or `bytes` is not exactly one item.
pub fn from_bytes(bytes: &[u8], dtype: &Dtype) -> Result<Json, BcolzError> {
    let found = || crate::python::python_bytes_repr(bytes.get(..16).unwrap_or(bytes)).into();
    let refuse = || BcolzError::Default { found: found(), dtype: dtype.to_string().into() };
    let plain = dtype.as_plain().ok_or_else(refuse)?;
    let (json, rest) = decode::value(bytes, plain).ok_or_else(refuse)?;
    if rest.is_empty() { Ok(json) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(text: &str, dtype: &str, atom_shape: &[u64]) -> Option<Vec<u8>> {
        let (json, dtype) = (Json::parse(text).unwrap(), Dtype::parse(dtype).unwrap());
        let bytes = to_bytes(&json, &dtype, atom_shape);
        assert_eq!(check(&json, &dtype, atom_shape), bytes.as_ref().map(|_| ()).map_err(Clone::clone), "{text}");
        bytes.ok()
    }

    /// Values and their bytes in NumPy.
    #[test]
    fn there_and_back() {
        for (text, dtype, bytes) in [
            ("true", "bool", b"\x01".as_slice()),
            ("-7", "int16", b"\xf9\xff"),
            ("-7", ">i4", b"\xff\xff\xff\xf9"),
            ("127", "int8", b"\x7f"),
            ("18446744073709551615", "uint64", b"\xff\xff\xff\xff\xff\xff\xff\xff"),
            ("-9223372036854775808", "datetime64[ns]", b"\0\0\0\0\0\0\0\x80"),
            ("1.5", "float16", b"\x00\x3e"),
            ("-0.5", ">f4", b"\xbf\0\0\0"),
            ("Infinity", "float64", b"\0\0\0\0\0\0\xf0\x7f"),
            ("2.0", ">c8", b"\x40\0\0\0\0\0\0\0"),
            ("0.0", "float128", &[0; 16]),
            ("\"ab\"", "|S3", b"ab\0"),
            ("\"\\u00e9\"", "<U2", b"\xe9\0\0\0\0\0\0\0"),
            ("\"\\ud83d\\ude00\"", ">U1", b"\0\x01\xf6\0"),
            ("\"\\u0000\\u0001\"", "|V2", b"\0\x01"),
            (
                "[1, 2.0, [3, 4]]",
                "[('a', '|u1'), ('', '|V3'), ('b', '<f4'), ('c', '|i1', (2,))]",
                b"\x01\0\0\0\0\0\0\x40\x03\x04",
            ),
        ] {
            let kept = Json::parse(text).unwrap();
            assert_eq!(bytes_of(text, dtype, &[]).as_deref(), Some(bytes), "{text} {dtype}");
            assert_eq!(from_bytes(bytes, &Dtype::parse(dtype).unwrap()), Ok(kept), "{dtype}");
        }
    }

    #[test]
    fn one_way_only() {
        assert_eq!(bytes_of("[[1, 2], [3, 4]]", "int8", &[2, 2]).as_deref(), Some([1, 2, 3, 4].as_slice()));
        assert_eq!(bytes_of("5", "int8", &[2, 2]).as_deref(), Some([5].as_slice()));
        assert_eq!(bytes_of("\"abcdef\"", "|S3", &[]).as_deref(), Some(b"abc".as_slice()));
        assert_eq!(bytes_of("3", "float32", &[]).as_deref(), Some(b"\0\0\x40\x40".as_slice()));
        assert_eq!(bytes_of("NaN", "float16", &[]).as_deref(), Some(b"\0\x7e".as_slice()));
        for (text, dtype, shape) in [
            ("[1, 2, 3]", "int8", [2].as_slice()),
            ("[[1, 2], [3]]", "int8", &[2, 2]),
            ("300", "uint8", &[]),
            ("-1", "uint64", &[]),
            ("128", "int8", &[]),
            ("null", "int8", &[]),
            ("\"1\"", "int8", &[]),
            ("0", "|S3", &[]),
            ("\"\\u00e9\"", "|S3", &[]),
            ("0", "object", &[]),
            ("[1]", "[('a', '|u1'), ('b', '|u1')]", &[]),
        ] {
            assert_eq!(bytes_of(text, dtype, shape), None, "{text} {dtype}");
        }
        let none = |bytes: &[u8], dtype: &str| from_bytes(bytes, &Dtype::parse(dtype).unwrap()).is_err();
        assert!(none(b"\0\0\0\0\0\0\x80\x3f", "complex64") && none(b"\xff", "|S1") && none(b"\0", "int16"));
        assert!(none(b"\0\xd8\0\0", "<U1") && none(b"\0\0\0", "int16"));
    }

    /// Lists of items, and one value for all, which may itself be a list.
    #[test]
    fn subarrays() {
        let pairs = "[('a', [('x', '|i1'), ('y', '|i1')], (2,))]";
        let uneven = "[('a', [('x', '|i1', (2,)), ('y', '|i1')], (2,))]";
        for (text, dtype, bytes) in [
            ("[[[1, 2], [3, 4]]]", pairs, [1, 2, 3, 4].as_slice()),
            ("[[1, 2]]", pairs, &[1, 2, 1, 2]),
            ("[[[1, 2], [3, 4]]]", uneven, &[1, 1, 2, 3, 3, 4]),
            ("[[[1, 2], 3]]", uneven, &[1, 2, 3, 1, 2, 3]),
            ("[[1, 2]]", uneven, &[1, 1, 2, 1, 1, 2]),
            ("[[[1, 2], [3, 4]]]", "[('a', '|i1', (2, 2))]", &[1, 2, 3, 4]),
            ("[5]", "[('a', '|i1', (2, 2))]", &[5; 4]),
            ("[[1, 2]]", "[('a', ('|i1', (2,)), (2,))]", &[1, 1, 2, 2]),
            ("[[[1, 2], [3, 4]]]", "[('a', ('|i1', (2, 2)), (2,))]", &[1, 2, 3, 4, 1, 2, 3, 4]),
        ] {
            assert_eq!(bytes_of(text, dtype, &[]).as_deref(), Some(bytes), "{text} {dtype}");
        }
    }

    /// If both interpretations were tried at each level, this test would not end.
    #[test]
    fn levels_do_not_multiply() {
        let levels = 30;
        let dtype = (0..levels).fold("'|i1'".to_owned(), |base, _| format!("({base}, (1,))"));
        let dtype = format!("[('a', {dtype})]");
        let text = |value: &str, depth| format!("[{}{value}{}]", "[".repeat(depth), "]".repeat(depth));
        for depth in 0..=levels + 1 {
            let expected = (depth <= levels).then(|| vec![7]);
            assert_eq!(bytes_of(&text("7", depth), &dtype, &[]), expected, "{depth}");
            assert_eq!(bytes_of(&text("null", depth), &dtype, &[]), None, "{depth}");
        }
    }

    #[test]
    fn zeros_are_zeros() {
        for dtype in ["bool", "int8", ">u4", "float16", "complex128", "|S3", "<U2", "|V5", "|V70000", "datetime64[D]"] {
            let dtype = Dtype::parse(dtype).unwrap();
            let bytes = to_bytes(&zero(&dtype), &dtype, &[3]).unwrap();
            assert_eq!(bytes, vec![0; dtype.itemsize() as usize]);
        }
    }
}
