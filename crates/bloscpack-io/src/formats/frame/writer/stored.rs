//! Frames as sequences of compressed chunks, for callers that compress and decompress themselves.

use blosc_core::Special;
use bloscpack_format::frame::{ChunkRef, Edit, Header, Trailer, VlMetalayers};

use super::FrameWriter;
use super::compression::Compression;
use super::metalayers::check_name;
use crate::formats::frame::read::{expect_frame, read_frame};
use crate::formats::frame::store::FrameStore;
use crate::{Error, OpenOptions};

/// A chunk as it is in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunkBytes {
    /// The compressed chunk.
    Stored(Vec<u8>),
    /// Not stored: this number of uncompressed bytes of a special value.
    Special(Special, u32),
}

impl<S: FrameStore> FrameWriter<S> {
    /// Creates a frame with this header in an empty store. The sizes in the header are ignored, and so is the shape of
    /// an array, as for [`open_sequence`](Self::open_sequence).
    ///
    /// # Errors
    /// [`Error::Format`] if the type of the frame is not that of the store.
    pub fn start_sequence(store: S, header: Header) -> Result<Self, Error> {
        header.expect_type(store.frame_type())?;
        let compression = Compression::of(&header)?;
        Ok(FrameWriter::with(store, Edit::create(header, Trailer::default()), compression).sequence())
    }

    /// Opens the frame in a store as a sequence of chunks. If it is an array, neither the sizes nor the number of its
    /// chunks are compared with its shape: a caller that changes both commits a frame in between.
    ///
    /// # Errors
    /// As [`FrameWriter::with_store`].
    pub fn open_sequence(store: S, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let len = store.len().map_err(Error::reading)?;
        expect_frame(&store, len)?;
        let frame = read_frame(&store, len, store.frame_type(), &limits)?;
        let compression = Compression::of(&frame.header)?;
        Ok(FrameWriter { limits, ..FrameWriter::with(store, Edit::new(frame)?, compression).sequence() })
    }

    fn sequence(self) -> Self {
        FrameWriter { transaction: self.transaction.sequence(), ..self }
    }

    /// Returns a chunk without decoding it, uncommitted changes included.
    ///
    /// # Errors
    /// As [`FrameWriter::chunk`].
    pub fn stored_chunk(&self, number: u64) -> Result<ChunkBytes, Error> {
        let chunks = self.transaction.chunks()?;
        match self.frame()?.chunk(number)? {
            ChunkRef::Special { special, nbytes } => Ok(ChunkBytes::Special(special, nbytes)),
            place => Ok(ChunkBytes::Stored(chunks.compressed(number, place)?)),
        }
    }

    /// Returns the first `len` bytes of a stored chunk, or all if the frame has fewer, uncommitted changes included. They
    /// are not checked, so that a program can look at a damaged chunk. `None` for a chunk of a special value.
    ///
    /// # Errors
    /// As [`FrameWriter::chunk`], except for damage of the chunk.
    pub fn chunk_start(&self, number: u64, len: u64) -> Result<Option<Vec<u8>>, Error> {
        let chunks = self.transaction.chunks()?;
        match self.frame()?.chunk(number)? {
            ChunkRef::Special { .. } => Ok(None),
            place => chunks.read(number, place, len).map(Some),
        }
    }

    /// Returns the store, which has the frame of the last commit.
    #[must_use]
    pub fn store(&self) -> &S {
        self.transaction.store()
    }

    /// [`add_metalayer`](Self::add_metalayer) with a name that need not be UTF-8.
    ///
    /// # Errors
    /// As [`add_metalayer`](Self::add_metalayer).
    pub fn add_metalayer_bytes(&mut self, name: &[u8], content: &[u8]) -> Result<(), Error> {
        check_name(name)?;
        self.transaction.change(|edit| edit.add_metalayer_bytes(name, content))
    }

    /// Sets the uncompressed size of chunks before there is one. Otherwise the first chunk decides it.
    ///
    /// # Errors
    /// [`Error::EditFailed`], and [`Error::Argument`] for a size of 0 or above `i32::MAX`, or if there are chunks.
    pub fn set_chunk_size(&mut self, nbytes: u32) -> Result<(), Error> {
        self.transaction.change(|edit| edit.set_chunk_size(nbytes))
    }

    /// Replaces all vlmetalayers by compressed ones, of any number up to [`VlMetalayers::MAX`].
    ///
    /// # Errors
    /// [`Error::EditFailed`].
    pub fn set_vlmetalayers(&mut self, vlmetalayers: VlMetalayers) -> Result<(), Error> {
        self.replace_vlmetalayers(vlmetalayers)
    }
}
