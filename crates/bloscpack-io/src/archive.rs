//! Random access: any bytes of a bloscpack file or of a bare chunk, decoding only what they touch.

use std::io::Write;
use std::ops::Range;

use blosc_core::{Chunk, Decoder, Header as ChunkHeader, Limits};
use bloscpack_format::bloscpack::{Header, Layout, MetadataHeader, MetadataSection};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Format, Json, detect};

use crate::Error;
use crate::chunks::{ChunkStart, FoundChunk};
use crate::counted::Counted;
use crate::index::Index;
use crate::prologue::Prologue;
use crate::source::{ReadAt, Sequential};
use crate::unpack::check_digest;

/// An opened bloscpack file or bare chunk: *n* chunks, where each lies, how big each is plain, what it means.
///
/// Opening reads header, metadata and offsets. Of a file without offsets it also reads the 16 bytes that each chunk
/// starts with.
///
/// ```
/// use bloscpack_io::{Archive, PackOptions};
/// let plain: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
/// let packed = bloscpack_io::pack_bytes(&plain, &PackOptions::new().chunk_size(10_000))?;
/// let archive = Archive::open(packed)?;
/// assert_eq!(archive.read_range(123_456..123_460)?, plain[123_456..123_460]);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Archive<R> {
    source: R,
    len: u64,
    format: Format,
    front: Option<Front>,
    typesize: usize,
    index: Index,
    limits: Limits,
}

/// What a bloscpack file has in front of its chunks.
#[derive(Debug)]
struct Front {
    prologue: Prologue,
    numpy: Option<NumpyMeta>,
}

impl<R: ReadAt> Archive<R> {
    /// Opens a source.
    ///
    /// # Errors
    /// [`Error::Unrecognised`] and [`Error::Unsupported`] for other formats; [`Error::Format`], [`Error::Truncated`]
    /// and [`Error::Chunk`] for damage that shows already; [`Error::Io`].
    pub fn open(source: R) -> Result<Self, Error> {
        Archive::open_by(source, Index::of)
    }

    /// [`Archive::open`] that does not trust the offsets: the chunks are walked.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_walked(source: R) -> Result<Self, Error> {
        Archive::open_by(source, |source, _, prologue| Index::walk(source, prologue))
    }

    fn open_by(source: R, index: impl FnOnce(&R, u64, &Prologue) -> Result<Index, Error>) -> Result<Self, Error> {
        let reading = Error::io("reading the input");
        let len = source.len().map_err(&reading)?;
        let mut input = Counted::new(Sequential::new(&source, 0).map_err(&reading)?);
        let mut prefix = [0; bloscpack_format::detect::PREFIX_LEN];
        let found = input.fill(&mut prefix)?;
        let prefix = &prefix[..found];
        match detect(prefix, Some(len)) {
            Some(format @ (Format::Blosc1Chunk | Format::Blosc2Chunk)) => {
                let chunk = ChunkHeader::parse(prefix);
                let chunk = chunk.map_err(|source| Error::Chunk { chunk: 0, offset: 0, source })?;
                let (typesize, limits) = (chunk.typesize(), Limits::new());
                let index = Index::single(chunk.nbytes() as u64);
                Ok(Archive { source, len, format, front: None, typesize, index, limits })
            }
            Some(format @ Format::Bloscpack { .. }) => {
                let mut input = Counted::new(Sequential::new(&source, 0).map_err(&reading)?);
                let prologue = Prologue::read(&mut input)?;
                let index = index(&source, len, &prologue)?;
                let typesize = usize::from(prologue.header.typesize.max(1));
                let metadata = prologue.metadata.as_ref();
                let numpy = metadata.and_then(|metadata| NumpyMeta::from_json(&metadata.value).ok());
                let front = Some(Front { prologue, numpy });
                Ok(Archive { source, len, format, front, typesize, index, limits: Limits::new() })
            }
            Some(format) => Err(Error::Unsupported { format }),
            None => Err(Error::Unrecognised { found: prefix[..found.min(16)].to_vec() }),
        }
    }

    /// Sets what a chunk may make the decoder spend.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The format that was found.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The bloscpack header, if it is such a file.
    pub fn header(&self) -> Option<&Header> {
        self.front.as_ref().map(|front| &front.prologue.header)
    }

    /// The header of the metadata section, if there is one.
    pub fn metadata_header(&self) -> Option<&MetadataHeader> {
        self.metadata_section().map(MetadataSection::header)
    }

    /// The metadata, if there is any.
    pub fn metadata(&self) -> Option<&Json> {
        Some(&self.front.as_ref()?.prologue.metadata.as_ref()?.value)
    }

    /// The metadata section, if there is one.
    pub(crate) fn metadata_section(&self) -> Option<&MetadataSection> {
        Some(&self.front.as_ref()?.prologue.metadata.as_ref()?.section)
    }

    /// Where the parts of a bloscpack file lie.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        Some(&self.front.as_ref()?.prologue.layout)
    }

    /// Where the last chunk ends, as far as a walk has been there.
    pub(crate) fn end(&self) -> u64 {
        self.index.end().unwrap_or(self.len)
    }

    /// What the metadata says of the array that the bytes are, if it does.
    pub fn numpy(&self) -> Option<&NumpyMeta> {
        self.front.as_ref()?.numpy.as_ref()
    }

    /// The entries of the offsets section that are in use, as they stand in the file; empty if there is none.
    pub fn offsets(&self) -> &[i64] {
        self.front.as_ref().map_or(&[], |front| &front.prologue.offsets)
    }

    /// Plain bytes.
    pub fn nbytes(&self) -> u64 {
        self.index.nbytes()
    }

    /// Bytes of the source.
    pub fn cbytes(&self) -> u64 {
        self.len
    }

    /// Bytes of one element as the header says, at least 1.
    pub fn typesize(&self) -> usize {
        self.typesize
    }

    /// How many chunks there are.
    pub fn nchunks(&self) -> u64 {
        self.index.nchunks()
    }

    /// The plain bytes that chunk `number` holds, within all.
    pub fn chunk_range(&self, number: u64) -> Option<Range<u64>> {
        self.index.chunk_range(number)
    }

    /// Where chunk `number` is in the source.
    pub fn chunk_position(&self, number: u64) -> Option<u64> {
        self.index.position(number)
    }

    /// The compressed bytes of chunk `number`, its digest checked.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; [`Error::Truncated`], [`Error::Chunk`], [`Error::ChunkDigest`] or
    /// [`Error::ChunkSize`] if it is damaged.
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        let (Some(offset), Some(range)) = (self.chunk_position(number), self.chunk_range(number)) else {
            return Err(Error::Range {
                unit: "chunks",
                start: number,
                end: number.saturating_add(1),
                len: self.nchunks(),
            });
        };
        let sequential = Sequential::new(&self.source, offset).map_err(Error::io("reading the input"))?;
        let mut input = Counted::starting_at(sequential, offset);
        let mut bytes = Vec::new();
        let Some(header) = self.header() else {
            // A bare chunk, of either generation: its header gave the length of the source.
            let found = input.append(self.len, &mut bytes)?;
            return if found == self.len { Ok(bytes) } else { Err(input.cut_off(0, self.len, "the chunk")) };
        };
        let start = ChunkStart::read(&mut input, header, number, &mut bytes)?;
        let cut_off = || Error::Truncated { offset, what: format!("chunk {number}"), needed: 16, found: 0 };
        let start = start.ok_or_else(cut_off)?;
        let expected = range.end - range.start;
        if start.nbytes != expected {
            return Err(Error::ChunkSize { chunk: number, offset, found: start.nbytes, expected });
        }
        let digest = start.read_body(&mut input, &mut bytes)?;
        let (nbytes, cbytes) = (start.nbytes, start.cbytes);
        check_digest(header.checksum, &FoundChunk { number, offset, last: false, nbytes, cbytes, digest }, &bytes)?;
        Ok(bytes)
    }

    /// The plain bytes of chunk `number`.
    ///
    /// # Errors
    /// As [`Archive::compressed_chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        let bytes = self.compressed_chunk(number)?;
        let mut decoder = Decoder::new().limits(self.limits);
        let decoded = Chunk::parse(&bytes).and_then(|chunk| decoder.decompress(&chunk));
        decoded.map_err(|error| self.chunk_error(number, error))
    }

    /// The plain bytes of a range.
    ///
    /// # Errors
    /// As [`Archive::copy_range`].
    pub fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.copy_range(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes the plain bytes of a range to `output`, chunk by chunk. Of each chunk only the blocks that the range
    /// touches are decoded.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the bytes; what [`Archive::compressed_chunk`] answers;
    /// [`Error::Io`].
    pub fn copy_range(&self, range: Range<u64>, output: &mut impl Write) -> Result<(), Error> {
        let len = self.nbytes();
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "bytes", start: range.start, end: range.end, len });
        }
        let mut decoder = Decoder::new().limits(self.limits);
        let mut at = range.start;
        while at < range.end {
            let number = self.index.chunk_of(at);
            let bytes = self.compressed_chunk(number)?;
            let chunk = Chunk::parse(&bytes).map_err(|error| self.chunk_error(number, error))?;
            let within = self.chunk_range(number).unwrap_or(at..range.end);
            let end = within.end.min(range.end);
            // A chunk has less than 2 GiB.
            let part = (at - within.start) as usize..(end - within.start) as usize;
            let mut plain = vec![0; part.len()];
            let decoded = decoder.decode_ranges(&chunk, &[part], &mut plain);
            decoded.map_err(|error| self.chunk_error(number, error))?;
            output.write_all(&plain).map_err(Error::io("writing the output"))?;
            at = end;
        }
        output.flush().map_err(Error::io("writing the output"))
    }

    /// The plain bytes of a range of items of `itemsize` bytes.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the whole items, else as [`Archive::copy_range`].
    pub fn copy_items(&self, range: Range<u64>, itemsize: u64, output: &mut impl Write) -> Result<(), Error> {
        let len = self.nbytes().checked_div(itemsize).unwrap_or(0);
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "items", start: range.start, end: range.end, len });
        }
        self.copy_range(range.start * itemsize..range.end * itemsize, output)
    }

    fn chunk_error(&self, chunk: u64, source: blosc_core::DecodeError) -> Error {
        Error::Chunk { chunk, offset: self.chunk_position(chunk).unwrap_or(0), source }
    }
}
