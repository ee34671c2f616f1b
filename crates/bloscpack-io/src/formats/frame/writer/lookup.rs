//! Chunks of a frame that is being written, as it is now.

use blosc_core::{Chunk, Decoder, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkRef, ChunkSize, FrameType};

use super::FrameWriter;
use crate::Error;
use crate::container::Plain;
use crate::formats::frame::place::{Place, StoredChunk};
use crate::formats::frame::store::FrameStore;

impl<S: FrameStore> FrameWriter<S> {
    /// The plain bytes of a chunk, as it is now.
    ///
    /// # Errors
    /// As [`Archive::chunk`](crate::Archive::chunk).
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        let place = self.frame()?.chunk(number)?;
        if let ChunkRef::Special { special, nbytes } = place {
            self.limits.check_chunk(nbytes.into())?;
            self.limits.check_output(nbytes.into(), 0)?;
            return Ok(Plain::special(special, self.params.get_typesize() as usize, nbytes as usize).into_vec()?);
        }
        let info = self.info_of(number, place)?;
        let bytes = self.read(number, place, info.cbytes.into())?;
        let at = if let ChunkRef::Stored { at, .. } = place { at } else { 0 };
        let refuse = |source| Error::Chunk { chunk: number, offset: at, source };
        self.decoder().decompress(&Chunk::parse(&bytes).map_err(refuse)?).map_err(refuse)
    }

    fn decoder(&self) -> Decoder {
        let decoder = Decoder::new().limits(self.limits).super_chunk_typesize(self.params.get_typesize() as usize);
        decoder.blockshape(&self.blockshape())
    }

    /// What the plan needs to know of a chunk that goes.
    pub(crate) fn old_info(&self, at: u64) -> Result<Option<ChunkInfo>, Error> {
        let frame = self.frame()?;
        let known = frame.header.frame_type == FrameType::Contiguous && frame.header.chunksize != ChunkSize::Variable;
        match frame.chunk(at)? {
            ChunkRef::Special { .. } => Ok(None),
            _ if known => Ok(None),
            place => self.info_of(at, place).map(Some),
        }
    }

    /// Whether the first chunk that is stored has blocks of variable lengths.
    pub(super) fn kind_of_first(&self) -> Result<Option<bool>, Error> {
        let frame = self.frame()?;
        match frame.index.first_stored() {
            Some(first) => Ok(Some(self.info_of(first, frame.chunk(first)?)?.vl_blocks)),
            None => Ok(None),
        }
    }

    /// What a stored chunk's header says.
    fn info_of(&self, chunk: u64, place: ChunkRef) -> Result<ChunkInfo, Error> {
        Ok(ChunkInfo::parse(&self.read(chunk, place, blosc_core::Header::EXTENDED_LEN as u64)?)?)
    }

    /// The first `len` bytes of a chunk, or as many as there are.
    fn read(&self, chunk: u64, place: ChunkRef, len: u64) -> Result<Vec<u8>, Error> {
        let made = self.edit.as_ref().and_then(|edit| edit.made(place));
        if let Some(made) = made {
            return Ok(memory::copy_of(made.get(..made.len().min(len as usize)).unwrap_or_default())?);
        }
        match StoredChunk::find(chunk, place, Some(&self.store), self.store.chunk_files())? {
            Place::Special { .. } => Ok(Vec::new()),
            Place::Stored(found) => {
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
