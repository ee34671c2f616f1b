//! Fetches a chunk of a frame: all of it, or only the blocks for some plain bytes.
//!
//! ```text
//! | header | block starts | dictionary | block 2 | block 0 | block 1 |
//!  read 1    read 2         read 3                 read 4              for a range within block 0
//! ```
//!
//! Blocks need not be in order. A block therefore ends at the next greater start.

use std::ops::Range;

use blosc_core::{Chunk, ChunkFormat, DecodeError, Filter, Header, OutOfMemory, memory};
use bloscpack_format::frame::ChunkInfo;

use super::container::OpenFrame;
use super::location::{ChunkLocation, StoredChunk};
use crate::Error;
use crate::container::{Fetched, Wanted};
use crate::source::ReadAt;

/// Smaller chunks are read whole: an additional read costs as much as the bytes that it would save.
const WHOLE: usize = 4096;
/// Maximum gap in bytes between two wanted blocks that are read by one call.
const GAP: usize = 4096;
/// Number of bytes that are read first of a chunk of which a part is needed, over a network: header and block starts.
const HEAD: u64 = 2048;
/// Size in bytes of a block's start, and of the size field of a dictionary.
const NUMBER_LEN: usize = 4;

impl OpenFrame<'_> {
    /// Fetches chunk `number`: the blocks that contain `ranges` of its plain bytes, or all of it.
    pub(super) fn fetch_chunk(&self, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Fetched, Error> {
        let chunk = match self.find(number)? {
            ChunkLocation::Special { special, nbytes } => return Ok(Fetched::Special { special, nbytes }),
            ChunkLocation::Stored(chunk) => chunk,
        };
        self.prefetch_chunk(&chunk, ranges);
        let StoredChunk { at, room, nbytes, .. } = chunk;
        let head = chunk.head()?;
        let refuse = |source| Error::Chunk { chunk: number, offset: at, source };
        let header = Header::parse(&head).map_err(refuse)?;
        let info = ChunkInfo::parse(&head).map_err(|_| refuse(DecodeError::Lazy))?;
        info.check(number, room, nbytes)?;
        self.check_kind(number, info.vl_blocks)?;
        let bytes = memory::zeroed(info.cbytes as usize)?;
        let mut partial = Partial { file: &*chunk.source, at, bytes, read: Vec::new() };
        let known = head.len().min(partial.bytes.len());
        partial.bytes.get_mut(..known).unwrap_or_default().copy_from_slice(head.get(..known).unwrap_or_default());
        let whole = match ranges {
            Some(ranges) => !partial.fetch(&header, ranges)?,
            None => true,
        };
        if whole {
            partial.read(known..partial.bytes.len())?;
        }
        Ok(Fetched::Bytes { bytes: partial.bytes, offset: at })
    }
}

impl OpenFrame<'_> {
    /// Reads chunks that come over a network, with as few requests as possible.
    pub(super) fn prefetch_chunks(&self, chunks: &[Wanted<'_>]) {
        let Some(file) = self.file().filter(|file| file.request_cost().is_some()) else { return };
        let stored = chunks.iter().filter_map(|(number, ranges)| match self.find(*number) {
            Ok(ChunkLocation::Stored(chunk)) => {
                let start = chunk.at..chunk.at.saturating_add(HEAD.min(self.extent(&chunk)));
                Some(self.whole(&chunk, *ranges).unwrap_or(start))
            }
            _ => None,
        });
        // Without memory for the list, each chunk is read by itself.
        if let Ok(ranges) = memory::collect(stored) {
            file.prefetch(&ranges);
        }
    }

    /// Reads a chunk that comes over a network by one request, if all of it is needed or it is small.
    fn prefetch_chunk(&self, chunk: &StoredChunk<'_>, ranges: Option<&[Range<usize>]>) {
        if let Some(range) = self.whole(chunk, ranges) {
            chunk.source.prefetch(std::slice::from_ref(&range));
        }
    }

    /// Returns the range of a chunk in its file if it should be read whole.
    fn whole(&self, chunk: &StoredChunk<'_>, ranges: Option<&[Range<usize>]>) -> Option<Range<u64>> {
        let cost = chunk.source.request_cost()?;
        let len = self.extent(chunk);
        let wanted = ranges.map(|ranges| ranges.iter().map(Range::len).fold(0, usize::saturating_add));
        let is_whole = wanted.is_none_or(|wanted| chunk.nbytes.is_some_and(|nbytes| wanted >= nbytes as usize));
        (is_whole || len <= cost as u64).then(|| chunk.at..chunk.at.saturating_add(len))
    }
}

impl StoredChunk<'_> {
    /// Reads the header of the chunk, or all bytes if there are fewer.
    pub(super) fn head(&self) -> Result<Vec<u8>, Error> {
        let mut head = vec![0; self.room.min(Header::EXTENDED_LEN as u64) as usize];
        self.source.read_exact_at(self.at, &mut head).map_err(Error::reading)?;
        Ok(head)
    }
}

/// Blocks, each with its range in the chunk.
type Extents = Vec<(usize, Range<usize>)>;

/// A chunk of which some bytes were read.
struct Partial<'a> {
    file: &'a dyn ReadAt,
    at: u64,
    bytes: Vec<u8>,
    /// The ranges of the blocks that were read.
    read: Vec<Range<usize>>,
}

impl Partial<'_> {
    fn read(&mut self, range: Range<usize>) -> Result<(), Error> {
        let Some(bytes) = self.bytes.get_mut(range.clone()) else { return Ok(()) };
        let at = self.at + range.start as u64;
        self.file.read_exact_at(at, bytes).map_err(Error::reading)
    }

    fn number(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        usize::try_from(i32::from_le_bytes(*bytes)).ok()
    }

    /// Fetches the bytes needed for `ranges`. Returns `false` if the whole chunk is needed to find them.
    fn fetch(&mut self, header: &Header, ranges: &[Range<usize>]) -> Result<bool, Error> {
        // Blocks of variable length are checked against each other, and Blosc1 chunk headers do not contain the split
        // mode.
        if self.bytes.len() <= self.file.request_cost().unwrap_or(WHOLE)
            || header.has_vl_blocks()
            || header.format() == ChunkFormat::Blosc1
        {
            return Ok(false);
        }
        if header.special_value().is_some() {
            return Ok(false);
        }
        if header.is_memcpyed() {
            let stored = |range: &Range<usize>| range.start + header.len()..range.end + header.len();
            self.read_all(memory::collect(ranges.iter().filter(|range| !range.is_empty()).map(stored))?)?;
            return Ok(true);
        }
        if header.rounded_blocksize().is_some() {
            // Only the whole chunk shows how large its blocks are.
            return Ok(false);
        }
        let (tables, cbytes) = (header.len(), self.bytes.len());
        let Some(after) = header.nblocks().checked_mul(NUMBER_LEN).and_then(|len| len.checked_add(tables)) else {
            return Ok(false);
        };
        if after > cbytes {
            return Ok(false);
        }
        self.read(tables..after)?;
        if header.has_dictionary() {
            self.read(after..cbytes.min(after + NUMBER_LEN))?;
            let start = after + NUMBER_LEN;
            let Some(end) = self.number(after).and_then(|len| start.checked_add(len)) else { return Ok(false) };
            self.read(start..end.min(cbytes))?;
        }
        let Some(extents) = self.extents(header, ranges)? else { return Ok(false) };
        self.read_all(memory::collect(extents.iter().map(|(_, extent)| extent.clone()))?)?;
        // No writer makes blocks that share bytes. They must not be cut off.
        let Ok(chunk) = Chunk::parse(&self.bytes) else { return Ok(false) };
        let is_within = |(block, extent): &(usize, Range<usize>)| {
            let streams = chunk.streams(*block);
            streams.is_ok_and(|streams| streams.iter().all(|stream| stream.offset + stream.cbytes <= extent.end))
        };
        Ok(extents.iter().all(is_within))
    }

    /// Returns the blocks that `ranges` touch and their ranges in the chunk. `None` if a block start is invalid.
    fn extents(&self, header: &Header, ranges: &[Range<usize>]) -> Result<Option<Extents>, OutOfMemory> {
        let (nblocks, cbytes) = (header.nblocks(), self.bytes.len());
        let mut starts = memory::with_capacity(nblocks)?;
        for block in 0..nblocks {
            match self.number(header.len() + block * NUMBER_LEN).filter(|start| *start < cbytes) {
                Some(start) => starts.push(start),
                None => return Ok(None),
            }
        }
        let mut sorted = memory::copy_of(&starts)?;
        sorted.sort_unstable();
        let mut wanted: Vec<usize> = Vec::new();
        // The delta filter needs the first block as its reference.
        wanted.extend(header.filters().contains(Filter::Delta).then_some(0));
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            let Some(first) = range.start.checked_div(header.blocksize()) else { return Ok(None) };
            let blocks = first.min(nblocks)..range.end.div_ceil(header.blocksize()).min(nblocks);
            memory::reserve(&mut wanted, blocks.len())?;
            wanted.extend(blocks);
        }
        wanted.sort_unstable();
        wanted.dedup();
        let extent = |block: usize| {
            let start = *starts.get(block)?;
            let end = sorted.get(sorted.partition_point(|other| *other <= start)).copied().unwrap_or(cbytes);
            Some((block, start..end))
        };
        let mut extents = memory::with_capacity(wanted.len())?;
        for block in wanted {
            let Some(extent) = extent(block) else { return Ok(None) };
            extents.push(extent);
        }
        Ok(Some(extents))
    }

    /// Reads ranges of the chunk. Ranges close to each other are read by one call.
    fn read_all(&mut self, mut ranges: Vec<Range<usize>>) -> Result<(), Error> {
        ranges.sort_unstable_by_key(|range| range.start);
        let gap = self.file.request_cost().unwrap_or(GAP);
        for range in ranges {
            match self.read.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(gap) => last.end = last.end.max(range.end),
                _ => memory::push(&mut self.read, range)?,
            }
        }
        let wanted = std::mem::take(&mut self.read);
        if self.file.request_cost().is_some() {
            let absolute = |range: &Range<usize>| self.at + range.start as u64..self.at + range.end as u64;
            self.file.prefetch(&memory::collect(wanted.iter().map(absolute))?);
        }
        for range in wanted {
            self.read(range)?;
        }
        Ok(())
    }
}
