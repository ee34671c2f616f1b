//! Reads rows of a carray: a range, every nth row, or block by block. Only the blocks of a chunk that contain the rows
//! are decoded.

use std::io::Write;
use std::num::NonZeroU64;
use std::ops::Range;

use blosc_core::{Decoder, OutOfMemory, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ChunkRows, Rows};
use bloscpack_format::numpy::NumpyError;

use super::carray::Carray;
use crate::in_memory::{InMemory, Stored};
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::ReadDirectory;
use crate::{Error, Threads, UnpackOptions};

/// Maximum distance in bytes between selected rows that are decoded together with the rows between them. Such rows are
/// mostly in the same blocks, and separate ranges take memory.
const NEAR: u64 = 4096;

/// Rows of one chunk: the bytes to decode, and the selected rows among them.
struct ChunkRange {
    chunk: u64,
    ranges: Vec<Range<usize>>,
    /// Distance between selected rows in the decoded bytes, in rows, starting with the first.
    step: usize,
}

impl<D: ReadDirectory> Carray<D> {
    /// Reads the plain bytes of a range of rows.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows(&self, rows: Range<u64>) -> Result<Vec<u8>, Error> {
        self.read_rows_by(rows, NonZeroU64::MIN)
    }

    /// [`read_rows`](Self::read_rows) with the threads, the limits and the cancel switch of `options`.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows_with(&self, rows: Range<u64>, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        self.read(rows, options)
    }

    /// Reads the plain bytes of every `step`th row of a range, starting with its first.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows_by(&self, rows: Range<u64>, step: NonZeroU64) -> Result<Vec<u8>, Error> {
        let options = UnpackOptions::new().limits(self.limits).threads(Threads::Serial);
        if step == NonZeroU64::MIN {
            return self.read(rows, &options);
        }
        let stored = Stored::new(u64::MAX);
        let mut bytes = InMemory::new(&options.limits, &stored);
        self.copy_rows(rows, step, &mut bytes, &options).map_err(|error| bytes.explain(error))?;
        Ok(bytes.bytes)
    }

    /// Reads the plain bytes of one row.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_row(&self, row: u64) -> Result<Vec<u8>, Error> {
        self.read_rows(row..row.saturating_add(1))
    }

    /// Reads all plain bytes with many threads.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_all(&self, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        self.read(0..self.len(), options)
    }

    /// Reads the plain bytes of a range of rows into `plain`, which must have their size. Chunks are decoded directly
    /// into it.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`]; [`Error::NotRows`] if `plain` has another size. After an error, parts of `plain` may
    /// have been written.
    pub fn read_rows_into(&self, rows: Range<u64>, plain: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        let chunks = self.check_range(&rows)?;
        let (all, meta, count) = (self.meta.rows, &self.meta, rows.end - rows.start);
        if plain.len() as u64 != count * all.atomsize() {
            let found = plain.len() as u64;
            return Err(Error::NotRows { found, atomsize: all.atomsize(), rows: Some(count) });
        }
        let parallelism = options.threads.for_blocks(Some(chunks.end - chunks.start));
        let (mut parts, mut left) = (all.parts(rows), plain);
        // The caller provides the output memory, so `max_nbytes` does not apply.
        let limits = options.limits.max_nbytes(usize::MAX);
        type Part<'a> = (u64, Range<usize>, &'a mut [u8]);
        pipeline::run_within(
            (&limits, &|(chunk, ..): &Part<'_>| self.weight(*chunk, options)),
            &options.threads,
            &options.cancel,
            || Ok((decoder_of(options).limits(limits).parallelism(parallelism), Vec::new())),
            || {
                Ok(parts.next().map(|ChunkRows { chunk, rows }| {
                    let range = bytes_of(&all, rows);
                    let (place, after) = std::mem::take(&mut left).split_at_mut(range.len());
                    left = after;
                    (chunk, range, place)
                }))
            },
            |state, (chunk, range, place): Part<'_>| meta.decode_into(&self.dir, state, &limits, chunk, range, place),
            Ok,
        )
    }

    fn read(&self, rows: Range<u64>, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        let chunks = self.check_range(&rows)?;
        // An invalid length has no chunk files, so memory is only allocated in proportion to the compressed bytes
        // found. If a chunk file is missing or damaged, decode in order, to report the first error.
        let wanted = (rows.end - rows.start).saturating_mul(self.meta.rows.atomsize());
        options.limits.check_output(wanted, wanted)?;
        let file = |chunk| self.meta.check_chunk_file(&self.dir, chunk, &options.limits).ok();
        let Some(stored) = chunks.clone().map(file).try_fold(0, |sum: u64, cbytes| sum.checked_add(cbytes?)) else {
            let stored = Stored::new(wanted);
            let mut plain = InMemory::new(&options.limits, &stored);
            self.copy_rows(rows, NonZeroU64::MIN, &mut plain, options).map_err(|error| plain.explain(error))?;
            return Ok(plain.bytes);
        };
        options.limits.check_output(wanted, stored)?;
        let nbytes = usize::try_from((rows.end - rows.start) * self.meta.rows.atomsize())
            .map_err(|_| OutOfMemory::new(usize::MAX))?;
        // Zeroed memory takes no physical memory until it is written. The allowed size may still be more than the
        // system has.
        let mut plain = memory::zeroed(nbytes)?;
        self.read_rows_into(rows, &mut plain, options)?;
        Ok(plain)
    }

    /// Refuses rows out of range, and Python objects, which have no bytes per row. Returns the chunks that contain the
    /// rows.
    fn check_range(&self, rows: &Range<u64>) -> Result<Range<u64>, Error> {
        let all = self.meta.rows;
        if rows.start > rows.end || rows.end > all.len() {
            return Err(Error::Range { unit: "rows", start: rows.start, end: rows.end, len: all.len() });
        }
        if self.meta.is_object() {
            return Err(FormatError::Numpy(NumpyError::Object).into());
        }
        Ok(all.chunks_of(rows.clone()))
    }

    /// Writes the plain bytes of every `step`th row of a range to `output`. The threads of the options read and decode
    /// chunks. Memory is bounded by the number of threads and the size of a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if the rows do not exist; [`Error::InFile`] if a chunk file is missing or damaged;
    /// [`Error::Format`] for Python objects, which have no bytes per row ([`Carray::chunk`] returns the pickle of one);
    /// [`Error::Io`], [`Error::Cancelled`].
    pub fn copy_rows(
        &self,
        rows: Range<u64>,
        step: NonZeroU64,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let (all, meta) = (self.meta.rows, &self.meta);
        let chunks = self.check_range(&rows)?;
        let mut parts = all.parts(rows.clone()).filter_map(|part| wanted(&all, part, rows.start, step));
        let parallelism = options.threads.for_blocks(Some(chunks.end - chunks.start));
        // The output is a writer, so `max_nbytes` does not apply.
        let limits = options.limits.max_nbytes(usize::MAX);
        pipeline::run_within(
            (&limits, &|wanted: &ChunkRange| self.weight(wanted.chunk, options)),
            &options.threads,
            &options.cancel,
            || Ok(decoder_of(options).limits(limits).parallelism(parallelism)),
            || Ok(parts.next()),
            |decoder: &mut Decoder, wanted: ChunkRange| {
                let plain = meta.decode(&self.dir, decoder, &limits, wanted.chunk, &wanted.ranges)?;
                Ok(thinned(plain, all.atomsize() as usize, wanted.step))
            },
            |plain: Vec<u8>| output.write_all(&plain).map_err(Error::writing),
        )?;
        output.flush().map_err(Error::writing)
    }

    /// Returns the memory that decoding a chunk takes.
    fn weight(&self, chunk: u64, options: &UnpackOptions) -> Weight {
        let cbytes = || self.meta.cbytes_of(&self.dir, chunk);
        Weight::of_chunk(self.meta.nbytes_in_memory(chunk), &options.threads, &options.limits, cbytes)
    }

    /// Returns an iterator over the plain bytes of blocks of `blocklen` rows. The last block may be shorter.
    pub fn blocks<'a>(&'a self, blocklen: NonZeroU64, options: &UnpackOptions) -> Blocks<'a, D> {
        Blocks { carray: self, at: 0, blocklen, options: options.clone() }
    }
}

/// Blocks of rows, from [`Carray::blocks`].
#[derive(Debug)]
pub struct Blocks<'a, D> {
    carray: &'a Carray<D>,
    at: u64,
    blocklen: NonZeroU64,
    options: UnpackOptions,
}

impl<D: ReadDirectory> Iterator for Blocks<'_, D> {
    type Item = Result<Vec<u8>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let len = self.carray.len();
        let rows = self.at..self.at.saturating_add(self.blocklen.get()).min(len);
        if rows.is_empty() {
            return None;
        }
        self.at = rows.end;
        let stored = Stored::new(u64::MAX);
        let mut bytes = InMemory::new(&self.options.limits, &stored);
        let copied = self.carray.copy_rows(rows, NonZeroU64::MIN, &mut bytes, &self.options);
        let copied = copied.map_err(|error| bytes.explain(error));
        // The iterator ends after an error.
        self.at = if copied.is_ok() { self.at } else { len };
        Some(copied.map(|()| bytes.bytes))
    }
}

/// Returns the range of bytes of rows within a chunk, which has less than 2 GiB.
fn bytes_of(all: &Rows, rows: Range<u64>) -> Range<usize> {
    (rows.start * all.atomsize()) as usize..(rows.end * all.atomsize()) as usize
}

/// Returns the bytes of a chunk that contain every `step`th row, counted from row `first` of the array. `None` if the
/// chunk contains no such row.
fn wanted(all: &Rows, part: ChunkRows, first: u64, step: NonZeroU64) -> Option<ChunkRange> {
    let ChunkRows { chunk, rows } = part;
    let bytes = |rows| bytes_of(all, rows);
    if step == NonZeroU64::MIN {
        return Some(ChunkRange { chunk, ranges: vec![bytes(rows)], step: 1 });
    }
    let before = (all.rows_of(chunk).start + rows.start - first) % step;
    let start = rows.start.checked_add((step.get() - before) % step)?;
    if start >= rows.end {
        return None;
    }
    if step.get().saturating_mul(all.atomsize()) <= NEAR {
        return Some(ChunkRange { chunk, ranges: vec![bytes(start..rows.end)], step: step.get() as usize });
    }
    let at = std::iter::successors(Some(start), |row| row.checked_add(step.get()).filter(|row| *row < rows.end));
    Some(ChunkRange { chunk, ranges: at.map(|row| bytes(row..row + 1)).collect(), step: 1 })
}

/// Keeps every `step`th of these rows.
fn thinned(mut plain: Vec<u8>, atomsize: usize, step: usize) -> Vec<u8> {
    if step == 1 {
        return plain;
    }
    let mut len = 0;
    for at in (0..plain.len()).step_by(atomsize.saturating_mul(step).max(1)) {
        // `plain` contains only whole rows.
        let end = (at + atomsize).min(plain.len());
        plain.copy_within(at..end, len);
        len += end - at;
    }
    plain.truncate(len);
    plain
}

/// Returns a decoder with the cancel switch of the options.
fn decoder_of(options: &UnpackOptions) -> Decoder {
    Decoder::new().cancel(options.cancel.clone())
}
