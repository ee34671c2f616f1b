//! The chunks of a frame with its uncommitted changes.

use blosc_core::{Chunk, Decoder, Limits, Special, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkRef, ChunkSize, Edit, Frame, FrameType};

use super::compression::Compression;
use crate::Error;
use crate::container::Plain;
use crate::formats::frame::location::{ChunkLocation, StoredChunk};
use crate::formats::frame::store::FrameStore;

/// A chunk that was read, and is not decompressed.
pub(super) enum FetchedChunk {
    /// It repeats a value.
    Special { special: Special, nbytes: u32 },
    /// The bytes of chunk `number`, which were read at offset `at`.
    Stored { number: u64, at: u64, bytes: Vec<u8> },
}

impl FetchedChunk {
    /// Returns the uncompressed bytes. `typesize` is that of the frame.
    pub(super) fn plain(&self, decoder: &mut Decoder, typesize: u32, limits: &Limits) -> Result<Vec<u8>, Error> {
        match self {
            FetchedChunk::Special { special, nbytes } => {
                limits.check_chunk((*nbytes).into())?;
                limits.check_output((*nbytes).into(), 0)?;
                Ok(Plain::special(*special, typesize as usize, *nbytes as usize).into_vec()?)
            }
            FetchedChunk::Stored { number, at, bytes } => {
                let refuse = |source| Error::Chunk { chunk: *number, offset: *at, source };
                decoder.decompress(&Chunk::parse(bytes).map_err(refuse)?).map_err(refuse)
            }
        }
    }

    /// Returns the size of the stored bytes.
    pub(super) fn cbytes(&self) -> u64 {
        match self {
            FetchedChunk::Special { .. } => 0,
            FetchedChunk::Stored { bytes, .. } => bytes.len() as u64,
        }
    }
}

/// A view of the chunks as they are after the next commit. They are in the store, or in memory until the commit.
pub(super) struct CurrentChunks<'a, S> {
    edit: &'a Edit,
    store: &'a S,
}

impl<'a, S: FrameStore> CurrentChunks<'a, S> {
    /// Creates a view of the frame after `edit`. Most of its chunks are in `store`.
    pub(super) fn new(edit: &'a Edit, store: &'a S) -> Self {
        CurrentChunks { edit, store }
    }

    /// Returns the uncompressed bytes of a chunk.
    pub(super) fn plain(&self, number: u64, compression: &Compression, limits: Limits) -> Result<Vec<u8>, Error> {
        self.fetch(number)?.plain(&mut compression.decoder(limits), compression.typesize(), &limits)
    }

    /// Reads a chunk, which any thread can then decompress.
    pub(super) fn fetch(&self, number: u64) -> Result<FetchedChunk, Error> {
        let place = self.frame().chunk(number)?;
        if let ChunkRef::Special { special, nbytes } = place {
            return Ok(FetchedChunk::Special { special, nbytes });
        }
        let info = self.info_of(number, place)?;
        let bytes = self.read(number, place, info.cbytes.into())?;
        let at = if let ChunkRef::Stored { at, .. } = place { at } else { 0 };
        Ok(FetchedChunk::Stored { number, at, bytes })
    }

    /// Returns the bytes of a chunk, which is not a special value.
    pub(super) fn compressed(&self, number: u64, place: ChunkRef) -> Result<Vec<u8>, Error> {
        let info = self.info_of(number, place)?;
        if let ChunkRef::Stored { room, nbytes, .. } = place {
            info.check(number, room, nbytes)?;
        }
        let bytes = self.read(number, place, info.cbytes.into())?;
        let refuse = |source| Error::Chunk { chunk: number, offset: 0, source };
        Chunk::parse(&bytes).map_err(refuse)?;
        Ok(bytes)
    }

    /// Returns the header information that an edit needs about a removed or replaced chunk, `None` if the index
    /// contains all of it.
    pub(super) fn old_info(&self, at: u64) -> Result<Option<ChunkInfo>, Error> {
        let frame = self.frame();
        let known = frame.header.frame_type == FrameType::Contiguous && frame.header.chunksize != ChunkSize::Variable;
        match frame.chunk(at)? {
            ChunkRef::Special { .. } => Ok(None),
            _ if known => Ok(None),
            place => self.info_of(at, place).map(Some),
        }
    }

    /// Returns whether the blocks of the first stored chunk have variable lengths, `None` if no chunk is stored.
    pub(super) fn first_has_vl_blocks(&self) -> Result<Option<bool>, Error> {
        match self.frame().index.first_stored() {
            Some(first) => Ok(Some(self.info_of(first, self.frame().chunk(first)?)?.vl_blocks)),
            None => Ok(None),
        }
    }

    fn frame(&self) -> &'a Frame {
        self.edit.frame()
    }

    /// Parses the header of a stored chunk.
    fn info_of(&self, chunk: u64, place: ChunkRef) -> Result<ChunkInfo, Error> {
        Ok(ChunkInfo::parse(&self.read(chunk, place, blosc_core::Header::EXTENDED_LEN as u64)?)?)
    }

    /// Reads the first `len` bytes of a chunk, or all bytes if there are fewer.
    pub(super) fn read(&self, chunk: u64, place: ChunkRef, len: u64) -> Result<Vec<u8>, Error> {
        if let Some(made) = self.edit.made(place) {
            return Ok(memory::copy_of(made.get(..made.len().min(len as usize)).unwrap_or_default())?);
        }
        match StoredChunk::find(chunk, place, Some(self.store), self.store.chunk_files())? {
            ChunkLocation::Special { .. } => Ok(Vec::new()),
            ChunkLocation::Stored(found) => {
                let mut bytes = memory::zeroed(found.room.min(len) as usize)?;
                let read = found.source.read_exact_at(found.at, &mut bytes);
                read.map_err(|source| match place {
                    ChunkRef::File { number: file, .. } => Error::ChunkFile { chunk, file, source },
                    _ => Error::io("reading the frame")(source),
                })?;
                Ok(bytes)
            }
        }
    }
}
