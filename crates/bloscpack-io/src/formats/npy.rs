//! Uncompressed bytes as a container: the items of a `.npy` file, or raw bytes.

use std::ops::Range;

use blosc_core::Limits;
use bloscpack_format::numpy::{NumpyError, NumpyMeta, npy};
use bloscpack_format::{Format, FormatError};

use crate::container::{Container, Fetched, Plain, PlainRanges, Wanted, Worker};
use crate::error::ArrayRefusal;
use crate::in_memory::room;
use crate::run::pipeline::Weight;
use crate::source::{ReadAt, parse_start};
use crate::{Error, UnpackOptions};

/// Size of a chunk in bytes. The file has no chunks. These are the pieces that are read at a time.
const CHUNK: u64 = 1 << 20;

/// An open `.npy` file, or raw bytes.
pub(crate) struct PlainFile<'a> {
    source: Box<dyn ReadAt + 'a>,
    len: u64,
    /// Offset of the first item.
    start: u64,
    plain: PlainRanges,
    /// `None` for raw bytes.
    numpy: Option<NumpyMeta>,
}

impl<'a> PlainFile<'a> {
    /// Opens a `.npy` file. Its size must match its array exactly.
    ///
    /// # Errors
    /// [`Error::ArrayBytes`], [`Error::Format`], [`Error::Io`].
    pub(crate) fn npy(source: Box<dyn ReadAt + 'a>) -> Result<Self, Error> {
        let len = source.len().map_err(Error::reading)?;
        let (meta, start) = parse_start(&source, 4096, npy::parse)?;
        let (start, nbytes) = (start as u64, meta.nbytes().ok_or(FormatError::Numpy(NumpyError::ShapeTooLarge))?);
        let found = len.saturating_sub(start);
        if nbytes != found {
            return Err(Error::ArrayBytes { offset: start, found, expected: nbytes });
        }
        Ok(PlainFile { source, len, start, plain: PlainRanges::uniform(CHUNK, nbytes), numpy: Some(meta) })
    }

    /// Opens the items of an array that start at offset `start` of a source.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the source has fewer bytes; [`Error::Io`].
    pub(crate) fn items(source: Box<dyn ReadAt + 'a>, start: u64, meta: &NumpyMeta) -> Result<Self, Error> {
        let len = source.len().map_err(Error::reading)?;
        let found = len.saturating_sub(start);
        match meta.nbytes() {
            Some(nbytes) if nbytes <= found => {
                Ok(PlainFile { source, len, start, plain: PlainRanges::uniform(CHUNK, nbytes), numpy: None })
            }
            expected => Err(Error::not_an_array(ArrayRefusal::Size { found, expected })),
        }
    }

    /// Opens all bytes of a source.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn raw(source: Box<dyn ReadAt + 'a>) -> Result<Self, Error> {
        let len = source.len().map_err(Error::reading)?;
        Ok(PlainFile { source, len, start: 0, plain: PlainRanges::uniform(CHUNK, len), numpy: None })
    }
}

impl Container for PlainFile<'_> {
    fn format(&self) -> Format {
        if self.numpy.is_some() { Format::Npy } else { Format::Raw }
    }

    fn cbytes(&self) -> u64 {
        self.len
    }

    fn nchunks(&self) -> u64 {
        self.nbytes().div_ceil(CHUNK)
    }

    fn nbytes(&self) -> u64 {
        self.plain.nbytes()
    }

    fn typesize(&self) -> usize {
        self.numpy.as_ref().map_or(1, |meta| usize::try_from(meta.dtype.itemsize()).unwrap_or(usize::MAX)).max(1)
    }

    fn chunk_range(&self, number: u64, _limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        Ok((number < self.nchunks()).then(|| self.plain.of(number)))
    }

    fn chunk_of(&self, at: u64, _limits: &Limits) -> Result<u64, Error> {
        Ok(self.plain.chunk_of(at))
    }

    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let range = self.plain.of(number);
        let nbytes = range.end - range.start;
        Weight::of_chunk(nbytes, &options.threads, &options.limits, || nbytes)
    }

    fn fetch(&self, _number: u64, _ranges: Option<&[Range<usize>]>, _limits: &Limits) -> Result<Fetched, Error> {
        Err(Error::Unsupported { format: self.format() })
    }

    fn decode(&self, _worker: &mut Worker, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        let chunk = self.plain.of(number);
        let whole = 0..(chunk.end - chunk.start) as usize;
        let ranges = ranges.unwrap_or(std::slice::from_ref(&whole));
        let mut bytes = room(ranges.iter().map(|range| range.len() as u64).sum())?;
        let mut rest = bytes.as_mut_slice();
        for range in ranges {
            let (place, after) = rest.split_at_mut(range.len());
            let at = self.start + chunk.start + range.start as u64;
            self.source.read_exact_at(at, place).map_err(Error::reading)?;
            rest = after;
        }
        Ok(Plain::Bytes(bytes))
    }

    fn is_distant(&self) -> bool {
        self.source.request_cost().is_some()
    }

    fn prefetch(&self, chunks: &[Wanted<'_>]) {
        let range = |(number, ranges): &Wanted<'_>| {
            let chunk = self.plain.of(*number);
            let (first, last) = (ranges.and_then(<[_]>::first), ranges.and_then(<[_]>::last));
            let from = first.map_or(chunk.start, |range| chunk.start + range.start as u64);
            let end = last.map_or(chunk.end, |range| chunk.start + range.end as u64);
            self.start + from..self.start + end
        };
        self.source.prefetch(&chunks.iter().map(range).collect::<Vec<_>>());
    }

    fn numpy(&self) -> Option<&NumpyMeta> {
        self.numpy.as_ref()
    }

    fn uncompressed(&self) -> Option<(&dyn ReadAt, u64)> {
        Some((&*self.source, self.start))
    }
}
