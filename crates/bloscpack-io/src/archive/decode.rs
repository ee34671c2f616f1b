//! A chunk of any container: its compressed bytes, its plain bytes, or ranges of them.

use std::io::{self, Write};
use std::ops::Range;

use blosc_core::{CParams, Chunk, DecodeError, Decoder, Encoder, Limits, OutOfMemory, Parallelism, Special, memory};

use super::fetch::Fetched;
use super::{Archive, Content};
use crate::bcolz::Directory;
use crate::bloscpack::chunks::{ChunkStart, FoundChunk, refuse_more};
use crate::bloscpack::index::Index;
use crate::bloscpack::prologue::Prologue;
use crate::source::counted::Counted;
use crate::source::{ReadAt, Sequential};
use crate::unpack::check_digest;
use crate::{Cancel, Error};

/// What one thread decodes with. What it makes is written on: only chunks and what is not earned is bounded, no output.
pub(super) struct Worker {
    decoder: Decoder,
    limits: Limits,
}

/// Plain bytes; those that only repeat a value need not be in memory.
#[derive(Debug)]
pub(crate) enum Plain {
    Bytes(Vec<u8>),
    /// The bytes `range` of a chunk that repeats `value`; empty for zeros.
    Repeat {
        value: Vec<u8>,
        range: Range<usize>,
    },
}

/// Repeated values are written in pieces of about so many bytes.
const PIECE: usize = 1 << 16;

impl Plain {
    pub(crate) fn len(&self) -> usize {
        match self {
            Plain::Bytes(bytes) => bytes.len(),
            Plain::Repeat { range, .. } => range.len(),
        }
    }

    pub(crate) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        let (value, range) = match self {
            Plain::Bytes(bytes) => return output.write_all(bytes),
            Plain::Repeat { value, range } => (value, range),
        };
        // A whole number of values, so that each piece continues the one before.
        let unit = value.len().max(1);
        let mut piece = memory::zeroed(unit * (PIECE / unit).max(1).min(range.len().div_ceil(unit).max(1)))?;
        fill(value, range.start, &mut piece);
        let mut left = range.len();
        while left > 0 {
            let len = left.min(piece.len());
            output.write_all(piece.get(..len).unwrap_or_default())?;
            left -= len;
        }
        Ok(())
    }

    /// Whether all of it is zeros that nobody stored.
    pub(super) fn is_zeros(&self) -> bool {
        matches!(self, Plain::Repeat { value, .. } if value.iter().all(|byte| *byte == 0))
    }

    /// The same `times` over; `None` where values would be cut, or in other cases that do not pay.
    pub(super) fn repeated(&self, times: u64) -> Option<Plain> {
        let Plain::Repeat { value, range } = self else { return None };
        let len = usize::try_from(times).ok()?.checked_mul(range.len())?;
        let whole = range.start == 0 && range.end.checked_rem(value.len()).unwrap_or(0) == 0;
        whole.then(|| Plain::Repeat { value: value.clone(), range: 0..len })
    }

    /// The bytes in memory, if that may be for those that nobody stored.
    pub(super) fn into_vec_within(self, limits: &Limits) -> Result<Vec<u8>, Error> {
        if let Plain::Repeat { range, .. } = &self {
            limits.check_unearned(range.len() as u64, 0)?;
        }
        Ok(self.into_vec()?)
    }

    fn into_vec(self) -> Result<Vec<u8>, OutOfMemory> {
        match self {
            Plain::Bytes(bytes) => Ok(bytes),
            Plain::Repeat { value, range } => {
                let mut bytes = memory::zeroed(range.len())?;
                fill(&value, range.start, &mut bytes);
                Ok(bytes)
            }
        }
    }
}

/// Fills `dst` with what stands at `start` of a chunk that repeats `value`.
fn fill(value: &[u8], start: usize, dst: &mut [u8]) {
    if let Some(phase) = start.checked_rem(value.len()) {
        let bytes = value.iter().cycle().skip(phase);
        dst.iter_mut().zip(bytes).for_each(|(dst, byte)| *dst = *byte);
    }
}

/// What a chunk of a special value repeats; not-a-numbers are `f64` unless the typesize is that of an `f32`.
fn value_of(special: Special, typesize: usize) -> Vec<u8> {
    match special {
        Special::Nan if typesize == size_of::<f32>() => f32::NAN.to_le_bytes().to_vec(),
        Special::Nan => f64::NAN.to_le_bytes().to_vec(),
        _ => Vec::new(),
    }
}

impl<R: ReadAt> Archive<R> {
    /// Somebody to decode its chunks.
    pub(super) fn worker(&self, limits: Limits, parallelism: Parallelism, cancel: &Cancel) -> Worker {
        let limits = limits.max_nbytes(usize::MAX);
        let mut decoder = Decoder::new().limits(limits).parallelism(parallelism).cancel(cancel.clone());
        if let Content::Frame(open) = &self.content {
            decoder = decoder.super_chunk_typesize(open.frame.header.typesize as usize);
            if let Some((array, _)) = &open.array {
                decoder = decoder.blockshape(&array.block_axes());
            }
        }
        Worker { decoder, limits }
    }

    /// The compressed bytes of chunk `number`, its digest checked if it has one. A special value of a frame, for which
    /// nothing is stored, is made a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; [`Error::Truncated`], [`Error::Chunk`], [`Error::ChunkDigest`],
    /// [`Error::ChunkSize`], [`Error::ChunkFile`], [`Error::MixedChunks`] or [`Error::Format`] if it is damaged.
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        match self.fetch(number, None)? {
            Fetched::Bytes { bytes, .. } => Ok(bytes),
            Fetched::Special { special, nbytes } => {
                let (nbytes, typesize) = (nbytes as usize, self.typesize());
                // A chunk is a whole number of elements; bytes are, always.
                let typesize = if nbytes.is_multiple_of(typesize) { typesize } else { 1 };
                let encoder = Encoder::new(CParams::blosc2().typesize(typesize))?;
                Ok(match special {
                    Special::Nan => encoder.nans(nbytes)?,
                    Special::Uninit => encoder.uninit(nbytes)?,
                    _ => encoder.zeros(nbytes)?,
                })
            }
        }
    }

    /// The plain bytes of chunk `number`; of an array in a frame, block by block and with the padding.
    ///
    /// # Errors
    /// As [`Archive::compressed_chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        if self.frame().is_some() && number + 1 == self.nchunks() {
            // Where sizes vary, whether the chunks are those that the frame's header counts shows at the last one.
            self.chunk_range(number)?;
        }
        let plain = self.decode(&mut self.worker(self.limits, Parallelism::Serial, &self.cancel), number, None);
        let plain = plain.map_err(Error::or_cancelled)?;
        self.limits.check_output(plain.len() as u64, plain.len() as u64)?;
        plain.into_vec_within(&self.limits)
    }

    /// What chunk `number` consists of, as far as `ranges` of its plain bytes need it.
    fn fetch(&self, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Fetched, Error> {
        if number >= self.nchunks() {
            return Err(self.no_such_chunk(number));
        }
        match &self.content {
            Content::Frame(open) => open.fetch(&self.source, number, ranges),
            Content::Carray(meta) => {
                let bytes = meta.fetch(self.directory()?, number, &self.limits)?;
                Ok(Fetched::Bytes { bytes, at: meta.chunk_at() })
            }
            Content::Bloscpack(prologue, index) => self.fetch_listed(prologue, index, number),
            Content::Chunk { .. } => self.fetch_source(),
        }
    }

    /// Where the chunk files of a carray are.
    fn directory(&self) -> Result<&dyn Directory, Error> {
        self.source.directory().ok_or(Error::Unsupported { format: self.format })
    }

    /// The bytes of the source, which is one chunk: its header gave the length.
    fn fetch_source(&self) -> Result<Fetched, Error> {
        let mut input = Counted::new(Sequential::within(&self.source, 0, self.len));
        let bytes = input.exactly(self.len, 0, self.len, "the chunk")?;
        Ok(Fetched::Bytes { bytes, at: 0 })
    }

    /// A chunk of a bloscpack file, its digest checked. No chunk and no other file may follow the last one.
    fn fetch_listed(&self, prologue: &Prologue, index: &Index, number: u64) -> Result<Fetched, Error> {
        let header = &prologue.header;
        let mut bytes = Vec::new();
        let (start, mut input) = index.start(&self.source, header, number, &mut bytes)?;
        let digest = start.read_body(&mut input, &self.limits, &mut bytes)?;
        let ChunkStart { offset, nbytes, cbytes, .. } = start;
        check_digest(header.checksum, &FoundChunk { number, offset, last: false, nbytes, cbytes, digest }, &bytes)?;
        if number + 1 == index.nchunks() {
            refuse_more(&mut input, header, index.nchunks(), &self.limits)?;
        }
        Ok(Fetched::Bytes { bytes, at: offset })
    }

    /// The plain bytes of chunk `number`, or of ranges of them, one behind the other.
    pub(super) fn decode(
        &self,
        worker: &mut Worker,
        number: u64,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, Error> {
        if let (Content::Carray(meta), true) = (&self.content, number < self.nchunks()) {
            let (dir, decoder, limits) = (self.directory()?, &mut worker.decoder, &worker.limits);
            let plain = match ranges {
                Some(ranges) => meta.decode(dir, decoder, limits, number, ranges)?,
                None => meta.decode_rows(dir, decoder, limits, number)?,
            };
            return Ok(Plain::Bytes(plain));
        }
        let fetched = self.fetch(number, ranges)?;
        let at = if let Fetched::Bytes { at, .. } = &fetched { *at } else { 0 };
        self.decode_fetched(worker, &fetched, ranges).map_err(|source| Error::Chunk {
            chunk: number,
            offset: at,
            source,
        })
    }

    fn decode_fetched(
        &self,
        worker: &mut Worker,
        fetched: &Fetched,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, DecodeError> {
        let total: usize = ranges.unwrap_or_default().iter().map(Range::len).fold(0, usize::saturating_add);
        let (value, nbytes) = match fetched {
            Fetched::Special { special, nbytes } => (value_of(*special, self.typesize()), *nbytes as usize),
            Fetched::Bytes { bytes, .. } => {
                let chunk = Chunk::parse(bytes)?;
                match (chunk.repeated_value(), ranges) {
                    (Some(value), _) => (memory::copy_of(value)?, chunk.header().nbytes()),
                    (None, None) => return worker.decoder.decompress(&chunk).map(Plain::Bytes),
                    (None, Some(ranges)) => {
                        worker.limits.check_chunk(total as u64)?;
                        worker.limits.check_unearned(total as u64, bytes.len() as u64)?;
                        let mut plain = memory::zeroed(total)?;
                        worker.decoder.decode_ranges(&chunk, ranges, &mut plain)?;
                        return Ok(Plain::Bytes(plain));
                    }
                }
            }
        };
        if let Some(range) =
            ranges.unwrap_or_default().iter().find(|range| range.start > range.end || range.end > nbytes)
        {
            return Err(DecodeError::Range { unit: "bytes", start: range.start, end: range.end, len: nbytes });
        }
        match ranges {
            None => {
                worker.limits.check_chunk(nbytes as u64)?;
                Ok(Plain::Repeat { value, range: 0..nbytes })
            }
            Some([range]) => Ok(Plain::Repeat { value, range: range.clone() }),
            Some(_) if value.iter().all(|byte| *byte == 0) => Ok(Plain::Repeat { value: Vec::new(), range: 0..total }),
            Some(ranges) => {
                worker.limits.check_chunk(total as u64)?;
                worker.limits.check_unearned(total as u64, 0)?;
                let mut plain = memory::zeroed(total)?;
                let mut rest = plain.as_mut_slice();
                for range in ranges {
                    let (piece, behind) = rest.split_at_mut(range.len());
                    fill(&value, range.start, piece);
                    rest = behind;
                }
                Ok(Plain::Bytes(plain))
            }
        }
    }
}
