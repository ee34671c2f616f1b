//! The metadata of an array, as `.zarray` has it.

use bloscpack_format::Json;
use bloscpack_format::numpy::Order;
use bloscpack_format::zarr::{ArrayMeta, Fill, Version};

use super::layout::{ChunkCodec, Layout};
use crate::Error;

/// Returns the content of `.zarray`. Chunks that are left out have the fill value. A fill value of zero is written only if
/// there are any, because xarray takes all items with this value for missing.
///
/// The codecs are filters, and there is no compressor, as in the references that kerchunk writes. For Zarr this
/// is the same, but VirtualiZarr does not read a compressor.
pub(super) fn zarray(layout: &Layout, has_zeros: bool) -> Result<Json, Error> {
    let array = &layout.meta;
    let mut meta = ArrayMeta::new(Version::V2, array.shape.clone(), layout.chunkshape.clone(), array.dtype.clone());
    if layout.meta.order == Order::F && meta.ndim() > 1 {
        meta.codecs.transpose = Some((0..meta.ndim()).rev().collect());
    }
    meta.fill = if has_zeros || !layout.fill.is_zeros() { layout.fill.clone() } else { Fill::null() };
    let mut json = Json::parse(meta.to_zarray()?)?;
    if let Json::Object(members) = &mut json
        && let Some((_, filters)) = members.iter_mut().find(|(name, _)| name == "filters")
    {
        *filters = match codecs(&layout.codec, array.dtype.itemsize()) {
            codecs if codecs.is_empty() => Json::Null,
            codecs => Json::Array(codecs),
        };
    }
    Ok(json)
}

/// Returns the configurations of codecs of numcodecs. A reader needs no parameter of compressors: they are for encoding.
fn codecs(codec: &ChunkCodec, itemsize: u64) -> Vec<Json> {
    let numbers = |numbers: &[u32]| Json::Array(numbers.iter().map(|len| Json::Int((*len).into())).collect());
    match codec {
        ChunkCodec::Blosc => vec![compressor("blosc")],
        ChunkCodec::Other(names) => names.iter().map(|name| compressor(name)).collect(),
        ChunkCodec::B2nd { chunks, blocks } => vec![Json::Object(vec![
            ("id".into(), "b2nd".into()),
            ("chunks".into(), numbers(chunks)),
            ("blocks".into(), numbers(blocks)),
            ("itemsize".into(), Json::Int(i64::try_from(itemsize).unwrap_or(i64::MAX))),
        ])],
    }
}

fn compressor(name: &str) -> Json {
    let mut members = vec![("id".into(), name.into())];
    if name == "blosc" {
        members.extend([
            ("cname".into(), "lz4".into()),
            ("clevel".into(), Json::Int(5)),
            ("shuffle".into(), Json::Int(1)),
            ("blocksize".into(), Json::Int(0)),
        ]);
    }
    Json::Object(members)
}
