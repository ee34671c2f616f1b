//! How are members and numbers read from bcolz's JSON files?

use super::BcolzError;
use crate::error::{FormatError, Part};
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};

/// Longest piece of a value that an error repeats.
const SHOWN: usize = 60;

/// The object that a file is.
pub(super) fn object(bytes: &[u8], part: Part) -> Result<Json, FormatError> {
    let json = Json::parse(bytes).map_err(|error| match error {
        FormatError::Text { offset, problem, .. } => FormatError::Text { part, offset, problem },
        error => error,
    })?;
    match json {
        Json::Object(_) => Ok(json),
        _ => Err(BcolzError::NotAnObject { part }.into()),
    }
}

/// A member that has to be there.
pub(super) fn required<'a>(object: &'a Json, part: Part, key: &'static str) -> Result<&'a Json, BcolzError> {
    object.get(key).ok_or(BcolzError::MissingKey { part, key })
}

/// The error for a value that cannot be.
pub(super) fn bad(part: Part, key: &'static str, found: &Json, expected: &'static str) -> BcolzError {
    BcolzError::Value { part, key, found: shown(found), expected }
}

/// A value as errors show it: the beginning of its JSON, which is ASCII.
pub(super) fn shown(value: &Json) -> Box<str> {
    let text = value.start_spaced(SHOWN + 1);
    match text.get(..SHOWN) {
        Some(start) if text.len() > SHOWN => format!("{start}…").into(),
        _ => text.into(),
    }
}

/// A number of things: an integer, or a float that is whole, as a few writers had it.
pub(super) fn count(value: &Json) -> Option<u64> {
    /// All floats below are exact as integers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Json::Float(value) if value.fract() == 0.0 && (0.0..=EXACT).contains(value) => Some(*value as u64),
        value => value.as_u64(),
    }
}

/// A count as JSON, whatever its size.
pub(super) fn json_count(value: u64) -> Json {
    i64::try_from(value).map_or_else(|_| Json::BigInt(value.to_string().into()), Json::Int)
}

/// An object as bcolz writes it to a file: `json.dumps` with its spaces, and a newline.
pub(super) fn to_file(members: Vec<(String, Json)>) -> Vec<u8> {
    let mut text = Json::Object(members).dumps_spaced();
    text.push('\n');
    text.into_bytes()
}

/// As [`to_file`], for a value of any size.
pub(super) fn to_large_file(value: Json) -> Result<Vec<u8>, OutOfMemory> {
    let mut text = value.try_dumps_spaced()?;
    memory::push_str(&mut text, "\n")?;
    Ok(text.into_bytes())
}
