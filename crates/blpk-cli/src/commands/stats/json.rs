//! Statistics as one JSON object.

use super::described::Described;
use super::value::{self, integer};
use crate::json::{Object, number, text};
use crate::path_or_stdio::PathOrStdio;
use blosc_core::{OutOfMemory, memory};
use bloscpack_format::Json;
use bloscpack_format::numpy::{Scalar, ScalarKind};
use bloscpack_io::{ColumnStats, Edges, Histogram, Numbers};

/// Returns the line to print. A table has `columns`, an array `fields`.
pub(super) fn line(operand: &PathOrStdio, described: &[Described], is_table: bool) -> Result<String, OutOfMemory> {
    let object = Object::inner().with("schema", Json::Int(1)).with("name", text(&operand.name()));
    match described {
        [one] if !is_table => array(object, one)?.line(),
        all => {
            let column = |one: &Described| Ok(array(Object::inner(), one)?.into_json());
            object.with("columns", Json::Array(memory::try_collect(all.iter().map(column))?)).line()
        }
    }
}

fn array(object: Object, described: &Described) -> Result<Object, OutOfMemory> {
    let object = match &described.column {
        Some(column) => object.with("column", text(column)),
        None => object,
    };
    let fields = memory::try_collect(described.fields.iter().map(|one| Ok(field(one)?.into_json())))?;
    let object = object.with_array(&described.meta)?.with("nbytes", number(described.nbytes));
    Ok(object.with("fields", Json::Array(fields)))
}

fn field(field: &ColumnStats) -> Result<Object, OutOfMemory> {
    let object = Object::inner()
        .with("name", text(&field.name))
        .with("dtype", text(&field.scalar.to_string()))
        .with("count", number(field.count));
    let object = match field.parts.as_slice() {
        [("", numbers)] => return Ok(members(object, numbers, &field.scalar)),
        _ => object.with("zeros", number(field.zeros)),
    };
    let object = match &field.texts {
        Some((first, last)) => {
            object.with("first", Json::String(text_of(first)?)).with("last", Json::String(text_of(last)?))
        }
        None => object,
    };
    Ok(field.parts.iter().fold(object, |object, (part, numbers)| {
        // Lengths are plain integers.
        let plain = if *part == "length" { Scalar::parse("<i8").ok() } else { None };
        let inner = Object::inner().with("count", number(numbers.count));
        object.with(part, members(inner, numbers, &plain.unwrap_or(field.scalar)).into_json())
    }))
}

/// Converts a text of the array, which may have any length.
fn text_of(bytes: &[u8]) -> Result<String, OutOfMemory> {
    memory::text_of(&memory::lossy(bytes)?)
}

fn members(object: Object, numbers: &Numbers, scalar: &Scalar) -> Object {
    let of = |value: Option<_>| value.map_or(Json::Null, |value| value::json(value, scalar));
    let (low, high) = numbers.range.unzip();
    let float = |value: Option<f64>| value.map_or(Json::Null, Json::Float);
    let is_time = scalar.kind() == ScalarKind::Datetime;
    // A sum of points in time is meaningless.
    let sum = numbers.sum.filter(|_| !is_time).map_or(Json::Null, |sum| match sum {
        bloscpack_format::numpy::Value::Int(sum) => integer(sum),
        sum => value::json(sum, scalar),
    });
    let mean = match numbers.mean {
        Some(mean) if is_time => text(&value::mean(mean, scalar)),
        mean => float(mean),
    };
    object
        .with("nans", number(numbers.nans))
        .with("positive_infinities", number(numbers.infinities.0))
        .with("negative_infinities", number(numbers.infinities.1))
        .with("zeros", number(numbers.zeros))
        .with("min", of(low))
        .with("max", of(high))
        .with("sum", sum)
        .with("mean", mean)
        .with("std", float(numbers.std))
        .with("histogram", numbers.histogram.as_ref().map_or(Json::Null, histogram))
}

fn histogram(histogram: &Histogram) -> Json {
    let edges = match &histogram.edges {
        Edges::Ints(edges) => edges.iter().map(|edge| integer(*edge)).collect(),
        Edges::Floats(edges) => edges.iter().map(|edge| Json::Float(*edge)).collect(),
        _ => Vec::new(),
    };
    let counts = histogram.counts.iter().map(|count| number(*count)).collect();
    Object::inner().with("edges", Json::Array(edges)).with("counts", Json::Array(counts)).into_json()
}
