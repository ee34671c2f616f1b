//! Reads items of arrays in frames: slices along any axes, and all items in C order as a stream.

use std::io::{self, Write};
use std::ops::Range;

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::frame::{B2nd, ChunkPart, Grid, Region};

use super::Archive;
use super::boxes::Boxes;
use super::decoding::{DecodeJob, Decoding, Ranges};
use crate::container::Plain;
use crate::in_memory::room;
use crate::{Error, UnpackOptions};

/// Maximum size in bytes of the items in memory at a time, unless a single item is larger.
const MAX_ITEMS_NBYTES: u64 = 32 << 20;

/// Returns [`MAX_ITEMS_NBYTES`], or the size of a row of chunks if these are decoded as a whole, reduced to the limits: at
/// most a quarter of `max_memory`, because chunks need memory
/// too, and at most `max_unearned`, which bounds output without stored bytes.
pub(crate) fn max_items_nbytes(archive: &Archive<'_>, limits: &Limits) -> u64 {
    let most = MAX_ITEMS_NBYTES.max(archive.container().row_of_whole_chunks());
    most.min(limits.max_memory as u64 / 4).min(limits.max_unearned as u64)
}

/// The array in a frame.
#[derive(Clone, Copy)]
pub(super) struct FrameArray<'a> {
    array: &'a B2nd,
    grid: &'a Grid,
}

impl<'a> FrameArray<'a> {
    pub(super) fn new((array, grid): (&'a B2nd, &'a Grid)) -> Self {
        FrameArray { array, grid }
    }

    pub(super) fn grid(&self) -> &'a Grid {
        self.grid
    }

    /// Cuts the items `items` of `region` into boxes of at most `max` items, or of one item.
    pub(super) fn boxes(&self, region: &'a Region, items: Range<u64>, max: u64) -> Boxes<'a> {
        Boxes::new(self.array, region, items, max)
    }

    /// Copies the items of a region, in C order.
    pub(super) fn copy(&self, decoding: Decoding<'_>, region: &Region, output: &mut impl Write) -> Result<(), Error> {
        let items = self.grid.nbytes_of(region)?.checked_div(self.grid.itemsize()).unwrap_or(0);
        self.copy_items(decoding, region, 0..items, output)
    }

    /// Copies a range of the bytes of all items, in C order.
    pub(super) fn copy_range(
        &self,
        decoding: Decoding<'_>,
        range: Range<u64>,
        output: &mut impl Write,
    ) -> Result<(), Error> {
        let itemsize = self.grid.itemsize().max(1);
        let items = range.start / itemsize..range.end.div_ceil(itemsize);
        let mut window = Window { output, skip: range.start % itemsize, left: range.end - range.start };
        self.copy_items(decoding, &self.grid.all(), items, &mut window)
    }

    fn copy_items(
        &self,
        decoding: Decoding<'_>,
        region: &Region,
        items: Range<u64>,
        output: &mut impl Write,
    ) -> Result<(), Error> {
        let limits = decoding.options().limits.max_nbytes(usize::MAX);
        let options = UnpackOptions { limits, ..decoding.options().clone() };
        let decoding = Decoding::new(decoding.archive(), &options);
        let max = max_items_nbytes(decoding.archive(), &limits).checked_div(self.grid.itemsize()).unwrap_or(1);
        for region in Boxes::new(self.array, region, items, max) {
            let items = self.read(decoding, &region)?;
            output.write_all(&items).map_err(Error::writing)?;
        }
        Ok(())
    }

    /// Reads the items of a region, in C order. Each block that the region touches is read and decoded once.
    pub(super) fn read(&self, decoding: Decoding<'_>, region: &Region) -> Result<Vec<u8>, Error> {
        let (grid, limits) = (self.grid, &decoding.options().limits);
        let nbytes = grid.nbytes_of(region)?;
        decoding.archive().check_output(nbytes, limits)?;
        let mut items = room(nbytes)?;
        let mut parts = grid.parts(region)?;
        let next = || {
            let Some(part) = parts.next() else { return Ok(None) };
            let ranges = Ranges::Many(block_ranges(grid, &part)?);
            Ok(Some(DecodeJob { chunk: part.nchunk, ranges, task: part }))
        };
        decoding.each(grid.nchunks(), next, |DecodeJob { task: part, .. }, plain: Plain| {
            if plain.is_zeros() {
                return Ok(());
            }
            let blocks = plain.into_vec_within(limits)?;
            for (nblock, block) in grid.blocks(&part).zip(blocks.chunks_exact(grid.block_nbytes().max(1))) {
                grid.read_block(&part, nblock, block, region, &mut items)?;
            }
            Ok(())
        })?;
        Ok(items)
    }
}

/// Returns the ranges of the blocks that a part touches, within the plain bytes of its chunk. Adjacent blocks share a
/// range.
fn block_ranges(grid: &Grid, part: &ChunkPart) -> Result<Vec<Range<usize>>, OutOfMemory> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for nblock in grid.blocks(part) {
        let start = nblock * grid.block_nbytes();
        let end = start + grid.block_nbytes();
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => memory::push(&mut ranges, start..end)?,
        }
    }
    Ok(ranges)
}

/// A writer that forwards only a window of the bytes written to it.
struct Window<'a, W> {
    output: &'a mut W,
    skip: u64,
    left: u64,
}

impl<W: Write> Write for Window<'_, W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(buf.len() as u64);
        self.skip -= skipped;
        let wanted = buf.get(skipped as usize..).unwrap_or_default();
        let wanted = wanted.get(..self.left.min(wanted.len() as u64) as usize).unwrap_or_default();
        self.output.write_all(wanted)?;
        self.left -= wanted.len() as u64;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
