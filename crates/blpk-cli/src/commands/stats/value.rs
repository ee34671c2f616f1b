//! A number of a dtype as text and as JSON.

use bloscpack_format::numpy::{ByteOrder, Scalar, ScalarKind, Value};
use bloscpack_format::{Json, python_float_repr};

/// Formats a number like items of this dtype: floats in the fewest digits, times in ISO 8601.
pub(super) fn text(value: Value, scalar: &Scalar) -> String {
    match value {
        Value::Int(steps) if scalar.kind() == ScalarKind::Datetime => datetime(steps, scalar),
        Value::Int(value) if scalar.kind() == ScalarKind::Bool => (if value == 0 { "false" } else { "true" }).into(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => float(value, scalar),
        _ => "NaT".into(),
    }
}

/// Converts a number to JSON.
pub(super) fn json(value: Value, scalar: &Scalar) -> Json {
    match value {
        Value::Int(steps) if scalar.kind() == ScalarKind::Datetime => Json::String(datetime(steps, scalar)),
        Value::Int(value) if scalar.kind() == ScalarKind::Bool => Json::Bool(value != 0),
        Value::Int(value) => integer(value),
        Value::Float(value) => Json::Float(value),
        _ => Json::Null,
    }
}

pub(super) fn integer(value: i128) -> Json {
    i64::try_from(value).map_or_else(|_| Json::BigInt(value.to_string().into()), Json::Int)
}

/// Formats a mean of values of the dtype. For times, it is rounded to the nearest one.
pub(super) fn mean(mean: f64, scalar: &Scalar) -> String {
    if scalar.kind() == ScalarKind::Datetime { datetime(mean.round() as i128, scalar) } else { python_float_repr(mean) }
}

/// Formats the edge of a bin in about six digits.
pub(super) fn rounded(value: f64) -> String {
    let text = format!("{value:.5e}");
    text.parse().map_or(text, python_float_repr)
}

fn float(value: f64, scalar: &Scalar) -> String {
    let part = scalar.itemsize() / if scalar.kind() == ScalarKind::Complex { 2 } else { 1 };
    // The nearest `f32` has fewer digits.
    let short = if part <= 4 { (value as f32).to_string().parse().unwrap_or(value) } else { value };
    python_float_repr(short)
}

fn datetime(steps: i128, scalar: &Scalar) -> String {
    let steps = i64::try_from(steps).unwrap_or(i64::MAX);
    let item = if scalar.byte_order() == ByteOrder::Big { steps.to_be_bytes() } else { steps.to_le_bytes() };
    let mut text = Vec::new();
    // Cannot fail for lack of memory: a time has only a few characters.
    let _ = scalar.text_of(&item, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
