//! Members and numbers of bcolz's JSON files.

use super::BcolzError;
use crate::error::{FormatError, Part};
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};

/// Maximum length of a value repeated in an error.
const SHOWN: usize = 60;

/// Parses a file that must be an object.
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

/// Returns a member that must exist.
pub(super) fn required<'a>(object: &'a Json, part: Part, key: &'static str) -> Result<&'a Json, BcolzError> {
    object.get(key).ok_or(BcolzError::MissingKey { part, key })
}

/// Returns the error for an invalid value.
pub(super) fn bad(part: Part, key: &'static str, found: &Json, expected: &'static str) -> BcolzError {
    BcolzError::Value { part, key, found: shown(found), expected }
}

/// Formats a value for errors: the beginning of its JSON, which is ASCII.
pub(super) fn shown(value: &Json) -> Box<str> {
    let text = value.start_spaced(SHOWN + 1);
    match text.get(..SHOWN) {
        Some(start) if text.len() > SHOWN => format!("{start}…").into(),
        _ => text.into(),
    }
}

/// Reads a count: an integer, or a float with an integral value, as a few writers stored it.
pub(super) fn count(value: &Json) -> Option<u64> {
    /// All floats up to this one are exact as integers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Json::Float(value) if value.fract() == 0.0 && (0.0..=EXACT).contains(value) => Some(*value as u64),
        value => value.as_u64(),
    }
}

/// Converts a count of any size to JSON.
pub(super) fn json_count(value: u64) -> Json {
    i64::try_from(value).map_or_else(|_| Json::BigInt(value.to_string().into()), Json::Int)
}

/// Encodes an object as bcolz writes it to a file: `json.dumps` with its spaces, and a newline.
pub(super) fn to_file(members: Vec<(String, Json)>) -> Vec<u8> {
    let mut text = Json::Object(members).dumps_spaced();
    text.push('\n');
    text.into_bytes()
}

/// Like [`to_file`], for a value of any size.
pub(super) fn to_large_file(value: Json) -> Result<Vec<u8>, OutOfMemory> {
    let mut text = value.try_dumps_spaced()?;
    memory::push_str(&mut text, "\n")?;
    Ok(text.into_bytes())
}
