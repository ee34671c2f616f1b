//! Copies between a slice and the chunks or blocks it touches.

use super::super::regions::{Region, advance};
use super::{ChunkPart, Grid};
use crate::error::FormatError;
use crate::frame::FrameError;

impl Grid {
    /// Copies the items of `part` from a chunk to `slice`, which holds `region` in C order.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if the length of `chunk` or `slice` is wrong.
    pub fn read(&self, part: &ChunkPart, chunk: &[u8], region: &Region, slice: &mut [u8]) -> Result<(), FormatError> {
        expect_len(chunk, self.chunk_nbytes as u64)?;
        for (nblock, block) in self.blocks(part).filter_map(|nblock| Some((nblock, self.block(chunk, nblock)?))) {
            self.read_block(part, nblock, block, region, slice)?;
        }
        Ok(())
    }

    /// Copies the items of `part` from block `nblock` of a chunk: for readers that decode only the blocks they need.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if the length of `block` or `slice` is wrong.
    pub fn read_block(
        &self,
        part: &ChunkPart,
        nblock: usize,
        block: &[u8],
        region: &Region,
        slice: &mut [u8],
    ) -> Result<(), FormatError> {
        expect_len(block, self.block_nbytes as u64)?;
        expect_len(slice, self.nbytes_of(region)?)?;
        self.runs(part, nblock, region, |from, to, len| {
            if let (Some(from), Some(to)) = (block.get(from..from + len), slice.get_mut(to..to + len)) {
                to.copy_from_slice(from);
            }
        });
        Ok(())
    }

    /// Copies `slice`, which holds `region` in C order, into a chunk. Other items of the chunk stay.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if the length of `chunk` or `slice` is wrong.
    pub fn write(&self, part: &ChunkPart, chunk: &mut [u8], region: &Region, slice: &[u8]) -> Result<(), FormatError> {
        expect_len(chunk, self.chunk_nbytes as u64)?;
        expect_len(slice, self.nbytes_of(region)?)?;
        for nblock in self.blocks(part) {
            let block_at = nblock * self.block_nbytes;
            self.runs(part, nblock, region, |to, from, len| {
                let to = block_at + to;
                if let (Some(from), Some(to)) = (slice.get(from..from + len), chunk.get_mut(to..to + len)) {
                    to.copy_from_slice(from);
                }
            });
        }
        Ok(())
    }

    fn block<'a>(&self, chunk: &'a [u8], nblock: usize) -> Option<&'a [u8]> {
        let at = nblock.checked_mul(self.block_nbytes)?;
        chunk.get(at..at.checked_add(self.block_nbytes)?)
    }

    /// Calls `copy` with offset in the block, offset in the slice and length of each run of bytes that a part and a
    /// block share. Runs are as long as possible.
    fn runs(&self, part: &ChunkPart, nblock: usize, slice: &Region, mut copy: impl FnMut(usize, usize, usize)) {
        let ndim = self.ndim();
        let Some(block) = self.block_region(part, nblock) else { return };
        let shared = block.intersect(&part.region).intersect(slice);
        if shared.is_empty() {
            return;
        }
        let (extents, in_block, in_slice) = (shared.extents(), &self.blockshape, slice.extents());
        // A run continues into the next outer axis only if the shared items span this whole axis of block and slice.
        let mut inner = ndim;
        let mut run = self.itemsize;
        while let Some(axis) = inner.checked_sub(1) {
            let (Some(extent), Some(block), Some(slice)) = (extents.get(axis), in_block.get(axis), in_slice.get(axis))
            else {
                break;
            };
            run *= extent;
            inner = axis;
            if extent != block || extent != slice {
                break;
            }
        }
        let outer_stop = shared.stop.get(..inner).unwrap_or_default();
        let outer_start = shared.start.get(..inner).unwrap_or_default();
        let mut at = shared.start.clone();
        loop {
            let (from, to) = (block.place(&at, in_block), slice.place(&at, &in_slice));
            // Within the block and the slice, which are in memory.
            copy((from * self.itemsize) as usize, (to * self.itemsize) as usize, run as usize);
            if !advance(at.get_mut(..inner).unwrap_or_default(), outer_start, outer_stop) {
                return;
            }
        }
    }

    /// Returns the items of a block, padding included, by their indices in the array.
    fn block_region(&self, part: &ChunkPart, nblock: usize) -> Option<Region> {
        let mut number = nblock as u64;
        let mut start = vec![0; self.ndim()];
        for (axis, start) in start.iter_mut().enumerate().rev() {
            let blocks = *self.blocks.get(axis)?;
            let (at, chunk, block) = (part.at.get(axis)?, self.chunkshape.get(axis)?, self.blockshape.get(axis)?);
            *start = at.checked_mul(*chunk)?.checked_add(number.checked_rem(blocks)?.checked_mul(*block)?)?;
            number /= blocks;
        }
        let stop = start.iter().zip(&self.blockshape).map(|(start, len)| start.saturating_add(*len)).collect();
        (number == 0).then_some(Region { start, stop })
    }
}

fn expect_len(buffer: &[u8], expected: u64) -> Result<(), FormatError> {
    match buffer.len() as u64 {
        found if found == expected => Ok(()),
        found => Err(FrameError::Buffer { found, expected }.into()),
    }
}
