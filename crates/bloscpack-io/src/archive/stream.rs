//! All plain bytes of an archive, or a range of them: chunks are fetched and decoded in parallel and written in order.

use std::io::Write;
use std::ops::Range;

use blosc_core::memory;

use super::Archive;
use crate::container::{Plain, Worker};
use crate::options::Event;
use crate::run::pipeline;
use crate::{Error, Threads, UnpackOptions};

/// A chunk that is wanted, or some of it.
pub(super) struct Wanted {
    pub(super) chunk: u64,
    pub(super) part: Option<Range<usize>>,
    /// How many there are of it.
    pub(super) times: u64,
}

impl Archive<'_> {
    /// Writes all plain bytes to `output`, and says how many they were: those of the chunks, or of an array in a frame
    /// its items in C order. Memory is bounded by the threads and the size of a chunk; for arrays see
    /// [`Archive::copy_slice`].
    ///
    /// # Errors
    /// As [`Archive::copy_range`]; [`Error::PlainSize`], [`Error::Cancelled`].
    pub fn unpack(&self, mut output: impl Write, options: &UnpackOptions) -> Result<u64, Error> {
        let written = match self.grid() {
            Some(grid) => {
                self.copy_slice(&grid.all(), &mut output, options)?;
                self.nbytes()
            }
            None => self.copy_chunks(&mut output, options)?,
        };
        output.flush().map_err(Error::writing)?;
        Ok(written)
    }

    /// The plain bytes of all chunks, whatever they mean.
    fn copy_chunks(&self, output: &mut impl Write, options: &UnpackOptions) -> Result<u64, Error> {
        let mut at = 0;
        let mut next = || {
            let wanted =
                (at < self.nchunks()).then(|| Wanted { chunk: at, part: None, times: self.container.alike(at) });
            at += wanted.as_ref().map_or(0, |wanted| wanted.times);
            Ok(wanted)
        };
        let mut write = |plain: &Plain, times| write_times(plain, times, output);
        let written = self.copy_wanted(&mut next, self.nchunks(), &mut write, options)?;
        self.container.check_sum(written)?;
        Ok(written)
    }

    /// Decodes what is wanted, and tells how many plain bytes there are of it.
    pub(super) fn copy_wanted(
        &self,
        next: &mut dyn FnMut() -> Result<Option<Wanted>, Error>,
        nchunks: u64,
        write: &mut dyn FnMut(&Plain, u64) -> Result<(), Error>,
        options: &UnpackOptions,
    ) -> Result<u64, Error> {
        let parallelism = options.threads.for_blocks(Some(nchunks));
        let mut written = 0;
        pipeline::run_within(
            (&options.limits, &|wanted: &Wanted| self.container.weight(wanted.chunk, options)),
            &options.threads,
            &options.cancel,
            || Ok(self.worker(options.limits, parallelism, &options.cancel)),
            next,
            |worker: &mut Worker, wanted: Wanted| {
                let plain = self.decode(worker, wanted.chunk, wanted.part.as_ref().map(std::slice::from_ref))?;
                Ok((wanted, plain))
            },
            |(wanted, plain): (Wanted, Plain)| {
                let len = (plain.len() as u64).saturating_mul(wanted.times);
                written = u64::saturating_add(written, len);
                options.observer.tell(Event::Plain(len));
                let all = if wanted.times > 1 { plain.repeated(wanted.times) } else { None };
                match all {
                    Some(all) => write(&all, 1),
                    None => write(&plain, wanted.times),
                }
            },
        )?;
        Ok(written)
    }

    /// The plain bytes of a range.
    ///
    /// # Errors
    /// As [`Archive::copy_range`].
    pub fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.check_output(range.end.min(self.nbytes()).saturating_sub(range.start), &self.limits)?;
        // `copy_range` reports a range that is too long.
        let mut bytes = memory::with_capacity(range.end.min(self.nbytes()).saturating_sub(range.start) as usize)?;
        self.copy_range(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes the plain bytes of a range to `output`, chunk by chunk. Of each chunk only the blocks that the range
    /// touches are decoded; of a frame's chunk, only these are read.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the bytes; what [`Archive::compressed_chunk`] answers;
    /// [`Error::Io`].
    pub fn copy_range(&self, range: Range<u64>, output: &mut impl Write) -> Result<(), Error> {
        let options = UnpackOptions::new().limits(self.limits).threads(Threads::Serial).cancel(self.cancel.clone());
        self.copy_range_with(range, output, &options)
    }

    /// [`Archive::copy_range`] by other threads and within other limits.
    ///
    /// # Errors
    /// As [`Archive::copy_range`], and [`Error::Cancelled`].
    pub fn copy_range_with(
        &self,
        range: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let len = self.nbytes();
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "bytes", start: range.start, end: range.end, len });
        }
        if self.grid().is_some() {
            self.copy_array_range(range, output, options)?;
        } else if range == (0..len) {
            // Also the chunks without plain bytes, as `unpack`.
            self.copy_chunks(output, options)?;
        } else {
            let mut at = range.start;
            let nchunks = (range.end - at).div_ceil(self.chunk_range(0).map_or(1, |first| first.end.max(1)));
            let mut next = || {
                if at >= range.end {
                    return Ok(None);
                }
                let chunk = self.chunk_of(at)?;
                let within = self.chunk_range(chunk)?;
                let end = within.end.min(range.end);
                if end <= at {
                    return Err(Error::PlainSize { found: at, expected: len });
                }
                // A chunk has less than 2 GiB.
                let part = (at - within.start) as usize..(end - within.start) as usize;
                let len = within.end - within.start;
                if part.len() as u64 != len {
                    at = end;
                    return Ok(Some(Wanted { chunk, part: Some(part), times: 1 }));
                }
                let times = self.container.alike(chunk).min((range.end - at).checked_div(len).unwrap_or(1)).max(1);
                at += len * times;
                Ok(Some(Wanted { chunk, part: None, times }))
            };
            let mut write = |plain: &Plain, times| write_times(plain, times, output);
            self.copy_wanted(&mut next, nchunks, &mut write, options)?;
        }
        output.flush().map_err(Error::writing)
    }

    /// The plain bytes of a range of items of `itemsize` bytes.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the whole items, else as [`Archive::copy_range`].
    pub fn copy_items(&self, range: Range<u64>, itemsize: u64, output: &mut impl Write) -> Result<(), Error> {
        let len = self.nbytes().checked_div(itemsize).unwrap_or(0);
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "items", start: range.start, end: range.end, len });
        }
        self.copy_range(range.start * itemsize..range.end * itemsize, output)
    }

    /// Checks the chunks that hold no plain bytes, which no range touches.
    pub(super) fn check_empty_chunks(&self, options: &UnpackOptions) -> Result<(), Error> {
        if !self.container.may_have_empty_chunks() {
            return Ok(());
        }
        let mut worker = self.worker(options.limits, options.threads.for_blocks(Some(1)), &options.cancel);
        for chunk in 0..self.nchunks() {
            if self.chunk_range(chunk)?.is_empty() {
                options.cancel.check()?;
                self.decode(&mut worker, chunk, None)?;
            }
        }
        Ok(())
    }
}

fn write_times(plain: &Plain, times: u64, output: &mut impl Write) -> Result<(), Error> {
    (0..times).try_for_each(|_| plain.write_to(output)).map_err(Error::writing)
}
