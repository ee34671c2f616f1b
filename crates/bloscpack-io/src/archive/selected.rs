//! Strided selections: of each chunk only the blocks that hold a selected item are decoded.

use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::numpy::{Run, Runs, Selection, Strided};

use super::Archive;
use crate::container::{Plain, Worker};
use crate::run::pipeline;
use crate::source::gather;
use crate::{Error, UnpackOptions};

/// Bytes between two runs of a chunk that are decoded with them: blocks are larger, and ranges take memory.
const GAP: u64 = 512;

/// A chunk and what is wanted of it.
struct Wanted<T> {
    chunk: u64,
    /// Ranges of its plain bytes, rising.
    ranges: Vec<Range<usize>>,
    copy: T,
}

/// The runs of a linear copy that start in, or reach into, a chunk.
struct Part {
    /// The rest of the first run.
    first: Run,
    runs: Runs,
    /// The plain bytes of the chunk.
    within: Range<u64>,
}

impl Archive<'_> {
    /// Copies items of an archive whose plain bytes are the items, one after the other, into `items`.
    pub(crate) fn copy_strided(&self, copy: &Strided, items: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        if let Some((source, start)) = self.uncompressed() {
            options.cancel.check()?;
            return gather(source, start, copy, items);
        }
        let mut runs = copy.runs();
        let mut first = runs.next();
        let next = || -> Result<Option<Wanted<Part>>, Error> {
            let Some(run) = first else { return Ok(None) };
            let chunk = self.chunk_of(run.from)?;
            let within = self.chunk_range(chunk)?;
            if !within.contains(&run.from) {
                return Err(Error::PlainSize { found: run.from, expected: self.nbytes() });
            }
            let part = Part { first: run, runs: runs.clone(), within: within.clone() };
            let mut ranges: Vec<Range<usize>> = Vec::new();
            while let Some(run) = first.filter(|run| within.contains(&run.from)) {
                let end = run.from.saturating_add(run.len);
                // A chunk has less than 2 GiB.
                let found = (run.from - within.start) as usize..(end.min(within.end) - within.start) as usize;
                match ranges.last_mut() {
                    Some(last) if (found.start - last.end) as u64 <= GAP => last.end = found.end,
                    _ => {
                        memory::push(&mut ranges, found)?;
                    }
                }
                // A run may go on in the next chunk.
                let taken = end.min(within.end) - run.from;
                let rest = Run { from: run.from + taken, to: run.to + taken, len: run.len - taken };
                first = if rest.len > 0 { Some(rest) } else { runs.next() };
            }
            Ok(Some(Wanted { chunk, ranges, copy: part }))
        };
        self.decode_wanted(next, options, |wanted, plain| {
            let Part { first, runs, within } = wanted.copy;
            let mut at = Located { ranges: wanted.ranges.into_iter(), current: 0..0, before: 0 };
            for run in std::iter::once(first).chain(runs).take_while(|run| within.contains(&run.from)) {
                let len = run.len.min(within.end - run.from) as usize;
                let from = at.find((run.from - within.start) as usize);
                place(items, run.to, plain.get(from..from + len).unwrap_or_default());
            }
            Ok(())
        })
    }

    /// Copies the selected items of an array in a frame into `items`, which holds them in C order.
    pub(crate) fn copy_selected(
        &self,
        selection: &Selection,
        items: &mut [u8],
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let grid = self.expect_grid()?;
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
            Ok(Some(Wanted { chunk: chunk.nchunk, ranges, copy: chunk }))
        };
        self.decode_wanted(next, options, |wanted, plain| {
            let blocks = plain.chunks_exact(size.max(1));
            for ((_, copy), block) in grid.selected_blocks(selection, &wanted.copy).zip(blocks) {
                for run in copy.runs() {
                    let from = run.from as usize;
                    place(items, run.to, block.get(from..from + run.len as usize).unwrap_or_default());
                }
            }
            Ok(())
        })
    }

    /// Decodes the ranges of each chunk, on all threads, and hands them out in order. Zeros of which no byte is stored are
    /// left out: `items` starts as zeros.
    fn decode_wanted<T: Send>(
        &self,
        next: impl FnMut() -> Result<Option<Wanted<T>>, Error>,
        options: &UnpackOptions,
        mut write: impl FnMut(Wanted<T>, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let parallelism = options.threads.for_blocks(Some(self.nchunks()));
        pipeline::run_within(
            (&options.limits, &|wanted: &Wanted<T>| self.container.weight(wanted.chunk, options)),
            &options.threads,
            &options.cancel,
            || Ok(self.worker(options.limits, parallelism, &options.cancel)),
            next,
            |worker: &mut Worker, wanted: Wanted<T>| {
                let plain = self.decode(worker, wanted.chunk, Some(&wanted.ranges))?;
                Ok((wanted, plain))
            },
            |(wanted, plain): (Wanted<T>, Plain)| {
                if plain.is_zeros() {
                    return Ok(());
                }
                write(wanted, &plain.into_vec_within(&options.limits)?)
            },
        )
    }
}

/// Where the bytes of ranges are that follow each other in a buffer.
struct Located {
    ranges: std::vec::IntoIter<Range<usize>>,
    current: Range<usize>,
    /// Bytes of the ranges before the current one.
    before: usize,
}

impl Located {
    /// The offset in the buffer of a byte of the ranges, each asked for no earlier than the one before.
    fn find(&mut self, at: usize) -> usize {
        while at >= self.current.end {
            let Some(next) = self.ranges.next() else { break };
            self.before += self.current.len();
            self.current = next;
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
