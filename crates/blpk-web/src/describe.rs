//! An open file as JSON.

use bloscpack_format::Json;
use bloscpack_format::numpy::{Dtype, Order};
use bloscpack_io::{Array, ChunkFacts, Error};

use crate::opened::{Opened, Place};
use crate::rest::Lost;
use crate::{items, kind};

fn number(number: u64) -> Json {
    i64::try_from(number).map_or_else(|_| Json::BigInt(number.to_string().into()), Json::Int)
}

fn numbers(numbers: impl IntoIterator<Item = u64>) -> Json {
    Json::Array(numbers.into_iter().map(number).collect())
}

fn texts(texts: &[String]) -> Json {
    Json::Array(texts.iter().map(|text| Json::String(text.clone())).collect())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Returns kind, format, sizes and dtype.
pub(crate) fn describe(opened: &Opened) -> Result<String, Error> {
    let json = match opened {
        Opened::Array(array, place) => array_of(array, place)?,
        Opened::Table(table) => table_of(table.len(), table.names()),
        Opened::Columns { rows, names, .. } => table_of(*rows, names),
        Opened::Group { arrays, .. } => object([
            ("kind", Json::String("group".into())),
            ("format", Json::String(bloscpack_format::Format::ZarrGroup.to_string())),
            ("members", texts(arrays)),
        ]),
    };
    Ok(json.try_dumps()?)
}

fn table_of(rows: u64, names: &[String]) -> Json {
    object([
        ("kind", Json::String("table".into())),
        ("format", Json::String(bloscpack_format::Format::Ctable.to_string())),
        ("rows", number(rows)),
        ("members", texts(names)),
    ])
}

fn array_of(array: &Array<'_>, place: &Place) -> Result<Json, Error> {
    let (archive, meta) = (array.archive(), array.meta());
    let list = |lens: Option<&Vec<u32>>| lens.map_or(Json::Null, |lens| numbers(lens.iter().map(|len| (*len).into())));
    let dtype = match &meta.dtype {
        Dtype::Scalar(scalar) => scalar.to_string(),
        dtype => dtype.to_descr()?,
    };
    let is_typed = archive.numpy().is_some();
    let first = if archive.nchunks() > 0 { archive.chunk_range(0).ok() } else { None };
    let chunk_nbytes = first.map(|range| range.end - range.start);
    Ok(object([
        ("kind", Json::String("array".into())),
        ("format", Json::String(archive.format().to_string())),
        ("isTyped", Json::Bool(is_typed)),
        ("isCompressed", Json::Bool(archive.is_compressed())),
        ("shape", numbers(meta.shape.iter().copied())),
        ("dtype", Json::String(dtype)),
        ("itemsize", number(meta.dtype.itemsize())),
        ("order", Json::String(if meta.order == Order::C { "C" } else { "F" }.into())),
        ("leaves", items::leaves(&meta.dtype)?),
        ("nbytes", number(archive.nbytes())),
        ("nchunks", number(archive.nchunks())),
        ("chunkNbytes", chunk_nbytes.map_or(Json::Null, number)),
        ("typesize", number(archive.typesize() as u64)),
        ("chunkshape", list(archive.array().map(|array| &array.chunkshape))),
        ("blockshape", list(archive.array().map(|array| &array.blockshape))),
        ("fileshape", fileshape(array, place, chunk_nbytes).map_or(Json::Null, numbers)),
    ]))
}

/// Returns the items of a file along each axis, if chunks or shards are files of a directory.
fn fileshape(array: &Array<'_>, place: &Place, chunk_nbytes: Option<u64>) -> Option<Vec<u64>> {
    let (archive, shape) = (array.archive(), &array.meta().shape);
    let Place::Directory(_) = place else { return None };
    if let Some(meta) = archive.zarr() {
        return Some(meta.stored_shape().to_vec());
    }
    if let Some(array) = archive.array() {
        return Some(array.chunkshape.iter().map(|len| (*len).into()).collect());
    }
    let (first, inner) = shape.split_first()?;
    let row = archive.nbytes() / (*first).max(1);
    let rows = chunk_nbytes? / row.max(1);
    Some(std::iter::once(rows.max(1)).chain(inner.iter().copied()).collect())
}

/// Returns how a chunk is stored.
pub(crate) fn chunk(facts: &ChunkFacts) -> Json {
    object([
        ("nbytes", number(facts.nbytes)),
        ("cbytes", number(facts.cbytes)),
        ("codec", facts.codec.map_or(Json::Null, |codec| Json::String(codec.name().into()))),
        ("filters", Json::String(facts.filters.to_string())),
        ("special", facts.special.map_or(Json::Null, |special| Json::String(special.name().into()))),
        ("isStored", Json::Bool(facts.is_stored_plain)),
    ])
}

/// Returns the problem with a chunk.
pub(crate) fn damaged_chunk(error: &Error) -> Json {
    object([
        ("problem", Json::String(error.report().to_string())),
        ("kind", Json::String(kind::name(error.kind()).into())),
    ])
}

/// Returns a part that cannot be read.
pub(crate) fn part(lost: &Lost) -> Json {
    object([
        ("start", numbers(lost.start.iter().copied())),
        ("stop", numbers(lost.stop.iter().copied())),
        ("problem", Json::String(lost.problem.as_str().into())),
        ("kind", Json::String(kind::name(lost.kind).into())),
    ])
}
