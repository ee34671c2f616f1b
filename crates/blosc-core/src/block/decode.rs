//! Decodes one block.

mod pair;

use super::planes::{MAX_PLANES, Plane, Planes};
use super::{CSIZE_LEN, Stored, StreamReader};
use crate::codec::{CorruptStream, StreamError};
use crate::error::DecodeError;
use crate::filter::{Context, Pipeline, Scratch};
use crate::kernels;
use crate::layout::{Layout, vlblocks};
use crate::memory;
use crate::registry::Registry;
use crate::stream::{DictionaryCache, StreamCodec, StreamDecoder};

/// Inputs of the decoder that are not in the chunk.
#[derive(Clone, Copy)]
pub(crate) struct Outside<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) blockshape: &'a [usize],
    pub(crate) channels: Option<usize>,
}

/// Everything needed to decode the blocks of one chunk, looked up once.
pub(crate) struct BlockPlan<'a> {
    chunk: &'a [u8],
    layout: Layout<'a>,
    pipeline: Pipeline<'a>,
    codec: StreamCodec<'a>,
}

impl<'a> BlockPlan<'a> {
    /// Looks up the codec and the filters, built in or registered.
    #[inline]
    pub(crate) fn new(
        chunk: &'a [u8],
        layout: Layout<'a>,
        outside: Outside<'a>,
        cache: &mut DictionaryCache,
    ) -> Result<Self, DecodeError> {
        let Outside { registry, blockshape, channels } = outside;
        let (typesize, rule) = (layout.header().typesize(), layout.bitshuffle_rule());
        let context = Context { typesize, rule, registry, blockshape, channels };
        let pipeline = match layout.is_only_shuffled() {
            true => Pipeline::shuffle(context),
            false => Pipeline::backward_of(&layout.filters(), context)?,
        };
        let codec = match layout.dictionary(chunk) {
            None => StreamCodec::new(layout.format(), layout.header().codec_meta(), typesize, registry)?,
            Some((offset, dictionary)) => with_dictionary(layout, offset, dictionary, cache)?,
        };
        Ok(BlockPlan { chunk, layout, pipeline, codec })
    }

    /// Returns the plan of a chunk whose layout [is common](Layout::is_common). Nothing is looked up: for chunks of a
    /// kilobyte, choosing between the variants of filters and codecs takes longer than decoding a stream.
    #[inline(always)]
    pub(crate) fn common(chunk: &'a [u8], layout: Layout<'a>, registry: &'a Registry) -> Self {
        let (typesize, rule) = (layout.header().typesize(), layout.bitshuffle_rule());
        let context = Context { typesize, rule, registry, blockshape: &[], channels: None };
        BlockPlan {
            chunk,
            layout,
            pipeline: Pipeline::shuffle_elements(context),
            codec: StreamCodec::BuiltIn(layout.format()),
        }
    }

    /// Returns whether all blocks except the first depend on the first one. Blocks of variable length never do: the
    /// delta filter treats each as a first block.
    pub(crate) fn needs_reference(&self) -> bool {
        self.pipeline.has_delta() && !self.layout.has_vl_blocks()
    }
}

/// Returns the codec of a chunk with a dictionary, which is stored at `offset`.
#[cold]
fn with_dictionary<'a>(
    layout: Layout<'_>,
    offset: usize,
    dictionary: &'a [u8],
    cache: &mut DictionaryCache,
) -> Result<StreamCodec<'a>, DecodeError> {
    StreamCodec::with_dictionary(layout.format(), dictionary, cache).map_err(|error| match error {
        StreamError::Corrupt(source) => DecodeError::Dictionary { offset, source },
        // Codecs of the caller have no dictionaries.
        StreamError::Plugin(source) => DecodeError::CodecPlugin { block: 0, stream: 0, offset, source },
        StreamError::OutOfMemory(error) => error.into(),
    })
}

/// Decodes blocks, keeping tables and buffers from block to block and from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct BlockDecoder {
    decompressor: StreamDecoder,
    /// A decoded block whose filters are not undone yet.
    decoded: Vec<u8>,
    /// The second decoded block, if two are decoded at once.
    decoded_next: Vec<u8>,
    planes: Planes,
    scratch: Scratch,
}

impl BlockDecoder {
    /// Returns the bytes of its buffers.
    pub(crate) fn held(&self) -> usize {
        let BlockDecoder { decompressor, decoded, decoded_next, planes, scratch } = self;
        decompressor.held() + decoded.capacity() + decoded_next.capacity() + planes.held() + scratch.held()
    }

    /// Decodes block `index` to `dst`, which has the block's length. `reference` is the first block if the plan needs
    /// it, and `None` for the first block itself.
    pub(crate) fn decode(
        &mut self,
        plan: &BlockPlan<'_>,
        index: usize,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let &BlockPlan { chunk, layout, .. } = plan;
        let block = Block { plan, index, len: dst.len() };
        if layout.has_vl_blocks() {
            let vl = vlblocks::block(layout, chunk, index)?;
            return self.decode_single(block, vl.offset, Stored::Payload(vl.payload), reference, dst);
        }
        let start = layout.bstart(chunk, index)?;
        let nstreams = layout.nstreams(index);
        if nstreams > 1 {
            return self.decode_split(block, start, nstreams, reference, dst);
        }
        let stored = block.streams(dst.len()).read(start);
        let decoded = stored.and_then(|stored| self.decode_single(block, start + CSIZE_LEN, stored, reference, dst));
        match decoded {
            // C-Blosc 1's ALWAYS_SPLIT writes chunks that its own split rule reads wrongly. If the block cannot be
            // decoded as the one stream that the rule expects, it may consist of `typesize` streams.
            Err(_) if layout.may_be_split(index) => {
                self.decode_split(block, start, layout.header().typesize(), reference, dst).or(decoded)
            }
            decoded => decoded,
        }
    }

    /// Decodes a block of one stream, whose payload starts at `offset`.
    fn decode_single(
        &mut self,
        block: Block<'_>,
        offset: usize,
        stored: Stored<'_>,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let pipeline = &block.plan.pipeline;
        let len = dst.len();
        let src = match stored {
            Stored::Payload(payload) if payload.len() == len => payload,
            Stored::Payload(payload) if pipeline.is_identity(len) => {
                return block.decompress(&mut self.decompressor, 0, offset, payload, dst, len);
            }
            Stored::Payload(payload) => {
                block.decompress_to(&mut self.decompressor, 0, offset, payload, &mut self.decoded, len)?;
                &self.decoded[..len]
            }
            Stored::Run { value, .. } => {
                let run = memory::at_least(&mut self.decoded, len)?;
                run.fill(value);
                run
            }
        };
        Ok(pipeline.backward(src, reference, &mut self.scratch, dst)?)
    }

    /// Decodes a block of `nstreams` streams of equal plain length (`neblock`), starting at `at`.
    fn decode_split(
        &mut self,
        block: Block<'_>,
        at: usize,
        nstreams: usize,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        let neblock = len / nstreams;
        if neblock == 0 || neblock * nstreams != len {
            return Err(block.corrupt(0, at, CorruptStream::new(0, "the block cannot be divided into streams")));
        }
        let pipeline = &block.plan.pipeline;
        if nstreams <= MAX_PLANES && pipeline.is_shuffle(nstreams, len) {
            let streams = block.streams(neblock);
            // Stored planes are read in parallel, one cache line of each plane at a time.
            kernels::prefetch(block.plan.chunk.get(at..).unwrap_or_default());
            let (decompressor, mut at) = (&mut self.decompressor, at);
            return self.planes.unshuffle(nstreams, dst, |stream, buffer| match streams.read(at)? {
                Stored::Payload(payload) => {
                    let offset = at + CSIZE_LEN;
                    at = offset + payload.len();
                    if payload.len() == neblock {
                        return Ok(Plane::Bytes(payload));
                    }
                    block.decompress_to(decompressor, stream, offset, payload, buffer, neblock)?;
                    Ok(Plane::Bytes(&buffer[..neblock]))
                }
                Stored::Run { value, end } => {
                    at = end;
                    Ok(Plane::Run(value))
                }
            });
        }
        if pipeline.is_identity(len) {
            return block.decode_streams(&mut self.decompressor, at, nstreams, dst);
        }
        let decoded = memory::at_least(&mut self.decoded, len)?;
        block.decode_streams(&mut self.decompressor, at, nstreams, decoded)?;
        Ok(pipeline.backward(&decoded[..len], reference, &mut self.scratch, dst)?)
    }
}

/// A block to decode, with `len` plain bytes.
#[derive(Clone, Copy)]
struct Block<'a> {
    plan: &'a BlockPlan<'a>,
    index: usize,
    len: usize,
}

impl<'a> Block<'a> {
    /// Decodes the streams to their positions in `dst[..len]`. The rest of `dst` is scratch.
    fn decode_streams(
        self,
        decompressor: &mut StreamDecoder,
        mut at: usize,
        nstreams: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let neblock = self.len / nstreams;
        let streams = self.streams(neblock);
        for stream in 0..nstreams {
            let dst = &mut dst[stream * neblock..];
            let offset = at + CSIZE_LEN;
            at = match streams.read(at)? {
                Stored::Payload(payload) => {
                    match dst.get_mut(..neblock) {
                        Some(dst) if payload.len() == neblock => dst.copy_from_slice(payload),
                        _ => self.decompress(decompressor, stream, offset, payload, dst, neblock)?,
                    }
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

    fn streams(self, neblock: usize) -> StreamReader<'a> {
        StreamReader::new(self.plan.chunk, self.index, neblock, self.plan.layout.has_runs())
    }

    /// Decodes one compressed stream of `neblock` plain bytes into the start of `dst`.
    fn decompress(
        self,
        decompressor: &mut StreamDecoder,
        stream: usize,
        offset: usize,
        payload: &[u8],
        dst: &mut [u8],
        neblock: usize,
    ) -> Result<(), DecodeError> {
        let decoded = decompressor.decompress(&self.plan.codec, payload, dst, neblock);
        decoded.map_err(|source| self.corrupt(stream, offset, source))
    }

    /// Decodes one compressed stream of `neblock` plain bytes into the start of `buffer`.
    fn decompress_to(
        self,
        decompressor: &mut StreamDecoder,
        stream: usize,
        offset: usize,
        payload: &[u8],
        buffer: &mut Vec<u8>,
        neblock: usize,
    ) -> Result<(), DecodeError> {
        let decoded = decompressor.decompress_to(&self.plan.codec, payload, buffer, neblock);
        decoded.map_err(|source| self.corrupt(stream, offset, source))
    }

    fn corrupt(self, stream: usize, offset: usize, error: impl Into<StreamError>) -> DecodeError {
        match error.into() {
            StreamError::Corrupt(source) => DecodeError::Stream { block: self.index, stream, offset, source },
            StreamError::Plugin(source) => DecodeError::CodecPlugin { block: self.index, stream, offset, source },
            StreamError::OutOfMemory(error) => error.into(),
        }
    }
}
