//! Decodes one block.

mod only;
mod pair;
mod part;

use super::planes::{self, MAX_PLANES, Planes};
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
    layout: Layout,
    pipeline: Pipeline<'a>,
    codec: StreamCodec<'a>,
}

impl<'a> BlockPlan<'a> {
    /// Looks up the codec and the filters, built in or registered.
    #[inline]
    pub(crate) fn new(
        chunk: &'a [u8],
        layout: Layout,
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

    /// Returns whether all blocks except the first depend on the first one. Blocks of variable length never do: the
    /// delta filter treats each as a first block.
    pub(crate) fn needs_reference(&self) -> bool {
        self.pipeline.has_delta() && !self.layout.has_vl_blocks()
    }
}

/// Returns the codec of a chunk with a dictionary, which is stored at `offset`.
#[cold]
fn with_dictionary<'a>(
    layout: Layout,
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
        let &BlockPlan { chunk, ref layout, ref pipeline, .. } = plan;
        let len = dst.len();
        let block = plan.block(index);
        if layout.has_vl_blocks() {
            let vl = vlblocks::block(*layout, chunk, index)?;
            return self.decode_single(block, pipeline, vl.offset, Stored::of(vl.payload, len), reference, dst);
        }
        let start = layout.bstart(chunk, index)?;
        let nstreams = layout.nstreams(index);
        if nstreams > 1 {
            return self.decode_split(block, pipeline, start, nstreams, reference, dst);
        }
        let stored = block.streams(start, len).read();
        let decoded =
            stored.and_then(|stored| self.decode_single(block, pipeline, start + CSIZE_LEN, stored, reference, dst));
        match decoded {
            // C-Blosc 1's ALWAYS_SPLIT writes chunks that its own split rule reads wrongly. If the block cannot be
            // decoded as the one stream that the rule expects, it may consist of `typesize` streams.
            Err(_) if layout.may_be_split(index) => {
                self.decode_split(block, pipeline, start, layout.header().typesize(), reference, dst).or(decoded)
            }
            decoded => decoded,
        }
    }

    /// Decodes a block of one stream, whose payload starts at `offset`.
    fn decode_single(
        &mut self,
        block: Block<'_>,
        pipeline: &Pipeline<'_>,
        offset: usize,
        stored: Stored<'_>,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        let src = match stored {
            Stored::Plain(payload) => payload,
            Stored::Compressed(payload) if pipeline.is_identity(len) => {
                return block.decompress(&mut self.decompressor, 0, offset, payload, dst, len);
            }
            Stored::Compressed(payload) => {
                block.decompress_to(&mut self.decompressor, 0, offset, payload, &mut self.decoded, len)?;
                &self.decoded[..len]
            }
            Stored::Run(value) => {
                let run = memory::at_least(&mut self.decoded, len)?;
                run.fill(value);
                run
            }
        };
        Ok(pipeline.backward(src, reference, &mut self.scratch, dst)?)
    }

    /// Decodes a block of `nstreams` streams of equal plain length (`neblock`), starting at `start`.
    fn decode_split(
        &mut self,
        block: Block<'_>,
        pipeline: &Pipeline<'_>,
        start: usize,
        nstreams: usize,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        let neblock = len / nstreams;
        if neblock == 0 || neblock * nstreams != len {
            return Err(block.corrupt(0, start, CorruptStream::new(0, "the block cannot be divided into streams")));
        }
        if nstreams <= MAX_PLANES && pipeline.is_shuffle(nstreams, len) {
            return self.decode_planes(block, start, nstreams, dst);
        }
        if pipeline.is_identity(len) {
            return block.decode_streams(&mut self.decompressor, start, nstreams, neblock, dst);
        }
        let decoded = memory::at_least(&mut self.decoded, len)?;
        block.decode_streams(&mut self.decompressor, start, nstreams, neblock, decoded)?;
        Ok(pipeline.backward(&decoded[..len], reference, &mut self.scratch, dst)?)
    }

    /// Decodes a block of `nplanes` byte planes of equal length, 2 to [`MAX_PLANES`], starting at `start`.
    #[inline]
    fn decode_planes(
        &mut self,
        block: Block<'_>,
        start: usize,
        nplanes: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        // Stored planes are read in parallel, one cache line of each plane at a time.
        kernels::prefetch(block.chunk.get(start..).unwrap_or_default());
        match nplanes {
            2 => self.decode_few_planes::<2>(block, start, 2, dst),
            4 => self.decode_few_planes::<4>(block, start, 4, dst),
            8 => self.decode_few_planes::<8>(block, start, 8, dst),
            _ => self.decode_few_planes::<MAX_PLANES>(block, start, nplanes, dst),
        }
    }

    /// Decodes a block of `nplanes <= N` byte planes. In small chunks, every instruction per plane counts: a chunk of 1
    /// KiB is decoded in the time of a few hundred.
    #[inline(always)]
    fn decode_few_planes<const N: usize>(
        &mut self,
        block: Block<'_>,
        start: usize,
        nplanes: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let BlockDecoder { decompressor, planes, .. } = self;
        let neblock = dst.len() / nplanes;
        let mut streams = block.streams(start, neblock);
        let mut rows: [&[u8]; N] = [&[]; N];
        let mut has_runs = false;
        for (stream, (row, slot)) in rows[..nplanes].iter_mut().zip(planes.slots()).enumerate() {
            let at = streams.offset();
            *row = match streams.read()? {
                Stored::Plain(payload) => payload,
                Stored::Compressed(payload) => {
                    block.decompress_to(decompressor, stream, at + CSIZE_LEN, payload, &mut slot.buffer, neblock)?;
                    &slot.buffer[..neblock]
                }
                Stored::Run(value) => {
                    has_runs = true;
                    slot.run.of(value, neblock)
                }
            };
        }
        planes::unshuffle(&rows[..nplanes], has_runs, dst);
        Ok(())
    }
}

/// The streams of a block.
#[derive(Clone, Copy)]
struct Block<'a> {
    chunk: &'a [u8],
    codec: &'a StreamCodec<'a>,
    index: usize,
    has_runs: bool,
}

impl<'a> BlockPlan<'a> {
    fn block(&'a self, index: usize) -> Block<'a> {
        Block { chunk: self.chunk, codec: &self.codec, index, has_runs: self.layout.has_runs() }
    }
}

impl<'a> Block<'a> {
    /// Decodes the streams to their positions in `dst`, which has room for them. Any further bytes are scratch.
    fn decode_streams(
        self,
        decompressor: &mut StreamDecoder,
        start: usize,
        nstreams: usize,
        neblock: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let mut streams = self.streams(start, neblock);
        for stream in 0..nstreams {
            let dst = &mut dst[stream * neblock..];
            let at = streams.offset();
            match streams.read()? {
                Stored::Plain(payload) => kernels::copy(payload, &mut dst[..neblock]),
                Stored::Compressed(payload) => {
                    self.decompress(decompressor, stream, at + CSIZE_LEN, payload, dst, neblock)?;
                }
                Stored::Run(value) => dst[..neblock].fill(value),
            }
        }
        Ok(())
    }

    /// Returns a reader of streams of `neblock` plain bytes that start at `start`.
    #[inline]
    fn streams(self, start: usize, neblock: usize) -> StreamReader<'a> {
        StreamReader::new(self.chunk, self.index, start, neblock, self.has_runs)
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
        let decoded = decompressor.decompress(self.codec, payload, dst, neblock);
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
        let decoded = decompressor.decompress_to(self.codec, payload, buffer, neblock);
        decoded.map_err(|source| self.corrupt(stream, offset, source))
    }

    #[cold]
    fn corrupt(self, stream: usize, offset: usize, error: impl Into<StreamError>) -> DecodeError {
        match error.into() {
            StreamError::Corrupt(source) => DecodeError::Stream { block: self.index, stream, offset, source },
            StreamError::Plugin(source) => DecodeError::CodecPlugin { block: self.index, stream, offset, source },
            StreamError::OutOfMemory(error) => error.into(),
        }
    }
}
