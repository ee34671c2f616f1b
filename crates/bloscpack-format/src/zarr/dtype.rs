//! Data types of version 3, and byte orders.

use super::ZarrError;
use super::fields::{bad, integer, json_object, required, text, unsupported};
use crate::error::FormatError;
use crate::json::Json;
use crate::numpy::{ByteOrder, DatetimeUnit, Dtype, Field, NumpyError, Scalar, ScalarKind};
use std::sync::Arc;

/// Maximum nesting of structures.
const MAX_DEPTH: usize = 16;

const ADVICE: &str = "data types of a fixed size are read";

/// Names of version 3 and the type strings of NumPy.
const NAMES: [(&str, &str); 14] = [
    ("bool", "|b1"),
    ("int8", "|i1"),
    ("int16", "<i2"),
    ("int32", "<i4"),
    ("int64", "<i8"),
    ("uint8", "|u1"),
    ("uint16", "<u2"),
    ("uint32", "<u4"),
    ("uint64", "<u8"),
    ("float16", "<f2"),
    ("float32", "<f4"),
    ("float64", "<f8"),
    ("complex64", "<c8"),
    ("complex128", "<c16"),
];

/// Reads `dtype` of version 2: a type string, or the `descr` of a structure as lists.
pub(super) fn from_v2(json: &Json) -> Result<Dtype, FormatError> {
    let dtype = match json {
        Json::String(text) => Dtype::from_type_string(text).map_err(FormatError::from),
        lists @ Json::Array(_) => Dtype::from_json(lists),
        other => return Err(bad("dtype", other, "a type string or a list of fields").into()),
    };
    dtype.map_err(|error| match error {
        FormatError::Numpy(NumpyError::Object) => unsupported("data type", "object", ADVICE).into(),
        error => error,
    })
}

/// Returns `dtype` of version 2.
///
/// # Errors
/// [`ZarrError::NotInVersion`] for titles of fields.
pub(super) fn to_v2(dtype: &Dtype) -> Result<Json, ZarrError> {
    Ok(match dtype {
        Dtype::Scalar(scalar) => scalar.to_string().into(),
        Dtype::Struct(fields) => Json::Array(fields.iter().map(field_to_v2).collect::<Result<_, _>>()?),
        Dtype::Subarray(base, shape) => Json::Array(vec![to_v2(base)?, shape_json(shape)]),
    })
}

fn field_to_v2(field: &Field) -> Result<Json, ZarrError> {
    refuse_title(field, 2)?;
    let name = field.name.as_str().into();
    Ok(Json::Array(match &field.dtype {
        Dtype::Subarray(base, shape) => vec![name, to_v2(base)?, shape_json(shape)],
        dtype => vec![name, to_v2(dtype)?],
    }))
}

/// Refuses a field with a title, which no version has.
fn refuse_title(field: &Field, version: u8) -> Result<(), ZarrError> {
    let refuse = |title| ZarrError::NotInVersion { version, field: "title", value: format!("'{title}'").into() };
    field.title.as_ref().map_or(Ok(()), |title| Err(refuse(title)))
}

fn shape_json(shape: &[u32]) -> Json {
    Json::Array(shape.iter().map(|len| Json::Int((*len).into())).collect())
}

/// Reads `data_type` of version 3, where all numbers are little-endian until [`with_order`].
pub(super) fn from_v3(json: &Json) -> Result<Dtype, FormatError> {
    let dtype = from_v3_at(json, 0)?;
    match dtype.itemsize() {
        nbytes if nbytes > super::MAX_CHUNK_NBYTES => Err(NumpyError::ItemTooLarge { limit: i32::MAX as u32 }.into()),
        _ => Ok(dtype),
    }
}

fn from_v3_at(json: &Json, depth: usize) -> Result<Dtype, FormatError> {
    let name = match json {
        Json::String(name) => name.as_str(),
        Json::Object(_) => text(json, "name")?,
        other => return Err(bad("data_type", other, "a name, or an object with a name").into()),
    };
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(Dtype::from_type_string(code)?);
    }
    let configuration = json.get("configuration").unwrap_or(&Json::Null);
    let length = |field: &str| {
        let value = required(configuration, field)?;
        let len = value.as_u64().filter(|len| *len <= super::MAX_CHUNK_NBYTES);
        len.ok_or_else(|| bad(field, value, "a length from 0 to 2147483647"))
    };
    let code = match name {
        "null_terminated_bytes" => format!("|S{}", length("length_bytes")?),
        "raw_bytes" | "variable_length_bytes" if configuration.get("length_bytes").is_some() => {
            format!("|V{}", length("length_bytes")?)
        }
        "fixed_length_utf32" => match length("length_bytes")? {
            len if len.is_multiple_of(4) => format!("<U{}", len / 4),
            len => return Err(bad("length_bytes", &super::fields::json_length(len), "a multiple of 4").into()),
        },
        "numpy.datetime64" => format!("<M8{}", unit_of(configuration)?),
        "numpy.timedelta64" => format!("<m8{}", unit_of(configuration)?),
        "structured" | "struct" => return struct_of(configuration, depth),
        name => match name.strip_prefix('r').and_then(|bits| bits.parse::<u64>().ok()) {
            Some(bits) if bits > 0 && bits.is_multiple_of(8) => format!("|V{}", bits / 8),
            _ => return Err(unsupported("data type", name, ADVICE).into()),
        },
    };
    Ok(Dtype::from_type_string(&code)?)
}

/// Returns the unit of a datetime as NumPy writes it: `[25s]`.
fn unit_of(configuration: &Json) -> Result<String, ZarrError> {
    let (unit, multiple) =
        (text(configuration, "unit")?, integer(configuration, "scale_factor", 1, 1..=i64::from(i32::MAX))?);
    Ok(match (unit, multiple) {
        ("generic", _) => String::new(),
        ("μs" | "µs", 1) => "[us]".into(),
        (unit, 1) => format!("[{unit}]"),
        (unit, multiple) => format!("[{multiple}{unit}]"),
    })
}

fn struct_of(configuration: &Json, depth: usize) -> Result<Dtype, FormatError> {
    if depth == MAX_DEPTH {
        return Err(NumpyError::Descr("the dtype nests too deep").into());
    }
    let json = required(configuration, "fields")?;
    let expected = "a list of fields, each a name and a data type";
    let list = json.as_array().ok_or_else(|| bad("fields", json, expected))?;
    let mut fields: Vec<Field> = Vec::new();
    for field in list {
        // `structured` has pairs, `struct` objects.
        let (name, data_type) = match field {
            Json::Object(_) => (field.get("name"), field.get("data_type")),
            field => match field.as_array() {
                Some([name, data_type]) => (Some(name), Some(data_type)),
                _ => (None, None),
            },
        };
        let name = name.and_then(Json::as_str).ok_or_else(|| bad("fields", field, expected))?;
        let data_type = data_type.ok_or_else(|| bad("fields", field, expected))?;
        fields.push(Field { name: name.to_owned(), title: None, dtype: from_v3_at(data_type, depth + 1)? });
    }
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    if let Some(name) = names.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first())?) {
        return Err(NumpyError::DuplicateField((*name).into()).into());
    }
    Ok(Dtype::Struct(Arc::new(fields)))
}

/// Returns `data_type` of version 3. Version 3 has no subarrays, no titles, and no floats of 12 or 16 bytes.
pub(super) fn to_v3(dtype: &Dtype) -> Result<Json, ZarrError> {
    let refuse = || ZarrError::NotInVersion { version: 3, field: "data_type", value: dtype.to_string().into() };
    let with = |name: &str, configuration| json_object([("name", name.into()), ("configuration", configuration)]);
    let length = |nbytes: u32| json_object([("length_bytes", Json::Int(nbytes.into()))]);
    match dtype {
        Dtype::Scalar(scalar) => Ok(match scalar.kind() {
            ScalarKind::Bytes => with("null_terminated_bytes", length(scalar.itemsize())),
            ScalarKind::Void => with("raw_bytes", length(scalar.itemsize())),
            ScalarKind::Str => with("fixed_length_utf32", length(scalar.itemsize())),
            ScalarKind::Datetime => with("numpy.datetime64", unit_json(scalar.unit())),
            ScalarKind::Timedelta => with("numpy.timedelta64", unit_json(scalar.unit())),
            _ => {
                let code = scalar.to_string();
                let same = |known: &str| known.get(1..) == code.get(1..);
                let name = NAMES.iter().find(|(_, known)| same(known)).map(|(name, _)| *name);
                name.ok_or_else(refuse)?.into()
            }
        }),
        Dtype::Struct(fields) => {
            let mut list = Vec::new();
            for field in fields.iter() {
                refuse_title(field, 3)?;
                list.push(Json::Array(vec![field.name.as_str().into(), to_v3(&field.dtype)?]));
            }
            Ok(with("structured", json_object([("fields", Json::Array(list))])))
        }
        Dtype::Subarray(..) => Err(refuse()),
    }
}

fn unit_json(unit: Option<DatetimeUnit>) -> Json {
    let (name, multiple) = unit.map_or(("generic", 1), |unit| (unit.name, unit.multiple));
    json_object([("unit", name.into()), ("scale_factor", Json::Int(multiple.into()))])
}

/// Returns whether the numbers in an item are big-endian. `None` if there are none of more than one byte.
///
/// # Errors
///
/// [`ZarrError::NotInVersion`] if there are both.
pub(super) fn order_of(dtype: &Dtype) -> Result<Option<bool>, ZarrError> {
    match dtype {
        Dtype::Scalar(scalar) => Ok(match scalar.byte_order() {
            ByteOrder::NotApplicable => None,
            ByteOrder::Big => Some(true),
            ByteOrder::Little => Some(false),
        }),
        Dtype::Subarray(base, _) => order_of(base),
        Dtype::Struct(fields) => {
            let mut order = None;
            for field in fields.iter() {
                match (order, order_of(&field.dtype)?) {
                    (Some(a), Some(b)) if a != b => {
                        let (version, value) = (3, "of fields in both byte orders".into());
                        return Err(ZarrError::NotInVersion { version, field: "data_type", value });
                    }
                    (None, other) => order = other,
                    _ => {}
                }
            }
            Ok(order)
        }
    }
}

/// Returns the dtype with all numbers in this byte order.
pub(super) fn with_order(dtype: &Dtype, is_big: bool) -> Result<Dtype, FormatError> {
    Ok(match dtype {
        Dtype::Scalar(scalar) => {
            let code = scalar.to_string();
            let order = if is_big { '>' } else { '<' };
            // Bytes without an order keep theirs.
            Dtype::Scalar(Scalar::parse(&format!("{order}{}", code.get(1..).unwrap_or_default()))?)
        }
        Dtype::Subarray(base, shape) => Dtype::Subarray(Box::new(with_order(base, is_big)?), shape.clone()),
        Dtype::Struct(fields) => {
            let swapped = |field: &Field| -> Result<Field, FormatError> {
                let Field { name, title, dtype } = field;
                Ok(Field { name: name.clone(), title: title.clone(), dtype: with_order(dtype, is_big)? })
            };
            Dtype::Struct(Arc::new(fields.iter().map(swapped).collect::<Result<_, _>>()?))
        }
    })
}
