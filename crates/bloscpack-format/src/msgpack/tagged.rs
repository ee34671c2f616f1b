//! Objects of one member that represent values JSON lacks.

use crate::base64;
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};
use std::collections::HashSet;

const BYTES: &str = "$bytes";
const STR: &str = "$str";
const EXT: &str = "$ext";
const MAP: &str = "$map";
const RAW: &str = "$raw";
pub(super) const INT: &str = "$int";

/// A value of MessagePack as a tagged object.
#[derive(Debug, PartialEq)]
pub(super) enum Tagged<'a> {
    Bytes(Vec<u8>),
    /// A string that is not UTF-8.
    Str(Vec<u8>),
    Ext(i8, Vec<u8>),
    /// The pairs of a map, each an array of two.
    Map(&'a [Json]),
    /// The content of a metalayer, unchanged. It is a tag only if it is the whole value and the content is not
    /// MessagePack. The caller must check both.
    Raw(Vec<u8>),
}

impl<'a> Tagged<'a> {
    /// Parses the members of an object; `None` for ordinary objects.
    pub(super) fn parse(members: &'a [(String, Json)]) -> Result<Option<Self>, OutOfMemory> {
        let [(name, value)] = members else { return Ok(None) };
        Ok(match name.as_str() {
            BYTES => decoded(value)?.map(Tagged::Bytes),
            STR => decoded(value)?.filter(|bytes| str::from_utf8(bytes).is_err()).map(Tagged::Str),
            RAW => decoded(value)?.map(Tagged::Raw),
            EXT => match value.as_array() {
                Some([code, data]) => {
                    let code = code.as_i64().and_then(|code| i8::try_from(code).ok());
                    code.zip(decoded(data)?).map(|(code, data)| Tagged::Ext(code, data))
                }
                _ => None,
            },
            MAP => value.as_array().filter(|pairs| are_pairs(pairs)).map(Tagged::Map),
            _ => None,
        })
    }
}

/// Returns whether all items are arrays of two. Deeper levels are not checked, so checking every level takes linear
/// time.
fn are_pairs(items: &[Json]) -> bool {
    items.iter().all(|item| item.as_array().is_some_and(|pair| pair.len() == 2))
}

fn decoded(value: &Json) -> Result<Option<Vec<u8>>, OutOfMemory> {
    value.as_str().map_or(Ok(None), base64::decode)
}

fn tag(name: &str, value: Json) -> Json {
    Json::Object(vec![(name.into(), value)])
}

pub(super) fn bytes(bytes: &[u8]) -> Result<Json, OutOfMemory> {
    Ok(tag(BYTES, base64::encode(bytes)?.into()))
}

pub(super) fn raw(content: &[u8]) -> Result<Json, OutOfMemory> {
    Ok(tag(RAW, base64::encode(content)?.into()))
}

/// Converts a string: unchanged if it is UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<Json, OutOfMemory> {
    Ok(match str::from_utf8(bytes) {
        Ok(text) => memory::text_of(text)?.into(),
        Err(_) => tag(STR, base64::encode(bytes)?.into()),
    })
}

pub(super) fn ext(code: i8, data: &[u8]) -> Result<Json, OutOfMemory> {
    Ok(tag(EXT, Json::Array(vec![Json::Int(code.into()), base64::encode(data)?.into()])))
}

/// Converts members of an object to pairs.
pub(super) fn pairs(members: Vec<(String, Json)>) -> Result<Json, OutOfMemory> {
    map_of(members.into_iter().map(|(name, value)| (Json::String(name), value)))
}

fn map_of(pairs: impl Iterator<Item = (Json, Json)>) -> Result<Json, OutOfMemory> {
    let pairs = pairs.map(|(key, value)| {
        let mut pair = memory::with_capacity(2)?;
        pair.extend([key, value]);
        Ok(Json::Array(pair))
    });
    Ok(tag(MAP, Json::Array(memory::try_collect(pairs)?)))
}

/// Converts a map. Also returns whether the result is an object with the map's members; if not, it has two levels more.
pub(super) fn map(pairs: Vec<(Json, Json)>) -> Result<(Json, bool), OutOfMemory> {
    let mut names = HashSet::new();
    let nbytes = pairs.len().saturating_mul(2 * size_of::<&str>());
    names.try_reserve(pairs.len()).map_err(|_| OutOfMemory::new(nbytes))?;
    let plain = pairs.iter().all(|(key, _)| key.as_str().is_some_and(|name| names.insert(name)));
    if !plain {
        return Ok((map_of(pairs.into_iter())?, false));
    }
    let members = pairs.into_iter().filter_map(|(key, value)| match key {
        Json::String(name) => Some((name, value)),
        _ => None,
    });
    let members: Vec<(String, Json)> = memory::collect(members)?;
    Ok(match members.as_slice() {
        [(name, Json::String(digits))] if name == INT && is_large(digits) => {
            (Json::BigInt(memory::text_of(digits)?.into()), true)
        }
        // `$raw` has a meaning only at the top level.
        [(name, _)] if name != RAW && Tagged::parse(&members)?.is_some() => (self::pairs(members)?, false),
        _ => (Json::Object(members), true),
    })
}

/// Returns whether these are the digits of an integer that does not fit MessagePack.
pub(super) fn is_large(digits: &str) -> bool {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    !unsigned.starts_with('0')
        && !unsigned.is_empty()
        && unsigned.bytes().all(|digit| digit.is_ascii_digit())
        && digits.parse::<u64>().is_err()
        && digits.parse::<i64>().is_err()
}
