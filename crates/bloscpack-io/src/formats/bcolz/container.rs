//! A carray as a container: chunk files of whole rows.

use std::ops::Range;

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::bcolz::{Attrs, STORAGE_FILE};
use bloscpack_format::numpy::NumpyMeta;

use super::carray::Meta;
use super::store::read_attrs;
use crate::container::{ChunkFacts, Container, Details, Extent, Fetched, Plain, StoredChunk, Worker};
use crate::run::pipeline::Weight;
use crate::source::ReadDirectory;
use crate::{Error, UnpackOptions};

/// An open carray.
pub(crate) struct OpenCarray<'a> {
    dir: Box<dyn ReadDirectory + 'a>,
    meta: Meta,
    numpy: NumpyMeta,
}

impl<'a> OpenCarray<'a> {
    /// Opens the carray in a directory.
    pub(crate) fn open(dir: Box<dyn ReadDirectory + 'a>, limits: &Limits) -> Result<Self, Error> {
        let meta = Meta::open(&*dir, limits)?;
        Ok(OpenCarray { numpy: meta.numpy()?, dir, meta })
    }
}

impl Container for OpenCarray<'_> {
    fn format(&self) -> Format {
        Format::Carray
    }

    fn cbytes(&self) -> u64 {
        let storage = self.meta.moves.on(&*self.dir);
        storage.open(STORAGE_FILE).and_then(|file| file.len()).unwrap_or(0)
    }

    fn nchunks(&self) -> u64 {
        self.meta.rows.nchunks()
    }

    fn nbytes(&self) -> u64 {
        self.meta.rows.nbytes()
    }

    fn typesize(&self) -> usize {
        self.meta.storage.dtype.typesize()
    }

    fn chunk_range(&self, number: u64, _limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        Ok(Some(self.meta.plain_range(number)).filter(|range| !range.is_empty()))
    }

    fn chunk_of(&self, at: u64, _limits: &Limits) -> Result<u64, Error> {
        let rows = &self.meta.rows;
        Ok(rows.chunk_of(at.checked_div(rows.atomsize()).unwrap_or(0)))
    }

    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let cbytes = || self.meta.cbytes_of(&*self.dir, number);
        Weight::of_chunk(self.meta.nbytes_in_memory(number), &options.threads, &options.limits, cbytes)
    }

    fn fetch(&self, number: u64, _ranges: Option<&[Range<usize>]>, limits: &Limits) -> Result<Fetched, Error> {
        let bytes = self.meta.fetch(&*self.dir, number, limits)?;
        Ok(Fetched::Bytes { bytes, offset: self.meta.chunk_at() })
    }

    fn is_distant(&self) -> bool {
        self.dir.request_cost().is_some()
    }

    /// Decodes only rows of the array, because the file of a chunk may hold more.
    fn decode(&self, worker: &mut Worker, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        let (dir, decoder, limits) = (&*self.dir, &mut worker.decoder, &worker.limits);
        Ok(Plain::Bytes(match ranges {
            Some(ranges) => self.meta.decode(dir, decoder, limits, number, ranges)?,
            None => self.meta.decode_rows(dir, decoder, limits, number)?,
        }))
    }

    /// Refuses a carray with an interrupted change, whose chunk files will move.
    fn chunk_extent(&self, number: u64, limits: &Limits) -> Result<Option<Extent>, Error> {
        self.meta.moves.expect_none(&*self.dir)?;
        self.meta.extent(&*self.dir, number, limits).map(Some)
    }

    fn chunk_facts(&self, number: u64, limits: &Limits) -> Result<ChunkFacts, Error> {
        self.meta.moves.expect_none(&*self.dir)?;
        Ok(ChunkFacts::of_header(&self.meta.header(&*self.dir, number, limits)?))
    }

    /// Counting stops at a missing chunk file.
    fn stored(&self, enough: u64) -> u64 {
        let lens = (0..self.nchunks()).map(|chunk| self.meta.cbytes_of(&*self.dir, chunk)).take_while(|len| *len > 0);
        let mut stored = 0_u64;
        for len in lens {
            stored = stored.saturating_add(len);
            if stored >= enough {
                break;
            }
        }
        stored
    }

    fn stored_chunk_nbytes(&self) -> Option<u64> {
        Some(self.meta.rows.chunk_nbytes())
    }

    /// None if the file has bytes after the chunk.
    fn stored_chunk(&self, number: u64, limits: &Limits) -> Result<Option<StoredChunk>, Error> {
        let bytes = self.meta.fetch(&*self.dir, number, limits)?;
        if self.meta.cbytes_of(&*self.dir, number) != self.meta.chunk_at().saturating_add(bytes.len() as u64) {
            return Ok(None);
        }
        StoredChunk::of(Fetched::Bytes { bytes, offset: self.meta.chunk_at() }, number, self.meta.plain_range(number))
    }

    fn details(&self) -> Details<'_> {
        Details::Carray(&self.meta.storage, &self.meta.sizes)
    }

    fn numpy(&self) -> Option<&NumpyMeta> {
        Some(&self.numpy)
    }

    fn attrs(&self, limits: &Limits) -> Result<Option<Attrs>, Error> {
        read_attrs(&self.meta.moves.on(&*self.dir), limits).map(Some)
    }
}
