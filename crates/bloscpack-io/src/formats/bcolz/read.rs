//! Rows of a carray: a range of them, every nth, block by block. Of a chunk, only the blocks that they are in are decoded.

use std::io::Write;
use std::num::NonZeroU64;
use std::ops::Range;

use blosc_core::{Decoder, OutOfMemory, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ChunkRows, Rows};
use bloscpack_format::numpy::NumpyError;

use super::carray::Carray;
use crate::in_memory::InMemory;
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::ReadDirectory;
use crate::{Error, Threads, UnpackOptions};

/// Rows of every nth that are nearer to each other than this are decoded with what is between them: they are in the same
/// blocks, and a range takes memory of its own.
const NEAR: u64 = 4096;

/// Rows of one chunk: which bytes are decoded, and which of these are wanted.
struct Wanted {
    chunk: u64,
    ranges: Vec<Range<usize>>,
    /// Atoms from one wanted one to the next in what was decoded, from the first on.
    step: usize,
}

impl<D: ReadDirectory> Carray<D> {
    /// The plain bytes of a range of rows.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows(&self, rows: Range<u64>) -> Result<Vec<u8>, Error> {
        self.read_rows_by(rows, NonZeroU64::MIN)
    }

    /// The plain bytes of every `step`th of a range of rows, from its first on.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows_by(&self, rows: Range<u64>, step: NonZeroU64) -> Result<Vec<u8>, Error> {
        let options = UnpackOptions::new().limits(self.limits).threads(Threads::Serial);
        if step == NonZeroU64::MIN {
            return self.read(rows, &options);
        }
        let mut bytes = InMemory::new(&options.limits, u64::MAX);
        self.copy_rows(rows, step, &mut bytes, &options).map_err(|error| bytes.explain(error))?;
        Ok(bytes.bytes)
    }

    /// The plain bytes of one row.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_row(&self, row: u64) -> Result<Vec<u8>, Error> {
        self.read_rows(row..row.saturating_add(1))
    }

    /// All plain bytes, by many threads.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_all(&self, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        self.read(0..self.len(), options)
    }

    /// The plain bytes of a range of rows, into a place of as many bytes: chunks are decoded where they belong.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`]; [`Error::NotRows`] if the place has another size. Something may have been written then.
    pub fn read_rows_into(&self, rows: Range<u64>, plain: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        let chunks = self.check_range(&rows)?;
        let (all, meta, count) = (self.meta.rows, &self.meta, rows.end - rows.start);
        if plain.len() as u64 != count * all.atomsize() {
            let found = plain.len() as u64;
            return Err(Error::NotRows { found, atomsize: all.atomsize(), rows: Some(count) });
        }
        let parallelism = options.threads.for_blocks(Some(chunks.end - chunks.start));
        let (mut parts, mut left) = (all.parts(rows), plain);
        // The output is the caller's.
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
                    let (place, behind) = std::mem::take(&mut left).split_at_mut(range.len());
                    left = behind;
                    (chunk, range, place)
                }))
            },
            |state, (chunk, range, place): Part<'_>| meta.decode_into(&self.dir, state, &limits, chunk, range, place),
            Ok,
        )
    }

    fn read(&self, rows: Range<u64>, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        let chunks = self.check_range(&rows)?;
        // A length that is made up has no chunks: so much memory has to be earned by each of them. Where one is wanting, what
        // is wrong in front of it, if there is something, is said first.
        let wanted = (rows.end - rows.start).saturating_mul(self.meta.rows.atomsize());
        options.limits.check_output(wanted, wanted)?;
        let file = |chunk| self.meta.check_chunk_file(&self.dir, chunk, &options.limits).ok();
        let Some(stored) = chunks.clone().map(file).try_fold(0, |sum: u64, cbytes| sum.checked_add(cbytes?)) else {
            let mut plain = InMemory::new(&options.limits, wanted);
            self.copy_rows(rows, NonZeroU64::MIN, &mut plain, options).map_err(|error| plain.explain(error))?;
            return Ok(plain.bytes);
        };
        options.limits.check_output(wanted, stored)?;
        let nbytes = usize::try_from((rows.end - rows.start) * self.meta.rows.atomsize())
            .map_err(|_| OutOfMemory::new(usize::MAX))?;
        // Zeros that nobody writes to take no memory. What is earned may still be more than there is.
        let mut plain = memory::zeroed(nbytes)?;
        self.read_rows_into(rows, &mut plain, options)?;
        Ok(plain)
    }

    /// Refuses rows that are not there, and such as have no bytes of their own. The chunks that they are in.
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

    /// Writes the plain bytes of every `step`th of a range of rows to `output`. Chunks are read and decoded by the threads of
    /// the options, and memory is bounded by their number and the size of a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if the rows are not there; [`Error::InFile`] with what is wrong with a chunk file;
    /// [`Error::Format`] for Python objects, which have no bytes of their own ([`Carray::chunk`] gives the pickle of one);
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
        // What is written on is no output in memory.
        let limits = options.limits.max_nbytes(usize::MAX);
        pipeline::run_within(
            (&limits, &|wanted: &Wanted| self.weight(wanted.chunk, options)),
            &options.threads,
            &options.cancel,
            || Ok(decoder_of(options).limits(limits).parallelism(parallelism)),
            || Ok(parts.next()),
            |decoder: &mut Decoder, wanted: Wanted| {
                let plain = meta.decode(&self.dir, decoder, &limits, wanted.chunk, &wanted.ranges)?;
                Ok(thinned(plain, all.atomsize() as usize, wanted.step))
            },
            |plain: Vec<u8>| output.write_all(&plain).map_err(Error::writing),
        )?;
        output.flush().map_err(Error::writing)
    }

    /// What a chunk holds while it is worked on.
    fn weight(&self, chunk: u64, options: &UnpackOptions) -> Weight {
        let cbytes = || self.meta.cbytes_of(&self.dir, chunk);
        Weight::of_chunk(self.meta.nbytes_in_memory(chunk), &options.threads, &options.limits, cbytes)
    }

    /// The plain bytes of `blocklen` rows at a time, of the last block fewer.
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
        let mut bytes = InMemory::new(&self.options.limits, u64::MAX);
        let copied = self.carray.copy_rows(rows, NonZeroU64::MIN, &mut bytes, &self.options);
        let copied = copied.map_err(|error| bytes.explain(error));
        // What is wrong with a block is not asked for again.
        self.at = if copied.is_ok() { self.at } else { len };
        Some(copied.map(|()| bytes.bytes))
    }
}

/// The bytes of rows within a chunk, which has less than 2 GiB.
fn bytes_of(all: &Rows, rows: Range<u64>) -> Range<usize> {
    (rows.start * all.atomsize()) as usize..(rows.end * all.atomsize()) as usize
}

/// Which bytes of a chunk have every `step`th row, counted from row `first` of all; `None` if none is in it.
fn wanted(all: &Rows, part: ChunkRows, first: u64, step: NonZeroU64) -> Option<Wanted> {
    let ChunkRows { chunk, rows } = part;
    let bytes = |rows| bytes_of(all, rows);
    if step == NonZeroU64::MIN {
        return Some(Wanted { chunk, ranges: vec![bytes(rows)], step: 1 });
    }
    let before = (all.rows_of(chunk).start + rows.start - first) % step;
    let start = rows.start.checked_add((step.get() - before) % step)?;
    if start >= rows.end {
        return None;
    }
    if step.get().saturating_mul(all.atomsize()) <= NEAR {
        return Some(Wanted { chunk, ranges: vec![bytes(start..rows.end)], step: step.get() as usize });
    }
    let at = std::iter::successors(Some(start), |row| row.checked_add(step.get()).filter(|row| *row < rows.end));
    Some(Wanted { chunk, ranges: at.map(|row| bytes(row..row + 1)).collect(), step: 1 })
}

/// Every `step`th of these atoms.
fn thinned(mut plain: Vec<u8>, atomsize: usize, step: usize) -> Vec<u8> {
    if step == 1 {
        return plain;
    }
    let mut len = 0;
    for at in (0..plain.len()).step_by(atomsize.saturating_mul(step).max(1)) {
        // There are whole atoms only.
        let end = (at + atomsize).min(plain.len());
        plain.copy_within(at..end, len);
        len += end - at;
    }
    plain.truncate(len);
    plain
}

/// A decoder that ends early with the operation.
fn decoder_of(options: &UnpackOptions) -> Decoder {
    Decoder::new().cancel(options.cancel.clone())
}
