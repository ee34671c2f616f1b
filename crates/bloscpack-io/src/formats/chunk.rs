//! A file that consists of one bare chunk.

use std::ops::Range;

use blosc_core::{Header, Limits};
use bloscpack_format::Format;

use crate::container::{ChunkFacts, Container, Fetched, PlainRanges};
use crate::run::pipeline::Weight;
use crate::source::counting::CountingReader;
use crate::source::{ReadAt, Sequential};
use crate::{Error, UnpackOptions};

/// A bare chunk as a container of one chunk.
pub(crate) struct BareChunk<'a> {
    source: Box<dyn ReadAt + 'a>,
    len: u64,
    format: Format,
    typesize: usize,
    plain: PlainRanges,
}

impl<'a> BareChunk<'a> {
    /// Opens the chunk in `source`, whose first bytes are `prefix`. `format` is the detected format. Detection compared
    /// the length of the source with that in the header.
    pub(crate) fn open(source: Box<dyn ReadAt + 'a>, format: Format, prefix: &[u8]) -> Result<Self, Error> {
        let len = source.len().map_err(Error::reading)?;
        let header = Header::parse(prefix).map_err(|source| Error::Chunk { chunk: 0, offset: 0, source })?;
        let (typesize, plain) = (header.typesize(), PlainRanges::single(header.nbytes() as u64));
        Ok(BareChunk { source, len, format, typesize, plain })
    }
}

impl Container for BareChunk<'_> {
    fn format(&self) -> Format {
        self.format
    }

    fn cbytes(&self) -> u64 {
        self.len
    }

    fn nchunks(&self) -> u64 {
        1
    }

    fn nbytes(&self) -> u64 {
        self.plain.nbytes()
    }

    fn typesize(&self) -> usize {
        self.typesize
    }

    fn chunk_range(&self, number: u64, _limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        Ok((number == 0).then(|| self.plain.of(0)))
    }

    fn chunk_of(&self, _at: u64, _limits: &Limits) -> Result<u64, Error> {
        Ok(0)
    }

    fn weight(&self, _number: u64, options: &UnpackOptions) -> Weight {
        Weight::of_chunk(self.nbytes(), &options.threads, &options.limits, || self.len)
    }

    fn fetch(&self, _number: u64, _ranges: Option<&[Range<usize>]>, _limits: &Limits) -> Result<Fetched, Error> {
        let mut input = CountingReader::new(Sequential::within(&self.source, 0, self.len));
        let bytes = input.exactly(self.len, 0, self.len, "the chunk")?;
        Ok(Fetched::Bytes { bytes, offset: 0 })
    }

    fn chunk_facts(&self, _number: u64, _limits: &Limits) -> Result<ChunkFacts, Error> {
        let mut head = vec![0; self.len.min(Header::EXTENDED_LEN as u64) as usize];
        self.source.read_exact_at(0, &mut head).map_err(Error::reading)?;
        let header = Header::parse(&head).map_err(|source| Error::Chunk { chunk: 0, offset: 0, source })?;
        Ok(ChunkFacts::of_header(&header))
    }

    fn stored_chunk_nbytes(&self) -> Option<u64> {
        (self.format == Format::Blosc1Chunk).then(|| self.nbytes())
    }

    fn chunk_position(&self, number: u64) -> Option<u64> {
        (number == 0).then_some(0)
    }

    fn may_have_empty_chunks(&self) -> bool {
        true
    }
}
