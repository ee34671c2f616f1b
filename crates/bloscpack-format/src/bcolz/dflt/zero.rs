//! The default value if none is given: zeros.

use super::fields::values;
use crate::bcolz::Dtype;
use crate::json::Json;
use crate::numpy::{self, ScalarKind};

/// Maximum length of the text of zeros that is written for a `V` type; bcolz writes all of them.
const MAX_VOID: u32 = 1 << 16;

/// Returns the JSON of a value of zeros, as bcolz writes it.
#[must_use]
pub fn zero(dtype: &Dtype) -> Json {
    dtype.as_plain().map_or(Json::Int(0), zero_of)
}

fn zero_of(dtype: &numpy::Dtype) -> Json {
    match dtype {
        numpy::Dtype::Struct(fields) => Json::Array(values(fields).map(|field| zero_of(&field.dtype)).collect()),
        // One element stands for all: the shape causes no allocation.
        numpy::Dtype::Subarray(base, _) => zero_of(base),
        numpy::Dtype::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Bool => Json::Bool(false),
            ScalarKind::Float | ScalarKind::Complex => Json::Float(0.0),
            ScalarKind::Bytes | ScalarKind::Str => Json::String(String::new()),
            // Readers pad it with zeros, so it need not have the full length.
            ScalarKind::Void => Json::String("\0".repeat(scalar.itemsize().min(MAX_VOID) as usize)),
            ScalarKind::Int | ScalarKind::UInt | ScalarKind::Datetime | ScalarKind::Timedelta => Json::Int(0),
        },
    }
}
