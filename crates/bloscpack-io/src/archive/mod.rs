//! An open container of any format: its properties and the methods that read it.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the type and the properties of the container |
//! | `read` | its methods that read plain bytes, which call the files below |
//! | `decoding` | an archive with options, whose chunks are decoded in parallel and in order |
//! | `jobs` | chunks to decode, whole or in part |
//! | `ahead` | chunks that come through a network, fetched before they are needed |
//! | `chunk` | one chunk, compressed or plain |
//! | `reader` | the plain bytes through `Read + Seek` |
//! | `stream` | copies all plain bytes, or a range of them, to a writer |
//! | `verify` | every chunk, once |
//! | `frame_array`, `boxes` | arrays in frames: slices, and the items in C order |
//! | `selected` | selections with steps, of arrays in any container |
//!
//! `open.rs` opens a container.

mod ahead;
mod boxes;
mod chunk;
mod decoding;
mod frame_array;
mod jobs;
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
use bloscpack_format::zarr::ArrayMeta;
use bloscpack_format::{Format, Json};

pub(crate) use self::boxes::Boxes;
pub(crate) use self::frame_array::max_items_nbytes;
pub use self::reader::PlainReader;
use crate::container::{ChunkFacts, Container, Details};
use crate::run::pipeline::Weight;
use crate::source::ReadAt;
use crate::{Cancel, Error, UnpackOptions};

/// An open container: the positions, uncompressed sizes and meaning of its chunks. It can be a bloscpack file, a bare
/// chunk, a contiguous frame, a sparse frame ([`LocalSource`](crate::LocalSource)), or the directory of a bcolz carray or a Zarr array.
/// The plain bytes of a container are its uncompressed content. For an array in either kind of frame, they are its
/// items in C order, without padding. For a carray, they are its rows.
///
/// Opening reads the header, metadata and offsets of a bloscpack file, the header, trailer and index of a frame, or
/// `meta/storage` and `meta/sizes` of a carray. Reading a chunk of a bloscpack file first reads the 16-byte headers of
/// all chunks before it. If the offsets are unusable, opening reads all chunk headers.
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
    /// Creates an archive with the default limits.
    pub(crate) fn new(container: Box<dyn Container + 'a>) -> Self {
        Archive { container, limits: Limits::new(), cancel: Cancel::new() }
    }

    /// Sets the limits of later reads.
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

    /// Sets the switch that ends reading early with [`Error::Cancelled`]. Methods that take options use the switch of
    /// the options instead.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Returns the detected format.
    pub fn format(&self) -> Format {
        self.container.format()
    }

    /// Returns the header of a bloscpack file, `None` for other formats.
    pub fn header(&self) -> Option<&Header> {
        if let Details::Bloscpack { header, .. } = self.container.details() { Some(header) } else { None }
    }

    /// Returns the header of the metadata section, if there is one.
    pub fn metadata_header(&self) -> Option<&MetadataHeader> {
        self.metadata_section().map(MetadataSection::header)
    }

    /// Returns the metadata of a bloscpack file, if there is any.
    pub fn metadata(&self) -> Option<&Json> {
        if let Details::Bloscpack { metadata, .. } = self.container.details() { Some(metadata?.1) } else { None }
    }

    /// Returns the metadata section, if there is one.
    pub(crate) fn metadata_section(&self) -> Option<&MetadataSection> {
        if let Details::Bloscpack { metadata, .. } = self.container.details() { Some(metadata?.0) } else { None }
    }

    /// Returns the positions of the parts of a bloscpack file.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        if let Details::Bloscpack { layout, .. } = self.container.details() { Some(layout) } else { None }
    }

    /// Returns the end of the last chunk of a bloscpack file if all chunk headers have been read, else the end of the
    /// file.
    pub(crate) fn end(&self) -> u64 {
        if let Details::Bloscpack { end, .. } = self.container.details() { end } else { self.cbytes() }
    }

    /// Returns the used entries of the offsets section of a bloscpack file, unchanged. Empty if there is no such
    /// section.
    pub fn offsets(&self) -> &[i64] {
        if let Details::Bloscpack { offsets, .. } = self.container.details() { offsets } else { &[] }
    }

    /// Returns the header, index and trailer of a frame, `None` for other formats.
    pub fn frame(&self) -> Option<&Frame> {
        if let Details::Frame(frame) = self.container.details() { Some(frame) } else { None }
    }

    /// Returns the shape, chunks and blocks of an array in a frame, `None` for other containers.
    pub fn array(&self) -> Option<&B2nd> {
        self.container.grid().map(|(array, _)| array)
    }

    /// Returns the chunk and block arithmetic of an array in a frame.
    pub fn grid(&self) -> Option<&Grid> {
        self.container.grid().map(|(_, grid)| grid)
    }

    /// Returns the content of `meta/storage` and `meta/sizes` of a carray, `None` for other formats.
    pub fn carray(&self) -> Option<(&Storage, &Sizes)> {
        if let Details::Carray(storage, sizes) = self.container.details() { Some((storage, sizes)) } else { None }
    }

    /// Returns the metadata of a Zarr array, `None` for other formats.
    pub fn zarr(&self) -> Option<&ArrayMeta> {
        if let Details::Zarr(meta) = self.container.details() { Some(meta) } else { None }
    }

    /// Returns the number of stored chunks of a Zarr array, or of its shards, and the size of all of them in bytes.
    /// Other chunks have the fill value. `None` for other formats, and if the store cannot list.
    ///
    /// # Errors
    /// [`Error::InFile`]; [`Error::Limit`] for more chunks than [`Limits::max_chunks`].
    pub fn stored_files(&self) -> Result<Option<(u64, u64)>, Error> {
        self.container.stored_files(&self.limits)
    }

    /// Returns the attributes of a carray or Zarr array, `None` for other formats.
    ///
    /// # Errors
    /// [`Error::InFile`] if they are damaged.
    pub fn attrs(&self) -> Result<Option<Attrs>, Error> {
        self.container.attrs(&self.limits)
    }

    /// Returns the content of a metalayer of a frame.
    pub fn metalayer(&self, name: &str) -> Option<&[u8]> {
        self.frame()?.header.metalayers.get(name)
    }

    /// Returns the decompressed content of a vlmetalayer of a frame, `None` if it has no vlmetalayer of this name.
    ///
    /// # Errors
    /// [`Error::Format`] if it is damaged or over the limits.
    pub fn vlmetalayer(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let chunk = self.frame().and_then(|frame| frame.trailer.vlmetalayers.get(name));
        let mut decoder = Decoder::new().limits(self.limits);
        Ok(chunk.map(|chunk| decode_vlmetalayer(chunk, &mut decoder)).transpose()?)
    }

    /// Returns the dtype and shape of the array in the plain bytes, if the container describes one.
    pub fn numpy(&self) -> Option<&NumpyMeta> {
        self.container.numpy()
    }

    /// Returns the number of plain bytes. For an array in a frame, padding is not counted.
    pub fn nbytes(&self) -> u64 {
        self.container.nbytes()
    }

    /// Returns the size of the file in bytes: `chunks.b2frame` for a sparse frame, `meta/storage` for a carray. Chunk
    /// files are not counted.
    pub fn cbytes(&self) -> u64 {
        self.container.cbytes()
    }

    /// Returns the typesize in the header, at least 1.
    pub fn typesize(&self) -> usize {
        self.container.typesize()
    }

    /// Returns the number of chunks.
    pub fn nchunks(&self) -> u64 {
        self.container.nchunks()
    }

    /// Returns the range of chunk `number` within the plain bytes of all chunks. For an array in a frame, the chunks
    /// include padding. If the chunk sizes of a frame vary, the first call reads the headers of all chunks.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; damage to the header of a chunk.
    pub fn chunk_range(&self, number: u64) -> Result<Range<u64>, Error> {
        let range = self.container.chunk_range(number, &self.limits)?;
        range.ok_or_else(|| self.no_such_chunk(number))
    }

    /// Returns the offset of chunk `number` in the file. `None` if there is no such chunk, if it is in another file, or
    /// if a damaged chunk before it hides its start.
    pub fn chunk_position(&self, number: u64) -> Option<u64> {
        self.container.chunk_position(number)
    }

    /// Returns how chunk `number` is stored. Reads no more than its header.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; damage to the header of a chunk.
    pub fn chunk_facts(&self, number: u64) -> Result<ChunkFacts, Error> {
        self.expect_chunk(number)?;
        self.container.chunk_facts(number, &self.limits)
    }

    /// Returns whether the bytes are in chunks. [`Array::open`](crate::Array::open) also opens `.npy` files and raw
    /// bytes, which are not.
    pub fn is_compressed(&self) -> bool {
        self.uncompressed().is_none()
    }

    /// Returns the source of bytes that are not compressed, and the offset of the first plain byte in it.
    pub(crate) fn uncompressed(&self) -> Option<(&dyn ReadAt, u64)> {
        self.container.uncompressed()
    }

    /// Returns whether items can be read in any order at the cost of their size: the bytes are not compressed, and do not
    /// come through a network, where each read of items that are far from each other is a request.
    pub(crate) fn has_cheap_items(&self) -> bool {
        self.uncompressed().is_some() && !self.container.is_distant()
    }

    /// Returns the number of plain bytes in each chunk but the last, if chunks are Blosc1 chunks of consecutive plain
    /// bytes.
    pub(crate) fn stored_chunk_nbytes(&self) -> Option<u64> {
        // If the sizes differ, that of the first chunk says nothing about the others.
        let is_uniform = |size: &u64| *size > 0 && self.nchunks() == self.nbytes().div_ceil(*size);
        self.container.stored_chunk_nbytes().filter(is_uniform)
    }

    /// Returns the memory that decoding chunk `number` takes.
    pub(crate) fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        self.container.weight(number, options)
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

    /// Returns the chunk that holds plain byte `at`, which must exist.
    fn chunk_of(&self, at: u64) -> Result<u64, Error> {
        self.container.chunk_of(at, &self.limits)
    }

    /// Checks `nbytes` plain bytes of several chunks in memory against the limits.
    ///
    /// # Errors
    /// [`Error::Limit`].
    #[doc(hidden)]
    pub fn check_output(&self, nbytes: u64, limits: &Limits) -> Result<(), Error> {
        limits.check_output(nbytes, nbytes)?;
        Ok(limits.check_unearned(nbytes, self.stored_for(nbytes, limits))?)
    }

    /// Counts the compressed bytes, only up to the number for which `nbytes` plain bytes are within the limits.
    pub(crate) fn stored_for(&self, nbytes: u64, limits: &Limits) -> u64 {
        match nbytes > limits.max_unearned as u64 {
            true => self.container.stored(nbytes / Limits::EARNED as u64 + 1),
            false => 0,
        }
    }
}

impl fmt::Debug for Archive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Archive");
        shown.field("format", &self.format()).field("nbytes", &self.nbytes()).field("nchunks", &self.nchunks());
        shown.finish_non_exhaustive()
    }
}
