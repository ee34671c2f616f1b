//! An open container of any format: its properties, and all ways to read it.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the type and the properties of the container |
//! | `read` | its methods that read plain bytes, which call the files below |
//! | `decoding` | an archive with options, whose chunks are decoded in parallel and in order |
//! | `chunk` | one chunk, compressed or plain |
//! | `reader` | the plain bytes as `Read + Seek` |
//! | `stream` | all plain bytes or a range of them, to a writer |
//! | `verify` | every chunk, once |
//! | `frame_array`, `boxes` | arrays in frames: slices, and the items in C order |
//! | `selected` | selections with steps, of arrays in any container |
//!
//! `open.rs` opens a container.

mod boxes;
mod chunk;
mod decoding;
mod frame_array;
mod read;
mod reader;
mod selected;
mod stream;
mod verify;

use std::fmt;
use std::ops::Range;

use blosc_core::{Decoder, Limits};
use bloscpack_format::bcolz::{Attrs, Sizes, Storage};
use bloscpack_format::bloscpack::{Header, Layout, MetadataHeader, MetadataSection};
use bloscpack_format::frame::{B2nd, Frame, Grid, decode_vlmetalayer};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Format, Json};

pub(crate) use self::boxes::Boxes;
pub(crate) use self::frame_array::max_items_nbytes;
pub use self::reader::PlainReader;
use crate::container::{Container, Details};
use crate::source::ReadAt;
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
pub struct Archive<'a> {
    container: Box<dyn Container + 'a>,
    limits: Limits,
    cancel: Cancel,
}

impl<'a> Archive<'a> {
    /// An open container, within the default limits.
    pub(crate) fn new(container: Box<dyn Container + 'a>) -> Self {
        Archive { container, limits: Limits::new(), cancel: Cancel::new() }
    }

    /// Sets what reading may cost from now on.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn get_limits(&self) -> &Limits {
        &self.limits
    }

    fn get_cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Sets the switch that ends reading early with [`Error::Cancelled`], where no options bring another one.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The format that was found.
    pub fn format(&self) -> Format {
        self.container.format()
    }

    /// The bloscpack header, if it is such a file.
    pub fn header(&self) -> Option<&Header> {
        if let Details::Bloscpack { header, .. } = self.container.details() { Some(header) } else { None }
    }

    /// The header of the metadata section, if there is one.
    pub fn metadata_header(&self) -> Option<&MetadataHeader> {
        self.metadata_section().map(MetadataSection::header)
    }

    /// The metadata of a bloscpack file, if there is any.
    pub fn metadata(&self) -> Option<&Json> {
        if let Details::Bloscpack { metadata, .. } = self.container.details() { Some(metadata?.1) } else { None }
    }

    /// The metadata section, if there is one.
    pub(crate) fn metadata_section(&self) -> Option<&MetadataSection> {
        if let Details::Bloscpack { metadata, .. } = self.container.details() { Some(metadata?.0) } else { None }
    }

    /// Where the parts of a bloscpack file are.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        if let Details::Bloscpack { layout, .. } = self.container.details() { Some(layout) } else { None }
    }

    /// Where the last chunk of a bloscpack file ends, if all chunk headers have been read; else the end of the file.
    pub(crate) fn end(&self) -> u64 {
        if let Details::Bloscpack { end, .. } = self.container.details() { end } else { self.cbytes() }
    }

    /// The entries of the offsets section of a bloscpack file that are in use, as they are in the file; empty if there is
    /// none.
    pub fn offsets(&self) -> &[i64] {
        if let Details::Bloscpack { offsets, .. } = self.container.details() { offsets } else { &[] }
    }

    /// Header, index and trailer, if it is a frame.
    pub fn frame(&self) -> Option<&Frame> {
        if let Details::Frame(frame) = self.container.details() { Some(frame) } else { None }
    }

    /// Shape, chunks and blocks, if it is an array in a frame.
    pub fn array(&self) -> Option<&B2nd> {
        self.container.grid().map(|(array, _)| array)
    }

    /// The arithmetic of that array.
    pub fn grid(&self) -> Option<&Grid> {
        self.container.grid().map(|(_, grid)| grid)
    }

    /// The content of `meta/storage` and `meta/sizes`, if it is a carray of bcolz.
    pub fn carray(&self) -> Option<(&Storage, &Sizes)> {
        if let Details::Carray(storage, sizes) = self.container.details() { Some((storage, sizes)) } else { None }
    }

    /// The attributes, if it is a carray of bcolz.
    ///
    /// # Errors
    /// [`Error::InFile`] if they are damaged.
    pub fn attrs(&self) -> Result<Option<Attrs>, Error> {
        self.container.attrs(&self.limits)
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

    /// Dtype and shape of the array that the plain bytes are, if the container describes one.
    pub fn numpy(&self) -> Option<&NumpyMeta> {
        self.container.numpy()
    }

    /// Plain bytes; those of an array in a frame without padding.
    pub fn nbytes(&self) -> u64 {
        self.container.nbytes()
    }

    /// Bytes of the file: of a sparse frame `chunks.b2frame`, of a carray `meta/storage`. Chunk files are not counted.
    pub fn cbytes(&self) -> u64 {
        self.container.cbytes()
    }

    /// Bytes of one element by the header, at least 1.
    pub fn typesize(&self) -> usize {
        self.container.typesize()
    }

    /// Number of chunks.
    pub fn nchunks(&self) -> u64 {
        self.container.nchunks()
    }

    /// The plain bytes of chunk `number`, within those of all chunks: of an array in a frame with the padding. Where the
    /// sizes of a frame's chunks vary, the first call reads the headers of all.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; damage to the header of a chunk.
    pub fn chunk_range(&self, number: u64) -> Result<Range<u64>, Error> {
        let range = self.container.chunk_range(number, &self.limits)?;
        range.ok_or_else(|| self.no_such_chunk(number))
    }

    /// The offset of chunk `number` in the file; `None` if there is none, if it is in another file, or if damage to a chunk
    /// before it hides its start.
    pub fn chunk_position(&self, number: u64) -> Option<u64> {
        self.container.chunk_position(number)
    }

    /// Whether the bytes are in chunks: not of a `.npy` file or raw bytes, which [`Array::open`](crate::Array::open) opens, too.
    pub fn is_compressed(&self) -> bool {
        self.uncompressed().is_none()
    }

    /// The plain bytes as they are in a source, and the offset of the first, if they are not compressed.
    pub(crate) fn uncompressed(&self) -> Option<(&dyn ReadAt, u64)> {
        self.container.uncompressed()
    }

    pub(crate) fn container(&self) -> &(dyn Container + 'a) {
        &*self.container
    }

    fn expect_chunk(&self, number: u64) -> Result<(), Error> {
        if number < self.nchunks() { Ok(()) } else { Err(self.no_such_chunk(number)) }
    }

    fn no_such_chunk(&self, number: u64) -> Error {
        Error::Range { unit: "chunks", start: number, end: number.saturating_add(1), len: self.nchunks() }
    }

    /// The chunk that holds plain byte `at`, which exists.
    fn chunk_of(&self, at: u64) -> Result<u64, Error> {
        self.container.chunk_of(at, &self.limits)
    }

    /// Refuses `nbytes` plain bytes of several chunks in memory if they are over the limits.
    pub(crate) fn check_output(&self, nbytes: u64, limits: &Limits) -> Result<(), Error> {
        limits.check_output(nbytes, nbytes)?;
        if nbytes > limits.max_unearned as u64 {
            limits.check_unearned(nbytes, self.container.stored(nbytes / Limits::EARNED as u64 + 1))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Archive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Archive");
        shown.field("format", &self.format()).field("nbytes", &self.nbytes()).field("nchunks", &self.nchunks());
        shown.finish_non_exhaustive()
    }
}
