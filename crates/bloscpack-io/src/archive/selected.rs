//! Reads strided selections. Only the blocks that hold a selected item are decoded.

use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::frame::Grid;
use bloscpack_format::numpy::{Run, Runs, Selection, Strided};

use super::decoding::{DecodeJob, Decoding, Ranges};
use crate::Error;
use crate::container::Plain;
use crate::source::gather;

/// Maximum gap in bytes between two runs of a chunk that are decoded as one range. Blocks are larger than this, and
/// each range takes memory.
const MAX_GAP: u64 = 512;

/// The runs of a linear copy that start in a chunk or reach into it.
struct Part {
    /// The rest of the first run, which may have started in an earlier chunk.
    first: Run,
    runs: Runs,
    /// The range of the chunk within all plain bytes.
    within: Range<u64>,
}

/// Copies items of an archive whose plain bytes are consecutive items into `items`, which must be zeroed.
pub(super) fn copy_strided(decoding: Decoding<'_>, copy: &Strided, items: &mut [u8]) -> Result<(), Error> {
    let archive = decoding.archive();
    if let Some((source, start)) = archive.uncompressed() {
        decoding.options().cancel.check()?;
        return gather(source, start, copy, items);
    }
    let mut runs = copy.runs();
    let mut first = runs.next();
    let next = || {
        let Some(run) = first else { return Ok(None) };
        let chunk = archive.chunk_of(run.from)?;
        let within = archive.chunk_range(chunk)?;
        if !within.contains(&run.from) {
            return Err(Error::PlainSize { found: run.from, expected: archive.nbytes() });
        }
        let part = Part { first: run, runs: runs.clone(), within: within.clone() };
        let mut ranges: Vec<Range<usize>> = Vec::new();
        while let Some(run) = first.filter(|run| within.contains(&run.from)) {
            let end = run.from.saturating_add(run.len);
            // A chunk has less than 2 GiB.
            let found = (run.from - within.start) as usize..(end.min(within.end) - within.start) as usize;
            match ranges.last_mut() {
                Some(last) if (found.start - last.end) as u64 <= MAX_GAP => last.end = found.end,
                _ => memory::push(&mut ranges, found)?,
            }
            // A run may continue in the next chunk.
            let taken = end.min(within.end) - run.from;
            let rest = Run { from: run.from + taken, to: run.to + taken, len: run.len - taken };
            first = if rest.len > 0 { Some(rest) } else { runs.next() };
        }
        Ok(Some(DecodeJob { chunk, ranges: Ranges::Many(ranges), task: part }))
    };
    each_stored(decoding, next, |DecodeJob { ranges, task: Part { first, runs, within }, .. }, plain| {
        let mut located = Located::new(&ranges);
        for run in std::iter::once(first).chain(runs).take_while(|run| within.contains(&run.from)) {
            let len = run.len.min(within.end - run.from) as usize;
            let from = located.find((run.from - within.start) as usize);
            place(items, run.to, plain.get(from..from + len).unwrap_or_default());
        }
    })
}

/// Copies the selected items of an array in a frame into `items`, in C order. `items` must be zeroed.
pub(super) fn copy_selected(
    decoding: Decoding<'_>,
    grid: &Grid,
    selection: &Selection,
    items: &mut [u8],
) -> Result<(), Error> {
    let mut chunks = grid.selected(selection);
    let size = grid.block_nbytes();
    let next = || {
        let Some(chunk) = chunks.next() else { return Ok(None) };
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (nblock, _) in grid.selected_blocks(selection, &chunk) {
            match ranges.last_mut() {
                Some(last) if last.end == nblock * size => last.end += size,
                _ => memory::push(&mut ranges, nblock * size..(nblock + 1) * size)?,
            }
        }
        Ok(Some(DecodeJob { chunk: chunk.nchunk, ranges: Ranges::Many(ranges), task: chunk }))
    };
    each_stored(decoding, next, |DecodeJob { task: chunk, .. }, plain| {
        let blocks = plain.chunks_exact(size.max(1));
        for ((_, copy), block) in grid.selected_blocks(selection, &chunk).zip(blocks) {
            for run in copy.runs() {
                let from = run.from as usize;
                place(items, run.to, block.get(from..from + run.len as usize).unwrap_or_default());
            }
        }
    })
}

/// Decodes ranges of chunks and passes their bytes to `write`, in order. Zeros without stored bytes are skipped.
fn each_stored<T: Send>(
    decoding: Decoding<'_>,
    next: impl FnMut() -> Result<Option<DecodeJob<T>>, Error>,
    mut write: impl FnMut(DecodeJob<T>, &[u8]),
) -> Result<(), Error> {
    decoding.each(decoding.archive().nchunks(), next, |wanted, plain: Plain| {
        if !plain.is_zeros() {
            write(wanted, &plain.into_vec_within(&decoding.options().limits)?);
        }
        Ok(())
    })
}

/// Locates bytes of a chunk in a buffer that holds ranges of the chunk, concatenated.
struct Located<'a> {
    ranges: std::slice::Iter<'a, Range<usize>>,
    current: Range<usize>,
    /// Number of bytes in the ranges before the current one.
    before: usize,
}

impl<'a> Located<'a> {
    fn new(ranges: &'a Ranges) -> Self {
        Located { ranges: ranges.as_slice().unwrap_or_default().iter(), current: 0..0, before: 0 }
    }

    /// Returns the offset in the buffer of byte `at` of the chunk. Calls must be in ascending order of `at`.
    fn find(&mut self, at: usize) -> usize {
        while at >= self.current.end {
            let Some(next) = self.ranges.next() else { break };
            self.before += self.current.len();
            self.current = next.clone();
        }
        self.before + at.saturating_sub(self.current.start)
    }
}

fn place(items: &mut [u8], to: u64, bytes: &[u8]) {
    let to = usize::try_from(to).unwrap_or(usize::MAX);
    if let Some(place) = items.get_mut(to..to.saturating_add(bytes.len())) {
        place.copy_from_slice(bytes);
    }
}
