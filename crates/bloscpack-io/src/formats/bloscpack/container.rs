//! A bloscpack file as a container. Chunks are found by following the headers from chunk to chunk.

use std::ops::Range;

use blosc_core::{Header as ChunkHeader, Limits, memory};
use bloscpack_format::Format;
use bloscpack_format::numpy::NumpyMeta;

use super::chunks::{ChunkStart, FoundChunk, check_digest, refuse_more};
use super::index::Index;
use super::prologue::Prologue;
use crate::container::{ChunkFacts, Container, Details, Extent, Fetched, Wanted};
use crate::run::pipeline::Weight;
use crate::source::counting::CountingReader;
use crate::source::{ReadAt, Sequential};
use crate::{Error, UnpackOptions};

/// An open bloscpack file.
pub(crate) struct BloscpackFile<'a> {
    source: Box<dyn ReadAt + 'a>,
    len: u64,
    prologue: Prologue,
    index: Index,
    numpy: Option<NumpyMeta>,
}

impl<'a> BloscpackFile<'a> {
    /// Opens the file in `source`. With `walk`, opening reads the headers of all chunks and does not use the offsets.
    pub(crate) fn open(source: Box<dyn ReadAt + 'a>, walk: bool, limits: &Limits) -> Result<Self, Error> {
        let reading = Error::reading;
        let len = source.len().map_err(&reading)?;
        let mut input = CountingReader::new(Sequential::within(&source, 0, len));
        let prologue = Prologue::read(&mut input, limits)?;
        let index = if walk { Index::walk(&source, &prologue) } else { Index::of(&source, len, &prologue) }?;
        let metadata = prologue.metadata.as_ref();
        let numpy = metadata.and_then(|metadata| NumpyMeta::from_json(&metadata.value).ok());
        Ok(BloscpackFile { source, len, prologue, index, numpy })
    }
}

impl BloscpackFile<'_> {
    /// Reads chunks that come over a network, with as few requests as possible. The offsets say where they should be.
    fn prefetch_chunks(&self, numbers: impl Iterator<Item = u64>) {
        if self.source.request_cost().is_none() {
            return;
        }
        let offset = |number: u64| {
            let entry = self.prologue.offsets.get(usize::try_from(number).ok()?).copied();
            self.index.known(number).or_else(|| u64::try_from(entry?).ok())
        };
        let range = |number| Some(offset(number)?..offset(number + 1).unwrap_or(self.len));
        // Without memory for the list, each chunk is read by itself.
        if let Ok(ranges) = memory::collect(numbers.filter_map(range)) {
            self.source.prefetch(&ranges);
        }
    }
}

impl Container for BloscpackFile<'_> {
    fn format(&self) -> Format {
        Format::Bloscpack { version: self.prologue.header.version.number() }
    }

    fn cbytes(&self) -> u64 {
        self.len
    }

    fn nchunks(&self) -> u64 {
        self.index.nchunks()
    }

    fn nbytes(&self) -> u64 {
        self.index.nbytes()
    }

    fn typesize(&self) -> usize {
        usize::from(self.prologue.header.typesize.max(1))
    }

    fn chunk_range(&self, number: u64, _limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        Ok(self.index.chunk_range(number))
    }

    fn chunk_of(&self, at: u64, _limits: &Limits) -> Result<u64, Error> {
        Ok(self.index.chunk_of(at))
    }

    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let range = self.index.chunk_range(number).unwrap_or_default();
        // This is an estimate. Reading the chunk checks its memory.
        let offset = |chunk: u64| {
            let entry = self.prologue.offsets.get(usize::try_from(chunk).ok()?).copied();
            self.index.known(chunk).or_else(|| u64::try_from(entry?).ok())
        };
        let cbytes = || offset(number + 1).unwrap_or(self.len).saturating_sub(offset(number).unwrap_or(0));
        Weight::of_chunk(range.end - range.start, &options.threads, &options.limits, cbytes)
    }

    /// Checks the digest. No chunk and no other file may follow the last chunk.
    fn fetch(&self, number: u64, _ranges: Option<&[Range<usize>]>, limits: &Limits) -> Result<Fetched, Error> {
        let header = &self.prologue.header;
        self.prefetch_chunks(std::iter::once(number));
        if self.source.request_cost().is_some() {
            // If the chunks before are being read, too, this needs no request.
            self.index.prefetch(&self.source, &self.prologue.offsets, number);
        }
        let mut bytes = Vec::new();
        let (start, mut input) = self.index.start(&self.source, header, number, &mut bytes)?;
        let digest = start.read_body(&mut input, limits, &mut bytes)?;
        let ChunkStart { offset, nbytes, cbytes, .. } = start;
        check_digest(header.checksum, &FoundChunk { number, offset, last: false, nbytes, cbytes, digest }, &bytes)?;
        if number + 1 == self.index.nchunks() {
            refuse_more(&mut input, header, self.index.nchunks(), limits)?;
        }
        Ok(Fetched::Bytes { bytes, offset })
    }

    fn is_distant(&self) -> bool {
        self.source.request_cost().is_some()
    }

    fn prefetch(&self, chunks: &[Wanted<'_>]) {
        self.prefetch_chunks(chunks.iter().map(|(number, _)| *number));
    }

    fn stored_chunk_nbytes(&self) -> Option<u64> {
        self.index.chunk_range(0).map(|range| range.end - range.start)
    }

    fn chunk_position(&self, number: u64) -> Option<u64> {
        if number >= self.index.nchunks() {
            return None;
        }
        self.index.locate(&self.source, &self.prologue.header, number).ok()
    }

    fn chunk_extent(&self, number: u64, _limits: &Limits) -> Result<Option<Extent>, Error> {
        let (start, _) = self.index.start(&self.source, &self.prologue.header, number, &mut Vec::new())?;
        let ChunkStart { offset, nbytes, cbytes, .. } = start;
        Ok(Some(Extent { file: None, offset, cbytes, nbytes }))
    }

    fn chunk_facts(&self, number: u64, _limits: &Limits) -> Result<ChunkFacts, Error> {
        if self.source.request_cost().is_some() {
            self.index.prefetch(&self.source, &self.prologue.offsets, number + 1);
        }
        let mut head = Vec::new();
        let (start, _) = self.index.start(&self.source, &self.prologue.header, number, &mut head)?;
        let header = ChunkHeader::parse_blosc1(&head);
        let refuse = |source| Error::Chunk { chunk: number, offset: start.offset, source };
        header.map(|header| ChunkFacts::of_header(&header)).map_err(refuse)
    }

    fn details(&self) -> Details<'_> {
        let Prologue { header, metadata, offsets, layout } = &self.prologue;
        let metadata = metadata.as_ref().map(|metadata| (&metadata.section, &metadata.value));
        let end = self.index.known(self.index.nchunks()).unwrap_or(self.len);
        Details::Bloscpack { header, metadata, offsets, layout, end }
    }

    fn numpy(&self) -> Option<&NumpyMeta> {
        self.numpy.as_ref()
    }

    fn may_have_empty_chunks(&self) -> bool {
        true
    }
}
