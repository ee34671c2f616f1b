//! Decodes a part of a block: as little of its streams as the codec allows, and only the wanted elements.
//!
//! ```text
//! streams    | plane 0 ▓▓▓▓▓▓▓▓▓▓░░░░░ | plane 1 ▓▓▓▓▓▓▓▓▓▓░░░░░ |    ▓ decoded, with LZ4, BloscLZ and zstd
//! elements                   ├──┤                       ├──┤         unshuffled
//! ```
//!
//! The gain is in docs/bench/limits.md, "Parts of chunks".

use core::ops::Range;

use super::{Block, BlockDecoder, BlockPlan};
use crate::block::planes::{self, MAX_PLANES};
use crate::block::{CSIZE_LEN, Stored};
use crate::error::DecodeError;
use crate::kernels;

impl BlockDecoder {
    /// Decodes bytes `range` of block `index` to the same range of `dst`, which has the block's length. The rest of
    /// `dst` is scratch. Damage past the range may go unnoticed. The plan must not
    /// [need a reference](BlockPlan::needs_reference).
    pub(crate) fn decode_part(
        &mut self,
        plan: &BlockPlan<'_>,
        index: usize,
        range: Range<usize>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let &BlockPlan { chunk, ref layout, ref pipeline, .. } = plan;
        if layout.has_vl_blocks() || layout.may_be_split(index) {
            return self.decode(plan, index, None, dst);
        }
        let (block, len) = (plan.block(index), dst.len());
        let (start, nstreams) = (layout.bstart(chunk, index)?, layout.nstreams(index));
        let nplanes = if nstreams == 1 { layout.header().typesize() } else { nstreams };
        let is_shuffled = nplanes <= MAX_PLANES && pipeline.is_shuffle(nplanes, len);
        let elements = range.start / nplanes..range.end.div_ceil(nplanes);
        let wanted = elements.start * nplanes..elements.end * nplanes;
        match nstreams {
            1 if pipeline.is_identity(len) => self.prefix(block, start, range, dst),
            1 if is_shuffled => self.elements(block, start, len, nplanes, elements, &mut dst[wanted]),
            2.. if is_shuffled => self.planes(block, start, len / nplanes, nplanes, elements, &mut dst[wanted]),
            _ => self.decode(plan, index, None, dst),
        }
    }

    /// Decodes a range of the only stream of a block without filters.
    fn prefix(
        &mut self,
        block: Block<'_>,
        start: usize,
        range: Range<usize>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        match block.streams(start, len).read()? {
            Stored::Plain(payload) => kernels::copy(&payload[range.clone()], &mut dst[range]),
            Stored::Compressed(payload) => {
                let decoded = self.decompressor.decompress_prefix(block.codec, payload, dst, len, range.end);
                return decoded.map_err(|source| block.corrupt(0, start + CSIZE_LEN, source));
            }
            Stored::Run(value) => dst[range].fill(value),
        }
        Ok(())
    }

    /// Decodes `elements` of a block of `nplanes` byte planes of `neblock` bytes to `dst`, which has their length.
    fn planes(
        &mut self,
        block: Block<'_>,
        start: usize,
        neblock: usize,
        nplanes: usize,
        elements: Range<usize>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let BlockDecoder { decompressor, planes, .. } = self;
        let mut streams = block.streams(start, neblock);
        let mut rows: [&[u8]; MAX_PLANES] = [&[]; MAX_PLANES];
        let mut has_runs = false;
        for (stream, (row, slot)) in rows[..nplanes].iter_mut().zip(planes.slots()).enumerate() {
            let at = streams.offset();
            *row = match streams.read()? {
                Stored::Plain(payload) => &payload[elements.clone()],
                Stored::Compressed(payload) => {
                    let buffer = &mut slot.buffer;
                    let decoded =
                        decompressor.decompress_prefix_to(block.codec, payload, buffer, neblock, elements.end);
                    decoded.map_err(|source| block.corrupt(stream, at + CSIZE_LEN, source))?;
                    &slot.buffer[elements.clone()]
                }
                Stored::Run(value) => {
                    has_runs = true;
                    slot.run.of(value, elements.len())
                }
            };
        }
        planes::unshuffle(&rows[..nplanes], has_runs, dst);
        Ok(())
    }

    /// Decodes the only stream of a shuffled block of `len` bytes, and unshuffles some elements to `dst`, which has their
    /// length.
    fn elements(
        &mut self,
        block: Block<'_>,
        start: usize,
        len: usize,
        nplanes: usize,
        elements: Range<usize>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let src = match block.streams(start, len).read()? {
            Stored::Plain(payload) => payload,
            Stored::Compressed(payload) => {
                block.decompress_to(&mut self.decompressor, 0, start + CSIZE_LEN, payload, &mut self.decoded, len)?;
                &self.decoded[..len]
            }
            Stored::Run(value) => {
                dst.fill(value);
                return Ok(());
            }
        };
        let mut planes: [&[u8]; MAX_PLANES] = [&[]; MAX_PLANES];
        for (plane, bytes) in planes.iter_mut().zip(src.chunks_exact(len / nplanes)) {
            *plane = &bytes[elements.clone()];
        }
        (kernels::active().unshuffle_planes)(&planes[..nplanes], dst);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use core::ops::Range;
    use core::slice::from_ref;

    use crate::{CParams, Chunk, Codec, Decoder, FilterPipeline};

    /// Numbers with long matches, short ones and none.
    fn plain() -> Vec<u8> {
        let number = |i: u32| if i % 9000 < 3000 { 7 } else { i.wrapping_mul(0x9E37_79B1) >> (i >> 10 & 31) };
        (0..50_000).flat_map(|i| number(i).to_le_bytes()).collect()
    }

    /// Chunks of `plain` with every kind of block.
    fn chunks(plain: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let codecs = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc].into_iter();
        #[cfg(feature = "zlib")]
        let codecs = codecs.chain([Codec::Zlib]);
        #[cfg(feature = "zstd")]
        let codecs = codecs.chain([Codec::Zstd]);
        codecs.flat_map(move |codec| {
            let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()];
            filters.into_iter().flat_map(move |filters| {
                [1, 2, 4, 5, 8, 16, 20].into_iter().flat_map(move |typesize| {
                    [CParams::new(), CParams::blosc2()].map(|params| {
                        crate::compress(plain, &params.codec(codec).filters(filters).typesize(typesize)).unwrap()
                    })
                })
            })
        })
    }

    fn ranges(len: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..len).step_by(step);
        starts.flat_map(move |at| [1, 3, 100, 5000].map(|n| at..(at + n).min(len)))
    }

    #[test]
    fn parts_equal_slices() {
        let plain = plain();
        for chunk in chunks(&plain) {
            let (chunk, mut decoder) = (Chunk::parse(&chunk).unwrap(), Decoder::new());
            for range in ranges(plain.len(), 4999) {
                let parts = decoder.ranges(&chunk, from_ref(&range)).unwrap();
                assert!(parts[0] == plain[range.clone()], "{:?} {range:?}", chunk.header());
            }
        }
    }

    #[test]
    fn parts_of_damaged_chunks_are_slices_or_errors() {
        let plain = plain();
        let mut random = testdata::SplitMix64::new(1);
        for mut chunk in chunks(&plain[..40_000]) {
            for _ in 0..20 {
                let at = 32 + random.next_u64() as usize % (chunk.len() - 32);
                let before = chunk[at];
                chunk[at] = random.next_u64() as u8;
                if let Ok(parsed) = Chunk::parse(&chunk) {
                    let mut decoder = Decoder::new();
                    let whole = decoder.decompress(&parsed);
                    for range in ranges(40_000, 9_999) {
                        let part = decoder.ranges(&parsed, from_ref(&range));
                        if let (Ok(part), Ok(whole)) = (part, &whole) {
                            assert!(part[0] == whole[range.clone()], "{at} {range:?}");
                        }
                    }
                }
                chunk[at] = before;
            }
        }
    }
}
