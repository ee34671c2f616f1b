//! The one idea of a container: chunks, where each lies, how big each is plain, what all of it means.
//!
//! | file | what it knows |
//! |---|---|
//! | `frame` | how a frame is opened, and where its chunks come from |
//! | `fetch` | which bytes of a frame's chunk have to be read |
//! | `decode` | how a chunk of any container becomes plain bytes |
//! | `reader` | the same for who pulls bytes out |
//! | `stream` | all plain bytes or a range of them, in parallel and in order |
//! | `verify` | every chunk, once |
//! | `cost` | what reading takes in memory, and whether the limits allow it |
//! | `slices`, `boxes` | the same for arrays: slices, and the items in C order |
//! | `selected` | selections with steps, of arrays in any container |

mod boxes;
mod cost;
mod decode;
mod fetch;
mod frame;
mod reader;
mod selected;
mod slices;
mod stream;
mod verify;

use std::ops::Range;

use blosc_core::{Decoder, Header as ChunkHeader, Limits};
use bloscpack_format::bcolz::{Attrs, Sizes, Storage};
use bloscpack_format::bloscpack::{Header, Layout, MetadataHeader, MetadataSection};
use bloscpack_format::frame::{B2nd, ChunkRef, Frame, Grid, decode_vlmetalayer};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Format, Json, detect};

pub(crate) use self::boxes::Boxes;
pub(crate) use self::decode::Plain;
use self::frame::OpenFrame;
pub use self::reader::PlainReader;
pub(crate) use self::slices::most_of;
use crate::bcolz::{self, Meta};
use crate::bloscpack::index::Index;
use crate::bloscpack::prologue::Prologue;
use crate::source::counted::Counted;
use crate::source::{ReadAt, Sequential};
use crate::{Cancel, Error};

/// An opened file: *n* chunks, where each lies, how big each is plain, what it means. It may be a bloscpack file, a bare
/// chunk, a contiguous frame, a sparse frame ([`LocalSource`](crate::LocalSource)), an array in either kind of frame, whose
/// plain bytes are its items in C order, without padding, or the directory of a bcolz carray, whose plain bytes are its rows.
///
/// Opening reads header, metadata and offsets, or header, trailer and index, or `meta/storage` and `meta/sizes`. Of a bloscpack file the 16 bytes that each chunk
/// starts with are read up to the last chunk that is needed; opening one without usable offsets reads those of all chunks.
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
    content: Content,
    numpy: Option<NumpyMeta>,
    limits: Limits,
    cancel: Cancel,
}

/// What each format has besides its chunks.
#[derive(Debug)]
enum Content {
    Bloscpack(Box<Prologue>, Index),
    Chunk { typesize: usize, index: Index },
    Frame(Box<OpenFrame>),
    Carray(Box<Meta>),
}

impl<R: ReadAt> Archive<R> {
    /// Opens a source.
    ///
    /// # Errors
    /// [`Error::Unrecognised`] and [`Error::Unsupported`] for other formats; [`Error::Format`], [`Error::Truncated`]
    /// and [`Error::Chunk`] for damage that shows already; [`Error::Io`].
    pub fn open(source: R) -> Result<Self, Error> {
        Archive::open_with_limits(source, Limits::new())
    }

    /// [`Archive::open`] within other limits, by which all that is read from it later is bounded, too, unless options say
    /// otherwise.
    ///
    /// # Errors
    /// As [`Archive::open`], and [`Error::Limit`].
    pub fn open_with_limits(source: R, limits: Limits) -> Result<Self, Error> {
        Archive::open_by(source, limits, Index::of)
    }

    /// [`Archive::open`] that reads the headers of all chunks of a bloscpack file at once, and not its offsets.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_walked(source: R) -> Result<Self, Error> {
        Archive::open_walked_with_limits(source, Limits::new())
    }

    /// [`Archive::open_walked`] within other limits.
    ///
    /// # Errors
    /// As [`Archive::open_with_limits`].
    pub fn open_walked_with_limits(source: R, limits: Limits) -> Result<Self, Error> {
        Archive::open_by(source, limits, |source, _, prologue| Index::walk(source, prologue))
    }

    fn open_by(
        source: R,
        limits: Limits,
        index: impl FnOnce(&R, u64, &Prologue) -> Result<Index, Error>,
    ) -> Result<Self, Error> {
        let reading = Error::io("reading the input");
        let len = source.len().map_err(&reading)?;
        if let Some(dir) = source.directory() {
            let meta = Meta::open(dir, &limits)?;
            let (numpy, content) = (Some(meta.numpy()?), Content::Carray(Box::new(meta)));
            return Ok(Archive { source, len, format: Format::Carray, content, numpy, limits, cancel: Cancel::new() });
        }
        let mut input = Counted::new(Sequential::new(&source, 0).map_err(&reading)?);
        let mut prefix = [0; bloscpack_format::detect::PREFIX_LEN];
        let found = input.fill(&mut prefix)?;
        let prefix = &prefix[..found];
        let (format, content, numpy) = match detect(prefix, Some(len)) {
            Some(format @ (Format::Blosc1Chunk | Format::Blosc2Chunk)) => {
                let chunk = ChunkHeader::parse(prefix);
                let chunk = chunk.map_err(|source| Error::Chunk { chunk: 0, offset: 0, source })?;
                let index = Index::single(chunk.nbytes() as u64);
                (format, Content::Chunk { typesize: chunk.typesize(), index }, None)
            }
            Some(format @ Format::Bloscpack { .. }) => {
                let mut input = Counted::new(Sequential::new(&source, 0).map_err(&reading)?);
                let prologue = Prologue::read(&mut input, &limits)?;
                let index = index(&source, len, &prologue)?;
                let metadata = prologue.metadata.as_ref();
                let numpy = metadata.and_then(|metadata| NumpyMeta::from_json(&metadata.value).ok());
                (format, Content::Bloscpack(Box::new(prologue), index), numpy)
            }
            Some(Format::Blosc2Frame) => {
                let frame = OpenFrame::open(&source, len, &limits)?;
                let sparse = source.chunk_files().is_some();
                let format = if sparse { Format::SparseFrame } else { Format::Blosc2Frame };
                let numpy = frame.numpy();
                (format, Content::Frame(Box::new(frame)), numpy)
            }
            Some(format) => return Err(Error::Unsupported { format }),
            None => return Err(Error::Unrecognised { found: prefix[..found.min(16)].to_vec() }),
        };
        Ok(Archive { source, len, format, content, numpy, limits, cancel: Cancel::new() })
    }

    /// Sets what reading may cost from now on.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn get_limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets the switch that ends reading early with [`Error::Cancelled`], where no options bring another one.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The format that was found.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The bloscpack header, if it is such a file.
    pub fn header(&self) -> Option<&Header> {
        self.prologue().map(|prologue| &prologue.header)
    }

    fn prologue(&self) -> Option<&Prologue> {
        if let Content::Bloscpack(prologue, _) = &self.content { Some(prologue) } else { None }
    }

    /// The header of the metadata section, if there is one.
    pub fn metadata_header(&self) -> Option<&MetadataHeader> {
        self.metadata_section().map(MetadataSection::header)
    }

    /// The metadata, if there is any.
    pub fn metadata(&self) -> Option<&Json> {
        Some(&self.prologue()?.metadata.as_ref()?.value)
    }

    /// The metadata section, if there is one.
    pub(crate) fn metadata_section(&self) -> Option<&MetadataSection> {
        Some(&self.prologue()?.metadata.as_ref()?.section)
    }

    /// Where the parts of a bloscpack file lie.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.prologue().map(|prologue| &prologue.layout)
    }

    /// Where the last chunk of a bloscpack file ends, if all chunk headers have been read; else the end of the file.
    pub(crate) fn end(&self) -> u64 {
        match &self.content {
            Content::Bloscpack(_, index) => index.known(index.nchunks()).unwrap_or(self.len),
            Content::Chunk { .. } | Content::Frame(_) | Content::Carray(_) => self.len,
        }
    }

    /// Header, index and trailer, if it is a frame.
    pub fn frame(&self) -> Option<&Frame> {
        self.open_frame().map(|open| &open.frame)
    }

    /// The frame alone; `Err` with the format of what is none.
    pub(crate) fn into_frame(self) -> Result<Frame, Format> {
        match self.content {
            Content::Frame(open) => Ok(open.frame),
            _ => Err(self.format),
        }
    }

    fn open_frame(&self) -> Option<&OpenFrame> {
        if let Content::Frame(open) = &self.content { Some(open) } else { None }
    }

    /// Shape, chunks and blocks, if it is an array in a frame.
    pub fn array(&self) -> Option<&B2nd> {
        self.open_frame()?.array.as_ref().map(|(array, _)| array)
    }

    /// The arithmetic of that array.
    pub fn grid(&self) -> Option<&Grid> {
        self.open_frame()?.array.as_ref().map(|(_, grid)| grid)
    }

    /// What `meta/storage` and `meta/sizes` say, if it is a carray of bcolz.
    pub fn carray(&self) -> Option<(&Storage, &Sizes)> {
        if let Content::Carray(meta) = &self.content { Some((&meta.storage, &meta.sizes)) } else { None }
    }

    /// The attributes, if it is a carray of bcolz.
    ///
    /// # Errors
    /// [`Error::InFile`] if they are damaged.
    pub fn attrs(&self) -> Result<Option<Attrs>, Error> {
        let (Content::Carray(meta), Some(dir)) = (&self.content, self.source.directory()) else { return Ok(None) };
        bcolz::read_attrs(&meta.moves.on(dir), &self.limits).map(Some)
    }

    /// The content of a metalayer of a frame.
    pub fn metalayer(&self, name: &str) -> Option<&[u8]> {
        self.frame()?.header.metalayers.get(name)
    }

    /// The content of a vlmetalayer of a frame, decompressed; `None` if there is none of this name.
    ///
    /// # Errors
    /// [`Error::Format`] if it is damaged or over the limits.
    pub fn vlmetalayer(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let chunk = self.frame().and_then(|frame| frame.trailer.vlmetalayers.get(name));
        let mut decoder = Decoder::new().limits(self.limits);
        Ok(chunk.map(|chunk| decode_vlmetalayer(chunk, &mut decoder)).transpose()?)
    }

    /// What is said of the array that the bytes are, if it is: by the metadata, or by the frame.
    pub fn numpy(&self) -> Option<&NumpyMeta> {
        self.numpy.as_ref()
    }

    /// The entries of the offsets section that are in use, as they stand in the file; empty if there is none.
    pub fn offsets(&self) -> &[i64] {
        self.prologue().map_or(&[], |prologue| &prologue.offsets)
    }

    /// Plain bytes; those of an array in a frame without padding.
    pub fn nbytes(&self) -> u64 {
        match &self.content {
            Content::Bloscpack(_, index) | Content::Chunk { index, .. } => index.nbytes(),
            Content::Frame(open) => open.nbytes(),
            Content::Carray(meta) => meta.rows.nbytes(),
        }
    }

    /// Bytes of the source; of a sparse frame or a carray those of its chunks are not among them.
    pub fn cbytes(&self) -> u64 {
        self.len
    }

    /// The source.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// Bytes of one element as the header says, at least 1.
    pub fn typesize(&self) -> usize {
        match &self.content {
            Content::Bloscpack(prologue, _) => usize::from(prologue.header.typesize.max(1)),
            Content::Chunk { typesize, .. } => *typesize,
            Content::Frame(open) => open.frame.header.typesize as usize,
            Content::Carray(meta) => meta.storage.dtype.typesize(),
        }
    }

    /// How many chunks there are.
    pub fn nchunks(&self) -> u64 {
        match &self.content {
            Content::Bloscpack(_, index) | Content::Chunk { index, .. } => index.nchunks(),
            Content::Frame(open) => open.frame.nchunks(),
            Content::Carray(meta) => meta.rows.nchunks(),
        }
    }

    /// The plain bytes that chunk `number` holds, within those of all chunks: of an array in a frame that is with the
    /// padding. Where the sizes of a frame's chunks vary, the first call reads the headers of all.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; what is wrong with the header of a chunk.
    pub fn chunk_range(&self, number: u64) -> Result<Range<u64>, Error> {
        let range = match &self.content {
            Content::Bloscpack(_, index) | Content::Chunk { index, .. } => index.chunk_range(number),
            Content::Frame(open) => open.chunk_range(&self.source, number, &self.limits)?,
            Content::Carray(meta) => Some(meta.plain_range(number)).filter(|range| !range.is_empty()),
        };
        range.ok_or_else(|| self.no_such_chunk(number))
    }

    /// Where chunk `number` is in the source; `None` if there is none, if it is not in the source, or if damage to a chunk
    /// before it hides where it starts.
    pub fn chunk_position(&self, number: u64) -> Option<u64> {
        match &self.content {
            Content::Bloscpack(prologue, index) if number < index.nchunks() => {
                index.locate(&self.source, &prologue.header, number).ok()
            }
            Content::Chunk { .. } if number == 0 => Some(0),
            Content::Bloscpack(..) | Content::Chunk { .. } => None,
            Content::Frame(open) => match open.frame.chunk(number) {
                Ok(ChunkRef::Stored { at, .. }) => Some(at),
                _ => None,
            },
            Content::Carray(_) => None,
        }
    }

    fn no_such_chunk(&self, number: u64) -> Error {
        Error::Range { unit: "chunks", start: number, end: number.saturating_add(1), len: self.nchunks() }
    }
}
