//! Members of the metadata, and errors that name them.

use super::ZarrError;
use crate::error::FormatError;
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};

/// Maximum length of a value repeated in an error.
const SHOWN: usize = 60;

/// Parses a file that must be an object.
pub(super) fn object(bytes: &[u8]) -> Result<Json, FormatError> {
    match Json::parse(bytes)? {
        json @ Json::Object(_) => Ok(json),
        _ => Err(ZarrError::NotAnObject.into()),
    }
}

/// Returns a member that must exist.
pub(super) fn required<'a>(object: &'a Json, field: &str) -> Result<&'a Json, ZarrError> {
    object.get(field).ok_or_else(|| ZarrError::Missing { field: field.into() })
}

/// Returns the error for an invalid value.
pub(super) fn bad(field: &str, found: &Json, expected: impl Into<Box<str>>) -> ZarrError {
    ZarrError::Value { field: field.into(), found: shown(found), expected: expected.into() }
}

/// Formats a value for errors: the beginning of its JSON, which is ASCII.
pub(super) fn shown(value: &Json) -> Box<str> {
    let text = value.start_spaced(SHOWN + 1);
    match text.get(..SHOWN) {
        Some(start) if text.len() > SHOWN => format!("{start}…").into(),
        _ => text.into(),
    }
}

/// Returns the error for a feature that is not supported.
pub(super) fn unsupported(what: &'static str, name: &str, advice: &'static str) -> ZarrError {
    let name: String = name.chars().take(SHOWN).collect();
    ZarrError::Unsupported { what, name: name.into(), advice }
}

/// Reads a string member that must exist.
pub(super) fn text<'a>(object: &'a Json, field: &str) -> Result<&'a str, ZarrError> {
    let value = required(object, field)?;
    value.as_str().ok_or_else(|| bad(field, value, "a string"))
}

/// Reads a list of at most [`MAX_NDIM`](super::MAX_NDIM) lengths.
pub(super) fn lengths(field: &str, value: &Json) -> Result<Vec<u64>, ZarrError> {
    let expected = "a list of up to 16 lengths";
    let items = value.as_array().filter(|items| items.len() <= super::MAX_NDIM);
    let items = items.ok_or_else(|| bad(field, value, expected))?;
    let length = |item: &Json| item.as_u64().filter(|len| i64::try_from(*len).is_ok());
    items.iter().map(|item| length(item).ok_or_else(|| bad(field, item, "lengths from 0 to 2^63 - 1"))).collect()
}

/// Reads a list of chunk lengths, one for each axis of an array of `shape`. Only where the array is empty may a chunk
/// be.
pub(super) fn chunk_lengths(field: &str, value: &Json, shape: &[u64]) -> Result<Vec<u64>, ZarrError> {
    let chunks = lengths(field, value)?;
    if chunks.len() != shape.len() {
        return Err(bad(field, value, format!("{} lengths, as \"shape\" has", shape.len())));
    }
    match chunks.iter().zip(shape).all(|(chunk, len)| *chunk > 0 || *len == 0) {
        true => Ok(chunks),
        false => Err(bad(field, value, "lengths of at least 1")),
    }
}

/// Reads an integer of a codec, `default` if absent.
pub(super) fn integer(
    object: &Json,
    field: &str,
    default: i64,
    range: std::ops::RangeInclusive<i64>,
) -> Result<i64, ZarrError> {
    let Some(value) = object.get(field) else { return Ok(default) };
    let number = value.as_i64().filter(|number| range.contains(number));
    let expected = || match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("an integer from {} to {}", range.start(), range.end()),
    };
    number.ok_or_else(|| bad(field, value, expected()))
}

/// Reads a boolean of a codec, `false` if absent or null.
pub(super) fn flag(object: &Json, field: &str) -> Result<bool, ZarrError> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(value)) => Ok(*value),
        Some(value) => Err(bad(field, value, "true or false")),
    }
}

/// Converts a length to JSON.
pub(super) fn json_length(value: u64) -> Json {
    i64::try_from(value).map_or_else(|_| Json::BigInt(value.to_string().into()), Json::Int)
}

/// Converts lengths to JSON.
pub(super) fn json_lengths(values: &[u64]) -> Json {
    Json::Array(values.iter().copied().map(json_length).collect())
}

/// Creates an object.
pub(super) fn json_object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Encodes a file.
pub(super) fn to_file(value: &Json) -> Result<Vec<u8>, OutOfMemory> {
    let mut text = value.try_dumps_spaced()?;
    memory::push_str(&mut text, "\n")?;
    Ok(text.into_bytes())
}
