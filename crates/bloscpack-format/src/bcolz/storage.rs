//! `meta/storage`: what is a row of a carray, how are chunks compressed, and how many rows has each?

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
/// on one line, with a newline behind. Only `dtype` and `chunklen` are needed to read the rows, and nothing else is refused
/// for what it is: the other members say how rows to come are written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Storage {
    /// What an item is.
    pub dtype: Dtype,
    /// How new chunks are compressed. What a chunk was compressed with, it says itself.
    pub cparams: Cparams,
    /// Rows of every chunk but the last.
    pub chunklen: u64,
    /// How many rows the array was expected to have when it was made; 0 if it was not there.
    pub expectedlen: u64,
    /// The value of new rows, see [`dflt`].
    pub dflt: Json,
}

/// How new chunks are compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cparams {
    /// The level, 0..=9; 5 if it was not there.
    pub clevel: u8,
    /// The filter.
    pub shuffle: Shuffle,
    /// The codec's name. Before bcolz 1.1 there was none in the file, and BloscLZ was meant.
    pub cname: String,
    /// Significant decimal digits that floats are rounded to before they are compressed; 0 for all of them.
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
    /// Its number in the file.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Shuffle::None => 0,
            Shuffle::Byte => 1,
            Shuffle::Bit => 2,
        }
    }
}

/// What bcolz since 1.1 takes if nobody says: level 5, shuffle, LZ4.
impl Default for Cparams {
    fn default() -> Self {
        Cparams { clevel: 5, shuffle: Shuffle::Byte, cname: "lz4".into(), quantize: 0 }
    }
}

impl Storage {
    /// What bcolz would write for an array of this dtype and chunk length: its default parameters, and zero for new rows.
    #[must_use]
    pub fn new(dtype: Dtype, chunklen: u64) -> Self {
        let dflt = dflt::zero(&dtype);
        Storage { dtype, cparams: Cparams::default(), chunklen, expectedlen: 0, dflt }
    }

    /// Reads the file, of any version of bcolz.
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

    /// The file's bytes, as bcolz 1.1 and later write it.
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
    /// The codec of that name, if there is one.
    #[must_use]
    pub fn codec(&self) -> Option<Codec> {
        Codec::from_name(&self.cname)
    }

    /// The filters of new chunks.
    #[must_use]
    pub fn filters(&self) -> FilterPipeline {
        match self.shuffle {
            Shuffle::None => FilterPipeline::none(),
            Shuffle::Byte => FilterPipeline::shuffle(),
            Shuffle::Bit => FilterPipeline::bitshuffle(),
        }
    }

    /// As it stands in the file. What is missing there or makes no sense, is what it was before there was such a member.
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
