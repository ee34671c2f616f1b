//! The location of a stored chunk: in the file of the frame, or in a chunk file.

use std::io;

use blosc_core::Special;
use bloscpack_format::frame::ChunkRef;

use crate::Error;
use crate::source::{ChunkFiles, ReadAt};

/// The bytes of a frame: one file, or one file per chunk.
pub(crate) enum FrameBytes<'a> {
    /// A contiguous frame.
    File(Box<dyn ReadAt + 'a>),
    /// The chunk files of a sparse frame.
    ChunkFiles(Box<dyn ChunkFiles + 'a>),
}

/// The entry of a chunk in a frame's index.
pub(super) enum ChunkLocation<'a> {
    /// The chunk is a special value.
    Special { special: Special, nbytes: u32 },
    /// The chunk is stored.
    Stored(StoredChunk<'a>),
}

/// A chunk at offset `at` of a source. It has at most `room` bytes. `nbytes` is its uncompressed size, if the frame
/// contains it.
pub(super) struct StoredChunk<'a> {
    pub(super) source: Box<dyn ReadAt + 'a>,
    pub(super) at: u64,
    pub(super) room: u64,
    pub(super) nbytes: Option<u32>,
}

impl<'a> StoredChunk<'a> {
    /// Finds chunk `number`, to which the index refers by `place`.
    ///
    /// # Errors
    /// [`Error::ChunkFile`].
    pub(super) fn find(
        number: u64,
        place: ChunkRef,
        file: Option<&'a dyn ReadAt>,
        files: Option<&'a dyn ChunkFiles>,
    ) -> Result<ChunkLocation<'a>, Error> {
        let missing = || io::Error::from(io::ErrorKind::Unsupported);
        match place {
            ChunkRef::Special { special, nbytes } => Ok(ChunkLocation::Special { special, nbytes }),
            ChunkRef::Stored { at, room, nbytes } => {
                let source = file.ok_or_else(|| Error::io("reading the frame")(missing()))?;
                Ok(ChunkLocation::Stored(StoredChunk { source: Box::new(source), at, room, nbytes }))
            }
            ChunkRef::File { number: file, nbytes } => {
                let refuse = |source| Error::ChunkFile { chunk: number, file, source };
                let source = files.ok_or_else(missing).and_then(|files| files.open_chunk(file)).map_err(refuse)?;
                let room = source.len().map_err(refuse)?;
                Ok(ChunkLocation::Stored(StoredChunk { source, at: 0, room, nbytes }))
            }
        }
    }
}

impl FrameBytes<'_> {
    /// As [`ReadAt::request_cost`].
    pub(super) fn request_cost(&self) -> Option<usize> {
        match self {
            FrameBytes::File(file) => file.request_cost(),
            FrameBytes::ChunkFiles(files) => files.request_cost(),
        }
    }

    /// Finds a chunk in these bytes, see [`StoredChunk::find`].
    pub(super) fn find(&self, number: u64, place: ChunkRef) -> Result<ChunkLocation<'_>, Error> {
        match self {
            FrameBytes::File(file) => StoredChunk::find(number, place, Some(&**file), None),
            FrameBytes::ChunkFiles(files) => StoredChunk::find(number, place, None, Some(&**files)),
        }
    }
}
