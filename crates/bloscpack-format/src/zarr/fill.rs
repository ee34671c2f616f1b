//! Fill values: the value of items that are not stored.
//!
//! | dtype | JSON |
//! |---|---|
//! | numbers | a number, `true`, `"NaN"`, `"Infinity"`, `"-Infinity"`; `"0x7fc00001"`, the bits of a float |
//! | complex | a pair of those |
//! | datetimes | an integer, or `"NaT"` |
//! | `U` | text |
//! | `S`, `V`, structures | the bytes in base64; `r*` of version 3: a list of numbers |
//! | `struct` of version 3 | an object with a value for each field |

use super::fields::bad;
use super::fill_number as number;
use super::{Version, ZarrError};
use crate::base64;
use crate::error::FormatError;
use crate::json::Json;
use crate::numpy::{ByteOrder, Dtype, ScalarKind};
use blosc_core::{OutOfMemory, memory};

/// The value of items that are not stored, as the bytes of one item. Trailing zeros are not kept, because the size of
/// an item is not bounded by the metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
    bytes: Vec<u8>,
    /// Whether the metadata says `null`, which only version 2 allows. zarr-python takes it for zeros, of datetimes for `NaT`.
    pub is_null: bool,
}

impl Fill {
    /// Zeros.
    #[must_use]
    pub fn zeros() -> Self {
        Fill { bytes: Vec::new(), is_null: false }
    }

    /// No value: `null` in version 2.
    #[must_use]
    pub fn null() -> Self {
        Fill { bytes: Vec::new(), is_null: true }
    }

    /// Creates the value from the bytes of an item.
    #[must_use]
    pub fn new(mut item: Vec<u8>) -> Self {
        item.truncate(item.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        Fill { bytes: item, is_null: false }
    }

    /// Returns whether all bytes are zeros.
    #[must_use]
    pub fn is_zeros(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes of an item without trailing zeros.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns all bytes of an item.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_item(&self, itemsize: usize) -> Result<Vec<u8>, OutOfMemory> {
        let mut item = memory::zeroed(itemsize)?;
        item.iter_mut().zip(&self.bytes).for_each(|(to, byte)| *to = *byte);
        Ok(item)
    }

    /// Reads `fill_value`.
    pub(super) fn from_json(json: &Json, dtype: &Dtype, version: Version) -> Result<Self, FormatError> {
        if matches!(json, Json::Null) && version == Version::V2 {
            return Ok(Fill { is_null: true, ..Fill::new(null_of(dtype)) });
        }
        let refuse = || bad("fill_value", json, format!("a value of dtype {dtype}"));
        let bytes = item_of(json, dtype, 0)?.ok_or_else(refuse)?;
        Ok(Fill::new(bytes))
    }

    /// Returns `fill_value`.
    pub(super) fn to_json(&self, dtype: &Dtype, version: Version) -> Result<Json, FormatError> {
        // Zeros of a huge item, of which base64 would be larger than any metadata, are what readers take `null` for.
        let is_huge = dtype.itemsize() > MAX_WRITTEN;
        if version == Version::V2 && (self.is_null || is_huge && self.is_zeros()) {
            return Ok(Json::Null);
        }
        let no_json = || ZarrError::Unsupported {
            what: "fill value of dtype",
            name: dtype.to_string().into(),
            advice: "it has no JSON",
        };
        let is_text =
            matches!(dtype, Dtype::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Bytes | ScalarKind::Str));
        if is_huge && !is_text {
            return Err(no_json().into());
        }
        Ok(match dtype {
            Dtype::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Bytes => base64::encode(&self.bytes)?.into(),
                ScalarKind::Str => self.text(scalar.byte_order() == ByteOrder::Big).ok_or_else(no_json)?.into(),
                ScalarKind::Void => base64::encode(&self.to_item(scalar.itemsize() as usize)?)?.into(),
                _ => {
                    let item = self.to_item(scalar.itemsize() as usize)?;
                    number::to_json(&item, *scalar, version == Version::V3).ok_or_else(no_json)?
                }
            },
            dtype => base64::encode(&self.to_item(dtype.itemsize() as usize)?)?.into(),
        })
    }

    fn text(&self, big: bool) -> Option<String> {
        let code = |code: &[u8]| {
            let mut bytes = code.to_vec();
            bytes.resize(4, 0);
            char::from_u32(number::number(&bytes, big) as u32)
        };
        self.bytes.chunks(4).map(code).collect()
    }
}

/// Returns the item that zarr-python takes for `null`: `NaT`, or zeros, as an empty item.
fn null_of(dtype: &Dtype) -> Vec<u8> {
    match dtype {
        Dtype::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Datetime | ScalarKind::Timedelta) => {
            number::put(i64::MIN.cast_unsigned(), 8, scalar.byte_order() == ByteOrder::Big)
        }
        _ => Vec::new(),
    }
}

/// Maximum size in bytes of an item that is written in full.
const MAX_WRITTEN: u64 = 1 << 20;

/// Maximum nesting of structures.
const MAX_DEPTH: usize = 32;

/// Returns the bytes of an item, or fewer if the rest are zeros. `None` if the JSON is no value of the dtype.
fn item_of(json: &Json, dtype: &Dtype, depth: usize) -> Result<Option<Vec<u8>>, OutOfMemory> {
    let fits = |bytes: Vec<u8>| (bytes.len() as u64 <= dtype.itemsize()).then_some(bytes);
    // Before version 3, 0 was the fill value of all dtypes by default.
    let zero = matches!(json, Json::Int(0));
    Ok(match dtype {
        Dtype::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Bytes | ScalarKind::Void | ScalarKind::Str if zero => Some(Vec::new()),
            ScalarKind::Str => {
                let big = scalar.byte_order() == ByteOrder::Big;
                let Some(text) = json.as_str() else { return Ok(None) };
                memory::check_free(text.len().saturating_mul(4))?;
                fits(text.chars().flat_map(|c| number::put(u32::from(c).into(), 4, big)).collect())
            }
            ScalarKind::Bytes => bytes_of(json)?.and_then(fits),
            ScalarKind::Void => bytes_of(json)?.filter(|bytes| bytes.len() as u64 == dtype.itemsize()),
            _ => number::to_bytes(json, *scalar),
        },
        Dtype::Struct(_) | Dtype::Subarray(..) if zero => Some(Vec::new()),
        Dtype::Struct(fields) if matches!(json, Json::Object(_)) && depth < MAX_DEPTH => {
            let mut item = Vec::new();
            let mut end: u64 = 0;
            for field in fields.iter() {
                let Some(value) = json.get(&field.name) else { return Ok(None) };
                let Some(bytes) = item_of(value, &field.dtype, depth + 1)? else { return Ok(None) };
                if !bytes.iter().all(|byte| *byte == 0) {
                    memory::resize(&mut item, end as usize, 0)?;
                    memory::extend(&mut item, &bytes)?;
                }
                end = end.saturating_add(field.dtype.itemsize());
            }
            Some(item)
        }
        Dtype::Struct(_) | Dtype::Subarray(..) => {
            bytes_of(json)?.filter(|bytes| bytes.len() as u64 == dtype.itemsize())
        }
    })
}

/// Reads bytes in base64, or as a list of numbers.
fn bytes_of(json: &Json) -> Result<Option<Vec<u8>>, OutOfMemory> {
    match json {
        Json::String(text) => base64::decode(text),
        Json::Array(items) => Ok(items.iter().map(|item| u8::try_from(item.as_i64()?).ok()).collect()),
        _ => Ok(None),
    }
}
