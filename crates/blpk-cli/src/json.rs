//! Output of `--json`: strict JSON, one object on one line, `schema` 1.

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Json;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};

/// A JSON object: its members in the order in which they are printed.
#[derive(Debug)]
pub(crate) struct Object(Vec<(String, Json)>);

impl Object {
    /// An object that describes a file of a format.
    pub(crate) fn new(format: &str) -> Object {
        Object(Vec::new()).with("schema", Json::Int(1)).with("format", text(format))
    }

    pub(crate) fn with(mut self, name: &str, value: Json) -> Object {
        self.0.push((name.into(), strict(value)));
        self
    }

    /// Adds the name of the file, which is given when there are several files.
    pub(crate) fn with_name(self, name: Option<&str>) -> Object {
        match name {
            Some(name) => self.with("name", text(name)),
            None => self,
        }
    }

    /// Returns the value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    /// Adds the shape, dtype and order of an array.
    pub(crate) fn with_array(self, meta: &NumpyMeta) -> Result<Object, OutOfMemory> {
        let dtype = match &meta.dtype {
            Dtype::Scalar(scalar) => scalar.to_string(),
            dtype => dtype.to_descr()?,
        };
        let order = match meta.order {
            Order::C => "C",
            Order::F => "F",
        };
        let shape = Json::Array(meta.shape.iter().map(|axis| number(*axis)).collect());
        Ok(self.with("shape", shape).with("dtype", Json::String(dtype)).with("order", text(order)))
    }

    /// Serializes the object as a line.
    pub(crate) fn line(self) -> Result<String, OutOfMemory> {
        line(&self.into_json())
    }

    /// Serializes the object without a line end.
    pub(crate) fn dumps(self) -> Result<String, OutOfMemory> {
        self.into_json().try_dumps()
    }

    /// Converts the object to a value, to nest it in another one.
    pub(crate) fn into_json(self) -> Json {
        Json::Object(self.0)
    }

    /// Serializes the object without its closing brace, so that the caller can print more members.
    pub(crate) fn open(self) -> Result<String, OutOfMemory> {
        let mut text = self.dumps()?;
        text.truncate(text.len() - 1);
        Ok(text)
    }

    /// Creates an object without `schema` and `format`, to nest it in another one.
    pub(crate) fn inner() -> Object {
        Object(Vec::new())
    }
}

/// Serializes a value as a line.
pub(crate) fn line(value: &Json) -> Result<String, OutOfMemory> {
    let mut line = value.try_dumps()?;
    memory::push_str(&mut line, "\n")?;
    Ok(line)
}

pub(crate) fn text(text: &str) -> Json {
    Json::String(text.into())
}

pub(crate) fn number(number: u64) -> Json {
    i64::try_from(number).map_or_else(|_| Json::BigInt(number.to_string().into()), Json::Int)
}

/// Replaces floats that JSON cannot represent by strings with Python's names: NaN and the infinities.
fn strict(value: Json) -> Json {
    match value {
        Json::Float(value) if value.is_nan() => text("NaN"),
        Json::Float(value) if value.is_infinite() => text(if value > 0.0 { "Infinity" } else { "-Infinity" }),
        // In place: a second list of the same length would be a second allocation.
        Json::Array(mut items) => {
            items.iter_mut().for_each(|item| *item = strict(std::mem::replace(item, Json::Null)));
            Json::Array(items)
        }
        Json::Object(mut members) => {
            members.iter_mut().for_each(|(_, value)| *value = strict(std::mem::replace(value, Json::Null)));
            Json::Object(members)
        }
        value => value,
    }
}
