//! Converts a JSON value to the bytes of an item, or of a list of items.

use std::ops::{Deref, DerefMut};

use super::fields::values;
use crate::bcolz::text::count;
use crate::json::Json;
use crate::numpy::half;
use crate::numpy::{ByteOrder, Dtype, Scalar, ScalarKind};

/// The bytes of items.
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
    /// Whether padding is written, too.
    whole: bool,
}

/// Padding up to this length is always written: a number is a few bytes, and its bytes may have to be reversed.
const NUMBER: usize = 64;

impl Out {
    pub(super) fn new(whole: bool) -> Self {
        Out { bytes: Vec::new(), whole }
    }
}

impl Deref for Out {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Out {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

/// Encodes nested lists of items in the shape `shape`.
pub(super) fn nested(json: &Json, dtype: &Dtype, shape: &[u64], bytes: &mut Out) -> Option<()> {
    let Some((len, inner)) = shape.split_first() else {
        return item(json, dtype, bytes);
    };
    let items = json.as_array().filter(|items| items.len() as u64 == *len)?;
    items.iter().try_for_each(|json| nested(json, dtype, inner, bytes))
}

/// Adds the bytes of an item.
pub(super) fn item(json: &Json, dtype: &Dtype, bytes: &mut Out) -> Option<()> {
    match dtype {
        Dtype::Scalar(scalar) => scalar_bytes(json, *scalar, bytes),
        Dtype::Subarray(base, shape) => {
            let shape: Vec<u64> = shape.iter().copied().map(u64::from).collect();
            if is_list(json, base, &shape) {
                return nested(json, base, &shape, bytes);
            }
            // One value for all elements.
            let start = bytes.len();
            item(json, base, bytes)?;
            let one = bytes.split_off(start);
            let size = usize::try_from(dtype.itemsize()).ok()?;
            if bytes.whole {
                bytes.extend(one.iter().cycle().take(size));
            }
            Some(())
        }
        Dtype::Struct(fields) => {
            let mut members = json.as_array()?.iter();
            for field in fields.iter() {
                match field.is_padding() {
                    true => pad(bytes, usize::try_from(field.dtype.itemsize()).ok()?),
                    false => item(members.next()?, &field.dtype, bytes)?,
                }
            }
            members.next().is_none().then_some(())
        }
    }
}

/// Returns whether the value is a list in the shape `shape` of possible items. Only the outer structure of the items is
/// checked: trying one interpretation and then the other would double the time for each level of a dtype.
fn is_list(json: &Json, dtype: &Dtype, shape: &[u64]) -> bool {
    let Some((len, inner)) = shape.split_first() else { return may_be(json, dtype) };
    let items = json.as_array().filter(|items| items.len() as u64 == *len);
    items.is_some_and(|items| items.iter().all(|json| is_list(json, dtype, inner)))
}

/// Returns whether the value has lists where an item has them.
fn may_be(json: &Json, dtype: &Dtype) -> bool {
    match dtype {
        Dtype::Scalar(_) => json.as_array().is_none(),
        Dtype::Subarray(base, shape) => has_shape(json, shape) || may_be(json, base),
        Dtype::Struct(fields) => json.as_array().is_some_and(|items| items.len() == values(fields).count()),
    }
}

fn has_shape(json: &Json, shape: &[u32]) -> bool {
    let Some((len, inner)) = shape.split_first() else { return true };
    let items = json.as_array().filter(|items| items.len() as u64 == u64::from(*len));
    items.is_some_and(|items| items.iter().all(|json| has_shape(json, inner)))
}

fn pad(bytes: &mut Out, len: usize) {
    if bytes.whole || len <= NUMBER {
        let len = bytes.len() + len;
        bytes.resize(len, 0);
    }
}

fn scalar_bytes(json: &Json, scalar: Scalar, bytes: &mut Out) -> Option<()> {
    let itemsize = scalar.itemsize() as usize;
    let start = bytes.len();
    match scalar.kind() {
        ScalarKind::Bool => bytes.push(u8::from(match json {
            Json::Bool(_) | Json::Int(_) | Json::Float(_) => json.is_truthy(),
            _ => return None,
        })),
        ScalarKind::Int | ScalarKind::Datetime | ScalarKind::Timedelta => {
            // The low bytes of an i64 that fits are the value itself.
            let value = integer(json)?;
            let bits = 8 * itemsize as u32;
            let fits = i128::from(value) >> (bits - 1);
            (fits == 0 || fits == -1).then_some(())?;
            bytes.extend(value.to_le_bytes().into_iter().take(itemsize));
        }
        ScalarKind::UInt => {
            let value = match json {
                Json::Bool(value) => u64::from(*value),
                json => count(json)?,
            };
            (u128::from(value) >> (8 * itemsize) == 0).then_some(())?;
            bytes.extend(value.to_le_bytes().into_iter().take(itemsize));
        }
        ScalarKind::Float | ScalarKind::Complex => {
            let part = if scalar.kind() == ScalarKind::Complex { itemsize / 2 } else { itemsize };
            float_bytes(float(json)?, part, bytes)?;
            pad(bytes, itemsize - part);
            // The real part comes first, whatever the byte order.
            if scalar.byte_order() == ByteOrder::Big {
                bytes.get_mut(start..start + part)?.reverse();
            }
            return Some(());
        }
        // Longer text is truncated, as in NumPy.
        ScalarKind::Bytes | ScalarKind::Void => {
            let text = json.as_str().filter(|text| text.is_ascii())?;
            bytes.extend(text.bytes().take(itemsize));
            pad(bytes, itemsize.saturating_sub(text.len()));
        }
        ScalarKind::Str => {
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

/// Encodes a float of `size` bytes. For `long double`, whose layout depends on the machine, only zero is possible.
fn float_bytes(value: f64, size: usize, bytes: &mut Out) -> Option<()> {
    match size {
        2 => bytes.extend(half::to_bits(value).to_le_bytes()),
        4 => bytes.extend((value as f32).to_le_bytes()),
        8 => bytes.extend(value.to_le_bytes()),
        _ if value == 0.0 && value.is_sign_positive() => pad(bytes, size),
        _ => return None,
    }
    Some(())
}
