//! Changes to the chunks of a frame, which must all be of one kind.

use blosc_core::{Chunk, DecodeError};
use bloscpack_format::frame::{ChunkInfo, NewChunk};

use super::transaction::Transaction;
use crate::Error;
use crate::formats::frame::store::FrameStore;

/// Puts chunks into a frame and removes them. In new chunks, blocks have variable lengths only if those of the first
/// chunk have.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// Whether the blocks of the first chunk have variable lengths, once that is known. A frame may already contain
    /// chunks of both kinds, so that this changes with the first chunk.
    vl_blocks: Option<bool>,
}

/// The effect of a new chunk on the existing chunk with its number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// The existing chunk gets the next number.
    Insert,
    /// The existing chunk is replaced.
    Update,
}

impl Chunks {
    /// Puts a chunk into the frame and writes its bytes.
    pub(super) fn put<S: FrameStore>(
        &mut self,
        frame: &mut Transaction<S>,
        at: u64,
        change: Change,
        new: NewChunk,
        bytes: &[u8],
    ) -> Result<(), Error> {
        if let NewChunk::Stored(info) = new {
            self.check_kind(frame, at, info)?;
        }
        if at < frame.frame()?.nchunks() {
            self.vl_blocks = None;
        }
        let place = match change {
            Change::Insert => frame.change(|edit| edit.insert(at, new))?,
            Change::Update => {
                let old = frame.chunks()?.old_info(at)?;
                frame.change(|edit| edit.update(at, old, new))?
            }
        };
        frame.write(place, bytes)
    }

    /// Appends a chunk that was just compressed. `info` is its header.
    pub(super) fn append_compressed<S: FrameStore>(
        &mut self,
        frame: &mut Transaction<S>,
        info: ChunkInfo,
        chunk: &[u8],
    ) -> Result<(), Error> {
        self.check_kind(frame, frame.frame()?.nchunks(), info)?;
        let place = frame.change(|edit| edit.append(NewChunk::Stored(info)))?;
        frame.write(place, chunk)
    }

    /// Removes a chunk.
    pub(super) fn delete<S: FrameStore>(&mut self, frame: &mut Transaction<S>, at: u64) -> Result<(), Error> {
        let old = frame.chunks()?.old_info(at)?;
        frame.change(|edit| edit.delete(at, old))?;
        self.vl_blocks = None;
        Ok(())
    }

    /// Renumbers the chunks: chunk `order[i]` gets number `i`.
    pub(super) fn reorder<S: FrameStore>(&mut self, frame: &mut Transaction<S>, order: &[u64]) -> Result<(), Error> {
        frame.change(|edit| edit.reorder(order))?;
        self.vl_blocks = None;
        Ok(())
    }

    /// Refuses a chunk of another kind than the first one: Blosc2 libraries do not read frames with both kinds.
    fn check_kind<S: FrameStore>(&mut self, frame: &Transaction<S>, chunk: u64, new: ChunkInfo) -> Result<(), Error> {
        let known = match self.vl_blocks {
            Some(known) => known,
            None => frame.chunks()?.first_has_vl_blocks()?.unwrap_or(new.vl_blocks),
        };
        if known != new.vl_blocks {
            return Err(Error::argument(Error::MixedChunks { chunk }));
        }
        self.vl_blocks = Some(known);
        Ok(())
    }
}

/// Parses a chunk that is put into a frame, without the bytes that follow it.
pub(super) fn parse_chunk(number: u64, bytes: &[u8]) -> Result<(NewChunk, &[u8]), Error> {
    let refuse = |source| Error::Chunk { chunk: number, offset: 0, source };
    let chunk = Chunk::parse(bytes).map_err(refuse)?;
    let info = ChunkInfo::parse(chunk.bytes()).map_err(|_| refuse(DecodeError::Lazy))?;
    Ok((NewChunk::Stored(info), chunk.bytes()))
}
