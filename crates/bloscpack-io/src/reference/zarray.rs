//! The metadata of an array, as `.zarray` has it.

use bloscpack_format::Json;
use bloscpack_format::numpy::Order;
use bloscpack_format::zarr::{ArrayMeta, BloscCodec, BloscShuffle, Compressor, Version};

use super::layout::{ChunkCodec, Layout};
use crate::Error;

/// Returns the content of `.zarray`.
pub(super) fn zarray(layout: &Layout) -> Result<Json, Error> {
    let array = &layout.meta;
    let mut meta = ArrayMeta::new(Version::V2, array.shape.clone(), layout.chunkshape.clone(), array.dtype.clone());
    if layout.meta.order == Order::F && meta.ndim() > 1 {
        meta.codecs.transpose = Some((0..meta.ndim()).rev().collect());
    }
    // A reader needs no parameter of this codec. They are for encoding.
    let blosc =
        BloscCodec { cname: "lz4".into(), clevel: 5, shuffle: BloscShuffle::Byte, typesize: None, blocksize: 0 };
    meta.codecs.compressors = vec![Compressor::Blosc(blosc)];
    let mut json = Json::parse(meta.to_zarray()?)?;
    if let (ChunkCodec::B2nd { chunks, blocks }, Json::Object(members)) = (&layout.codec, &mut json)
        && let Some((_, compressor)) = members.iter_mut().find(|(name, _)| name == "compressor")
    {
        *compressor = b2nd(chunks, blocks, layout.meta.dtype.itemsize());
    }
    Ok(json)
}

/// Returns the configuration of the codec of the Python package.
fn b2nd(chunks: &[u32], blocks: &[u32], itemsize: u64) -> Json {
    let numbers = |numbers: &[u32]| Json::Array(numbers.iter().map(|len| Json::Int((*len).into())).collect());
    Json::Object(vec![
        ("id".into(), "b2nd".into()),
        ("chunks".into(), numbers(chunks)),
        ("blocks".into(), numbers(blocks)),
        ("itemsize".into(), Json::Int(i64::try_from(itemsize).unwrap_or(i64::MAX))),
    ])
}
