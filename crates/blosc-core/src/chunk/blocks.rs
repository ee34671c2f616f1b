//! One pass over the blocks of a chunk, in whatever order: what whole chunks, ranges and single blocks are decoded by.

use core::ops::Range;

use super::{Body, Chunk, vlblocks};
use crate::DecodeError;
use crate::block::{BlockDecoder, BlockPlan, Outside};
use crate::codec::DictionaryCache;

/// Which block a [prefilter](crate::Encoder::prefilter) or [postfilter](crate::Decoder::postfilter) is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockInfo {
    /// Its number in the chunk.
    pub index: usize,
    /// The plain bytes before it in the chunk.
    pub offset: usize,
    /// Bytes of an element.
    pub typesize: usize,
}

/// What a postfilter is: it may change the block's plain bytes, and says what is wrong if it cannot.
pub(super) type Postfilter = dyn Fn(BlockInfo, &mut [u8]) -> Result<(), String> + Send + Sync;

/// The parts of a decoder that a pass writes.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) decoder: BlockDecoder,
    pub(super) dictionary: DictionaryCache,
    /// The first block of a chunk with delta, as it was compressed: no postfilter has seen it.
    pub(super) reference: Vec<u8>,
}

/// The blocks of a chunk, ready to be decoded from several threads.
pub(super) struct Blocks<'a> {
    chunk: &'a Chunk<'a>,
    content: Content<'a>,
    /// The plain offset of each block and of the end, where blocks have variable length.
    starts: Option<Vec<usize>>,
    postfilter: Option<&'a Postfilter>,
}

#[allow(clippy::large_enum_variant, reason = "there is one of them, on the stack")]
enum Content<'a> {
    Plain(&'a [u8]),
    Value(&'a [u8]),
    Blocks(BlockPlan<'a>),
}

impl<'a> Blocks<'a> {
    pub(super) fn new(
        chunk: &'a Chunk<'a>,
        outside: Outside<'a>,
        postfilter: Option<&'a Postfilter>,
        cache: &mut DictionaryCache,
    ) -> Result<Self, DecodeError> {
        let mut starts = None;
        let content = match chunk.body() {
            Body::Plain(bytes) => Content::Plain(bytes),
            Body::Value(value) => Content::Value(value),
            Body::Blocks(layout) => {
                if layout.has_vl_blocks {
                    starts = Some(vlblocks::starts(layout, chunk.bytes())?);
                }
                Content::Blocks(BlockPlan::new(chunk.bytes(), layout, outside, cache)?)
            }
        };
        Ok(Blocks { chunk, content, starts, postfilter })
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.chunk.header().nblocks()
    }

    /// The plain bytes of block `index`, which exists.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        match &self.starts {
            Some(starts) => starts[index]..starts[index + 1],
            None => self.chunk.block_range(index),
        }
    }

    /// The block that holds plain byte `at`, which exists.
    pub(super) fn block_at(&self, at: usize) -> usize {
        match &self.starts {
            // Blocks are not empty, so starts are all different.
            Some(starts) => starts.partition_point(|&start| start <= at).saturating_sub(1),
            None => at / self.chunk.header().blocksize(),
        }
    }

    /// Decodes what other blocks need. To be called before [`Blocks::decode`].
    pub(super) fn prepare(&self, buffers: &mut Buffers) -> Result<(), DecodeError> {
        if let Content::Blocks(plan) = &self.content
            && plan.needs_reference()
            && self.len() > 0
        {
            buffers.reference.resize(self.range(0).len(), 0);
            buffers.decoder.decode(plan, 0, None, &mut buffers.reference)?;
        }
        Ok(())
    }

    /// Decodes block `index`, which exists, to `dst`, which has its length.
    pub(super) fn decode(
        &self,
        decoder: &mut BlockDecoder,
        reference: &[u8],
        index: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        match &self.content {
            Content::Plain(bytes) => dst.copy_from_slice(&bytes[self.range(index)]),
            Content::Value(value) => super::special::fill(value, self.range(index).start, dst),
            Content::Blocks(plan) if !plan.needs_reference() => decoder.decode(plan, index, None, dst)?,
            Content::Blocks(_) if index == 0 => dst.copy_from_slice(reference),
            Content::Blocks(plan) => decoder.decode(plan, index, Some(reference), dst)?,
        }
        let Some(postfilter) = self.postfilter else { return Ok(()) };
        let header = self.chunk.header();
        let info = BlockInfo { index, offset: self.range(index).start, typesize: header.typesize() };
        postfilter(info, dst).map_err(|what| DecodeError::Postfilter { block: index, what })
    }

    /// Decodes all blocks to `dst`, which has the length of the chunk.
    pub(super) fn decode_all(&self, buffers: &mut Buffers, dst: &mut [u8]) -> Result<(), DecodeError> {
        match (&self.content, self.postfilter) {
            // Whatever the block size says: it may be 1.
            (Content::Plain(bytes), None) => dst.copy_from_slice(bytes),
            (Content::Value(value), None) => super::special::fill(value, 0, dst),
            _ => self.decode_masked(buffers, &[], dst)?,
        }
        Ok(())
    }

    /// The same without the blocks for which `skip` is true.
    pub(super) fn decode_masked(
        &self,
        buffers: &mut Buffers,
        skip: &[bool],
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        self.prepare(buffers)?;
        let mut rest = dst;
        for index in 0..self.len() {
            let (block, behind) = rest.split_at_mut(self.range(index).len());
            rest = behind;
            if !skip.get(index).is_some_and(|&skip| skip) {
                self.decode(&mut buffers.decoder, &buffers.reference, index, block)?;
            }
        }
        Ok(())
    }

    /// Decodes all blocks in the current rayon pool.
    #[cfg(feature = "rayon")]
    pub(super) fn decode_all_parallel(&self, buffers: &mut Buffers, dst: &mut [u8]) -> Result<(), DecodeError> {
        use rayon::prelude::*;

        if !matches!(self.content, Content::Blocks(_)) {
            return self.decode_all(buffers, dst);
        }
        self.prepare(buffers)?;
        let mut blocks = Vec::with_capacity(self.len());
        let mut rest = dst;
        for index in 0..self.len() {
            let (block, behind) = rest.split_at_mut(self.range(index).len());
            rest = behind;
            blocks.push((index, block));
        }
        blocks.into_par_iter().try_for_each_init(BlockDecoder::default, |decoder, (index, block)| {
            self.decode(decoder, &buffers.reference, index, block)
        })
    }

    #[cfg(not(feature = "rayon"))]
    pub(super) fn decode_all_parallel(&self, buffers: &mut Buffers, dst: &mut [u8]) -> Result<(), DecodeError> {
        self.decode_all(buffers, dst)
    }
}
