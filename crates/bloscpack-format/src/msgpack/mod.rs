//! MessagePack, the encoding of python-blosc2's metalayers, converted to and from JSON values.
//!
//! | MessagePack | JSON |
//! |---|---|
//! | nil, booleans, integers, strings, arrays | the same, including unsigned integers of 64 bits |
//! | float 32, float 64 | a float, `NaN` and the infinities included; written as float 64 |
//! | map with different strings as keys | an object |
//! | bin | `{"$bytes": "<base64>"}` |
//! | string that is not UTF-8 | `{"$str": "<base64>"}` |
//! | extension | `{"$ext": [type, "<base64>"]}` |
//! | any other map, or one whose JSON would look like a row of this table | `{"$map": [[key, value], …]}` |
//! | map `{"$int": "<digits>"}` | an integer that does not fit 64 bits |
//! | content that is not exactly one MessagePack value, or nests too deep | `{"$raw": "<base64>"}` |
//!
//! The mapping loses only the choice of encoding: if a value has several, the shortest is written. python-blosc2 stores
//! a tuple as an array that starts with `"__tuple__"`, and so does the JSON.

mod decode;
mod encode;
mod tagged;

use self::tagged::Tagged;
use crate::error::FormatError;
use crate::json::Json;
use blosc_core::{OutOfMemory, memory};

pub use self::decode::to_json;
pub use self::encode::from_json;

/// Returns the value of a metalayer with any content.
///
/// ```
/// use bloscpack_format::msgpack;
///
/// assert_eq!(msgpack::value_of(b"\x92\x01\xc4\x02hi")?.dumps(), r#"[1,{"$bytes":"aGk="}]"#);
/// assert_eq!(msgpack::value_of(b"C struct")?.dumps(), r#"{"$raw":"QyBzdHJ1Y3Q="}"#);
/// # Ok::<(), blosc_core::OutOfMemory>(())
/// ```
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn value_of(content: &[u8]) -> Result<Json, OutOfMemory> {
    match to_json(content)? {
        Some(Json::Object(members)) if raw_content(&members)?.is_some() => tagged::pairs(members),
        Some(value) => Ok(value),
        None => tagged::raw(content),
    }
}

/// Returns the content of a metalayer with this value: the inverse of [`value_of`].
///
/// # Errors
///
/// As [`from_json`].
pub fn content_of(value: &Json) -> Result<Vec<u8>, FormatError> {
    match value {
        Json::Object(members) => match raw_content(members)? {
            Some(content) => Ok(content),
            None => from_json(value),
        },
        value => from_json(value),
    }
}

/// Returns the bytes that a value stands for: those of a string, of `$bytes`, `$str` and `$raw`; `None` for any other
/// value.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn bytes_of(value: &Json) -> Result<Option<Vec<u8>>, OutOfMemory> {
    Ok(match value {
        Json::String(text) => Some(memory::copy_of(text.as_bytes())?),
        Json::Object(members) => match Tagged::parse(members)? {
            Some(Tagged::Bytes(bytes) | Tagged::Str(bytes)) => Some(bytes),
            _ => raw_content(members)?,
        },
        _ => None,
    })
}

/// Returns the content of a `$raw` object. `None` for any other object, and for `$raw` of bytes that are MessagePack.
fn raw_content(members: &[(String, Json)]) -> Result<Option<Vec<u8>>, OutOfMemory> {
    match Tagged::parse(members)? {
        Some(Tagged::Raw(content)) if to_json(&content)?.is_none() => Ok(Some(content)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests both directions. The second gives the shortest encoding of the first.
    #[track_caller]
    fn pair(content: &[u8], json: &str) {
        assert_eq!(value_of(content).unwrap().dumps(), json, "{}", content.escape_ascii());
        let value = Json::parse(json).unwrap();
        assert_eq!(
            content_of(&value).unwrap().escape_ascii().to_string(),
            content.escape_ascii().to_string(),
            "{json}"
        );
    }

    #[test]
    fn all_types_lead_back() {
        pair(b"\xc0", "null");
        pair(b"\xc2", "false");
        pair(b"\x7f", "127");
        pair(b"\xe0", "-32");
        pair(b"\xcc\x80", "128");
        pair(b"\xd0\xdf", "-33");
        pair(b"\xcd\x01\0", "256");
        pair(b"\xd1\xff\x7f", "-129");
        pair(b"\xce\0\x01\0\0", "65536");
        pair(b"\xd2\x80\0\0\0", "-2147483648");
        pair(b"\xcf\x80\0\0\0\0\0\0\0", "9223372036854775808");
        pair(b"\xd3\x80\0\0\0\0\0\0\0", "-9223372036854775808");
        pair(b"\xcb\x7f\xf8\0\0\0\0\0\0", "NaN");
        pair(b"\xcb\xff\xf0\0\0\0\0\0\0", "-Infinity");
        pair(b"\xcb\x80\0\0\0\0\0\0\0", "-0.0");
        pair(b"\xa4k\xc3\xa4\0", r#""k\u00e4\u0000""#);
        pair(&[b"\xd9\x20", [b'x'; 32].as_slice()].concat(), &format!("\"{}\"", "x".repeat(32)));
        pair(&[b"\xda\x01\0", [b'x'; 256].as_slice()].concat(), &format!("\"{}\"", "x".repeat(256)));
        pair(b"\x93\xa9__tuple__\x01\x02", r#"["__tuple__",1,2]"#);
        pair(b"\x82\xa1b\x01\xa1a\x90", r#"{"b":1,"a":[]}"#);
        pair(&[b"\xdc\0\x10", [0xc0; 16].as_slice()].concat(), &format!("[{}]", ["null"; 16].join(",")));
    }

    #[test]
    fn what_json_has_no_word_for_is_tagged() {
        pair(b"\xc4\x02\xff\0", r#"{"$bytes":"/wA="}"#);
        pair(b"\xa1\xff", r#"{"$str":"/w=="}"#);
        pair(b"\xd4\x2a\x07", r#"{"$ext":[42,"Bw=="]}"#);
        pair(b"\xd6\xff\0\0\0\x01", r#"{"$ext":[-1,"AAAAAQ=="]}"#);
        pair(b"\xc7\x03\x05abc", r#"{"$ext":[5,"YWJj"]}"#);
        pair(b"\x81\x01\x02", r#"{"$map":[[1,2]]}"#);
        pair(b"\x82\xa1a\x01\xa1a\x02", r#"{"$map":[["a",1],["a",2]]}"#);
        pair(b"", r#"{"$raw":""}"#);
        pair(b"\x01\x02", r#"{"$raw":"AQI="}"#);
        pair(b"\xc1", r#"{"$raw":"wQ=="}"#);
        pair(b"\xdd\xff\xff\xff\xff\0", r#"{"$raw":"3f////8A"}"#);
        let digits = "123456789012345678901234567890";
        pair(&[b"\x81\xa4$int\xbe", digits.as_bytes()].concat(), digits);
    }

    #[test]
    fn maps_that_look_like_tags_are_told_from_them() {
        pair(b"\x81\xa6$bytes\xa4/wA=", r#"{"$map":[["$bytes","/wA="]]}"#);
        pair(b"\x81\xa4$raw\xa4wQ==", r#"{"$map":[["$raw","wQ=="]]}"#);
        pair(b"\x81\xa6$bytes\x05", r#"{"$bytes":5}"#);
        pair(b"\x82\xa6$bytes\xa4/wA=\xa1a\xc0", r#"{"$bytes":"/wA=","a":null}"#);
        // Not canonical: there are bits after the last byte.
        pair(b"\x81\xa6$bytes\xa4/wB=", r#"{"$bytes":"/wB="}"#);
        pair(b"\x81\xa4$map\x91\x92\x01\x02", r#"{"$map":[["$map",[[1,2]]]]}"#);
    }

    #[test]
    fn depth_is_limited_in_json() {
        let deep = |levels: usize| [vec![0x91; levels], vec![0xc0]].concat();
        assert!(to_json(&deep(crate::json::MAX_DEPTH - 1)).unwrap().is_some());
        assert!(to_json(&deep(crate::json::MAX_DEPTH)).unwrap().is_none());
        assert!(value_of(&deep(1 << 20)).unwrap().get("$raw").is_some());
        // Each level is three levels of JSON.
        let pairs = |levels: usize| [[0x81, 0x01].repeat(levels), vec![0xc0]].concat();
        assert!(to_json(&pairs(85)).unwrap().is_some() && to_json(&pairs(86)).unwrap().is_none());
    }

    #[test]
    fn bytes_of_texts_and_tags() {
        let bytes = |json: &str| bytes_of(&Json::parse(json).unwrap()).unwrap();
        assert_eq!(bytes(r#""é""#), Some("é".into()));
        assert_eq!(bytes(r#"{"$bytes":"/wA="}"#), Some(vec![255, 0]));
        assert_eq!(bytes("[1]"), None);
    }
}
