//! Crates raced as building blocks: the fastest LZ4 encoder and decoder in safe Rust. For zlib and zstd, `blosc_core`
//! itself uses the best crates.

use super::codecs::StreamCodec;
use blosc_core::Codec;

/// Returns the codecs of crates that implement `codec`.
pub fn codecs(codec: Codec) -> Vec<Box<dyn StreamCodec>> {
    match codec {
        Codec::Lz4 => vec![Box::new(Lz4Rip), Box::new(Lz4Flex)],
        _ => Vec::new(),
    }
}

struct Lz4Rip;

impl StreamCodec for Lz4Rip {
    fn name(&self) -> &'static str {
        "lz4rip"
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        lz4rip::block::compress_into(src, dst).ok()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        lz4rip::block::decompress_into(src, dst) == Ok(dst.len())
    }
}

struct Lz4Flex;

impl StreamCodec for Lz4Flex {
    fn name(&self) -> &'static str {
        "lz4_flex"
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        lz4_flex::block::compress_into(src, dst).ok()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        lz4_flex::block::decompress_into(src, dst).is_ok_and(|len| len == dst.len())
    }
}
