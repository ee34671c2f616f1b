//! Which chunks and blocks of an array a slice touches, and copies between a slice and a chunk.
//!
//! Chunks stand in C order on a grid of `ceil(shape / chunkshape)`. A chunk is cut into `ceil(chunkshape / blockshape)`
//! blocks along each axis, which follow each other in C order, each one's items in C order too. Every block has its full
//! size and so has every chunk: what sticks out of the chunk or of the array is padding.
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

use super::regions::{Axes, Region, advance, product};
use super::{B2nd, ChunkSize, Frame, FrameError, Slot};
use crate::error::FormatError;
use blosc_core::Special;

/// The arithmetic of an array: its shapes and the size of an item, checked to go together.
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

/// What a slice wants of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPart {
    /// The chunk's number.
    pub nchunk: u64,
    /// The items of it that the slice wants, by their indices in the array. Not empty.
    pub region: Region,
    /// Where the chunk stands on the grid.
    at: Axes,
}

impl Grid {
    /// The arithmetic of `array` with items of `itemsize` bytes, the frame's typesize.
    ///
    /// # Errors
    ///
    /// [`FrameError::ShapeTooLarge`] if a chunk with its padding would be more than 2³¹ - 1 bytes, or the array more than
    /// 2⁶³ - 1; what [`B2nd::to_bytes`] refuses.
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

    /// The array that a frame is, `None` if it is none; its chunks are checked to be as many and as large as it says.
    ///
    /// # Errors
    ///
    /// What [`B2nd::of`] and [`new`](Self::new) refuse; [`FrameError::TooMany`] or [`FrameError::ChunkSize`] if array and
    /// frame do not agree on the chunks.
    pub fn of(frame: &Frame) -> Result<Option<(B2nd, Self)>, FormatError> {
        let Some(array) = B2nd::of(&frame.header.metalayers)? else { return Ok(None) };
        let grid = Self::new(&array, frame.header.typesize)?;
        let (found, max) = (frame.nchunks(), grid.nchunks);
        if found != max {
            return Err(FrameError::TooMany {
                what: "chunks, in an array that has another number of them",
                found,
                max,
            }
            .into());
        }
        let expected = grid.chunk_nbytes as u64;
        match frame.header.chunksize {
            ChunkSize::Fixed(size) if u64::from(size) != expected && found > 0 => {
                Err(FrameError::ChunkSize { chunk: 0, found: size.into(), expected }.into())
            }
            _ => Ok(Some((array, grid))),
        }
    }

    /// Number of axes.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Bytes of an item.
    #[must_use]
    pub fn itemsize(&self) -> u64 {
        self.itemsize
    }

    /// Number of chunks.
    #[must_use]
    pub fn nchunks(&self) -> u64 {
        self.nchunks
    }

    /// Plain bytes of every chunk, padding included.
    #[must_use]
    pub fn chunk_nbytes(&self) -> usize {
        self.chunk_nbytes
    }

    /// Plain bytes of every block, padding included: block `n` of a chunk starts at `n` times as many.
    #[must_use]
    pub fn block_nbytes(&self) -> usize {
        self.block_nbytes
    }

    /// All of the array.
    #[must_use]
    pub fn all(&self) -> Region {
        Region { start: vec![0; self.ndim()], stop: self.shape.clone() }
    }

    /// Bytes of a region of the array.
    ///
    /// # Errors
    ///
    /// [`FrameError::Ndim`], [`FrameError::Slice`] if it is none.
    pub fn nbytes_of(&self, region: &Region) -> Result<u64, FormatError> {
        region.check(&self.shape)?;
        // No more than the array, whose bytes were counted.
        Ok(product(&region.extents(), self.itemsize).unwrap_or(0))
    }

    /// The chunks that a region of the array touches, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`FrameError::Ndim`], [`FrameError::Slice`] if it is none.
    pub fn parts<'a>(&'a self, region: &'a Region) -> Result<impl Iterator<Item = ChunkPart> + 'a, FormatError> {
        region.check(&self.shape)?;
        let empty = region.is_empty();
        // The chunks of the first and behind the last item. Where a region is not empty, no chunkshape is 0.
        let of =
            |axis: usize, item: u64| self.chunkshape.get(axis).map_or(0, |len| item.checked_div(*len).unwrap_or(0));
        let first: Axes = region.start.iter().enumerate().map(|(axis, start)| of(axis, *start)).collect();
        let behind: Axes =
            region.stop.iter().enumerate().map(|(axis, stop)| of(axis, stop.saturating_sub(1)) + 1).collect();
        let mut next = (!empty).then(|| first.clone());
        Ok(std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &first, &behind) {
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
        // Below the number of chunks, which was counted.
        let nchunk = at.iter().zip(&self.chunks).fold(0, |number, (at, chunks)| number * chunks + at);
        ChunkPart { nchunk, region: Region { start, stop }, at }
    }

    /// Whether a part has all items of the array that its chunk holds: to write them, the old chunk is not needed.
    #[must_use]
    pub fn is_whole(&self, part: &ChunkPart) -> bool {
        let whole = self.part(part.at.clone(), &self.all());
        whole.region == part.region
    }

    /// The numbers of the blocks that a part touches, rising.
    pub fn blocks(&self, part: &ChunkPart) -> impl Iterator<Item = usize> {
        let within = |items: &[u64], behind: u64| -> Axes {
            let axes = items.iter().zip(&part.at).zip(self.chunkshape.iter().zip(&self.blockshape));
            axes.map(|((item, at), (chunk, block))| {
                let item = item.saturating_sub(behind).saturating_sub(at.saturating_mul(*chunk));
                item.checked_div(*block).unwrap_or(0).saturating_add(behind)
            })
            .collect()
        };
        let (first, behind) = (within(&part.region.start, 0), within(&part.region.stop, 1));
        let mut next = Some(first.clone());
        std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &first, &behind) {
                next = Some(following);
            }
            // Blocks of a chunk are fewer than its bytes, which fit an i32.
            Some(at.iter().zip(&self.blocks).fold(0, |number, (at, blocks)| number * blocks + at) as usize)
        })
    }

    /// Copies from a chunk what `part` wants of it to `slice`, which holds `region` in C order.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if `chunk` or `slice` have another length.
    pub fn read(&self, part: &ChunkPart, chunk: &[u8], region: &Region, slice: &mut [u8]) -> Result<(), FormatError> {
        expect_len(chunk, self.chunk_nbytes as u64)?;
        for (nblock, block) in self.blocks(part).filter_map(|nblock| Some((nblock, self.block(chunk, nblock)?))) {
            self.read_block(part, nblock, block, region, slice)?;
        }
        Ok(())
    }

    /// Copies from block `nblock` of a chunk what `part` wants of it: for readers that decode only these.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if `block` or `slice` have another length.
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

    /// Copies `slice`, which holds `region` in C order, to where it belongs in a chunk. Other items of the chunk stay.
    ///
    /// # Errors
    ///
    /// [`FrameError::Buffer`] if `chunk` or `slice` have another length.
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

    /// For each chunk of the array in its `new` shape the one that it has been, or zeros. Chunks that are [`cut`](Self::cut)
    /// are to be written anew besides.
    pub fn resized<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = Slot> + 'a {
        new.grid_places().map(|at| match self.number(&at) {
            Some(chunk) if at.len() == self.ndim() => Slot::Keep(chunk),
            _ => Slot::Special(Special::Zeros),
        })
    }

    /// The chunks that the array has no more in its `new` shape.
    pub fn dropped<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = u64> + 'a {
        self.grid_places().filter(|at| new.number(at).is_none()).filter_map(|at| self.number(&at))
    }

    /// The chunks that stay, but lose items, and what stays of them; the numbers are those in the `new` shape. If the array
    /// ever grows again, what is left of these items shows: [`read`](Self::read) what stays and [`write`](Self::write) it to a
    /// chunk of zeros.
    pub fn cut<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = ChunkPart> + 'a {
        let stays = |at: &Axes| self.number(at).is_some();
        new.grid_places().filter(stays).filter_map(move |at| {
            let old = self.part(at.clone(), &self.all()).region;
            let part = new.part(at, &new.all());
            let loses = old.stop.iter().zip(&part.region.stop).any(|(old, new)| new < old);
            loses.then_some(part)
        })
    }

    fn grid_places(&self) -> impl Iterator<Item = Axes> + '_ {
        let origin = vec![0; self.ndim()];
        let mut next = (self.nchunks > 0).then(|| origin.clone());
        std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &origin, &self.chunks) {
                next = Some(following);
            }
            Some(at)
        })
    }

    /// The number of the chunk at a place of the grid.
    fn number(&self, at: &[u64]) -> Option<u64> {
        let mut axes = at.iter().zip(&self.chunks);
        axes.try_fold(0, |number, (at, chunks)| (at < chunks).then_some(number * chunks + at))
    }

    fn block<'a>(&self, chunk: &'a [u8], nblock: usize) -> Option<&'a [u8]> {
        let at = nblock.checked_mul(self.block_nbytes)?;
        chunk.get(at..at.checked_add(self.block_nbytes)?)
    }

    /// Calls `copy` with place in the block, place in the slice and length of each run of bytes that a part and a block
    /// share, as long as runs can be.
    fn runs(&self, part: &ChunkPart, nblock: usize, slice: &Region, mut copy: impl FnMut(usize, usize, usize)) {
        let ndim = self.ndim();
        let Some(block) = self.block_region(part, nblock) else { return };
        let shared = block.intersect(&part.region).intersect(slice);
        if shared.is_empty() {
            return;
        }
        let (extents, in_block, in_slice) = (shared.extents(), &self.blockshape, slice.extents());
        // The last axes run on where block and slice both have all of each other's items there.
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

    /// The items of a block, those of its padding too, by their indices in the array.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture above.
    #[test]
    fn blocks_follow_each_other() {
        let array = B2nd { version: 0, shape: vec![5, 4], chunkshape: vec![3, 4], blockshape: vec![2, 2], dtype: None };
        let grid = Grid::new(&array, 1).unwrap();
        assert_eq!((grid.nchunks(), grid.chunk_nbytes(), grid.block_nbytes()), (2, 16, 4));
        let items: Vec<u8> = (0..20).collect();
        let all = grid.all();
        let stored = grid.parts(&all).unwrap().map(|part| {
            let mut chunk = vec![99; 16];
            grid.write(&part, &mut chunk, &all, &items).unwrap();
            chunk
        });
        let expected = [
            [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 99, 99, 10, 11, 99, 99],
            [12, 13, 16, 17, 14, 15, 18, 19, 99, 99, 99, 99, 99, 99, 99, 99],
        ];
        assert_eq!(stored.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn arrays_that_no_chunk_could_hold_are_refused() {
        let grid = |shape: u64, chunk: u32, block: u32, itemsize| {
            let array = B2nd {
                version: 0,
                shape: vec![shape; 2],
                chunkshape: vec![chunk; 2],
                blockshape: vec![block; 2],
                dtype: None,
            };
            Grid::new(&array, itemsize).map(|grid| grid.chunk_nbytes()).map_err(|error| error.to_string())
        };
        assert_eq!(grid(1 << 30, 1 << 15, 1 << 10, 1), Ok(1 << 30));
        assert_eq!(grid(1 << 30, 46_340, 46_340, 1), Ok(2_147_395_600));
        for (chunk, block, itemsize, field) in
            [(46_341, 1, 1, "chunkshape"), (46_340, 30_000, 1, "chunkshape"), (30_000, 30_000, 3, "blockshape")]
        {
            let error = format!("b2nd metalayer: {field} takes more than 2147483647 bytes");
            assert_eq!(grid(1 << 30, chunk, block, itemsize), Err(error));
        }
        assert!(grid(1 << 31, 1, 1, 2).is_err_and(|error| error.starts_with("b2nd metalayer: shape")));
    }

    #[test]
    fn slices_are_checked() {
        let array = B2nd { version: 0, shape: vec![5], chunkshape: vec![3], blockshape: vec![2], dtype: None };
        let grid = Grid::new(&array, 1).unwrap();
        let region = |start: &[u64], stop: &[u64]| Region { start: start.to_vec(), stop: stop.to_vec() };
        let says = |region: &Region| grid.parts(region).map(Iterator::count).map_err(|error| error.to_string());
        assert_eq!(says(&region(&[2], &[4])), Ok(2));
        assert_eq!(says(&region(&[5], &[5])), Ok(0));
        assert_eq!(says(&region(&[4], &[6])), Err("axis 0: 4..6 is not within 0..5".to_owned()));
        assert_eq!(says(&region(&[3], &[2])), Err("axis 0: 3..2 is not within 0..5".to_owned()));
        assert_eq!(says(&region(&[], &[])), Err("0 axes, but the array has 1".to_owned()));
        // A buffer for another region than the part's gets what both have.
        let part = grid.parts(&grid.all()).unwrap().next().unwrap();
        let mut slice = [9; 2];
        grid.read(&part, &[1, 2, 3, 0], &region(&[2], &[4]), &mut slice).unwrap();
        assert_eq!(slice, [3, 9]);
        assert!(grid.read(&part, &[1, 2, 3], &region(&[2], &[4]), &mut slice).is_err());
    }
}
