//! Decodes the block of a chunk that has only one, without looking up its filter and codec in tables.

use super::{Block, BlockDecoder};
use crate::block::{CSIZE_LEN, Stored};
use crate::codec::SLACK;
use crate::divide::quotient;
use crate::error::DecodeError;
use crate::header::CommonFilter;
use crate::kernels::{self, Kernels};
use crate::layout::OnlyBlock;
use crate::memory;
use crate::stream::StreamCodec;

impl BlockDecoder {
    /// Decodes the block of a chunk that has only one to `dst`, which has the chunk's length.
    #[inline]
    pub(crate) fn decode_only(&mut self, chunk: &[u8], only: OnlyBlock, dst: &mut [u8]) -> Result<(), DecodeError> {
        let codec = StreamCodec::BuiltIn(only.format);
        let block = Block { chunk, codec: &codec, index: 0, has_runs: only.has_runs };
        match (only.filter, only.nstreams()) {
            (CommonFilter::None, _) => self.decode_unfiltered(block, only.start(), dst),
            (CommonFilter::Shuffle, nplanes @ 2..) => self.decode_planes(block, only.start(), nplanes, dst),
            _ => self.decode_shuffled(block, only, dst),
        }
    }

    /// Decodes one stream at `start` to `dst`.
    #[inline]
    fn decode_unfiltered(&mut self, block: Block<'_>, start: usize, dst: &mut [u8]) -> Result<(), DecodeError> {
        let len = dst.len();
        match block.streams(start, len).read()? {
            Stored::Plain(payload) => kernels::copy(payload, dst),
            Stored::Compressed(payload) => {
                block.decompress(&mut self.decompressor, 0, start + CSIZE_LEN, payload, dst, len)?;
            }
            Stored::Run(value) => dst.fill(value),
        }
        Ok(())
    }

    /// Decodes a block that is bit-shuffled, or shuffled and one stream.
    #[inline(never)]
    fn decode_shuffled(&mut self, block: Block<'_>, only: OnlyBlock, dst: &mut [u8]) -> Result<(), DecodeError> {
        let BlockDecoder { decompressor, decoded, .. } = self;
        let (len, start) = (dst.len(), only.start());
        let shuffled = if only.nstreams() > 1 {
            let decoded = memory::at_least(decoded, len + SLACK)?;
            block.decode_streams(decompressor, start, only.nstreams(), quotient(len, only.nstreams()), decoded)?;
            &decoded[..len]
        } else {
            match block.streams(start, len).read()? {
                Stored::Plain(payload) => payload,
                Stored::Compressed(payload) => {
                    block.decompress_to(decompressor, 0, start + CSIZE_LEN, payload, decoded, len)?;
                    &decoded[..len]
                }
                Stored::Run(value) => {
                    let run = memory::at_least(decoded, len)?;
                    run.fill(value);
                    run
                }
            }
        };
        let Kernels { unshuffle, bitunshuffle, .. } = kernels::active();
        match only.filter {
            CommonFilter::BitShuffle => bitunshuffle(only.typesize(), shuffled, dst),
            _ => unshuffle(only.typesize(), shuffled, dst),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::chunk::Chunk;
    use crate::{CParams, Codec, Decoder, FilterPipeline};

    /// Elements of each typesize whose planes are noise, a counter and runs, in chunks of one block.
    #[test]
    fn every_kind_of_block_decodes() {
        let mut direct = 0;
        for filters in [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()] {
            for (typesize, n) in [(1, 1000), (2, 8), (4, 256), (8, 4), (8, 128), (12, 96), (16, 64), (24, 40)] {
                let element = |i: usize| (0..typesize).map(move |j| [(i * i * 97) >> 3, i, 7, 0][j % 4] as u8);
                let plain: Vec<u8> = (0..n).flat_map(element).collect();
                for codec in [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc] {
                    for params in [CParams::new(), CParams::blosc2()] {
                        let params = params.codec(codec).typesize(typesize).filters(filters);
                        let bytes = crate::compress(&plain, &params).unwrap();
                        let chunk = Chunk::parse(&bytes).unwrap();
                        direct += usize::from(chunk.only_block().is_some());
                        assert!(chunk.decompress().unwrap() == plain, "{params:?}");
                        let block = Decoder::new().decode_block(&chunk, 0, &mut vec![0; plain.len()]);
                        assert_eq!(block.unwrap(), plain.len());
                    }
                }
            }
        }
        assert!(direct > 50, "{direct}");
    }

    /// A run of 0x11 in a bit-shuffled stream: every fourth byte is 255.
    #[test]
    fn a_run_is_bit_shuffled_too() {
        let plain: Vec<u8> = (0..64).map(|i| if i % 4 == 0 { 255 } else { 0 }).collect();
        let params = CParams::blosc2().codec(Codec::Lz4).typesize(1).filters(FilterPipeline::bitshuffle());
        let halves: Vec<u8> = (0..64).map(|i| i / 32).collect();
        let mut bytes = crate::compress(&halves, &params).unwrap();
        bytes.truncate(36);
        bytes.extend((-0x11i32).to_le_bytes());
        bytes.push(1);
        let cbytes = bytes.len() as i32;
        bytes[12..16].copy_from_slice(&cbytes.to_le_bytes());
        bytes[2] &= !0x02;
        bytes[32..36].copy_from_slice(&36i32.to_le_bytes());
        let chunk = Chunk::parse(&bytes).unwrap();
        assert!(chunk.only_block().is_some());
        assert_eq!(chunk.decompress().unwrap(), plain);
        assert_eq!(chunk.items(3..9).unwrap(), plain[3..9]);
    }
}
