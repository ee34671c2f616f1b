//! Decoding one block.

use super::{CSIZE_LEN, Stored};
use crate::DecodeError;
use crate::chunk::{Layout, vlblocks};
use crate::codec::{CorruptStream, Decompressor, DictionaryCache, StreamCodec};
use crate::filter::{Context, Pipeline, Scratch};
use crate::registry::Registry;

/// What is not in the chunk.
#[derive(Clone, Copy)]
pub(crate) struct Outside<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) blockshape: &'a [usize],
    pub(crate) channels: Option<usize>,
}

/// All that decoding the blocks of one chunk takes, looked up once.
pub(crate) struct BlockPlan<'a> {
    chunk: &'a [u8],
    layout: &'a Layout,
    pipeline: Pipeline<'a>,
    codec: StreamCodec<'a>,
}

impl<'a> BlockPlan<'a> {
    /// Looks up codec and filters, built in or registered.
    pub(crate) fn new(
        chunk: &'a [u8],
        layout: &'a Layout,
        outside: Outside<'a>,
        cache: &mut DictionaryCache,
    ) -> Result<Self, DecodeError> {
        let Outside { registry, blockshape, channels } = outside;
        let (typesize, rule) = (layout.typesize, layout.bitshuffle_rule());
        let context = Context { typesize, rule, registry, blockshape, channels };
        let pipeline = Pipeline::backward_of(&layout.filters, context)?;
        let codec = match layout.dictionary(chunk) {
            None => StreamCodec::new(layout.format, layout.codec_meta, typesize, registry)?,
            Some((offset, dictionary)) => StreamCodec::with_dictionary(layout.format, dictionary, cache)
                .map_err(|source| DecodeError::Dictionary { offset, source })?,
        };
        Ok(BlockPlan { chunk, layout, pipeline, codec })
    }

    /// Whether all blocks but the first need it. Blocks of variable length are each a first one.
    pub(crate) fn needs_reference(&self) -> bool {
        self.pipeline.has_delta() && !self.layout.has_vl_blocks
    }
}

/// Decodes blocks, keeping tables and buffers from block to block and from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct BlockDecoder {
    decompressor: Decompressor,
    scratch: Scratch,
}

impl BlockDecoder {
    /// Decodes block `index` to `dst`, which has the block's length. `reference` is the first block where the plan needs
    /// it, `None` for that block itself.
    pub(crate) fn decode(
        &mut self,
        plan: &BlockPlan<'_>,
        index: usize,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        let block = Block { plan, index, len };
        if plan.pipeline.is_identity(len) {
            return block.decode(&mut self.decompressor, dst);
        }
        block.decode(&mut self.decompressor, self.scratch.current_mut(len))?;
        plan.pipeline.backward(&mut self.scratch, reference, dst)?;
        Ok(())
    }
}

/// A block still to be decoded: `len` plain bytes.
#[derive(Clone, Copy)]
struct Block<'a> {
    plan: &'a BlockPlan<'a>,
    index: usize,
    len: usize,
}

impl Block<'_> {
    /// Decodes the streams to `dst[..len]`; the rest of `dst` is scratch.
    fn decode(self, decompressor: &mut Decompressor, dst: &mut [u8]) -> Result<(), DecodeError> {
        let &BlockPlan { chunk, layout, .. } = self.plan;
        if layout.has_vl_blocks {
            let block = vlblocks::block(layout, chunk, self.index)?;
            return self.decode_stream(decompressor, 0, block.offset, block.payload, dst, self.len);
        }
        let start = layout.bstart(chunk, self.index)?;
        let nstreams = layout.nstreams(self.index);
        let decoded = self.decode_streams(decompressor, start, nstreams, dst);
        match decoded {
            // C-Blosc 1's ALWAYS_SPLIT writes chunks that its own rule reads wrongly: where the block cannot be the
            // one stream that it should be, it may be `typesize` of them.
            Err(_) if nstreams == 1 && layout.may_be_split(self.index) => {
                self.decode_streams(decompressor, start, layout.typesize, dst).or(decoded)
            }
            decoded => decoded,
        }
    }

    /// Decodes `nstreams` streams of equal plain length (`neblock`) from `at` on.
    fn decode_streams(
        self,
        decompressor: &mut Decompressor,
        mut at: usize,
        nstreams: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let &BlockPlan { chunk, layout, .. } = self.plan;
        let neblock = self.len / nstreams;
        if neblock == 0 || neblock * nstreams != self.len {
            return Err(self.corrupt(0, at, CorruptStream::new(0, "the block does not divide into streams")));
        }
        for stream in 0..nstreams {
            let dst = &mut dst[stream * neblock..];
            let offset = at + CSIZE_LEN;
            at = match Stored::parse(chunk, self.index, at, neblock, layout.has_runs())? {
                Stored::Payload(payload) => {
                    self.decode_stream(decompressor, stream, offset, payload, dst, neblock)?;
                    offset + payload.len()
                }
                Stored::Run { value, end } => {
                    dst[..neblock].fill(value);
                    end
                }
            };
        }
        Ok(())
    }

    /// Decodes one stream of `neblock` plain bytes, which is stored as it is if it is just as long.
    fn decode_stream(
        self,
        decompressor: &mut Decompressor,
        stream: usize,
        offset: usize,
        payload: &[u8],
        dst: &mut [u8],
        neblock: usize,
    ) -> Result<(), DecodeError> {
        if payload.len() == neblock {
            dst[..neblock].copy_from_slice(payload);
            return Ok(());
        }
        let decoded = decompressor.decompress(&self.plan.codec, payload, dst, neblock);
        decoded.map_err(|source| self.corrupt(stream, offset, source))
    }

    fn corrupt(self, stream: usize, offset: usize, source: CorruptStream) -> DecodeError {
        DecodeError::Stream { block: self.index, stream, offset, source }
    }
}
