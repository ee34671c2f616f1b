//! Encodes and decodes RFC 1950 streams with [`deflate`](super::deflate).

pub(crate) use super::deflate::{DeflateDecoder, DeflateEncoder as ZlibEncoder};

use super::deflate::Reference;
use crate::format::ChunkFormat;
use crate::memory::OutOfMemory;

/// Creates an encoder. Chunks are as small as those of the C library with the same format and level: C-Blosc 1 contains
/// zlib, C-Blosc2 zlib-ng. Streams consist of `planes` parts of the same length.
pub(crate) fn encoder(clevel: u8, format: ChunkFormat, planes: usize) -> Result<ZlibEncoder, OutOfMemory> {
    let reference = match format {
        ChunkFormat::Blosc1 => Reference::Zlib,
        ChunkFormat::Blosc2 => Reference::ZlibNg,
    };
    ZlibEncoder::new(clevel.clamp(1, 9), reference, planes)
}
