//! The metadata that bloscpack stores beside an array:
//! `{"dtype": "'<f8'", "shape": [10, 12], "order": "C", "container": "numpy"}`.

use super::{Dtype, NumpyError};
use crate::error::FormatError;
use crate::json::Json;
use blosc_core::OutOfMemory;

/// Dtype, shape and order of an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NumpyMeta {
    /// The dtype of the items.
    pub dtype: Dtype,
    /// Items along each axis; empty for an array of no dimensions, which has one item.
    pub shape: Vec<u64>,
    /// The order of the items in memory.
    pub order: Order,
}

/// The order of the items of an array in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// The last axis varies fastest.
    #[default]
    C,
    /// The first axis varies fastest. Written for arrays that are in this order and not also in C order.
    F,
}

impl NumpyMeta {
    /// The keys of this metadata. All other keys in the same object belong to the user.
    pub const KEYS: [&str; 4] = ["dtype", "shape", "order", "container"];

    /// Returns the metadata as JSON, with the keys in bloscpack's order.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_json(&self) -> Result<Json, OutOfMemory> {
        // No array has axes beyond i64; they are still written with their exact value.
        let axis = |n: &u64| i64::try_from(*n).map_or_else(|_| Json::BigInt(n.to_string().into()), Json::Int);
        let order = match self.order {
            Order::C => "C",
            Order::F => "F",
        };
        Ok(Json::Object(vec![
            ("dtype".into(), Json::String(self.dtype.to_descr()?)),
            ("shape".into(), Json::Array(self.shape.iter().map(axis).collect())),
            ("order".into(), Json::String(order.into())),
            ("container".into(), Json::String("numpy".into())),
        ]))
    }

    /// Parses the metadata of an array, in the current form or that of bloscpack before 0.7.2.
    ///
    /// # Errors
    ///
    /// [`NumpyError::NotNumpy`] if the metadata is something else; [`NumpyError::Key`], [`NumpyError::ShapeTooLarge`]
    /// or an error of [`Dtype::from_json`] if it is malformed.
    pub fn from_json(metadata: &Json) -> Result<Self, FormatError> {
        if metadata.get("container").and_then(Json::as_str) != Some("numpy") {
            return Err(NumpyError::NotNumpy.into());
        }
        let dtype = Dtype::from_json(metadata.get("dtype").ok_or(NumpyError::Key("dtype"))?)?;
        let shape = metadata.get("shape").and_then(Json::as_array).ok_or(NumpyError::Key("shape"))?;
        let shape = shape.iter().map(Json::as_u64).collect::<Option<_>>().ok_or(NumpyError::Key("shape"))?;
        let order = match metadata.get("order").and_then(Json::as_str) {
            Some("C") => Order::C,
            Some("F") => Order::F,
            _ => return Err(NumpyError::Key("order").into()),
        };
        Self { dtype, shape, order }.checked()
    }

    /// Refuses metadata that no array can have.
    pub(super) fn checked(self) -> Result<Self, FormatError> {
        if matches!(self.dtype, Dtype::Subarray(..)) {
            return Err(NumpyError::Descr("the dtype of an array cannot be a subarray").into());
        }
        match self.nbytes() {
            Some(_) => Ok(self),
            None => Err(NumpyError::ShapeTooLarge.into()),
        }
    }

    /// Returns the size of the whole array in bytes, or `None` if it exceeds 2⁶³ - 1. An axis of length 0 counts as 1
    /// for this limit: NumPy has no such array, and the steps between items would overflow. Never `None` for metadata
    /// that was parsed.
    #[must_use]
    pub fn nbytes(&self) -> Option<u64> {
        let items = self.shape.iter().try_fold(1_u64, |items, n| items.checked_mul((*n).max(1)))?;
        let nbytes = items.checked_mul(self.dtype.itemsize()).filter(|nbytes| i64::try_from(*nbytes).is_ok())?;
        Some(if self.shape.contains(&0) { 0 } else { nbytes })
    }

    /// Returns the size of a row in bytes: of all items with one index of the first axis. `u64::MAX` if it is larger.
    ///
    /// ```
    /// use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
    /// let meta = NumpyMeta { dtype: Dtype::parse("'<f4'")?, shape: vec![10, 3, 2], order: Order::C };
    /// assert_eq!(meta.row_nbytes(), 24);
    /// # Ok::<(), bloscpack_format::FormatError>(())
    /// ```
    #[must_use]
    pub fn row_nbytes(&self) -> u64 {
        let inner = self.shape.get(1..).unwrap_or_default();
        inner.iter().fold(self.dtype.itemsize(), |size, len| size.saturating_mul(*len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_bloscpack_writes_it() {
        let meta = NumpyMeta {
            dtype: Dtype::parse("[('é', '<i4'), ('b', '<f8', (2,))]").unwrap(),
            shape: vec![10, 12],
            order: Order::F,
        };
        let text =
            r#"{"dtype":"[('\u00e9', '<i4'), ('b', '<f8', (2,))]","shape":[10,12],"order":"F","container":"numpy"}"#;
        assert_eq!(meta.to_json().unwrap().dumps(), text);
        assert_eq!(NumpyMeta::from_json(&Json::parse(text).unwrap()), Ok(meta));
    }

    #[test]
    fn refuses_what_is_no_array() {
        let read = |json: &str| match NumpyMeta::from_json(&Json::parse(json).unwrap()) {
            Err(FormatError::Numpy(error)) => error,
            other => panic!("{json}: {other:?}"),
        };
        assert_eq!(read("null"), NumpyError::NotNumpy);
        assert_eq!(read(r#"{"container":"list"}"#), NumpyError::NotNumpy);
        let with = |rest: &str| read(&format!(r#"{{"container":"numpy","dtype":"'<f8'"{rest}}}"#));
        assert_eq!(with(""), NumpyError::Key("shape"));
        assert_eq!(with(r#","shape":[-1],"order":"C""#), NumpyError::Key("shape"));
        assert_eq!(with(r#","shape":[1.0],"order":"C""#), NumpyError::Key("shape"));
        assert_eq!(with(r#","shape":[1],"order":"A""#), NumpyError::Key("order"));
        assert_eq!(with(r#","shape":[4294967296,4294967296],"order":"C""#), NumpyError::ShapeTooLarge);
        assert_eq!(with(r#","shape":[1152921504606846976],"order":"C""#), NumpyError::ShapeTooLarge);
        // NumPy: "array is too big", although it would have no items.
        assert_eq!(with(r#","shape":[2,1099511627776,1099511627776,0],"order":"F""#), NumpyError::ShapeTooLarge);
        assert!(matches!(with(r#","dtype":"('<f8', (2,))","shape":[1],"order":"C""#), NumpyError::Descr(_)));
    }
}
