//! Decodes a chunk: all of it, some blocks, or ranges of bytes.
//!
//! | file | content |
//! |---|---|
//! | `options` | the options that a caller sets before decoding |
//! | `blocks` | one pass over the blocks of a chunk |
//! | `ranges` | ranges of bytes, decoding each block once |
//! | `parts` | items and ranges as vectors |
//! | `once` | decoding with a fresh decoder |

mod blocks;
mod once;
mod options;
mod parts;
mod ranges;

use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use blocks::{Blocks, Buffers, Postfilter};

use super::special;
use super::view::{Body, Chunk};
use crate::block::Outside;
use crate::cancel::{self, Cancel};
use crate::error::DecodeError;
use crate::kernels;
use crate::lease::Leased;
use crate::limits::{Limits, scratch};
use crate::memory;
use crate::parallel::{self, Parallelism};
use crate::registry::Registry;

/// If the output is larger than the chunk by more than this factor, it is allocated block by block while decoding.
const TRUSTED_RATIO: usize = 64;

/// Decodes chunks and reuses its tables and buffers. Use one per thread.
///
/// ```
/// use blosc_core::{CParams, Chunk, Decoder, Limits};
/// let chunk = blosc_core::compress(&[7; 100_000], &CParams::new())?;
/// let mut decoder = Decoder::new().limits(Limits::new().max_chunk(1 << 20));
/// assert_eq!(decoder.decompress(&Chunk::parse(&chunk)?)?, [7; 100_000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Decoder {
    limits: Limits,
    parallelism: Parallelism,
    registry: Registry,
    blockshape: Vec<usize>,
    super_chunk_typesize: Option<usize>,
    postfilter: Option<Arc<Postfilter>>,
    cancel: Option<Cancel>,
    buffers: Leased<Buffers>,
    decoded: u64,
}

impl Decoder {
    /// Creates a decoder with default limits that works on the calling thread.
    pub fn new() -> Self {
        Decoder::default()
    }

    /// Returns the plain bytes of all blocks that [`decompress`](Self::decompress), its variants and
    /// [`decode_ranges`](Self::decode_ranges) have decoded. Bytes that are stored uncompressed, and repeated values, do
    /// not count.
    pub fn decoded(&self) -> u64 {
        self.decoded
    }

    /// Returns all plain bytes of the chunk.
    ///
    /// # Errors
    /// [`DecodeError::Limit`] before anything is allocated; any other variant for a damaged chunk.
    pub fn decompress(&mut self, chunk: &Chunk<'_>) -> Result<Vec<u8>, DecodeError> {
        let mut plain = Vec::new();
        self.decompress_to(chunk, &mut plain)?;
        Ok(plain)
    }

    /// Decodes all plain bytes of the chunk to `plain`, replacing its contents and reusing its allocation. On an error
    /// `plain` is empty.
    ///
    /// # Errors
    /// As [`Decoder::decompress`].
    pub fn decompress_to(&mut self, chunk: &Chunk<'_>, plain: &mut Vec<u8>) -> Result<(), DecodeError> {
        let decoded = self.replace(chunk, plain);
        if decoded.is_err() {
            plain.clear();
        }
        decoded
    }

    fn replace(&mut self, chunk: &Chunk<'_>, plain: &mut Vec<u8>) -> Result<(), DecodeError> {
        let header = chunk.header();
        self.limits.check_nbytes(chunk.nbytes() as u64)?;
        header.check_earned(&self.limits)?;
        let is_earned = header.nbytes() / TRUSTED_RATIO <= header.cbytes() || !matches!(chunk.body(), Body::Blocks(_));
        if is_earned || header.nbytes() <= plain.capacity() {
            memory::reuse(plain, header.nbytes())?;
            return self.fill(chunk, plain);
        }
        plain.clear();
        let (blocks, buffers) = self.blocks(chunk)?;
        blocks.prepare(buffers)?;
        blocks.add_up_starts()?;
        for index in 0..blocks.len() {
            let range = blocks.range(index);
            memory::resize(plain, range.end, 0)?;
            blocks.decode(&mut buffers.decoder, &buffers.reference, index, &mut plain[range])?;
        }
        self.decoded += plain.len() as u64;
        Ok(())
    }

    /// Decodes all plain bytes of the chunk into the start of `dst` and returns their number. `dst` may be longer; its
    /// remaining bytes are unchanged. On an error, the part of `dst` for the plain bytes is zeroed.
    ///
    /// # Errors
    /// [`DecodeError::Destination`] if `dst` is too short; [`DecodeError::Limit`]; any other variant for a damaged
    /// chunk.
    pub fn decompress_into(&mut self, chunk: &Chunk<'_>, dst: &mut [u8]) -> Result<usize, DecodeError> {
        let nbytes = chunk.nbytes();
        let decoded = self.destination(chunk, dst).and_then(|dst| self.fill(chunk, dst));
        blank_on_error(decoded, dst, nbytes)?;
        Ok(nbytes)
    }

    /// Decodes a chunk within the limits into a `dst` of its size.
    fn fill(&mut self, chunk: &Chunk<'_>, dst: &mut [u8]) -> Result<(), DecodeError> {
        if self.fill_directly(chunk, dst) {
            return Ok(());
        }
        let (nbytes, nblocks) = (chunk.header().nbytes(), chunk.header().nblocks());
        let fits = || {
            let workers = parallel::threads().min(nblocks) as u64;
            let scratch = scratch(chunk.header().blocksize() as u64).saturating_mul(workers);
            self.limits.check_memory("blocks on their way", scratch).is_ok()
        };
        let is_parallel = self.parallelism.applies(nbytes, nblocks) && fits();
        let (blocks, buffers) = self.blocks(chunk)?;
        if is_parallel {
            blocks.decode_all_parallel(buffers, dst)?
        } else {
            blocks.decode_all(buffers, dst)?
        }
        self.decoded += nbytes as u64;
        Ok(())
    }

    /// Decodes a chunk that needs no look-ups. Returns `false` for any other chunk, and if there is an error: then the
    /// caller decodes it again to report the error.
    #[inline]
    fn fill_directly(&mut self, chunk: &Chunk<'_>, dst: &mut [u8]) -> bool {
        let Decoder { limits, parallelism, postfilter, cancel, buffers, .. } = self;
        if postfilter.is_some() || cancel::check(cancel.as_ref()).is_err() {
            return false;
        }
        if let Some(block) = chunk.only_block() {
            let fits = limits.check_memory("blocks on their way", scratch(dst.len() as u64)).is_ok();
            let decoded =
                fits && buffers.get().prepare(dst.len()).decoder.decode_only(chunk.bytes(), block, dst).is_ok();
            self.decoded += if decoded { dst.len() as u64 } else { 0 };
            return decoded;
        }
        if let Some(bytes) = chunk.plain() {
            match *parallelism != Parallelism::Serial && parallelism.applies(bytes.len(), chunk.header().nblocks()) {
                true => parallel::join(&[bytes], dst),
                false => kernels::copy(bytes, dst),
            }
            return true;
        }
        if let Some(value) = chunk.value() {
            special::fill(value, 0, dst);
            return true;
        }
        false
    }

    /// Decodes like [`Decoder::decompress_into`], but skips the blocks for which `skip` is true. Skipped blocks cost
    /// nothing, and their bytes in `dst` are unchanged unless there is an error. Blocks past the end of `skip` are
    /// decoded.
    ///
    /// # Errors
    /// As [`Decoder::decompress_into`]; [`DecodeError::Range`] if `skip` names more blocks than there are.
    pub fn decompress_masked(
        &mut self,
        chunk: &Chunk<'_>,
        skip: &[bool],
        dst: &mut [u8],
    ) -> Result<usize, DecodeError> {
        let nbytes = chunk.nbytes();
        let decoded = self.destination(chunk, dst).and_then(|dst| self.fill_masked(chunk, skip, dst));
        blank_on_error(decoded, dst, nbytes)?;
        Ok(nbytes)
    }

    fn fill_masked(&mut self, chunk: &Chunk<'_>, skip: &[bool], dst: &mut [u8]) -> Result<(), DecodeError> {
        let nblocks = chunk.header().nblocks();
        if skip.len() > nblocks {
            return Err(DecodeError::Range { unit: "blocks", start: 0, end: skip.len(), len: nblocks });
        }
        let (blocks, buffers) = self.blocks(chunk)?;
        blocks.decode_masked(buffers, skip, dst)?;
        if matches!(chunk.body(), Body::Blocks(_)) {
            let wanted = (0..nblocks).filter(|index| skip.get(*index) != Some(&true));
            self.decoded += wanted.map(|index| blocks.range(index).len() as u64).sum::<u64>();
        }
        Ok(())
    }

    /// Decodes the plain bytes of block `index` into the start of `dst` and returns their number. If decoding fails,
    /// the block's part of `dst` is zeroed. On an error found before decoding, `dst` is unchanged.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if there is no such block, [`DecodeError::Destination`] if `dst` is too short,
    /// [`DecodeError::Limit`] if the block alone is over the limit, any other variant for a damaged block.
    pub fn decode_block(&mut self, chunk: &Chunk<'_>, index: usize, dst: &mut [u8]) -> Result<usize, DecodeError> {
        let (blocks, buffers) = self.blocks(chunk)?;
        if index >= blocks.len() {
            let end = index.saturating_add(1);
            return Err(DecodeError::Range { unit: "blocks", start: index, end, len: blocks.len() });
        }
        let needed = blocks.block_len(index)?;
        let found = dst.len();
        let dst = dst.get_mut(..needed).ok_or_else(|| DecodeError::Destination { needed, found })?;
        let decoded = blocks.prepare(buffers);
        let decoded = decoded.and_then(|()| blocks.decode(&mut buffers.decoder, &buffers.reference, index, dst));
        blank_on_error(decoded, dst, needed)?;
        Ok(needed)
    }

    /// Decodes several ranges of plain bytes to `dst`, one after another. `dst` must have exactly their total length.
    /// Each block that a range touches is decoded once, however many ranges touch it. Other blocks are not read, except
    /// the first block of a chunk with the delta filter, which all others need. A block is decoded no further than its
    /// last wanted byte if the codec allows that, so damage past it may go unnoticed. On an error `dst` is zeroed.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if a range is not within the chunk, [`DecodeError::Destination`] if `dst` has another
    /// length, [`DecodeError::Limit`] if a block alone is over the limit, any other variant for a damaged block.
    pub fn decode_ranges(
        &mut self,
        chunk: &Chunk<'_>,
        ranges: &[Range<usize>],
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        match self.plain(chunk).and_then(|plain| ranges::copy(plain, ranges, dst)) {
            Some(()) => Ok(()),
            None => self.decode_any_ranges(chunk, ranges, dst),
        }
    }

    /// Returns the plain bytes of a chunk that is stored uncompressed, if nothing but copying them remains to be done.
    #[inline]
    fn plain<'a>(&self, chunk: &Chunk<'a>) -> Option<&'a [u8]> {
        let may_copy = self.postfilter.is_none() && cancel::check(self.cancel.as_ref()).is_ok();
        chunk.plain().filter(|_| may_copy)
    }

    /// [`Decoder::decode_ranges`] of any chunk. A function of its own, so that reading an item of an uncompressed chunk
    /// does not take a large stack frame.
    #[inline(never)]
    fn decode_any_ranges(
        &mut self,
        chunk: &Chunk<'_>,
        ranges: &[Range<usize>],
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let nbytes = chunk.nbytes();
        let decoded = match chunk.body() {
            Body::Plain(_) | Body::Value(_) if self.postfilter.is_none() => cancel::check(self.cancel.as_ref())
                .map_err(DecodeError::from)
                .and_then(|()| ranges::without_blocks(chunk.body(), nbytes, ranges, dst)),
            _ => self
                .blocks(chunk)
                .and_then(|(blocks, buffers)| ranges::decode(&blocks, buffers, nbytes, ranges, dst))
                .map(|decoded| self.decoded += decoded),
        };
        let len = dst.len();
        blank_on_error(decoded, dst, len)
    }

    /// Returns the part of `dst` that the chunk will fill.
    fn destination<'d>(&self, chunk: &Chunk<'_>, dst: &'d mut [u8]) -> Result<&'d mut [u8], DecodeError> {
        self.limits.check_nbytes(chunk.nbytes() as u64)?;
        let (needed, found) = (chunk.nbytes(), dst.len());
        dst.get_mut(..needed).ok_or_else(|| DecodeError::Destination { needed, found })
    }

    fn blocks<'a>(&'a mut self, chunk: &'a Chunk<'a>) -> Result<(Blocks<'a>, &'a mut Buffers), DecodeError> {
        let Decoder { limits, registry, blockshape, super_chunk_typesize, postfilter, cancel, buffers, .. } = self;
        cancel::check(cancel.as_ref())?;
        let buffers = buffers.get().prepare(chunk.header().blocksize());
        let outside = Outside { registry, blockshape, channels: *super_chunk_typesize };
        let blocks = Blocks::new(chunk, outside, postfilter.as_deref(), limits, &mut buffers.dictionary)?;
        Ok((blocks.with_cancel(cancel.as_ref()), buffers))
    }
}

/// Zeroes the output after a failed decode, so that it holds neither old contents nor a partial result.
fn blank_on_error(decoded: Result<(), DecodeError>, dst: &mut [u8], nbytes: usize) -> Result<(), DecodeError> {
    if decoded.is_err() {
        let len = nbytes.min(dst.len());
        dst[..len].fill(0);
    }
    decoded
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Decoder");
        debug.field("limits", &self.limits).field("parallelism", &self.parallelism).field("registry", &self.registry);
        debug.finish_non_exhaustive()
    }
}
