//! Fill values that are numbers: their JSON and their bytes.

use crate::json::Json;
use crate::numpy::half;
use crate::numpy::{ByteOrder, Scalar, ScalarKind};

/// Returns the bytes of a number. `None` if the JSON is no value of this kind.
pub(super) fn to_bytes(json: &Json, scalar: Scalar) -> Option<Vec<u8>> {
    let (size, big) = (scalar.itemsize() as usize, scalar.byte_order() == ByteOrder::Big);
    match scalar.kind() {
        ScalarKind::Bool => match json {
            Json::Bool(value) => Some(vec![(*value).into()]),
            Json::Int(value @ 0..=1) => Some(vec![*value as u8]),
            _ => None,
        },
        ScalarKind::Int => {
            let value = integer(json)?;
            let limit = 1_i128 << (8 * size - 1);
            (-limit..limit).contains(&value).then(|| put(value as u64, size, big))
        }
        ScalarKind::UInt => {
            let value = integer(json)?;
            (0..1_i128 << (8 * size)).contains(&value).then(|| put(value as u64, size, big))
        }
        ScalarKind::Datetime | ScalarKind::Timedelta => {
            let value = match json.as_str() {
                Some("NaT") => i64::MIN,
                _ => i64::try_from(integer(json)?).ok()?,
            };
            Some(put(value.cast_unsigned(), 8, big))
        }
        ScalarKind::Float => float(json, size, big),
        ScalarKind::Complex => {
            let [real, imaginary] = json.as_array()? else { return None };
            let (mut bytes, imaginary) = (float(real, size / 2, big)?, float(imaginary, size / 2, big)?);
            bytes.extend(imaginary);
            Some(bytes)
        }
        ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void => None,
    }
}

/// Returns the JSON of a number. `None` for C's `long double`s other than zero, which have no JSON.
pub(super) fn to_json(item: &[u8], scalar: Scalar, hexadecimal: bool) -> Option<Json> {
    let big = scalar.byte_order() == ByteOrder::Big;
    Some(match scalar.kind() {
        ScalarKind::Bool => Json::Bool(item.iter().any(|byte| *byte != 0)),
        ScalarKind::Int | ScalarKind::Datetime | ScalarKind::Timedelta => {
            let unused = 64_u32.checked_sub(8 * item.len() as u32)?;
            Json::Int((number(item, big) << unused).cast_signed() >> unused)
        }
        ScalarKind::UInt => super::fields::json_length(number(item, big)),
        ScalarKind::Float => float_json(item, big, hexadecimal)?,
        ScalarKind::Complex => {
            let (real, imaginary) = item.split_at_checked(item.len() / 2)?;
            Json::Array(vec![float_json(real, big, hexadecimal)?, float_json(imaginary, big, hexadecimal)?])
        }
        ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void => return None,
    })
}

/// Reads an integer, or a float with an integral value, as a few writers stored it.
fn integer(json: &Json) -> Option<i128> {
    match json {
        Json::Int(value) => Some((*value).into()),
        Json::BigInt(digits) => digits.parse().ok(),
        // The casts of such floats are exact.
        Json::Float(value) if value.fract() == 0.0 && value.abs() < 1e18 => Some(*value as i128),
        _ => None,
    }
}

fn float(json: &Json, size: usize, big: bool) -> Option<Vec<u8>> {
    if let Some(digits) = json.as_str().and_then(|text| text.strip_prefix("0x")) {
        let is_hex = digits.len() == 2 * size && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let bits = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        return Some(put(bits, size, big));
    }
    let value = match json {
        Json::Float(value) => *value,
        Json::Int(value) => *value as f64,
        Json::BigInt(digits) => digits.parse().ok()?,
        Json::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return None,
        },
        _ => return None,
    };
    Some(match size {
        2 => put(half::to_bits(value).into(), 2, big),
        4 => put((value as f32).to_bits().into(), 4, big),
        8 => put(value.to_bits(), 8, big),
        // C's `long double` differs between machines, except for zero.
        _ if value == 0.0 => vec![0; size.min(16)],
        _ => return None,
    })
}

fn float_json(item: &[u8], big: bool, hexadecimal: bool) -> Option<Json> {
    let bits = number(item, big);
    let (value, nan) = match item.len() {
        2 => (half::from_bits(bits as u16), 0x7e00),
        4 => (f32::from_bits(bits as u32).into(), 0x7fc0_0000),
        8 => (f64::from_bits(bits), 0x7ff8_0000_0000_0000),
        _ => return item.iter().all(|byte| *byte == 0).then_some(Json::Float(0.0)),
    };
    Some(match value {
        value if value.is_nan() && bits != nan && hexadecimal => {
            format!("0x{bits:0digits$x}", digits = 2 * item.len()).into()
        }
        value if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        value => Json::Float(value),
    })
}

/// Returns the lowest `size` bytes of a number.
pub(super) fn put(bits: u64, size: usize, big: bool) -> Vec<u8> {
    let mut bytes = bits.to_le_bytes().get(..size).unwrap_or_default().to_vec();
    if big {
        bytes.reverse();
    }
    bytes
}

/// Reads a number of at most eight bytes.
pub(super) fn number(item: &[u8], big: bool) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if big { item.iter().fold(0, add) } else { item.iter().rev().fold(0, add) }
}
