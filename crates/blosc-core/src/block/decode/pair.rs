//! Decodes two blocks at once, for codecs that profit from it. Inflate is bound by latency, and two streams overlap
//! their waits.

use super::{BlockDecoder, BlockPlan};
use crate::block::{CSIZE_LEN, Stored};
use crate::codec::DecodeTask;
use crate::error::DecodeError;

/// Maximum expansion of streams that are decoded in pairs. Streams that expand further consist of long matches. Two of
/// them have no waits to overlap, and touch twice the memory at a time.
const MAX_RATIO: usize = 8;

impl BlockPlan<'_> {
    /// Returns whether [`BlockDecoder::decode_pair`] is faster than decoding one block at a time.
    pub(crate) fn has_pairs(&self) -> bool {
        self.codec.has_pairs() && !self.needs_reference() && !self.layout.has_vl_blocks()
    }
}

impl BlockDecoder {
    /// Decodes blocks `index` and `index + 1` of a plan that [has pairs](BlockPlan::has_pairs) to `dst`, which has the
    /// lengths of the blocks. Returns the error of the first block that cannot be decoded.
    pub(crate) fn decode_pair(
        &mut self,
        plan: &BlockPlan<'_>,
        index: usize,
        [dst_a, dst_b]: [&mut [u8]; 2],
    ) -> Result<(), DecodeError> {
        let (a, b) = (plan.block(index), plan.block(index + 1));
        let (len_a, len_b) = (dst_a.len(), dst_b.len());
        let streams = (plan.only_stream(index, len_a), plan.only_stream(index + 1, len_b));
        let (Some((at_a, src_a)), Some((at_b, src_b))) = streams else {
            self.decode(plan, a.index, None, dst_a)?;
            return self.decode(plan, b.index, None, dst_b);
        };
        let pipeline = &plan.pipeline;
        if pipeline.is_identity(len_a) && pipeline.is_identity(len_b) {
            let streams =
                [DecodeTask { src: src_a, dst: dst_a, len: len_a }, DecodeTask { src: src_b, dst: dst_b, len: len_b }];
            let [done_a, done_b] = self.decompressor.decompress_pair(&plan.codec, streams);
            done_a.map_err(|source| a.corrupt(0, at_a, source))?;
            return done_b.map_err(|source| b.corrupt(0, at_b, source));
        }
        let (buffer_a, buffer_b) = (&mut self.decoded, &mut self.decoded_next);
        let streams = [DecodeTask::to_buffer(src_a, buffer_a, len_a)?, DecodeTask::to_buffer(src_b, buffer_b, len_b)?];
        let [done_a, done_b] = self.decompressor.decompress_pair(&plan.codec, streams);
        done_a.map_err(|source| a.corrupt(0, at_a, source))?;
        pipeline.backward(&buffer_a[..len_a], None, &mut self.scratch, dst_a)?;
        done_b.map_err(|source| b.corrupt(0, at_b, source))?;
        Ok(pipeline.backward(&buffer_b[..len_b], None, &mut self.scratch, dst_b)?)
    }
}

impl BlockPlan<'_> {
    /// Returns the offset and the bytes of the stream of block `index`, which has `len` plain bytes, if it is a single
    /// compressed stream within [`MAX_RATIO`].
    fn only_stream(&self, index: usize, len: usize) -> Option<(usize, &[u8])> {
        if self.layout.nstreams(index) > 1 || self.layout.may_be_split(index) {
            return None;
        }
        let start = self.layout.bstart(self.chunk, index).ok()?;
        match self.block(index).streams(start, len).read() {
            Ok(Stored::Compressed(payload)) if (len / MAX_RATIO..len).contains(&payload.len()) => {
                Some((start + CSIZE_LEN, payload))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "zlib")]
mod tests {
    use super::MAX_RATIO;
    use crate::{BlockSize, CParams, Chunk, Codec, DecodeError, Decoder, FilterPipeline};

    const BLOCK: usize = 16_000;

    /// Chunks of five blocks (two pairs and a single block), and their plain bytes.
    fn chunks() -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let numbers = (0..5 * BLOCK as u32 / 4).map(|i| i * 7 + i.wrapping_mul(0x9E37_79B1) % 61);
        let plain: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        let params = CParams::blosc2().codec(Codec::Zlib).typesize(4).blocksize(BlockSize::Fixed(BLOCK));
        [FilterPipeline::none(), FilterPipeline::shuffle()].into_iter().map(move |filters| {
            let chunk = crate::compress(&plain, &params.filters(filters)).unwrap();
            (chunk, plain.clone())
        })
    }

    fn u32_at(chunk: &[u8], at: usize) -> usize {
        u32::from_le_bytes(chunk[at..at + 4].try_into().unwrap()) as usize
    }

    #[test]
    fn damage_is_found_in_the_right_block() {
        for (chunk, plain) in chunks() {
            assert_eq!(Decoder::new().decompress(&Chunk::parse(&chunk).unwrap()).unwrap(), plain);
            let streams: Vec<_> = (0..5)
                .map(|block| {
                    let start = u32_at(&chunk, 32 + 4 * block);
                    start + 4..start + 4 + u32_at(&chunk, start)
                })
                .collect();
            assert!(streams.iter().all(|stream| (BLOCK / MAX_RATIO..BLOCK).contains(&stream.len())));
            for damaged in 1..1u32 << 5 {
                for is_at_end in [false, true] {
                    let mut chunk = chunk.clone();
                    for block in (0..5).filter(|block| damaged >> block & 1 != 0) {
                        // Changes the zlib header or the checksum.
                        let stream = &streams[block];
                        chunk[if is_at_end { stream.end - 1 } else { stream.start }] ^= 1;
                    }
                    let error = Decoder::new().decompress(&Chunk::parse(&chunk).unwrap()).unwrap_err();
                    let first = damaged.trailing_zeros() as usize;
                    let DecodeError::Stream { block, stream: 0, offset, .. } = error else { panic!("{error}") };
                    assert_eq!((block, offset), (first, streams[first].start), "{damaged:05b}");
                }
            }
        }
    }
}
