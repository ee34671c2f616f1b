//! The positions of the chunks of a file, and the ranges of their plain bytes.
//!
//! A chunk starts where the one before it ends. Sequential reading uses only this rule, so random access uses it too:
//! before chunk *k* is read, the headers of all chunks before it are followed. The offsets section repeats these
//! positions, but nothing in the format guarantees that it matches the chunks. An entry may point into the stored data
//! of another chunk, which may contain a chunk with a valid digest. See `docs/decisions/015-offsets.md` for the cost.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use blosc_core::{Header as ChunkHeader, Limits, memory};
use bloscpack_format::bloscpack::Header;

use crate::Error;
use crate::container::PlainRanges;
use crate::formats::bloscpack::chunks::{ChunkStart, Chunks};
use crate::formats::bloscpack::prologue::Prologue;
use crate::source::counting::CountingReader;
use crate::source::{ReadAt, Sequential};

/// Positions and sizes of all chunks.
#[derive(Debug)]
pub(crate) struct Index {
    nchunks: u64,
    plain: PlainRanges,
    /// Size of the file in bytes.
    len: u64,
    /// Offsets of the first chunks. Each entry after the first is the end of the previous chunk.
    starts: Mutex<Vec<u64>>,
}

impl Index {
    /// Creates the index of a bloscpack file of `len` bytes. If its offsets are plausible, chunk headers are read when
    /// a chunk is needed. Otherwise all are read now.
    pub(crate) fn of(source: &impl ReadAt, len: u64, prologue: &Prologue) -> Result<Index, Error> {
        let Prologue { header, offsets, layout, .. } = prologue;
        match (header.chunk_size, header.nbytes()) {
            (Some(chunk_size), Some(nbytes)) if are_possible(prologue, len) => {
                let plain = PlainRanges::uniform(chunk_size.into(), nbytes);
                let starts = Mutex::new(vec![layout.first_chunk]);
                Ok(Index { nchunks: offsets.len() as u64, plain, len, starts })
            }
            _ => Index::walk(source, prologue),
        }
    }

    /// Creates the index from the headers of all chunks.
    pub(crate) fn walk(source: &impl ReadAt, prologue: &Prologue) -> Result<Index, Error> {
        let len = source.len().map_err(Error::reading)?;
        let at = |position| CountingReader::starting_at(Sequential::within(source, position, len), position);
        // Only headers are read, so no limits apply.
        let mut chunks = Chunks::new(at(prologue.layout.first_chunk), &prologue.header, &Limits::new());
        let (mut starts, mut ends, mut plain_end) = (vec![prologue.layout.first_chunk], Vec::new(), 0u64);
        let mut header = Vec::new();
        while let Some(start) = chunks.next_start(&mut header)? {
            start.check_end(len)?;
            memory::push(&mut starts, start.end())?;
            plain_end += start.nbytes;
            memory::push(&mut ends, plain_end)?;
            chunks.passed(&start, at(start.end()));
        }
        Ok(Index { nchunks: ends.len() as u64, plain: PlainRanges::Ends(ends), len, starts: Mutex::new(starts) })
    }

    fn starts(&self) -> MutexGuard<'_, Vec<u64>> {
        // A panic cannot leave an entry half-written, so a poisoned lock is safe to use.
        self.starts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn nchunks(&self) -> u64 {
        self.nchunks
    }

    pub(crate) fn nbytes(&self) -> u64 {
        self.plain.nbytes()
    }

    /// Returns the position of a chunk, or the end of the last chunk for `nchunks`, if the headers before it have been
    /// read.
    pub(crate) fn known(&self, chunk: u64) -> Option<u64> {
        self.starts().get(usize::try_from(chunk).ok()?).copied()
    }

    /// Reads the headers before a chunk through a network, several at once. The offsets say where they should be.
    pub(crate) fn prefetch(&self, source: &impl ReadAt, offsets: &[i64], chunk: u64) {
        let known = self.starts().len().saturating_sub(1);
        let Some(before) = usize::try_from(chunk).ok().and_then(|chunk| offsets.get(known..chunk)) else { return };
        let starts = before.iter().filter_map(|offset| u64::try_from(*offset).ok());
        let ranges = starts.map(|start| start..start.saturating_add(ChunkHeader::LEN as u64));
        // Without memory for the list, the headers are read one after the other.
        if let Ok(ranges) = memory::collect(ranges) {
            source.prefetch(&ranges);
        }
    }

    /// Returns the position of a chunk by following the headers of the chunks before it. Each header is read once.
    pub(crate) fn locate(&self, source: &impl ReadAt, header: &Header, chunk: u64) -> Result<u64, Error> {
        let mut starts = self.starts();
        let mut bytes = Vec::new();
        loop {
            if let Some(found) = usize::try_from(chunk).ok().and_then(|chunk| starts.get(chunk)) {
                return Ok(*found);
            }
            let (number, at) = ((starts.len() as u64).saturating_sub(1), starts.last().copied().unwrap_or(0));
            let (start, _) = self.read_start(source, header, (number, at), &mut bytes)?;
            memory::push(&mut starts, start.end())?;
        }
    }

    /// Reads the header of a chunk to `bytes`. Also returns the source, positioned after the header.
    pub(crate) fn start<'a, R: ReadAt>(
        &self,
        source: &'a R,
        header: &Header,
        chunk: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<(ChunkStart, CountingReader<Sequential<&'a R>>), Error> {
        let at = self.locate(source, header, chunk)?;
        let found = self.read_start(source, header, (chunk, at), bytes)?;
        let mut starts = self.starts();
        // Finding the next chunk then needs no second read of this header.
        if starts.len() as u64 == chunk + 1 {
            memory::push(&mut starts, found.0.end())?;
        }
        Ok(found)
    }

    /// Reads the header of chunk `number` at offset `at`, and compares its sizes with those of the file.
    fn read_start<'a, R: ReadAt>(
        &self,
        source: &'a R,
        header: &Header,
        (number, at): (u64, u64),
        bytes: &mut Vec<u8>,
    ) -> Result<(ChunkStart, CountingReader<Sequential<&'a R>>), Error> {
        let mut input = CountingReader::starting_at(Sequential::within(source, at, self.len), at);
        let start = ChunkStart::read(&mut input, header, number, bytes)?;
        let cut_off = || input.cut_off(at, ChunkHeader::LEN as u64, &format!("chunk {number}"));
        let start = start.ok_or_else(cut_off)?;
        let range = self.chunk_range(number).unwrap_or_default();
        let (found, expected) = (start.nbytes, range.end - range.start);
        if found != expected {
            return Err(Error::ChunkSize { chunk: number, offset: at, found, expected });
        }
        start.check_end(self.len)?;
        Ok((start, input))
    }

    /// Returns the range of a chunk within all plain bytes, `None` if there is no such chunk.
    pub(crate) fn chunk_range(&self, chunk: u64) -> Option<Range<u64>> {
        (chunk < self.nchunks).then(|| self.plain.of(chunk))
    }

    /// Returns the chunk that holds plain byte `at`, which must exist.
    pub(crate) fn chunk_of(&self, at: u64) -> u64 {
        self.plain.chunk_of(at)
    }
}

/// Returns whether each offset leaves room for a chunk header and a digest before the next offset and the end of the
/// file. This check limits the number of chunks in the header by the length of the file.
fn are_possible(prologue: &Prologue, len: u64) -> bool {
    let Prologue { header, offsets, layout, .. } = prologue;
    let least = (ChunkHeader::LEN + header.checksum.digest_size()) as u64;
    let mut free = layout.first_chunk;
    let is_first = |offset: &i64| u64::try_from(*offset) == Ok(layout.first_chunk);
    offsets.first().is_some_and(is_first)
        && offsets.iter().all(|offset| {
            let at = u64::try_from(*offset).ok().filter(|at| *at >= free);
            let end = at.and_then(|at| at.checked_add(least)).filter(|end| *end <= len);
            free = end.unwrap_or(free);
            end.is_some()
        })
}
