//! Changes to the chunks of a frame, which must all be of one kind.

use blosc_core::{Chunk, ChunkFormat, CodecFormat, DecodeError, Header};
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

/// A compressed chunk that is put into a frame.
pub(super) struct ParsedChunk<'a> {
    pub(super) header: Header,
    pub(super) new: NewChunk,
    /// The chunk without the bytes that follow it.
    pub(super) bytes: &'a [u8],
}

impl<'a> ParsedChunk<'a> {
    pub(super) fn parse(number: u64, bytes: &'a [u8]) -> Result<Self, Error> {
        let refuse = |source| Error::Chunk { chunk: number, offset: 0, source };
        let chunk = Chunk::parse(bytes).map_err(refuse)?;
        let info = ChunkInfo::parse(chunk.bytes()).map_err(|_| refuse(DecodeError::Lazy))?;
        Ok(ParsedChunk { header: chunk.header(), new: NewChunk::Stored(info), bytes: chunk.bytes() })
    }

    /// Returns why C-Blosc2 cannot read the chunk in a frame, if that is so. It reads the 32 bytes of an extended header
    /// of every chunk, and has no Snappy.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.header.format() != ChunkFormat::Blosc1 {
            return None;
        }
        let is_snappy = !self.header.is_memcpyed() && self.header.codec_format() == Some(CodecFormat::Snappy);
        match self.header.cbytes() < Header::EXTENDED_LEN {
            true => Some("a chunk of Blosc1 has at least 32 bytes here"),
            false => is_snappy.then_some("its codec is Snappy"),
        }
    }
}
