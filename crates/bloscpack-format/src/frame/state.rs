//! A frame without its chunks, as opened, and the positions of the chunks.

use super::layout::{Layout, check_len, no_such_chunk};
use super::{ChunkSize, Entry, FrameError, FrameType, Header, Index, Trailer};
use crate::error::{FormatError, Part};
use blosc_core::{DecodeError, Limits, Special};

/// All of a frame but its chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The header, with the metalayers.
    pub header: Header,
    /// Where the chunks are.
    pub index: Index,
    /// The trailer, with the vlmetalayers.
    pub trailer: Trailer,
}

/// The source of a chunk's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkRef {
    /// Stored in the frame.
    Stored {
        /// Where the chunk starts, from the frame's first byte.
        at: u64,
        /// Bytes up to the end of the data, the upper bound of the chunk's length.
        room: u64,
        /// Required uncompressed size; `None` where chunk sizes vary.
        nbytes: Option<u32>,
    },
    /// At the start of a file.
    File {
        /// The file's number: see [`sframe::chunk_file_name`](super::sframe::chunk_file_name).
        number: u32,
        /// Required uncompressed size; `None` where chunk sizes vary.
        nbytes: Option<u32>,
    },
    /// Not stored: it repeats a value.
    Special {
        /// The value.
        special: Special,
        /// Uncompressed bytes.
        nbytes: u32,
    },
}

/// The fields of a chunk's header that a frame needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkInfo {
    /// Uncompressed bytes.
    pub nbytes: u32,
    /// Length of the chunk in bytes.
    pub cbytes: u32,
    /// Whether its blocks have variable lengths.
    pub vl_blocks: bool,
    /// The value it repeats, if any.
    pub special: Option<Special>,
}

/// Length of the shortest possible chunk, one of Blosc1.
const MIN_CBYTES: u64 = blosc_core::Header::LEN as u64;

impl Frame {
    /// Opens a frame that is completely in memory, at the start of `bytes`; bytes after it are ignored. (C-Blosc2
    /// requires an in-memory frame to have exactly [`Header::frame_len`] bytes.) `limits` are those of
    /// [`Index::decode`].
    ///
    /// # Errors
    ///
    /// The errors of [`Header::parse`], [`check_len`], [`Trailer::parse`], [`Layout::new`] and [`Index::decode`];
    /// [`FrameError::Entry`] for an invalid entry of the index.
    pub fn parse(bytes: &[u8], limits: Limits) -> Result<Self, FormatError> {
        let header = Header::parse(bytes)?;
        check_len(&header, bytes.len() as u64)?;
        // Within bytes, because frame_len was checked.
        let bytes = bytes.get(..header.frame_len as usize).unwrap_or_default();
        let layout = Layout::new(&header, Trailer::len_at_end(bytes)?)?;
        let part =
            |range: &std::ops::Range<u64>| bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
        let trailer = Trailer::parse(part(&layout.trailer))?;
        let index = Index::decode(part(&layout.index), &header, limits)?;
        let frame = Self { header, index, trailer };
        frame.check_index()?;
        Ok(frame)
    }

    /// Checks every entry of the index against the header.
    ///
    /// # Errors
    ///
    /// [`FrameError::Entry`] for the first entry that is neither a special value nor a valid chunk position.
    pub fn check_index(&self) -> Result<(), FormatError> {
        self.index.check(match self.header.frame_type {
            FrameType::Contiguous => self.header.cbytes.saturating_sub(MIN_CBYTES) + 1,
            FrameType::Sparse => 1 << u32::BITS,
        })
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn nchunks(&self) -> u64 {
        self.index.len()
    }

    /// Returns the positions of the parts of the frame.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] if they would overlap, which never happens if the frame was parsed.
    pub fn layout(&self) -> Result<Layout, FormatError> {
        // The length of a trailer that was parsed or can be written fits 32 bits.
        Layout::new(&self.header, u32::try_from(self.trailer.trailer_len()).unwrap_or(u32::MAX))
    }

    /// Returns the uncompressed size of a chunk by the header, `None` where only the chunk has it.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`].
    pub fn chunk_nbytes(&self, chunk: u64) -> Result<Option<u32>, FormatError> {
        let nchunks = self.nchunks();
        let last = nchunks.checked_sub(1).filter(|last| chunk <= *last);
        let last = last.ok_or_else(|| no_such_chunk(chunk, nchunks))?;
        Ok(match self.header.chunksize {
            ChunkSize::Fixed(size) if chunk < last => Some(size),
            // More than 0 and at most `size`, because of the number of chunks.
            ChunkSize::Fixed(size) => self.last_chunk(size).map(|last| last.min(size)),
            ChunkSize::Variable | ChunkSize::Unset => None,
        })
    }

    /// Returns the uncompressed size of the last chunk, where all others have `size` bytes.
    pub(super) fn last_chunk(&self, size: u32) -> Option<u32> {
        let before = self.nchunks().checked_sub(1)?.checked_mul(size.into())?;
        u32::try_from(self.header.nbytes.checked_sub(before)?).ok()
    }

    /// Returns the position of a chunk.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`]; [`FrameError::Entry`] if its entry is invalid or outside the data;
    /// [`FrameError::NoSize`] for a special value where chunk sizes vary. C-Blosc2 writes such chunks, but no reader
    /// can read them.
    pub fn chunk(&self, chunk: u64) -> Result<ChunkRef, FormatError> {
        let nbytes = self.chunk_nbytes(chunk)?;
        let refuse =
            |value: u64, max: u64| FrameError::Entry { chunk, value: value.cast_signed(), max: max.cast_signed() };
        match (self.index.get(chunk)?, self.header.frame_type) {
            (Entry::Special(special), _) => {
                Ok(ChunkRef::Special { special, nbytes: nbytes.ok_or(FrameError::NoSize { chunk })? })
            }
            (Entry::Stored(offset), FrameType::Contiguous) => {
                let cbytes = self.header.cbytes;
                let room = cbytes.checked_sub(offset).filter(|room| *room >= MIN_CBYTES);
                let room = room.ok_or_else(|| refuse(offset, cbytes.saturating_sub(MIN_CBYTES)))?;
                // No overflow: the data ends before frame_len.
                Ok(ChunkRef::Stored { at: self.header.header_len() + offset, room, nbytes })
            }
            (Entry::Stored(number), FrameType::Sparse) => {
                let number = u32::try_from(number).map_err(|_| refuse(number, u32::MAX.into()))?;
                Ok(ChunkRef::File { number, nbytes })
            }
        }
    }
}

impl ChunkInfo {
    /// Parses the header of a chunk, from its first 32 bytes, or fewer if the chunk is shorter.
    ///
    /// # Errors
    ///
    /// [`FrameError::Chunk`] with the errors of [`blosc_core::Header::parse`], and for a lazy chunk, which is never
    /// stored in a file.
    pub fn parse(chunk: &[u8]) -> Result<Self, FormatError> {
        let refused = |source| FrameError::Chunk { part: Part::FrameChunk, source: Box::new(source) };
        let header = blosc_core::Header::parse(chunk).map_err(refused)?;
        if header.is_lazy() && header.special_value().is_none() {
            return Err(refused(DecodeError::Lazy).into());
        }
        // Both come from an i32 that is not negative.
        let (nbytes, cbytes) = (header.nbytes() as u32, header.cbytes() as u32);
        Ok(Self { nbytes, cbytes, vl_blocks: header.has_vl_blocks(), special: header.special_value() })
    }

    /// Checks chunk number `chunk` against the frame's metadata. For a chunk file, `room` is its length.
    ///
    /// # Errors
    ///
    /// [`FrameError::ChunkLength`] if the chunk extends past `room`, [`FrameError::ChunkSize`] if its uncompressed size
    /// differs from `nbytes`.
    pub fn check(&self, chunk: u64, room: u64, nbytes: Option<u32>) -> Result<(), FormatError> {
        let (cbytes, found) = (self.cbytes.into(), self.nbytes.into());
        if cbytes > room {
            return Err(FrameError::ChunkLength { chunk, cbytes, room }.into());
        }
        match nbytes.map(u64::from).filter(|expected| *expected != found) {
            Some(expected) => Err(FrameError::ChunkSize { chunk, found, expected }.into()),
            None => Ok(()),
        }
    }
}
