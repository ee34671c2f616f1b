//! The metadata of an array, as `.zarray` has it.

use bloscpack_format::Json;
use bloscpack_format::numpy::Order;
use bloscpack_format::zarr::{ArrayMeta, Fill, Version};

use super::layout::{ChunkCodec, Layout};
use crate::Error;

/// Returns the content of `.zarray`. Chunks that are left out are zeros. The fill value is zero only if there are any,
/// because xarray takes all items with this value for missing.
///
/// The codec is the only filter, and there is no compressor, as in the references that kerchunk writes. For Zarr this
/// is the same, but VirtualiZarr does not read a compressor.
pub(super) fn zarray(layout: &Layout, has_zeros: bool) -> Result<Json, Error> {
    let array = &layout.meta;
    let mut meta = ArrayMeta::new(Version::V2, array.shape.clone(), layout.chunkshape.clone(), array.dtype.clone());
    if layout.meta.order == Order::F && meta.ndim() > 1 {
        meta.codecs.transpose = Some((0..meta.ndim()).rev().collect());
    }
    meta.fill = if has_zeros { Fill::zeros() } else { Fill::null() };
    let mut json = Json::parse(meta.to_zarray()?)?;
    if let Json::Object(members) = &mut json
        && let Some((_, filters)) = members.iter_mut().find(|(name, _)| name == "filters")
    {
        *filters = Json::Array(vec![codec(&layout.codec, array.dtype.itemsize())]);
    }
    Ok(json)
}

/// Returns the configuration of a codec of numcodecs. A reader needs no parameter of `blosc`: they are for encoding.
fn codec(codec: &ChunkCodec, itemsize: u64) -> Json {
    let numbers = |numbers: &[u32]| Json::Array(numbers.iter().map(|len| Json::Int((*len).into())).collect());
    Json::Object(match codec {
        ChunkCodec::Blosc => vec![
            ("id".into(), "blosc".into()),
            ("cname".into(), "lz4".into()),
            ("clevel".into(), Json::Int(5)),
            ("shuffle".into(), Json::Int(1)),
            ("blocksize".into(), Json::Int(0)),
        ],
        ChunkCodec::B2nd { chunks, blocks } => vec![
            ("id".into(), "b2nd".into()),
            ("chunks".into(), numbers(chunks)),
            ("blocks".into(), numbers(blocks)),
            ("itemsize".into(), Json::Int(i64::try_from(itemsize).unwrap_or(i64::MAX))),
        ],
    })
}
