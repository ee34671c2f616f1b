//! All plain bytes of an archive, or a range of them: chunks are fetched and decoded in parallel and written in order.

use std::io::{self, Write};
use std::ops::Range;

use blosc_core::Decoder;
use bloscpack_format::frame::decode_vlmetalayer;

use super::decode::{Plain, Worker};
use super::{Archive, Content};
use crate::options::Event;
use crate::source::ReadAt;
use crate::{Error, Threads, UnpackOptions, pipeline};

/// A chunk that is wanted, or some of it.
struct Wanted {
    chunk: u64,
    part: Option<Range<usize>>,
}

impl<R: ReadAt> Archive<R> {
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
        output.flush().map_err(Error::io("writing the output"))?;
        Ok(written)
    }

    /// Checks everything that can be checked: every chunk is decoded, sizes are compared, and vlmetalayers are read. Of a
    /// bloscpack file, [`verify_stream`](crate::verify_stream) checks more.
    ///
    /// # Errors
    /// The first thing that is wrong, as [`Archive::unpack`].
    pub fn verify(&self, options: &UnpackOptions) -> Result<(), Error> {
        self.copy_chunks(&mut io::sink(), options)?;
        let vlmetalayers = self.frame().map(|frame| frame.trailer.vlmetalayers.iter());
        let mut decoder = Decoder::new().limits(options.limits);
        for layer in vlmetalayers.into_iter().flatten() {
            decode_vlmetalayer(layer.content, &mut decoder)?;
        }
        Ok(())
    }

    /// The plain bytes of all chunks, whatever they mean.
    fn copy_chunks(&self, output: &mut impl Write, options: &UnpackOptions) -> Result<u64, Error> {
        let mut chunks = 0..self.nchunks();
        let mut next = || Ok(chunks.next().map(|chunk| Wanted { chunk, part: None }));
        let written = self.copy_wanted(&mut next, self.nchunks(), output, options)?;
        if let Content::Frame(open) = &self.content {
            open.check_sum(written)?;
        }
        Ok(written)
    }

    fn copy_wanted(
        &self,
        next: &mut dyn FnMut() -> Result<Option<Wanted>, Error>,
        nchunks: u64,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<u64, Error> {
        let parallelism = options.threads.for_blocks(Some(nchunks));
        let mut written = 0;
        pipeline::run(
            &options.threads,
            &options.cancel,
            || Ok(self.worker(options.limits, parallelism)),
            next,
            |worker: &mut Worker, wanted: Wanted| {
                self.decode(worker, wanted.chunk, wanted.part.as_ref().map(std::slice::from_ref))
            },
            |plain: Plain| {
                written += plain.len() as u64;
                options.observer.tell(Event::Plain(plain.len() as u64));
                plain.write_to(output).map_err(Error::io("writing the output"))
            },
        )?;
        Ok(written)
    }

    /// The plain bytes of a range.
    ///
    /// # Errors
    /// As [`Archive::copy_range`].
    pub fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
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
        let options = UnpackOptions::new().limits(self.limits).threads(Threads::Serial);
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
                at = end;
                let is_whole = part.len() as u64 == within.end - within.start;
                Ok(Some(Wanted { chunk, part: (!is_whole).then_some(part) }))
            };
            self.copy_wanted(&mut next, nchunks, output, options)?;
        }
        output.flush().map_err(Error::io("writing the output"))
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

    /// The chunk that holds plain byte `at`, which exists.
    pub(super) fn chunk_of(&self, at: u64) -> Result<u64, Error> {
        match &self.content {
            Content::Bloscpack(_, index) | Content::Chunk { index, .. } => Ok(index.chunk_of(at)),
            Content::Frame(open) => open.chunk_of(&self.source, at),
            Content::Carray(meta) => Ok(meta.rows.chunk_of(at.checked_div(meta.rows.atomsize()).unwrap_or(0))),
        }
    }
}
