//! The chunks and blocks of an array that a slice touches, and copies between a slice and a chunk.
//!
//! Chunks form a grid of `ceil(shape / chunkshape)` in C order. A chunk is divided into `ceil(chunkshape / blockshape)`
//! blocks along each axis. Blocks are stored in C order, and so are the items of each. Every block and every chunk has
//! its full size: the part outside the chunk or the array is padding.
//!
//! ```text
//! shape 5 x 4, chunkshape 3 x 4, blockshape 2 x 2:  2 x 1 chunks of 2 x 2 blocks of 4 items
//!
//!   chunk 0   0  1 |  2  3        chunk 1  12 13 | 14 15
//!             4  5 |  6  7                 16 17 | 18 19
//!            ------+------                ------+------
//!             8  9 | 10 11                  .  . |  .  .
//!             .  . |  .  .                  .  . |  .  .      stored 0 1 4 5  2 3 6 7  8 9 . .  10 11 . .
//! ```

mod copy;
mod resize;
mod selected;

pub use self::selected::SelectedChunk;

use super::regions::{Axes, Region, advance};
use super::{B2nd, ChunkSize, Frame, FrameError};
use crate::axes::product;
use crate::error::FormatError;

/// The geometry of an array: its shapes and the size of an item, checked for consistency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    itemsize: u64,
    shape: Axes,
    chunkshape: Axes,
    blockshape: Axes,
    /// Chunks along each axis.
    chunks: Axes,
    /// Blocks of a chunk along each axis.
    blocks: Axes,
    nchunks: u64,
    chunk_nbytes: usize,
    block_nbytes: usize,
}

/// The part of a chunk that a slice selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPart {
    /// The chunk's number.
    pub nchunk: u64,
    /// The selected items of the chunk, by their indices in the array. Not empty.
    pub region: Region,
    /// Position of the chunk on the grid.
    at: Axes,
}

impl Grid {
    /// Computes the geometry of `array` with items of `itemsize` bytes, the frame's typesize.
    ///
    /// # Errors
    ///
    /// [`FrameError::ShapeTooLarge`] if a chunk with its padding would exceed 2³¹ - 1 bytes, or the array 2⁶³ - 1; the
    /// errors of [`B2nd::to_bytes`].
    pub fn new(array: &B2nd, itemsize: u32) -> Result<Self, FormatError> {
        array.to_bytes()?;
        let axes = |shape: &[u32]| shape.iter().copied().map(u64::from).collect::<Axes>();
        let (shape, chunkshape, blockshape) = (array.shape.clone(), axes(&array.chunkshape), axes(&array.blockshape));
        let per = |whole: &[u64], part: &[u64]| -> Axes {
            whole.iter().zip(part).map(|(whole, part)| if *part == 0 { 0 } else { whole.div_ceil(*part) }).collect()
        };
        let (chunks, blocks) = (per(&shape, &chunkshape), per(&chunkshape, &blockshape));
        let itemsize = u64::from(itemsize);
        let too_large = |field, max| FormatError::from(FrameError::ShapeTooLarge { field, max });
        let max = i64::MAX as u64;
        product(&shape, itemsize).filter(|nbytes| *nbytes <= max).ok_or_else(|| too_large("shape", max))?;
        let nchunks = product(&chunks, 1).ok_or_else(|| too_large("shape", max))?;
        let max = i32::MAX as u64;
        let block_nbytes = product(&blockshape, itemsize).filter(|nbytes| *nbytes <= max);
        let block_nbytes = block_nbytes.ok_or_else(|| too_large("blockshape", max))?;
        let chunk_nbytes = product(&blocks, block_nbytes).filter(|nbytes| *nbytes <= max);
        let chunk_nbytes = chunk_nbytes.ok_or_else(|| too_large("chunkshape", max))? as usize;
        let block_nbytes = block_nbytes as usize;
        Ok(Self { itemsize, shape, chunkshape, blockshape, chunks, blocks, nchunks, chunk_nbytes, block_nbytes })
    }

    /// Returns the array that a frame holds, `None` if it is not an array. Checks the number and the size of the
    /// chunks.
    ///
    /// # Errors
    ///
    /// The errors of [`B2nd::of`] and [`new`](Self::new); [`FrameError::ChunkCount`] or [`FrameError::ChunkSize`] if
    /// array and frame do not agree on the chunks.
    pub fn of(frame: &Frame) -> Result<Option<(B2nd, Self)>, FormatError> {
        let Some(array) = B2nd::of(&frame.header.metalayers)? else { return Ok(None) };
        let grid = Self::new(&array, frame.header.typesize)?;
        let (found, expected) = (frame.nchunks(), grid.nchunks);
        if found != expected {
            return Err(FrameError::ChunkCount { found, expected }.into());
        }
        let expected = grid.chunk_nbytes as u64;
        match frame.header.chunksize {
            ChunkSize::Fixed(size) if u64::from(size) != expected && found > 0 => {
                Err(FrameError::ChunkSize { chunk: 0, found: size.into(), expected }.into())
            }
            _ => Ok(Some((array, grid))),
        }
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the size of an item in bytes.
    #[must_use]
    pub fn itemsize(&self) -> u64 {
        self.itemsize
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn nchunks(&self) -> u64 {
        self.nchunks
    }

    /// Returns the uncompressed size of every chunk, padding included.
    #[must_use]
    pub fn chunk_nbytes(&self) -> usize {
        self.chunk_nbytes
    }

    /// Returns the uncompressed size of every block, padding included. Block `n` of a chunk starts at `n` times this
    /// size.
    #[must_use]
    pub fn block_nbytes(&self) -> usize {
        self.block_nbytes
    }

    /// Returns the region of the whole array.
    #[must_use]
    pub fn all(&self) -> Region {
        Region { start: vec![0; self.ndim()], stop: self.shape.clone() }
    }

    /// Returns the size of a region of the array in bytes.
    ///
    /// # Errors
    ///
    /// [`FrameError::Ndim`] or [`FrameError::Slice`] if it is not a region of the array.
    pub fn nbytes_of(&self, region: &Region) -> Result<u64, FormatError> {
        region.check(&self.shape)?;
        // At most the size of the array, which does not overflow.
        Ok(product(&region.extents(), self.itemsize).unwrap_or(0))
    }

    /// Returns the chunks that a region of the array touches, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`FrameError::Ndim`] or [`FrameError::Slice`] if it is not a region of the array.
    pub fn parts<'a>(&'a self, region: &'a Region) -> Result<impl Iterator<Item = ChunkPart> + 'a, FormatError> {
        region.check(&self.shape)?;
        let empty = region.is_empty();
        // The chunks of the first item and past the last item. If a region is not empty, no chunkshape is 0.
        let of =
            |axis: usize, item: u64| self.chunkshape.get(axis).map_or(0, |len| item.checked_div(*len).unwrap_or(0));
        let first: Axes = region.start.iter().enumerate().map(|(axis, start)| of(axis, *start)).collect();
        let end: Axes =
            region.stop.iter().enumerate().map(|(axis, stop)| of(axis, stop.saturating_sub(1)) + 1).collect();
        let mut next = (!empty).then(|| first.clone());
        Ok(std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &first, &end) {
                next = Some(following);
            }
            Some(self.part(at, region))
        }))
    }

    fn part(&self, at: Axes, region: &Region) -> ChunkPart {
        let starts = at.iter().zip(&self.chunkshape).map(|(at, len)| at.saturating_mul(*len));
        let start = starts.clone().zip(&region.start).map(|(start, from)| start.max(*from)).collect();
        let ends = starts.zip(&self.chunkshape).map(|(start, len)| start.saturating_add(*len));
        let stop = ends.zip(&region.stop).map(|(end, to)| end.min(*to)).collect();
        // Less than the number of chunks, which does not overflow.
        let nchunk = at.iter().zip(&self.chunks).fold(0, |number, (at, chunks)| number * chunks + at);
        ChunkPart { nchunk, region: Region { start, stop }, at }
    }

    /// Returns whether a part covers all items of the array in its chunk. Then the old chunk is not needed to write it.
    #[must_use]
    pub fn is_whole(&self, part: &ChunkPart) -> bool {
        let whole = self.part(part.at.clone(), &self.all());
        whole.region == part.region
    }

    /// Returns the numbers of the blocks that a part touches, in rising order.
    pub fn blocks(&self, part: &ChunkPart) -> impl Iterator<Item = usize> {
        let within = |items: &[u64], past: u64| -> Axes {
            let axes = items.iter().zip(&part.at).zip(self.chunkshape.iter().zip(&self.blockshape));
            axes.map(|((item, at), (chunk, block))| {
                let item = item.saturating_sub(past).saturating_sub(at.saturating_mul(*chunk));
                item.checked_div(*block).unwrap_or(0).saturating_add(past)
            })
            .collect()
        };
        let (first, end) = (within(&part.region.start, 0), within(&part.region.stop, 1));
        let mut next = Some(first.clone());
        std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &first, &end) {
                next = Some(following);
            }
            // A chunk has fewer blocks than bytes, whose number fits an i32.
            Some(at.iter().zip(&self.blocks).fold(0, |number, (at, blocks)| number * blocks + at) as usize)
        })
    }
}

#[cfg(test)]
mod tests;
