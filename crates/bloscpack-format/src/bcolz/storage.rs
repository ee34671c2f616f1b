//! `meta/storage`: the dtype, the compression parameters and the chunk length of a carray.

use super::text::{self, bad, count, json_count, required};
use super::{Dtype, dflt};
use crate::error::{FormatError, Part};
use crate::json::Json;
use blosc_core::{Codec, FilterPipeline};

/// `meta/storage`:
///
/// ```text
/// {"dtype": "int32", "cparams": {"clevel": 5, "shuffle": 1, "cname": "lz4", "quantize": 0},
///  "chunklen": 4096, "expectedlen": 10, "dflt": 0}
/// ```
///
/// on one line, followed by a newline. Only `dtype` and `chunklen` are required to read the rows. The other members
/// describe how new rows are written, and their values are never refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Storage {
    /// The dtype of the items.
    pub dtype: Dtype,
    /// The compression of new chunks. Existing chunks store their own parameters.
    pub cparams: Cparams,
    /// Rows of every chunk but the last.
    pub chunklen: u64,
    /// The number of rows expected when the array was created; 0 if absent.
    pub expectedlen: u64,
    /// The value of new rows, see [`dflt`].
    pub dflt: Json,
}

/// The compression of new chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cparams {
    /// The level, 0..=9; 5 if absent.
    pub clevel: u8,
    /// The filter.
    pub shuffle: Shuffle,
    /// The name of the codec. Before bcolz 1.1 the file had none; it means BloscLZ.
    pub cname: String,
    /// Significant decimal digits that floats are rounded to before compression; 0 to keep all of them.
    pub quantize: u32,
}

/// The filter of new chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shuffle {
    /// 0 or `false`: none.
    None,
    /// 1 or `true`.
    #[default]
    Byte,
    /// 2: bitshuffle.
    Bit,
}

impl Shuffle {
    /// Returns its number in the file.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Shuffle::None => 0,
            Shuffle::Byte => 1,
            Shuffle::Bit => 2,
        }
    }
}

/// The defaults of bcolz since 1.1: level 5, shuffle, LZ4.
impl Default for Cparams {
    fn default() -> Self {
        Cparams { clevel: 5, shuffle: Shuffle::Byte, cname: "lz4".into(), quantize: 0 }
    }
}

impl Storage {
    /// Creates the storage that bcolz would write for an array of this dtype and chunk length: its default parameters,
    /// and zero for new rows.
    #[must_use]
    pub fn new(dtype: Dtype, chunklen: u64) -> Self {
        let dflt = dflt::zero(&dtype);
        Storage { dtype, cparams: Cparams::default(), chunklen, expectedlen: 0, dflt }
    }

    /// Parses the file, of any version of bcolz.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`], [`FormatError::Bcolz`] or [`FormatError::Numpy`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        const PART: Part = Part::Storage;
        let storage = text::object(bytes, PART)?;
        let dtype = required(&storage, PART, "dtype")?;
        let dtype = dtype.as_str().ok_or_else(|| bad(PART, "dtype", dtype, "a string"))?;
        let dtype = Dtype::parse(dtype)?;
        let chunklen = required(&storage, PART, "chunklen")?;
        Ok(Storage {
            chunklen: count(chunklen)
                .filter(|rows| *rows > 0)
                .ok_or_else(|| bad(PART, "chunklen", chunklen, "a number of rows"))?,
            cparams: Cparams::from_json(storage.get("cparams").unwrap_or(&Json::Null)),
            expectedlen: storage.get("expectedlen").and_then(count).unwrap_or(0),
            dflt: storage.get("dflt").cloned().unwrap_or_else(|| dflt::zero(&dtype)),
            dtype,
        })
    }

    /// Encodes the file, as bcolz 1.1 and later write it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        text::to_file(vec![
            ("dtype".into(), Json::String(self.dtype.to_string())),
            ("cparams".into(), self.cparams.to_json()),
            ("chunklen".into(), json_count(self.chunklen)),
            ("expectedlen".into(), json_count(self.expectedlen)),
            ("dflt".into(), self.dflt.clone()),
        ])
    }
}

impl Cparams {
    /// Returns the codec of that name, if it exists.
    #[must_use]
    pub fn codec(&self) -> Option<Codec> {
        Codec::from_name(&self.cname)
    }

    /// Returns the filters of new chunks.
    #[must_use]
    pub fn filters(&self) -> FilterPipeline {
        match self.shuffle {
            Shuffle::None => FilterPipeline::none(),
            Shuffle::Byte => FilterPipeline::shuffle(),
            Shuffle::Bit => FilterPipeline::bitshuffle(),
        }
    }

    /// Reads the parameters from the file. A missing or invalid member gets the value that applied before the member
    /// was introduced. A level above 9 is read as 9.
    fn from_json(cparams: &Json) -> Self {
        let member = |key| cparams.get(key).and_then(count);
        Cparams {
            clevel: member("clevel").map_or(5, |clevel| u8::try_from(clevel).unwrap_or(9).min(9)),
            shuffle: match cparams.get("shuffle") {
                Some(Json::Bool(false) | Json::Int(0)) => Shuffle::None,
                Some(Json::Int(2)) => Shuffle::Bit,
                _ => Shuffle::Byte,
            },
            cname: cparams.get("cname").and_then(Json::as_str).unwrap_or("blosclz").into(),
            quantize: member("quantize").and_then(|digits| u32::try_from(digits).ok()).unwrap_or(0),
        }
    }

    fn to_json(&self) -> Json {
        Json::Object(vec![
            ("clevel".into(), Json::Int(self.clevel.into())),
            ("shuffle".into(), Json::Int(self.shuffle.number().into())),
            ("cname".into(), Json::String(self.cname.clone())),
            ("quantize".into(), Json::Int(self.quantize.into())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_needed() {
        let storage = Storage::parse(br#"{"dtype": "<i4", "chunklen": 7}"#).unwrap();
        let cparams = Cparams { cname: "blosclz".into(), ..Cparams::default() };
        assert_eq!(storage, Storage { cparams, ..Storage::new(Dtype::parse("int32").unwrap(), 7) });
        assert_eq!(storage.cparams.codec(), Some(Codec::BloscLz));
    }

    #[test]
    fn parameters_of_any_version() {
        let cparams = |text: &str| Cparams::from_json(&Json::parse(text).unwrap());
        let old = cparams(r#"{"clevel": 3, "shuffle": true}"#);
        assert_eq!(old, Cparams { clevel: 3, cname: "blosclz".into(), ..Cparams::default() });
        assert_eq!(cparams(r#"{"clevel": 99, "shuffle": false, "quantize": 4}"#).clevel, 9);
        for (value, shuffle) in
            [("false", Shuffle::None), ("0", Shuffle::None), ("2", Shuffle::Bit), ("7", Shuffle::Byte)]
        {
            assert_eq!(cparams(&format!("{{\"shuffle\": {value}}}")).shuffle, shuffle);
        }
        assert_eq!(cparams(r#"{"cname": "nope"}"#).codec(), None);
    }

    #[test]
    fn says_what_is_wrong() {
        let refused = |text: &str| Storage::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(refused(r#"{"chunklen": 7}"#), "meta/storage: \"dtype\" is missing");
        assert_eq!(refused(r#"{"dtype": "i4"}"#), "meta/storage: \"chunklen\" is missing");
        assert_eq!(
            refused(r#"{"dtype": ["i4"], "chunklen": 7}"#),
            "meta/storage: \"dtype\" is [\"i4\"], expected a string"
        );
        for chunklen in ["0", "-5", "1.5", "NaN", "\"7\"", "null"] {
            let text = format!("{{\"dtype\": \"i4\", \"chunklen\": {chunklen}}}");
            let expected = format!("meta/storage: \"chunklen\" is {chunklen}, expected a number of rows");
            assert_eq!(refused(&text), expected);
        }
        assert_eq!(refused(r#"{"dtype": "int13", "chunklen": 7}"#), "numpy: data type \"int13\" not understood");
    }
}
