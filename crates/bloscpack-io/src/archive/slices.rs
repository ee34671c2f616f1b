//! Arrays in frames: slices of any axes, and the items in C order as a stream.

use std::io::{self, Write};
use std::ops::Range;

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::frame::{ChunkPart, Grid, Region};

use super::Archive;
use super::boxes::Boxes;
use crate::container::{Plain, Worker};
use crate::in_memory::room;
use crate::run::pipeline;
use crate::{Error, Threads, UnpackOptions};

/// Bytes of items that are put together at a time, unless one item has more.
const MOST: u64 = 32 << 20;

/// The same if memory is dear: chunks need some of it, too. It may be that nothing is stored of the items.
pub(crate) fn most_of(limits: &Limits) -> u64 {
    MOST.min(limits.max_memory as u64 / 4).min(limits.max_unearned as u64)
}

impl Archive<'_> {
    /// The items of a region of the array, in C order. Every block that the region touches is read and decoded once.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if this is no array; [`Error::Format`] if it has no such region; what
    /// [`Archive::compressed_chunk`] answers; [`Error::Io`] if there is no memory for so many.
    pub fn read_slice(&self, region: &Region) -> Result<Vec<u8>, Error> {
        self.items_of(
            region,
            &UnpackOptions::new().limits(self.limits).threads(Threads::Serial).cancel(self.cancel.clone()),
        )
    }

    /// Writes the items of a region of the array to `output`, in C order. At most 32 MiB of them, or a quarter of
    /// [`Limits::max_memory`], are in memory besides the
    /// chunks in flight: rows of chunks if one is not more, else of blocks. Every block is read and decoded once unless
    /// already a row of blocks is more than that.
    ///
    /// # Errors
    /// As [`Archive::read_slice`], and [`Error::Cancelled`].
    pub fn copy_slice(&self, region: &Region, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        let grid = self.expect_grid()?;
        let items = grid.nbytes_of(region)?.checked_div(grid.itemsize()).unwrap_or(0);
        self.copy_items_of(region, 0..items, output, options)
    }

    /// The plain bytes of a range of the array's, in C order.
    pub(super) fn copy_array_range(
        &self,
        range: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let grid = self.expect_grid()?;
        let itemsize = grid.itemsize().max(1);
        let items = range.start / itemsize..range.end.div_ceil(itemsize);
        let mut window = Window { output, skip: range.start % itemsize, left: range.end - range.start };
        self.copy_items_of(&grid.all(), items, &mut window, options)
    }

    fn copy_items_of(
        &self,
        region: &Region,
        items: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let (Some(array), grid) = (self.array(), self.expect_grid()?) else { return Ok(()) };
        let limits = options.limits.max_nbytes(usize::MAX);
        let options = &options.clone().limits(limits);
        let most = most_of(&limits).checked_div(grid.itemsize()).unwrap_or(1);
        for region in Boxes::new(array, region, items, most) {
            let items = self.items_of(&region, options)?;
            output.write_all(&items).map_err(Error::writing)?;
        }
        Ok(())
    }

    pub(super) fn expect_grid(&self) -> Result<&Grid, Error> {
        self.grid().ok_or_else(|| Error::not_an_array("the file is not a b2nd array"))
    }

    /// The items of a region.
    fn items_of(&self, region: &Region, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        let grid = self.expect_grid()?;
        let nbytes = grid.nbytes_of(region)?;
        self.check_output(nbytes, &options.limits)?;
        let mut items = room(nbytes)?;
        let mut parts = grid.parts(region)?;
        pipeline::run_within(
            (&options.limits, &|part: &ChunkPart| self.container.weight(part.nchunk, options)),
            &options.threads,
            &options.cancel,
            || Ok(self.worker(options.limits, options.threads.for_blocks(Some(grid.nchunks())), &options.cancel)),
            || Ok(parts.next()),
            |worker: &mut Worker, part: ChunkPart| {
                let blocks = self.decode(worker, part.nchunk, Some(&block_ranges(grid, &part)?))?;
                Ok((part, blocks))
            },
            |(part, blocks): (ChunkPart, Plain)| {
                if blocks.is_zeros() {
                    return Ok(());
                }
                let blocks = blocks.into_vec_within(&options.limits)?;
                for (nblock, block) in grid.blocks(&part).zip(blocks.chunks_exact(grid.block_nbytes().max(1))) {
                    grid.read_block(&part, nblock, block, region, &mut items)?;
                }
                Ok(())
            },
        )?;
        Ok(items)
    }
}

/// Where the blocks that a part touches are in the plain bytes of its chunk; neighbours are one range.
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

/// Passes a window of what is written on.
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
