//! The default value of new rows, `dflt` in `meta/storage`: how does it become bytes, and how do bytes become it?
//!
//! bcolz writes what `tolist()` gives: a number, a boolean, text, where bytes are ASCII text; up to 1.0 a list of such values
//! in the shape of a row. What JSON cannot hold, bcolz cannot: a complex number with an imaginary part, bytes beyond ASCII.

use super::text::{count, shown};
use super::{BcolzError, Dtype, MAX_CHUNK_NBYTES};
use crate::json::Json;
use crate::numpy::{self, ByteOrder, Field, Kind, Scalar};

/// The JSON of a value of zeros, as bcolz writes it.
#[must_use]
pub fn zero(dtype: &Dtype) -> Json {
    dtype.as_plain().map_or(Json::Int(0), zero_of)
}

/// The bytes of the value: of one item, which is repeated over the row, or, where the value is a list in the shape of a row,
/// of a row. It is never an empty list; of Python objects there is no such value.
///
/// # Errors
///
/// [`BcolzError::Default`] if the value is none of the dtype, or its list has another shape; [`BcolzError::AtomSize`].
pub fn to_bytes(dflt: &Json, dtype: &Dtype, atom_shape: &[u64]) -> Result<Vec<u8>, BcolzError> {
    let refuse = || BcolzError::Default { found: shown(dflt), dtype: dtype.to_string().into() };
    let plain = dtype.as_plain().ok_or_else(refuse)?;
    if plain.itemsize() > MAX_CHUNK_NBYTES {
        return Err(BcolzError::AtomSize { found: Some(plain.itemsize()), max: MAX_CHUNK_NBYTES });
    }
    let mut bytes = Vec::new();
    if !atom_shape.is_empty() && nested(dflt, plain, atom_shape, &mut bytes).is_some() {
        return Ok(bytes);
    }
    bytes.clear();
    item(dflt, plain, &mut bytes).ok_or_else(refuse)?;
    Ok(bytes)
}

/// The JSON of an item, as bcolz would write it and take it again.
///
/// # Errors
///
/// [`BcolzError::Default`] if JSON cannot hold it, or the bytes are not one item.
pub fn from_bytes(bytes: &[u8], dtype: &Dtype) -> Result<Json, BcolzError> {
    let found = || crate::python::python_bytes_repr(bytes.get(..16).unwrap_or(bytes)).into();
    let refuse = || BcolzError::Default { found: found(), dtype: dtype.to_string().into() };
    let plain = dtype.as_plain().ok_or_else(refuse)?;
    let (json, rest) = value(bytes, plain).ok_or_else(refuse)?;
    if rest.is_empty() { Ok(json) } else { Err(refuse()) }
}

fn zero_of(dtype: &numpy::Dtype) -> Json {
    match dtype {
        numpy::Dtype::Struct(fields) => Json::Array(values(fields).map(|field| zero_of(&field.dtype)).collect()),
        // One element stands for all: nothing is allocated by a shape.
        numpy::Dtype::Subarray(base, _) => zero_of(base),
        numpy::Dtype::Scalar(scalar) => match scalar.kind() {
            Kind::Bool => Json::Bool(false),
            Kind::Float | Kind::Complex => Json::Float(0.0),
            Kind::Bytes | Kind::Str => Json::String(String::new()),
            // Who reads it fills it up with zeros, so that it need not be of the whole length.
            Kind::Void => Json::String("\0".repeat(scalar.itemsize().min(MAX_VOID) as usize)),
            Kind::Int | Kind::UInt | Kind::Datetime | Kind::Timedelta => Json::Int(0),
        },
    }
}

/// The longest text of zeros that is written for a `V` type; bcolz writes all of them.
const MAX_VOID: u32 = 1 << 16;

/// Fields that have a value: padding has none.
fn values(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| !field.is_padding())
}

/// A list of lists in the shape `shape`, of items.
fn nested(json: &Json, dtype: &numpy::Dtype, shape: &[u64], bytes: &mut Vec<u8>) -> Option<()> {
    let Some((len, inner)) = shape.split_first() else {
        return item(json, dtype, bytes);
    };
    let items = json.as_array().filter(|items| items.len() as u64 == *len)?;
    items.iter().try_for_each(|json| nested(json, dtype, inner, bytes))
}

/// Adds the bytes of an item.
fn item(json: &Json, dtype: &numpy::Dtype, bytes: &mut Vec<u8>) -> Option<()> {
    match dtype {
        numpy::Dtype::Scalar(scalar) => scalar_bytes(json, *scalar, bytes),
        numpy::Dtype::Subarray(base, shape) => {
            let shape: Vec<u64> = shape.iter().copied().map(u64::from).collect();
            let start = bytes.len();
            if nested(json, base, &shape, bytes).is_some() {
                return Some(());
            }
            // One value for all of them.
            bytes.truncate(start);
            item(json, base, bytes)?;
            let one = bytes.split_off(start);
            let size = usize::try_from(dtype.itemsize()).ok()?;
            bytes.extend(one.iter().cycle().take(size));
            Some(())
        }
        numpy::Dtype::Struct(fields) => {
            let mut members = json.as_array()?.iter();
            for field in fields {
                match field.is_padding() {
                    true => pad(bytes, usize::try_from(field.dtype.itemsize()).ok()?),
                    false => item(members.next()?, &field.dtype, bytes)?,
                }
            }
            members.next().is_none().then_some(())
        }
    }
}

fn pad(bytes: &mut Vec<u8>, len: usize) {
    bytes.resize(bytes.len() + len, 0);
}

fn scalar_bytes(json: &Json, scalar: Scalar, bytes: &mut Vec<u8>) -> Option<()> {
    let itemsize = scalar.itemsize() as usize;
    let start = bytes.len();
    match scalar.kind() {
        Kind::Bool => bytes.push(u8::from(match json {
            Json::Bool(_) | Json::Int(_) | Json::Float(_) => json.is_truthy(),
            _ => return None,
        })),
        Kind::Int | Kind::Datetime | Kind::Timedelta => {
            // Every i64 of the right size is itself in the low bytes.
            let value = integer(json)?;
            let bits = 8 * itemsize as u32;
            let fits = i128::from(value) >> (bits - 1);
            (fits == 0 || fits == -1).then_some(())?;
            bytes.extend(value.to_le_bytes().into_iter().take(itemsize));
        }
        Kind::UInt => {
            let value = match json {
                Json::Bool(value) => u64::from(*value),
                json => count(json)?,
            };
            (u128::from(value) >> (8 * itemsize) == 0).then_some(())?;
            bytes.extend(value.to_le_bytes().into_iter().take(itemsize));
        }
        Kind::Float | Kind::Complex => {
            let part = if scalar.kind() == Kind::Complex { itemsize / 2 } else { itemsize };
            float_bytes(float(json)?, part, bytes)?;
            pad(bytes, itemsize - part);
            // The real part comes first, whatever the order of its bytes.
            if scalar.byte_order() == ByteOrder::Big {
                bytes.get_mut(start..start + part)?.reverse();
            }
            return Some(());
        }
        // Longer text is cut, as NumPy does.
        Kind::Bytes | Kind::Void => {
            let text = json.as_str().filter(|text| text.is_ascii())?;
            bytes.extend(text.bytes().take(itemsize));
            pad(bytes, itemsize.saturating_sub(text.len()));
        }
        Kind::Str => {
            let big = scalar.byte_order() == ByteOrder::Big;
            let characters = json.as_str()?.chars().take(itemsize / 4);
            for code in characters.map(u32::from) {
                bytes.extend(if big { code.to_be_bytes() } else { code.to_le_bytes() });
            }
            pad(bytes, itemsize - (bytes.len() - start));
            return Some(());
        }
    }
    if scalar.byte_order() == ByteOrder::Big {
        bytes.get_mut(start..)?.reverse();
    }
    Some(())
}

fn integer(json: &Json) -> Option<i64> {
    match json {
        Json::Bool(value) => Some(i64::from(*value)),
        Json::Float(_) => i64::try_from(count(json)?).ok(),
        json => json.as_i64(),
    }
}

fn float(json: &Json) -> Option<f64> {
    match json {
        Json::Bool(value) => Some(f64::from(u8::from(*value))),
        Json::Int(value) => Some(*value as f64),
        Json::BigInt(digits) => digits.parse().ok(),
        Json::Float(value) => Some(*value),
        _ => None,
    }
}

/// A float of `size` bytes; of `long double`, whose layout depends on the machine, only zero.
fn float_bytes(value: f64, size: usize, bytes: &mut Vec<u8>) -> Option<()> {
    match size {
        2 => bytes.extend(half::to_bits(value).to_le_bytes()),
        4 => bytes.extend((value as f32).to_le_bytes()),
        8 => bytes.extend(value.to_le_bytes()),
        _ if value == 0.0 && value.is_sign_positive() => pad(bytes, size),
        _ => return None,
    }
    Some(())
}

/// The JSON of the item at the start of `bytes`, and what follows it.
fn value<'a>(bytes: &'a [u8], dtype: &numpy::Dtype) -> Option<(Json, &'a [u8])> {
    match dtype {
        numpy::Dtype::Scalar(scalar) => {
            let (item, rest) = bytes.split_at_checked(scalar.itemsize() as usize)?;
            Some((scalar_value(item, *scalar)?, rest))
        }
        numpy::Dtype::Subarray(base, shape) => {
            let shape: Vec<u64> = shape.iter().copied().map(u64::from).collect();
            list(bytes, base, &shape)
        }
        numpy::Dtype::Struct(fields) => {
            let mut rest = bytes;
            let mut members = Vec::new();
            for field in fields {
                if field.is_padding() {
                    rest = rest.get(usize::try_from(field.dtype.itemsize()).ok()?..)?;
                } else {
                    let (json, behind) = value(rest, &field.dtype)?;
                    members.push(json);
                    rest = behind;
                }
            }
            Some((Json::Array(members), rest))
        }
    }
}

fn list<'a>(bytes: &'a [u8], base: &numpy::Dtype, shape: &[u64]) -> Option<(Json, &'a [u8])> {
    let Some((len, inner)) = shape.split_first() else {
        return value(bytes, base);
    };
    // Each element takes bytes that are there, so that the list is no longer than they are.
    (base.itemsize() > 0 && !inner.contains(&0)).then_some(())?;
    let (mut rest, mut items) = (bytes, Vec::new());
    for _ in 0..*len {
        let (json, behind) = list(rest, base, inner)?;
        items.push(json);
        rest = behind;
    }
    Some((Json::Array(items), rest))
}

fn scalar_value(item: &[u8], scalar: Scalar) -> Option<Json> {
    let big = scalar.byte_order() == ByteOrder::Big;
    Some(match scalar.kind() {
        Kind::Bool => Json::Bool(item != [0]),
        Kind::Int | Kind::Datetime | Kind::Timedelta => {
            let bits = 8 * item.len() as u32;
            // The sign is in the highest bit of the item.
            Json::Int((number(item, big) << (64 - bits)).cast_signed() >> (64 - bits))
        }
        Kind::UInt => super::text::json_count(number(item, big)),
        Kind::Float => Json::Float(float_value(item, big)?),
        Kind::Complex => {
            let (real, imaginary) = item.split_at_checked(item.len() / 2)?;
            imaginary.iter().all(|byte| *byte == 0).then_some(())?;
            Json::Float(float_value(real, big)?)
        }
        Kind::Bytes => Json::String(ascii(trimmed(item))?),
        Kind::Void => Json::String(ascii(item)?),
        Kind::Str => {
            let codes = item.chunks_exact(4).map(|code| number(code, big) as u32);
            let mut codes: Vec<u32> = codes.collect();
            codes.truncate(codes.iter().rposition(|code| *code != 0).map_or(0, |last| last + 1));
            Json::String(codes.into_iter().map(char::from_u32).collect::<Option<_>>()?)
        }
    })
}

/// The number that at most eight bytes are.
fn number(item: &[u8], big: bool) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if big { item.iter().fold(0, add) } else { item.iter().rev().fold(0, add) }
}

fn float_value(item: &[u8], big: bool) -> Option<f64> {
    let bits = || number(item, big);
    // The casts keep all bits: the number is of so many bytes.
    match item.len() {
        2 => Some(half::from_bits(bits() as u16)),
        4 => Some(f32::from_bits(bits() as u32).into()),
        8 => Some(f64::from_bits(bits())),
        _ => item.iter().all(|byte| *byte == 0).then_some(0.0),
    }
}

fn trimmed(item: &[u8]) -> &[u8] {
    let len = item.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    item.get(..len).unwrap_or_default()
}

fn ascii(bytes: &[u8]) -> Option<String> {
    bytes.is_ascii().then(|| bytes.iter().copied().map(char::from).collect())
}

/// Floats of two bytes, which Rust does not have: sign, five bits of exponent, ten of fraction.
pub(super) mod half {
    /// The nearest one, of two as near the even one.
    pub(in crate::bcolz) fn to_bits(value: f64) -> u16 {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let magnitude = value.abs();
        if value.is_nan() {
            return sign | 0x7e00;
        }
        // From 65520, halfway behind the largest, 65504, it is infinite.
        if magnitude >= 65_520.0 {
            return sign | 0x7c00;
        }
        // Below 2^-14 the step is 2^-24; above, 2^-10 of the power of two.
        let exponent = magnitude.log2().floor().clamp(-14.0, 15.0) as i32;
        let steps = (magnitude * 2_f64.powi(10 - exponent)).round_ties_even() as u32;
        // A step count of 2^11 carries into the exponent by itself, as does 2^10 from a subnormal one.
        let biased = (exponent + 14) as u32;
        sign | (((biased << 10) + steps) as u16)
    }

    pub(in crate::bcolz) fn from_bits(bits: u16) -> f64 {
        let magnitude = match (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff)) {
            (0x1f, 0.0) => f64::INFINITY,
            (0x1f, _) => f64::NAN,
            (0, fraction) => fraction * 2_f64.powi(-24),
            (exponent, fraction) => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
        };
        if bits & 0x8000 == 0 { magnitude } else { -magnitude }
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn all_of_them_lead_back() {
            for bits in 0..=u16::MAX {
                let value = super::from_bits(bits);
                let expected = if value.is_nan() { bits & 0x8000 | 0x7e00 } else { bits };
                assert_eq!(super::to_bits(value), expected, "{value}");
            }
            // NumPy's float16 of these.
            for (value, bits) in
                [(0.1, 0x2e66), (65_519.9, 0x7bff), (65_520.0, 0x7c00), (2_f64.powi(-25), 0), (3e-8, 1)]
            {
                assert_eq!(super::to_bits(value), bits, "{value}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(text: &str, dtype: &str, atom_shape: &[u64]) -> Option<Vec<u8>> {
        to_bytes(&Json::parse(text).unwrap(), &Dtype::parse(dtype).unwrap(), atom_shape).ok()
    }

    /// Values and the bytes that NumPy makes of them.
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

    #[test]
    fn zeros_are_zeros() {
        for dtype in ["bool", "int8", ">u4", "float16", "complex128", "|S3", "<U2", "|V5", "|V70000", "datetime64[D]"] {
            let dtype = Dtype::parse(dtype).unwrap();
            let bytes = to_bytes(&zero(&dtype), &dtype, &[3]).unwrap();
            assert_eq!(bytes, vec![0; dtype.itemsize() as usize]);
        }
    }
}
