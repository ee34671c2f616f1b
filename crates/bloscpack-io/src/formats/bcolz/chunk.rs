//! Chunk files: their paths, the checks before memory is allocated, and the decoding of their rows.

use std::ops::Range;

use blosc_core::{Chunk, ChunkFormat, DecodeError, Decoder, Header, Limits, memory};
use bloscpack_format::bcolz::{ChunkFileHeader, Dtype, chunk_file_name};

use super::carray::Meta;
use crate::Error;
use crate::container::Extent;
use crate::source::{ReadAt, ReadDirectory};

/// Number of bytes read from a file before the size of its chunk is known. For small arrays, this is usually the whole
/// file.
const HEAD: u64 = 4096;

/// Offset of the chunk in its file.
pub(crate) const AT: u64 = ChunkFileHeader::LEN as u64;

/// A chunk file. The size in its header has been checked.
struct Opened<'a> {
    file: Box<dyn ReadAt + 'a>,
    /// The first bytes of the chunk.
    head: Vec<u8>,
    header: Header,
}

impl Meta {
    /// Returns the path of the file that holds chunk `number`. During an interrupted change, `moves` may map it to a
    /// staged file.
    pub(crate) fn chunk_file(&self, number: u64) -> String {
        chunk_file_name(number)
    }

    /// Returns the offset of a chunk in its file.
    pub(crate) fn chunk_at(&self) -> u64 {
        AT
    }

    /// Returns the range of chunk `number` within the plain bytes of all rows.
    pub(crate) fn plain_range(&self, number: u64) -> Range<u64> {
        let (rows, atomsize) = (self.rows.rows_of(number), self.rows.atomsize());
        rows.start * atomsize..rows.end * atomsize
    }

    /// Returns the size of the file of chunk `number` in bytes, 0 if it is missing.
    pub(crate) fn cbytes_of(&self, dir: &dyn ReadDirectory, number: u64) -> u64 {
        let file = self.moves.on(dir);
        file.open(&self.chunk_file(number)).and_then(|file| file.len()).unwrap_or(0)
    }

    /// Returns the maximum number of plain bytes of chunk `number` while it is decoded: its file may hold more rows
    /// than are used. Returns 0 for a pickle, whose size is not known in advance.
    pub(crate) fn nbytes_in_memory(&self, number: u64) -> u64 {
        if self.is_object() { 0 } else { *self.rows.nbytes_allowed(number).end() }
    }

    /// Reads the compressed bytes of chunk `number`, after checking its uncompressed size.
    ///
    /// # Errors
    /// [`Error::InFile`] if the file is missing or damaged.
    pub(crate) fn fetch(&self, dir: &dyn ReadDirectory, number: u64, limits: &Limits) -> Result<Vec<u8>, Error> {
        let mut chunk = Vec::new();
        self.fetch_to(dir, number, limits, &mut chunk)?;
        Ok(chunk)
    }

    /// [`fetch`](Self::fetch) into a reusable buffer.
    pub(crate) fn fetch_to(
        &self,
        dir: &dyn ReadDirectory,
        number: u64,
        limits: &Limits,
        chunk: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let path = self.chunk_file(number);
        let read = self.read_chunk_file_to(&self.moves.on(dir), &path, number, limits, chunk);
        read.map_err(|error| error.in_file(dir.name(&path)))
    }

    /// Reads the compressed bytes of chunk `number` from the file `path`.
    pub(crate) fn read_chunk_file(
        &self,
        dir: &dyn ReadDirectory,
        path: &str,
        number: u64,
        limits: &Limits,
    ) -> Result<Vec<u8>, Error> {
        let mut chunk = Vec::new();
        self.read_chunk_file_to(dir, path, number, limits, &mut chunk)?;
        Ok(chunk)
    }

    fn read_chunk_file_to(
        &self,
        dir: &dyn ReadDirectory,
        path: &str,
        number: u64,
        limits: &Limits,
        chunk: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Opened { file, head, header } = self.open_chunk_file(dir, path, number, limits)?;
        // Data after the chunk is ignored.
        memory::reuse(chunk, header.cbytes())?;
        let known = head.len().min(chunk.len());
        let (start, rest) = chunk.split_at_mut(known);
        start.copy_from_slice(head.get(..known).unwrap_or_default());
        file.read_exact_at(AT + known as u64, rest).map_err(Error::io("reading"))
    }

    /// Checks that the file of chunk `number` exists, that its uncompressed size is allowed, and that the file is long
    /// enough. Returns the compressed size.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub(super) fn check_chunk_file(&self, dir: &dyn ReadDirectory, number: u64, limits: &Limits) -> Result<u64, Error> {
        let path = self.chunk_file(number);
        let dir = &self.moves.on(dir);
        let opened = self.open_chunk_file(dir, &path, number, limits).map(|opened| opened.header.cbytes() as u64);
        opened.map_err(|error| error.in_file(dir.name(&path)))
    }

    /// Returns where the compressed bytes of chunk `number` are, after the checks of a chunk file.
    pub(super) fn extent(&self, dir: &dyn ReadDirectory, number: u64, limits: &Limits) -> Result<Extent, Error> {
        let header = self.header(dir, number, limits)?;
        let (cbytes, nbytes) = (header.cbytes() as u64, header.nbytes() as u64);
        Ok(Extent { file: Some(self.chunk_file(number)), offset: AT, cbytes, nbytes })
    }

    /// Reads and checks the header of the chunk in a chunk file.
    pub(super) fn header(&self, dir: &dyn ReadDirectory, number: u64, limits: &Limits) -> Result<Header, Error> {
        let path = self.chunk_file(number);
        let opened = self.open_chunk_file(dir, &path, number, limits);
        opened.map(|opened| opened.header).map_err(|error| error.in_file(dir.name(&path)))
    }

    /// Opens a chunk file and checks the sizes in the header of its chunk.
    fn open_chunk_file<'a>(
        &self,
        dir: &'a dyn ReadDirectory,
        path: &str,
        number: u64,
        limits: &Limits,
    ) -> Result<Opened<'a>, Error> {
        let reading = Error::io("reading");
        let file = dir.open(path).map_err(Error::io("opening"))?;
        let len = file.len().map_err(&reading)?;
        let mut head = vec![0; len.min(HEAD) as usize];
        file.read_exact_at(0, &mut head).map_err(&reading)?;
        ChunkFileHeader::parse(&head)?;
        head.drain(..head.len().min(AT as usize));
        let refuse = |source| Error::Chunk { chunk: number, offset: AT, source };
        let header = Header::parse(&head).map_err(refuse)?;
        if header.format() != ChunkFormat::Blosc1 {
            return Err(Error::ChunkGeneration { chunk: number, version: header.version() });
        }
        self.check_nbytes(number, header.nbytes() as u64)?;
        limits.check_chunk(header.nbytes() as u64).map_err(|over| refuse(over.into()))?;
        let (needed, found) = (header.cbytes() as u64, len - AT);
        if needed > found {
            return Err(Error::Truncated { offset: AT, what: format!("chunk {number}"), needed, found });
        }
        Ok(Opened { file, head, header })
    }

    /// Refuses an uncompressed size that chunk `number` cannot have.
    fn check_nbytes(&self, number: u64, found: u64) -> Result<(), Error> {
        // A pickle can have any size.
        if self.is_object() {
            return Ok(());
        }
        let allowed = self.rows.nbytes_allowed(number);
        if allowed.contains(&found) {
            return Ok(());
        }
        let (min, max, atomsize) = (*allowed.start(), *allowed.end(), self.rows.atomsize());
        Err(Error::ChunkRows { chunk: number, found, min, max, atomsize })
    }

    /// Decodes `ranges` of the plain bytes of chunk `number`, concatenated. Python objects are decoded completely.
    pub(crate) fn decode(
        &self,
        dir: &dyn ReadDirectory,
        decoder: &mut Decoder,
        limits: &Limits,
        number: u64,
        ranges: &[Range<usize>],
    ) -> Result<Vec<u8>, Error> {
        let bytes = self.fetch(dir, number, limits)?;
        self.decode_fetched(decoder, &bytes, ranges).map_err(|source| {
            Error::Chunk { chunk: number, offset: AT, source }.in_file(dir.name(&self.chunk_file(number)))
        })
    }

    /// Decodes `range` of the plain bytes of chunk `number` into `plain`, which has the size of the range. The buffer
    /// `chunk` is reused.
    pub(crate) fn decode_into(
        &self,
        dir: &dyn ReadDirectory,
        (decoder, chunk): &mut (Decoder, Vec<u8>),
        limits: &Limits,
        number: u64,
        range: Range<usize>,
        plain: &mut [u8],
    ) -> Result<(), Error> {
        self.fetch_to(dir, number, limits, chunk)?;
        let decoded = Chunk::parse(chunk).and_then(|chunk| match range == (0..chunk.header().nbytes()) {
            true => decoder.decompress_into(&chunk, plain).map(drop),
            false => decoder.decode_ranges(&chunk, &[range], plain).map(drop),
        });
        decoded.map_err(|source| {
            Error::Chunk { chunk: number, offset: AT, source }.in_file(dir.name(&self.chunk_file(number)))
        })
    }

    /// Decodes all rows of chunk `number`. For Python object `number`, returns its pickle.
    pub(crate) fn decode_rows(
        &self,
        dir: &dyn ReadDirectory,
        decoder: &mut Decoder,
        limits: &Limits,
        number: u64,
    ) -> Result<Vec<u8>, Error> {
        let plain = self.plain_range(number);
        limits.check_chunk(plain.end - plain.start)?;
        // A chunk has less than 2 GiB.
        let whole = 0..(plain.end - plain.start) as usize;
        self.decode(dir, decoder, limits, number, std::slice::from_ref(&whole))
    }

    /// Returns whether the rows are Python objects, each in a chunk of its own.
    pub(crate) fn is_object(&self) -> bool {
        self.storage.dtype == Dtype::Object
    }

    pub(crate) fn decode_fetched(
        &self,
        decoder: &mut Decoder,
        bytes: &[u8],
        ranges: &[Range<usize>],
    ) -> Result<Vec<u8>, DecodeError> {
        let chunk = Chunk::parse(bytes)?;
        let whole = 0..chunk.header().nbytes();
        if self.is_object() || ranges == [whole] {
            return decoder.decompress(&chunk);
        }
        // The ranges are within the rows of the file, whose size was checked.
        let total: usize = ranges.iter().map(Range::len).sum();
        decoder.get_limits().check_unearned(total as u64, bytes.len() as u64)?;
        let mut plain = memory::zeroed(total)?;
        decoder.decode_ranges(&chunk, ranges, &mut plain)?;
        Ok(plain)
    }
}
