//! Stored Blosc1 chunks, which another container can hold unchanged.

use std::ops::Range;

use blosc_core::{Chunk, ChunkFormat, DecodeError, Header};

use super::Fetched;
use crate::Error;

/// A Blosc1 chunk as it is stored, with the plain bytes of the container that it holds.
#[derive(Debug)]
pub(crate) struct StoredChunk {
    /// The bytes of the chunk.
    pub(crate) bytes: Vec<u8>,
    pub(crate) header: Header,
    /// The range of its plain bytes within those of the container.
    pub(crate) range: Range<u64>,
}

impl StoredChunk {
    /// Returns the fetched chunk if it is a Blosc1 chunk of exactly the plain bytes `range`. Its header, tables
    /// and size are checked, but its streams are not decoded.
    ///
    /// # Errors
    /// [`Error::Chunk`] if the header is damaged.
    pub(crate) fn of(fetched: Fetched, number: u64, range: Range<u64>) -> Result<Option<StoredChunk>, Error> {
        let Fetched::Bytes { bytes, offset } = fetched else { return Ok(None) };
        let refuse = |source: DecodeError| Error::Chunk { chunk: number, offset, source };
        let header = Chunk::parse(&bytes).map_err(refuse)?.header();
        // Other bytes after the chunk may mean that its compressed size is wrong.
        let is_exact =
            header.nbytes() as u64 == range.end.saturating_sub(range.start) && header.cbytes() == bytes.len();
        if header.format() != ChunkFormat::Blosc1 || !is_exact {
            return Ok(None);
        }
        Ok(Some(StoredChunk { bytes, header, range }))
    }
}
