//! Converts the bytes of an item to the JSON that bcolz would write for it.

use crate::bcolz::text::json_count;
use crate::json::Json;
use crate::numpy::half;
use crate::numpy::{ByteOrder, Dtype, Scalar, ScalarKind};

/// Returns the JSON of the item at the start of `bytes`, and the bytes after it.
pub(super) fn value<'a>(bytes: &'a [u8], dtype: &Dtype) -> Option<(Json, &'a [u8])> {
    match dtype {
        Dtype::Scalar(scalar) => {
            let (item, rest) = bytes.split_at_checked(scalar.itemsize() as usize)?;
            Some((scalar_value(item, *scalar)?, rest))
        }
        Dtype::Subarray(base, shape) => {
            let shape: Vec<u64> = shape.iter().copied().map(u64::from).collect();
            list(bytes, base, &shape)
        }
        Dtype::Struct(fields) => {
            let mut rest = bytes;
            let mut members = Vec::new();
            for field in fields.iter() {
                if field.is_padding() {
                    rest = rest.get(usize::try_from(field.dtype.itemsize()).ok()?..)?;
                } else {
                    let (json, after) = value(rest, &field.dtype)?;
                    members.push(json);
                    rest = after;
                }
            }
            Some((Json::Array(members), rest))
        }
    }
}

fn list<'a>(bytes: &'a [u8], base: &Dtype, shape: &[u64]) -> Option<(Json, &'a [u8])> {
    let Some((len, inner)) = shape.split_first() else {
        return value(bytes, base);
    };
    // Each element consumes bytes of the input, so the list is never longer than the input.
    (base.itemsize() > 0 && !inner.contains(&0)).then_some(())?;
    let (mut rest, mut items) = (bytes, Vec::new());
    for _ in 0..*len {
        let (json, after) = list(rest, base, inner)?;
        items.push(json);
        rest = after;
    }
    Some((Json::Array(items), rest))
}

fn scalar_value(item: &[u8], scalar: Scalar) -> Option<Json> {
    let big = scalar.byte_order() == ByteOrder::Big;
    Some(match scalar.kind() {
        ScalarKind::Bool => Json::Bool(item != [0]),
        ScalarKind::Int | ScalarKind::Datetime | ScalarKind::Timedelta => {
            let bits = 8 * item.len() as u32;
            // The sign is in the highest bit of the item.
            Json::Int((number(item, big) << (64 - bits)).cast_signed() >> (64 - bits))
        }
        ScalarKind::UInt => json_count(number(item, big)),
        ScalarKind::Float => Json::Float(float_value(item, big)?),
        ScalarKind::Complex => {
            let (real, imaginary) = item.split_at_checked(item.len() / 2)?;
            imaginary.iter().all(|byte| *byte == 0).then_some(())?;
            Json::Float(float_value(real, big)?)
        }
        ScalarKind::Bytes => Json::String(ascii(trimmed(item))?),
        ScalarKind::Void => Json::String(ascii(item)?),
        ScalarKind::Str => {
            let codes = item.chunks_exact(4).map(|code| number(code, big) as u32);
            let mut codes: Vec<u32> = codes.collect();
            codes.truncate(codes.iter().rposition(|code| *code != 0).map_or(0, |last| last + 1));
            Json::String(codes.into_iter().map(char::from_u32).collect::<Option<_>>()?)
        }
    })
}

/// Reads a number of at most eight bytes.
fn number(item: &[u8], big: bool) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if big { item.iter().fold(0, add) } else { item.iter().rev().fold(0, add) }
}

fn float_value(item: &[u8], big: bool) -> Option<f64> {
    let bits = || number(item, big);
    // The casts keep all bits, because the item has this length.
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
