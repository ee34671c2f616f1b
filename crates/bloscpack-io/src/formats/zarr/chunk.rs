//! The stored bytes of a chunk, and its items.

use std::ops::Range;

use blosc_core::{Header, memory};
use bloscpack_format::FormatError;
use bloscpack_format::zarr::ZarrError;

use super::array::OpenZarr;
use super::codecs::{self, Decoded, wrong_size};
use super::geometry::Location;
use super::node::is_absent;
use super::transpose;
use crate::Error;
use crate::container::{Extent, Plain, Wanted, Worker};
use crate::source::ReadAt;
use blosc_core::Limits;

/// Where the bytes of a chunk are.
pub(super) struct Stored<'a> {
    file: Box<dyn ReadAt + 'a>,
    pub(super) offset: u64,
    pub(super) len: u64,
}

impl OpenZarr<'_> {
    /// Finds the stored bytes of chunk `number`, `None` if the chunk is missing.
    pub(super) fn find(&self, number: u64, limits: &Limits) -> Result<Option<Stored<'_>>, Error> {
        let Location { position, within } = self.geometry.locate(number);
        let key = self.meta.keys.key(&position);
        let Some(sharding) = &self.meta.codecs.sharding else {
            let Some(file) = self.open_key(&key)? else { return Ok(None) };
            let len = file.len().map_err(Error::io("reading"))?;
            return Ok(Some(Stored { file, offset: 0, len }));
        };
        let nchunks = self.geometry.nchunks_in_shard();
        let Some(shard) = self.shards.get(&*self.dir, &key, nchunks, sharding, limits)? else { return Ok(None) };
        let (index, len) = &*shard;
        let Some(entry) = index.get(within) else { return Ok(None) };
        if entry.offset.checked_add(entry.len).is_none_or(|end| end > *len) {
            let problem = format!(
                "chunk {within} has {} bytes at offset {}, past the end of the shard at {len}",
                entry.len, entry.offset
            );
            return Err(FormatError::from(ZarrError::ShardIndex { problem: problem.into() }).into());
        }
        let Some(file) = self.open_key(&key)? else { return Ok(None) };
        Ok(Some(Stored { file, offset: entry.offset, len: entry.len }))
    }

    /// Returns where the stored bytes of chunk `number` are: in a file, or in the zip archive. `None` if the chunk is
    /// missing.
    pub(super) fn extent(&self, number: u64, limits: &Limits) -> Result<Option<Extent>, Error> {
        let Some(stored) = self.find(number, limits)? else { return Ok(None) };
        let (key, nbytes) = (self.key(number), self.geometry.grid.chunk_nbytes() as u64);
        let (file, start) = match self.dir.offset_in_archive(&key).map_err(Error::io("opening"))? {
            Some(start) => (None, start),
            None => (Some(key), 0),
        };
        Ok(Some(Extent { file, offset: start.saturating_add(stored.offset), cbytes: stored.len, nbytes }))
    }

    fn open_key(&self, key: &str) -> Result<Option<Box<dyn ReadAt + '_>>, Error> {
        match self.dir.open(key) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(Error::io("opening")(error)),
        }
    }

    /// Decodes chunk `number`, or ranges of its items.
    pub(super) fn items(
        &self,
        worker: &mut Worker,
        number: u64,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, Error> {
        let nbytes = self.geometry.grid.chunk_nbytes();
        let stored = self.find(number, &worker.limits)?;
        let Some(stored) = stored else { return self.missing(worker, nbytes, ranges) };
        let codecs = &self.meta.codecs;
        let order = codecs.transpose.as_deref().filter(|_| !codecs.is_c_order());
        let ranges_of_stored = if order.is_some() { None } else { ranges };
        if let Some(ranges) = self.divisible(ranges) {
            return stored.plain_ranges(nbytes, ranges, &worker.limits);
        }
        let bytes = stored.read(nbytes, &worker.limits)?;
        let decoded = codecs::decode(bytes, &codecs.compressors, nbytes, ranges_of_stored, worker)?;
        let plain = match (decoded, order) {
            (Decoded::Ranges(plain), _) => return Ok(plain),
            (Decoded::Whole(plain), None) => plain,
            (Decoded::Whole(plain), Some(order)) => {
                let bytes = plain.into_vec_within(&worker.limits)?;
                let itemsize = self.geometry.grid.itemsize() as usize;
                Plain::Bytes(transpose::undo(&bytes, &self.meta.chunkshape, order, itemsize)?)
            }
        };
        ranges.map_or(Ok(()), |ranges| check(ranges, nbytes))?;
        match ranges {
            None => Ok(plain),
            Some(ranges) => select(plain, ranges),
        }
    }

    /// Returns the ranges of a chunk's items if they are ranges of the stored bytes: those are not compressed, and in the
    /// order of the items.
    pub(super) fn divisible<'r>(&self, ranges: Option<&'r [Range<usize>]>) -> Option<&'r [Range<usize>]> {
        let codecs = &self.meta.codecs;
        ranges.filter(|_| codecs.compressors.is_empty() && codecs.is_c_order())
    }

    /// Reads ahead chunks of shards, over a network. Chunks of one shard that are close to each other share a request.
    pub(super) fn prefetch_chunks(&self, chunks: &[Wanted<'_>]) {
        if self.meta.codecs.sharding.is_none() {
            return;
        }
        let (limits, mut shards) = (Limits::new(), Vec::<(String, Stored<'_>, Vec<Range<u64>>)>::new());
        for (number, ranges) in chunks {
            // Later reads report failures.
            let Ok(Some(stored)) = self.find(*number, &limits) else { continue };
            let (key, places) = (self.key(*number), stored.places(self.divisible(*ranges)));
            match shards.last_mut() {
                Some((other, _, all)) if *other == key => all.extend(places),
                _ => shards.push((key, stored, places)),
            }
        }
        for (_, shard, places) in &shards {
            shard.file.prefetch(places);
        }
    }

    /// Returns the fill value in place of a chunk that is not stored.
    fn missing(&self, worker: &Worker, nbytes: usize, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        let fill = &self.meta.fill;
        let value = match fill.is_zeros() {
            true => Vec::new(),
            false => {
                let itemsize = self.geometry.grid.itemsize();
                worker.limits.check_unearned(itemsize, fill.bytes().len() as u64)?;
                fill.to_item(itemsize as usize)?
            }
        };
        let plain = Plain::Repeat { value, range: 0..nbytes };
        let Some(ranges) = ranges else {
            worker.limits.check_chunk(nbytes as u64)?;
            return Ok(plain);
        };
        check(ranges, nbytes)?;
        let refuse = |source| Error::Chunk { chunk: 0, offset: 0, source };
        plain.select(ranges, &worker.limits).map_err(refuse)
    }
}

impl Stored<'_> {
    /// Returns the ranges of the file that hold the chunk, or `ranges` of its bytes.
    fn places(&self, ranges: Option<&[Range<usize>]>) -> Vec<Range<u64>> {
        let end = self.offset.saturating_add(self.len);
        let at = |at: usize| self.offset.saturating_add(at as u64).min(end);
        let whole = 0..usize::try_from(self.len).unwrap_or(usize::MAX);
        let ranges = ranges.unwrap_or(std::slice::from_ref(&whole));
        ranges.iter().map(|range| at(range.start)..at(range.end)).collect()
    }

    /// Reads `ranges` of a chunk that is not compressed. All other bytes are zeros.
    pub(super) fn read_ranges(&self, ranges: &[Range<usize>], limits: &Limits) -> Result<Vec<u8>, Error> {
        limits.check_memory("a stored chunk", self.len)?;
        let mut bytes = memory::zeroed(usize::try_from(self.len).unwrap_or(usize::MAX))?;
        self.file.prefetch(&self.places(Some(ranges)));
        for range in ranges {
            if let Some(place) = bytes.get_mut(range.clone()) {
                self.file.read_exact_at(self.offset + range.start as u64, place).map_err(Error::io("reading"))?;
            }
        }
        Ok(bytes)
    }

    /// Reads the header of a chunk, or all bytes if there are fewer.
    pub(super) fn head(&self) -> Result<Vec<u8>, Error> {
        let mut head = vec![0; self.len.min(Header::EXTENDED_LEN as u64) as usize];
        self.file.read_exact_at(self.offset, &mut head).map_err(Error::io("reading"))?;
        Ok(head)
    }

    /// Reads all bytes.
    pub(super) fn read(&self, nbytes: usize, limits: &Limits) -> Result<Vec<u8>, Error> {
        limits.check_memory("a stored chunk", (nbytes as u64).saturating_add(self.len))?;
        let mut bytes = memory::zeroed(usize::try_from(self.len).unwrap_or(usize::MAX))?;
        self.file.read_exact_at(self.offset, &mut bytes).map_err(Error::io("reading"))?;
        Ok(bytes)
    }

    /// Reads ranges of a chunk that is not compressed.
    fn plain_ranges(&self, nbytes: usize, ranges: &[Range<usize>], limits: &Limits) -> Result<Plain, Error> {
        if self.len != nbytes as u64 {
            return Err(wrong_size(usize::try_from(self.len).unwrap_or(usize::MAX), nbytes));
        }
        check(ranges, nbytes)?;
        let total = ranges.iter().map(Range::len).fold(0, usize::saturating_add);
        limits.check_chunk(total as u64)?;
        let mut plain = memory::zeroed(total)?;
        if ranges.len() > 1 && self.file.request_cost().is_some() {
            self.file.prefetch(&self.places(Some(ranges)));
        }
        let mut rest = plain.as_mut_slice();
        for range in ranges {
            let (piece, after) = rest.split_at_mut_checked(range.len()).unwrap_or_default();
            self.file.read_exact_at(self.offset + range.start as u64, piece).map_err(Error::io("reading"))?;
            rest = after;
        }
        Ok(Plain::Bytes(plain))
    }
}

/// Refuses ranges outside the chunk.
fn check(ranges: &[Range<usize>], nbytes: usize) -> Result<(), Error> {
    match ranges.iter().find(|range| range.start > range.end || range.end > nbytes) {
        None => Ok(()),
        Some(range) => {
            let (start, end, len) = (range.start as u64, range.end as u64, nbytes as u64);
            Err(Error::Range { unit: "bytes", start, end, len })
        }
    }
}

/// Returns ranges of decoded bytes, concatenated. They must be within the bytes.
fn select(plain: Plain, ranges: &[Range<usize>]) -> Result<Plain, Error> {
    let bytes = plain.into_vec()?;
    if let [only] = ranges
        && *only == (0..bytes.len())
    {
        return Ok(Plain::Bytes(bytes));
    }
    let total = ranges.iter().map(Range::len).fold(0, usize::saturating_add);
    let mut selected = memory::with_capacity(total)?;
    for range in ranges {
        selected.extend_from_slice(bytes.get(range.clone()).unwrap_or_default());
    }
    Ok(Plain::Bytes(selected))
}
