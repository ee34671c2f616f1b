//! `meta/sizes`: the number of rows of a carray.

use super::text::{self, bad, count, json_count, required};
use crate::error::{FormatError, Part};
use crate::json::Json;

/// `meta/sizes`: `{"shape": [17, 3], "nbytes": 204, "cbytes": 128}` and a newline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Sizes {
    /// The length of each axis, of which there is at least one. The first is the number of rows, and is authoritative.
    pub shape: Vec<u64>,
    /// Uncompressed bytes of all rows; for Python objects those of their pickles. No reader uses it; 0 if absent.
    pub nbytes: u64,
    /// Approximate size of the chunks in bytes. For the last chunk bcolz adds its uncompressed size, and drops part of
    /// it when rows are removed, so the value may be negative. No reader uses it; 0 if absent.
    pub cbytes: i64,
}

impl Sizes {
    /// Creates the sizes of an array of this shape, with no bytes yet.
    #[must_use]
    pub fn new(shape: impl Into<Vec<u64>>) -> Self {
        Sizes { shape: shape.into(), nbytes: 0, cbytes: 0 }
    }

    /// Parses the file. Only `shape` is required: a list, or a single number, which stands for a list of one.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Bcolz`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        const PART: Part = Part::Sizes;
        let sizes = text::object(bytes, PART)?;
        let shape = required(&sizes, PART, "shape")?;
        let axes = match shape {
            Json::Array(axes) => axes.as_slice(),
            single => std::slice::from_ref(single),
        };
        let lens: Option<Vec<u64>> = axes.iter().map(count).collect();
        let lens = lens.filter(|lens| !lens.is_empty());
        Ok(Sizes {
            shape: lens.ok_or_else(|| bad(PART, "shape", shape, "a list of lengths"))?,
            nbytes: sizes.get("nbytes").and_then(count).unwrap_or(0),
            cbytes: sizes.get("cbytes").and_then(Json::as_i64).unwrap_or(0),
        })
    }

    /// Encodes the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        text::to_file(vec![
            ("shape".into(), Json::Array(self.shape.iter().copied().map(json_count).collect())),
            ("nbytes".into(), json_count(self.nbytes)),
            ("cbytes".into(), Json::Int(self.cbytes)),
        ])
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.shape.first().copied().unwrap_or(0)
    }

    /// Returns the axes within a row.
    #[must_use]
    pub fn atom_shape(&self) -> &[u64] {
        self.shape.get(1..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_can_be_meant() {
        let shape = |text: &str| Sizes::parse(text.as_bytes()).map(|sizes| sizes.shape).map_err(|e| e.to_string());
        assert_eq!(shape(r#"{"shape":[150, 3]}"#), Ok(vec![150, 3]));
        assert_eq!(shape(r#"{"shape":150,"nbytes":-1,"cbytes":"x"}"#), Ok(vec![150]));
        assert_eq!(shape(r#"{"shape":[150.0]}"#), Ok(vec![150]));
        assert_eq!(shape(r#"{"shape":[18446744073709551615]}"#), Ok(vec![u64::MAX]));
        let refused = |found: &str| format!("meta/sizes: \"shape\" is {found}, expected a list of lengths");
        for found in ["[]", "[-3]", "[1.5]", "null", "\"150\"", "[18446744073709551616]", "[NaN]", "[true]", "[1e300]"]
        {
            let text = format!("{{\"shape\": {found}}}");
            let shown = found.replace("1e300", "1e+300");
            assert_eq!(shape(&text), Err(refused(&shown)));
        }
        assert_eq!(shape("{}"), Err("meta/sizes: \"shape\" is missing".into()));
        assert_eq!(shape("[]"), Err("meta/sizes: not a JSON object".into()));
        assert_eq!(shape(""), Err("meta/sizes, offset 0: the text is truncated".into()));
    }
}
