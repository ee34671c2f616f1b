//! The keys of chunks.

use super::ZarrError;
use super::fields::{bad, json_object, text, unsupported};
use crate::json::Json;
use std::fmt::Write;

/// How the position of a chunk on the grid becomes its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyEncoding {
    /// The part before the numbers.
    pub scheme: KeyScheme,
    /// The character between the numbers: `.` or `/`.
    pub separator: char,
}

/// The part of a key before the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyScheme {
    /// `c`: `c/0/1`. The chunk of an array without axes is `c`.
    Default,
    /// Nothing: `0.1`, as in version 2. The chunk of an array without axes is `0`.
    V2,
}

impl KeyEncoding {
    /// The keys of version 2: `0.1`.
    pub const V2: Self = KeyEncoding { scheme: KeyScheme::V2, separator: '.' };
    /// The keys of version 3: `c/0/1`.
    pub const V3: Self = KeyEncoding { scheme: KeyScheme::Default, separator: '/' };

    /// Returns the key of the chunk at a position on the grid.
    ///
    /// ```
    /// use bloscpack_format::zarr::KeyEncoding;
    /// assert_eq!(KeyEncoding::V2.key(&[0, 12]), "0.12");
    /// assert_eq!(KeyEncoding::V3.key(&[0, 12]), "c/0/12");
    /// assert_eq!((KeyEncoding::V2.key(&[]), KeyEncoding::V3.key(&[])), ("0".into(), "c".into()));
    /// ```
    #[must_use]
    pub fn key(&self, position: &[u64]) -> String {
        let mut key = match (self.scheme, position) {
            (KeyScheme::Default, _) => "c".to_owned(),
            (KeyScheme::V2, []) => "0".to_owned(),
            (KeyScheme::V2, _) => String::new(),
        };
        for number in position {
            if !key.is_empty() {
                key.push(self.separator);
            }
            // Writing to a string cannot fail.
            let _ = write!(key, "{number}");
        }
        key
    }

    /// Reads `dimension_separator` of version 2.
    pub(super) fn from_separator(separator: Option<&Json>) -> Result<Self, ZarrError> {
        let separator = match separator {
            None | Some(Json::Null) => '.',
            Some(value) => separator_of("dimension_separator", value)?,
        };
        Ok(KeyEncoding { scheme: KeyScheme::V2, separator })
    }

    /// Reads `chunk_key_encoding` of version 3.
    pub(super) fn from_json(json: &Json) -> Result<Self, ZarrError> {
        let name = json.as_str().map_or_else(|| text(json, "name"), Ok)?;
        let (scheme, default) = match name {
            "default" => (KeyScheme::Default, '/'),
            "v2" => (KeyScheme::V2, '.'),
            name => return Err(unsupported("chunk key encoding", name, "expected \"default\" or \"v2\"")),
        };
        let separator = json.get("configuration").and_then(|configuration| configuration.get("separator"));
        let separator = separator.map_or(Ok(default), |value| separator_of("separator", value))?;
        Ok(KeyEncoding { scheme, separator })
    }

    pub(super) fn to_json(self) -> Json {
        let name = match self.scheme {
            KeyScheme::Default => "default",
            KeyScheme::V2 => "v2",
        };
        let configuration = json_object([("separator", self.separator.to_string().into())]);
        json_object([("name", name.into()), ("configuration", configuration)])
    }
}

fn separator_of(field: &str, value: &Json) -> Result<char, ZarrError> {
    match value.as_str() {
        Some(".") => Ok('.'),
        Some("/") => Ok('/'),
        _ => Err(bad(field, value, "\".\" or \"/\"")),
    }
}
