//! A Zarr array as a container.

use std::io;
use std::ops::Range;

use blosc_core::{Header, Limits, Special};
use bloscpack_format::frame::{B2nd, Grid};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::zarr::{ArrayMeta, Compressor};
use bloscpack_format::{Attrs, Format};

use super::array::{OpenZarr, metadata_file};
use super::stored::StoredKey;
use crate::container::{ChunkFacts, Container, Details, Extent, Fetched, Plain, ToVerify, Wanted, Worker};
use crate::run::pipeline::Weight;
use crate::{Error, UnpackOptions};

/// Number of chunks whose size is looked up one by one to find out whether enough bytes are stored.
const COUNTED: u64 = 1024;

impl OpenZarr<'_> {
    /// Returns the number of stored bytes of a key.
    fn len_of(&self, stored: &StoredKey) -> io::Result<u64> {
        stored.len.map_or_else(|| self.dir.open(&stored.key)?.len(), Ok)
    }

    /// Counts the stored bytes of keys and of the metadata, and may stop at `enough`.
    fn stored_in(&self, keys: &[StoredKey], enough: u64) -> u64 {
        let mut stored = self.cbytes();
        for key in keys {
            if stored >= enough {
                break;
            }
            stored = stored.saturating_add(self.len_of(key).unwrap_or(0));
        }
        stored
    }
}

impl Container for OpenZarr<'_> {
    fn format(&self) -> Format {
        Format::ZarrArray
    }

    fn cbytes(&self) -> u64 {
        self.dir.open(metadata_file(&self.meta)).and_then(|file| file.len()).unwrap_or(0)
    }

    fn nchunks(&self) -> u64 {
        self.geometry.grid.nchunks()
    }

    fn nbytes(&self) -> u64 {
        let grid = &self.geometry.grid;
        grid.nbytes_of(&grid.all()).unwrap_or(0)
    }

    fn typesize(&self) -> usize {
        // A chunk, which has at least one item, fits 2 GiB.
        self.geometry.grid.itemsize().max(1) as usize
    }

    fn chunk_range(&self, number: u64, _limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        let nbytes = self.geometry.grid.chunk_nbytes() as u64;
        let start = number.saturating_mul(nbytes);
        Ok((number < self.nchunks()).then(|| start..start.saturating_add(nbytes)))
    }

    fn chunk_of(&self, at: u64, _limits: &Limits) -> Result<u64, Error> {
        Ok(at.checked_div(self.geometry.grid.chunk_nbytes() as u64).unwrap_or(0))
    }

    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let nbytes = self.geometry.grid.chunk_nbytes() as u64;
        // Undoing a permutation needs the chunk twice.
        let needed = if self.meta.codecs.is_c_order() { nbytes } else { nbytes.saturating_mul(2) };
        let cbytes = || self.find(number, &options.limits).ok().flatten().map_or(0, |stored| stored.len);
        Weight::of_chunk(needed, &options.threads, &options.limits, cbytes)
    }

    fn fetch(&self, number: u64, ranges: Option<&[Range<usize>]>, limits: &Limits) -> Result<Fetched, Error> {
        let nbytes = self.geometry.grid.chunk_nbytes();
        let fetched = || match self.find(number, limits)? {
            Some(stored) => {
                let bytes = match self.divisible(ranges) {
                    Some(ranges) => stored.read_ranges(ranges, limits)?,
                    None => stored.read(nbytes, limits)?,
                };
                Ok(Fetched::Bytes { bytes, offset: stored.offset })
            }
            None => Ok(Fetched::Special { special: Special::Uninit, nbytes: nbytes as u32 }),
        };
        fetched().map_err(|error| self.named(number, error))
    }

    fn is_distant(&self) -> bool {
        self.dir.request_cost().is_some()
    }

    fn chunk_extent(&self, number: u64, limits: &Limits) -> Result<Option<Extent>, Error> {
        self.extent(number, limits).map_err(|error| self.named(number, error))
    }

    fn prefetch(&self, chunks: &[Wanted<'_>]) {
        self.prefetch_chunks(chunks);
    }

    fn decode(&self, worker: &mut Worker, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        self.items(worker, number, ranges).map_err(|error| self.named(number, error))
    }

    fn chunk_facts(&self, number: u64, limits: &Limits) -> Result<ChunkFacts, Error> {
        let nbytes = self.geometry.grid.chunk_nbytes() as u64;
        let found = self.find(number, limits).map_err(|error| self.named(number, error))?;
        let Some(stored) = found else { return Ok(ChunkFacts::special(Special::Uninit, nbytes)) };
        if !matches!(self.meta.codecs.compressors.as_slice(), [Compressor::Blosc(_)]) {
            return Ok(ChunkFacts::foreign(nbytes, stored.len));
        }
        let refuse = |source| Error::Chunk { chunk: number, offset: stored.offset, source };
        let header = stored.head().and_then(|head| Header::parse(&head).map_err(refuse));
        Ok(ChunkFacts::of_header(&header.map_err(|error| self.named(number, error))?))
    }

    /// Counts the first chunks. If these are too few, as in a sparse array, counts all files, in stores that can list.
    fn stored(&self, enough: u64) -> u64 {
        let limits = Limits::new();
        // Over a network, a list is cheaper than a request for each chunk.
        if self.is_distant()
            && let Ok(Some(keys)) = self.stored_keys(&limits)
        {
            return self.stored_in(&keys, enough);
        }
        let mut stored = self.cbytes();
        for number in 0..self.nchunks().min(COUNTED) {
            if stored >= enough {
                return stored;
            }
            let len = self.find(number, &limits).ok().flatten().map_or(0, |stored| stored.len);
            stored = stored.saturating_add(len);
        }
        if self.nchunks() <= COUNTED {
            return stored;
        }
        let keys = self.stored_keys(&limits).ok().flatten().unwrap_or_default();
        if keys.is_empty() { stored } else { self.stored_in(&keys, enough) }
    }

    /// Chunks of whole rows, compressed only by Blosc, in C order.
    fn stored_chunk_nbytes(&self) -> Option<u64> {
        let ArrayMeta { shape, chunkshape, codecs, .. } = &self.meta;
        let is_rows = !shape.is_empty() && chunkshape.iter().zip(shape).skip(1).all(|(chunk, len)| chunk == len);
        let is_blosc = matches!(codecs.compressors.as_slice(), [Compressor::Blosc(_)]);
        (is_rows && is_blosc && codecs.is_c_order()).then(|| self.geometry.grid.chunk_nbytes() as u64)
    }

    fn stored_files(&self, limits: &Limits) -> Result<Option<(u64, u64)>, Error> {
        let Some(keys) = self.stored_keys(limits)? else { return Ok(None) };
        let (mut nbytes, mut later) = (0_u64, None);
        for stored in &keys {
            let failed = |error| Error::io("opening")(error).in_file(self.dir.name(&stored.key));
            match self.len_of(stored) {
                Ok(len) => nbytes = nbytes.saturating_add(len),
                // A source that fetches files after the call fetches all of them together.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => later = later.or(Some(failed(error))),
                Err(error) => return Err(failed(error)),
            }
        }
        later.map_or(Ok(Some((keys.len() as u64, nbytes))), Err)
    }

    fn details(&self) -> Details<'_> {
        Details::Zarr(&self.meta)
    }

    fn numpy(&self) -> Option<&NumpyMeta> {
        Some(&self.numpy)
    }

    fn grid(&self) -> Option<(&B2nd, &Grid)> {
        Some((&self.geometry.array, &self.geometry.grid))
    }

    fn row_of_whole_chunks(&self) -> u64 {
        let codecs = &self.meta.codecs;
        let in_part = codecs.is_c_order() && matches!(codecs.compressors.as_slice(), [] | [Compressor::Blosc(_)]);
        let (Some(chunk), Some((_, inner)), false) =
            (self.meta.chunkshape.first(), self.meta.shape.split_first(), in_part)
        else {
            return 0;
        };
        inner
            .iter()
            .fold(chunk.saturating_mul(self.geometry.grid.itemsize()), |nbytes, len| nbytes.saturating_mul(*len))
    }

    fn attrs(&self, _limits: &Limits) -> Result<Option<Attrs>, Error> {
        Ok(Some(self.meta.attributes.try_clone()?))
    }

    /// Returns the stored chunks, in stores that can list, else all.
    fn to_verify(&self, limits: &Limits) -> Result<ToVerify<'_>, Error> {
        let nchunks = self.nchunks();
        let Some(keys) = self.stored_keys(limits)? else {
            return Ok(ToVerify { unstored: 0, nchunks, chunks: Box::new((0..nchunks).map(|chunk| Ok((chunk, 1)))) });
        };
        let within = self.geometry.nchunks_in_shard();
        let chunks = keys.into_iter().flat_map(move |StoredKey { position, .. }| {
            let numbers = (0..within).filter_map(move |within| self.geometry.number(&position, within));
            numbers.map(|number| Ok((number, 1)))
        });
        Ok(ToVerify { unstored: 0, nchunks, chunks: Box::new(chunks) })
    }
}
