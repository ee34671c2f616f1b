//! One pass over the blocks of a chunk, in any order. Decodes whole chunks, ranges and single blocks.

use core::ops::Range;
use std::cell::Cell;
use std::sync::OnceLock;
use std::thread::LocalKey;

use crate::block::{BlockDecoder, BlockPlan, Outside};
use crate::cancel::{self, Cancel};
use crate::chunk::block_info::BlockInfo;
use crate::chunk::special;
use crate::chunk::view::{Body, Chunk};
use crate::error::DecodeError;
use crate::kernels;
use crate::layout::vlblocks;
use crate::lease::Reusable;
use crate::limits::{Limits, scratch};
use crate::memory;
use crate::parallel;
use crate::plugin::PluginError;
use crate::stream::DictionaryCache;

/// A postfilter. It may change the block's plain bytes, or return an error.
pub(super) type Postfilter = dyn Fn(BlockInfo, &mut [u8]) -> Result<(), PluginError> + Send + Sync;

/// The parts of a decoder that a pass writes to.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) decoder: BlockDecoder,
    /// Decoders for other threads, which decode blocks at the same time.
    others: Vec<BlockDecoder>,
    pub(super) dictionary: DictionaryCache,
    /// The first block of a chunk with delta, as it was compressed, before any postfilter.
    pub(super) reference: Vec<u8>,
    /// A block of which only a part is wanted.
    pub(super) partial: Vec<u8>,
    /// Block size of the chunks decoded so far, or the largest of them.
    largest: usize,
}

/// Blocks up to this size leave buffers far below the limit, which then need not be added up: a buffer for each plane,
/// which zstd makes 128 KiB longer, and a few blocks.
const SMALL_BLOCK: usize = 64 << 10;

impl Buffers {
    /// Prepares for a chunk with blocks of this size.
    #[inline]
    pub(super) fn prepare(&mut self, blocksize: usize) -> &mut Self {
        self.largest = self.largest.max(blocksize);
        self
    }
}

impl Reusable for Buffers {
    fn spare() -> &'static LocalKey<Cell<Option<Box<Self>>>> {
        thread_local!(static SPARE: Cell<Option<Box<Buffers>>> = const { Cell::new(None) });
        &SPARE
    }

    fn registered() -> &'static LocalKey<Cell<bool>> {
        thread_local!(static REGISTERED: Cell<bool> = const { Cell::new(false) });
        &REGISTERED
    }

    fn retire(&mut self) -> usize {
        self.dictionary = DictionaryCache::default();
        if self.largest <= SMALL_BLOCK && self.others.is_empty() {
            return 0;
        }
        parallel::thin_out(&mut self.others, BlockDecoder::held);
        self.decoder.held() + self.reference.capacity() + self.partial.capacity()
    }
}

/// The blocks of a chunk, ready to be decoded from several threads.
pub(super) struct Blocks<'a> {
    chunk: &'a Chunk<'a>,
    content: Content<'a>,
    /// The plain offset of each block and the end of the last, if blocks have variable length and
    /// [`Blocks::add_up_starts`] was called.
    starts: OnceLock<Vec<usize>>,
    postfilter: Option<&'a Postfilter>,
    limits: &'a Limits,
    cancel: Option<&'a Cancel>,
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
        limits: &'a Limits,
        cache: &mut DictionaryCache,
    ) -> Result<Self, DecodeError> {
        let content = match chunk.body() {
            Body::Plain(bytes) => Content::Plain(bytes),
            Body::Value(value) => Content::Value(value),
            Body::Blocks(layout) => {
                limits.check_memory("blocks on their way", scratch(chunk.header().blocksize() as u64))?;
                Content::Blocks(BlockPlan::new(chunk.bytes(), layout, outside, cache)?)
            }
        };
        Ok(Blocks { chunk, content, starts: OnceLock::new(), postfilter, limits, cancel: None })
    }

    /// Sets the flag that is checked before every block.
    pub(super) fn with_cancel(self, cancel: Option<&'a Cancel>) -> Self {
        Blocks { cancel, ..self }
    }

    #[inline]
    fn check_cancel(&self) -> Result<(), DecodeError> {
        Ok(cancel::check(self.cancel)?)
    }

    pub(super) fn limits(&self) -> &Limits {
        self.limits
    }

    /// Returns the number of blocks.
    pub(super) fn len(&self) -> usize {
        self.chunk.header().nblocks()
    }

    /// Adds up the lengths of blocks of variable length, which makes [`Blocks::range`] fast.
    pub(super) fn add_up_starts(&self) -> Result<(), DecodeError> {
        match self.chunk.body() {
            Body::Blocks(layout) if layout.has_vl_blocks() && self.starts.get().is_none() => {
                // If another thread set it meanwhile, it set the same value.
                let _ = self.starts.set(vlblocks::starts(layout, self.chunk.bytes())?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the range of block `index`, which must exist, in the plain bytes.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        match self.starts.get() {
            Some(starts) => starts[index]..starts[index + 1],
            None => self.chunk.block_range(index),
        }
    }

    /// Returns the number of plain bytes of block `index`, if it is within the limits. Does not add up the lengths of
    /// other blocks, so that reading all blocks one by one takes linear time.
    pub(super) fn block_len(&self, index: usize) -> Result<usize, DecodeError> {
        let needed = match self.chunk.body() {
            Body::Blocks(layout) if layout.has_vl_blocks() => {
                vlblocks::block(layout, self.chunk.bytes(), index)?.nbytes
            }
            _ => self.chunk.block_range(index).len(),
        };
        self.limits.check_chunk(needed as u64)?;
        self.limits.check_output(needed as u64, needed as u64)?;
        if matches!(self.content, Content::Blocks(_)) {
            self.limits.check_unearned(needed as u64, self.chunk.header().cbytes() as u64)?;
        }
        Ok(needed)
    }

    /// Returns the block that holds plain byte `at`, which must exist. Call [`Blocks::add_up_starts`] first.
    pub(super) fn block_at(&self, at: usize) -> usize {
        match self.starts.get() {
            // Blocks are not empty, so all starts are different.
            Some(starts) => starts.partition_point(|&start| start <= at).saturating_sub(1),
            None => at / self.chunk.header().blocksize(),
        }
    }

    /// Decodes the first block if other blocks need it. Call this before [`Blocks::decode`].
    pub(super) fn prepare(&self, buffers: &mut Buffers) -> Result<(), DecodeError> {
        if let Content::Blocks(plan) = &self.content
            && plan.needs_reference()
            && self.len() > 0
        {
            memory::reuse(&mut buffers.reference, self.block_len(0)?)?;
            buffers.decoder.decode(plan, 0, None, &mut buffers.reference)?;
        }
        Ok(())
    }

    /// Decodes block `index`, which must exist, to `dst`, which has its length.
    pub(super) fn decode(
        &self,
        decoder: &mut BlockDecoder,
        reference: &[u8],
        index: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        self.check_cancel()?;
        match &self.content {
            Content::Plain(bytes) => kernels::copy(&bytes[self.range(index)], dst),
            Content::Value(value) => special::fill(value, self.range(index).start, dst),
            Content::Blocks(plan) if !plan.needs_reference() => decoder.decode(plan, index, None, dst)?,
            Content::Blocks(_) if index == 0 => kernels::copy(reference, dst),
            Content::Blocks(plan) => decoder.decode(plan, index, Some(reference), dst)?,
        }
        self.postfilter(index, dst)
    }

    /// Decodes bytes `range` of block `index` like [`Blocks::decode`]. The rest of `dst` is scratch.
    pub(super) fn decode_part(
        &self,
        decoder: &mut BlockDecoder,
        reference: &[u8],
        index: usize,
        range: Range<usize>,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        match &self.content {
            Content::Blocks(plan) if !plan.needs_reference() && self.postfilter.is_none() => {
                self.check_cancel()?;
                decoder.decode_part(plan, index, range, dst)
            }
            _ => self.decode(decoder, reference, index, dst),
        }
    }

    /// Returns whether [`Blocks::decode_pair`] is faster than decoding one block at a time.
    fn has_pairs(&self) -> bool {
        matches!(&self.content, Content::Blocks(plan) if plan.has_pairs())
    }

    /// Decodes blocks `index` and `index + 1` like [`Blocks::decode`].
    fn decode_pair(
        &self,
        decoder: &mut BlockDecoder,
        reference: &[u8],
        index: usize,
        [a, b]: [&mut [u8]; 2],
    ) -> Result<(), DecodeError> {
        match &self.content {
            Content::Blocks(plan) if plan.has_pairs() => {
                self.check_cancel()?;
                decoder.decode_pair(plan, index, [&mut *a, &mut *b])?;
                self.postfilter(index, a)?;
                self.postfilter(index + 1, b)
            }
            _ => {
                self.decode(decoder, reference, index, a)?;
                self.decode(decoder, reference, index + 1, b)
            }
        }
    }

    fn postfilter(&self, index: usize, dst: &mut [u8]) -> Result<(), DecodeError> {
        let Some(postfilter) = self.postfilter else { return Ok(()) };
        let header = self.chunk.header();
        let info = BlockInfo { index, offset: self.range(index).start, typesize: header.typesize() };
        postfilter(info, dst).map_err(|source| DecodeError::Postfilter { block: index, source })
    }

    /// Fills `dst` with the plain bytes from `start` on, ignoring the block size, which may be 1 or far more than
    /// `dst`. Returns false without writing if the chunk stores blocks or a postfilter is set.
    pub(super) fn read_without_blocks(&self, start: usize, dst: &mut [u8]) -> bool {
        match (&self.content, self.postfilter) {
            (Content::Plain(bytes), None) => kernels::copy(&bytes[start..start + dst.len()], dst),
            (Content::Value(value), None) => special::fill(value, start, dst),
            _ => return false,
        }
        true
    }

    /// Decodes all blocks to `dst`, which has the length of the chunk.
    pub(super) fn decode_all(&self, buffers: &mut Buffers, dst: &mut [u8]) -> Result<(), DecodeError> {
        match (&self.content, self.postfilter) {
            (Content::Blocks(_), _) | (_, Some(_)) => self.decode_masked(buffers, &[], dst),
            _ => {
                self.read_without_blocks(0, dst);
                Ok(())
            }
        }
    }

    /// Decodes all blocks except those for which `skip` is true.
    pub(super) fn decode_masked(
        &self,
        buffers: &mut Buffers,
        skip: &[bool],
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        self.prepare(buffers)?;
        self.add_up_starts()?;
        let is_wanted = |index: usize| !skip.get(index).is_some_and(|&skip| skip);
        let has_pairs = self.has_pairs();
        let mut rest = dst;
        let mut index = 0;
        while index < self.len() {
            let (block, after) = rest.split_at_mut(self.range(index).len());
            rest = after;
            if has_pairs && index + 1 < self.len() && is_wanted(index) && is_wanted(index + 1) {
                let (next, after) = rest.split_at_mut(self.range(index + 1).len());
                rest = after;
                self.decode_pair(&mut buffers.decoder, &buffers.reference, index, [block, next])?;
                index += 2;
                continue;
            }
            if is_wanted(index) {
                self.decode(&mut buffers.decoder, &buffers.reference, index, block)?;
            }
            index += 1;
        }
        Ok(())
    }

    /// Decodes all blocks in the current rayon pool.
    pub(super) fn decode_all_parallel(&self, buffers: &mut Buffers, dst: &mut [u8]) -> Result<(), DecodeError> {
        if !matches!(self.content, Content::Blocks(_)) {
            return self.decode_all(buffers, dst);
        }
        self.prepare(buffers)?;
        self.add_up_starts()?;
        let mut rest = dst;
        let Buffers { decoder, others, reference, .. } = buffers;
        let another = |_: &BlockDecoder| Ok::<_, DecodeError>(BlockDecoder::default());
        let mut team = parallel::team(decoder, others, self.len(), another)?;
        // Takes pairs only if every thread gets one.
        let step = if self.has_pairs() && self.len() >= 2 * team.len() { 2 } else { 1 };
        let blocks = (0..self.len()).step_by(step).map(|index| {
            let mut take = |index| rest.split_off_mut(..self.range(index).len()).unwrap_or_default();
            (index, take(index), (step == 2 && index + 1 < self.len()).then(|| take(index + 1)))
        });
        parallel::share(&mut team, blocks, |decoder, (index, block, next)| match next {
            Some(next) => self.decode_pair(decoder, reference, index, [block, next]),
            None => self.decode(decoder, reference, index, block),
        })
    }
}
