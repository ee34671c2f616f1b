//! Renumbering of chunks, without new chunks.

use super::change::TOO_MANY_BYTES;
use super::{Edit, NewOrder};
use crate::error::FormatError;
use crate::frame::layout::no_such_chunk;
use crate::frame::{ChunkSize, Entry, FrameError, Index};
use blosc_core::memory;

impl Edit {
    /// Reorders the chunks: chunk `order[i]` becomes number `i`. If a short chunk is no longer the last, chunk sizes
    /// become variable.
    ///
    /// # Errors
    ///
    /// [`FrameError::NotAPermutation`]; [`FrameError::TooMany`].
    pub fn reorder(&mut self, order: &[u64]) -> Result<(), FormatError> {
        let mut seen: Vec<bool> = memory::zeroed(order.len())?;
        let mut once = |&chunk: &u64| {
            let place = usize::try_from(chunk).ok().and_then(|chunk| seen.get_mut(chunk));
            place.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        let nchunks = self.frame.nchunks();
        if order.len() as u64 != nchunks || !order.iter().all(&mut once) {
            return Err(FrameError::NotAPermutation.into());
        }
        if let ChunkSize::Fixed(size) = self.frame.header.chunksize
            && order.last().is_some_and(|last| *last != nchunks - 1)
            && self.frame.last_chunk(size) != Some(size)
        {
            self.vary()?;
        }
        self.tail_changed = true;
        let entries = self.frame.index.to_mut(self.max_chunks)?;
        *entries = memory::collect(order.iter().filter_map(|chunk| entries.get(*chunk as usize)).copied())?;
        Ok(())
    }

    /// Renumbers all chunks of a frame at once, for resized arrays ([`Grid::resized`](crate::frame::Grid::resized)).
    /// All chunks must have `size` uncompressed bytes. `dropped` is the size of the files of chunks that no slot keeps,
    /// 0 in a contiguous frame.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`]; [`FrameError::ChunkSize`] if not all chunks have this size;
    /// [`FrameError::MetalayersFixed`] after [`add_metalayer`](Self::add_metalayer).
    pub fn remap(
        &mut self,
        size: u32,
        slots: impl IntoIterator<Item = NewOrder>,
        dropped: u64,
    ) -> Result<(), FormatError> {
        if self.grown {
            return Err(FrameError::MetalayersFixed.into());
        }
        let nchunks = self.frame.nchunks();
        let header = &mut self.frame.header;
        let fixed = nchunks == 0 || header.chunksize == ChunkSize::Fixed(size);
        if !fixed || size == 0 || !header.nbytes.is_multiple_of(size.into()) {
            return Err(FrameError::ChunkSize { chunk: 0, found: header.nbytes, expected: size.into() }.into());
        }
        let mut entries = Vec::new();
        for slot in slots {
            let entry = match slot {
                NewOrder::Keep(chunk) => self.frame.index.raw(chunk).ok_or_else(|| no_such_chunk(chunk, nchunks))?,
                NewOrder::Special(special) => Entry::Special(special).to_i64(),
            };
            memory::push(&mut entries, entry)?;
        }
        header.nbytes = (entries.len() as u64).checked_mul(size.into()).ok_or(TOO_MANY_BYTES)?;
        header.cbytes = header.cbytes.saturating_sub(dropped);
        if nchunks == 0 {
            // The frame of an array without items may have variable chunk sizes, or none.
            (header.chunksize, header.variable_chunks, header.version) = (ChunkSize::Fixed(size), false, 2);
        }
        self.stale.extend(self.frame.index.numbers(header.frame_type));
        self.frame.index = Index::from_raw(entries);
        self.tail_changed = true;
        Ok(())
    }
}
