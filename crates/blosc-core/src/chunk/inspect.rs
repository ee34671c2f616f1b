//! Inspects a chunk without decoding it: the offsets of blocks and streams, and how each is stored.

use super::view::{Body, Chunk};
use crate::block::{CSIZE_LEN, Stored, StreamReader};
use crate::error::DecodeError;
use crate::layout::vlblocks;
use crate::memory;

/// One stream of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stream {
    /// Offset of its payload in the chunk. A stream without payload has the offset that a payload would have.
    pub offset: usize,
    /// Bytes of the payload.
    pub cbytes: usize,
    /// Plain bytes.
    pub nbytes: usize,
    /// How the stream is stored.
    pub kind: StreamKind,
}

/// How a stream is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamKind {
    /// Compressed by the chunk's codec.
    Compressed,
    /// Uncompressed.
    Stored,
    /// One byte repeated, without payload; 0 for zeros.
    Run(u8),
}

impl<'a> Chunk<'a> {
    /// Returns the offset of each block in the chunk, in order of blocks. Empty for chunks without blocks.
    ///
    /// # Errors
    /// [`DecodeError::Place`] for an offset outside the chunk.
    pub fn bstarts(&self) -> Result<Vec<usize>, DecodeError> {
        let Body::Blocks(layout) = self.body() else { return Ok(Vec::new()) };
        memory::try_collect((0..layout.nblocks()).map(|index| layout.bstart(self.bytes(), index)))
    }

    /// Returns the dictionary of its blocks.
    pub fn dictionary(&self) -> Option<&'a [u8]> {
        match self.body() {
            Body::Blocks(layout) => Some(layout.dictionary(self.bytes())?.1),
            _ => None,
        }
    }

    /// Returns the value that the chunk repeats, if it stores nothing else. Empty for zeros.
    pub fn repeated_value(&self) -> Option<&'a [u8]> {
        self.value()
    }

    /// Returns the streams of block `index`, in order. Empty for chunks without blocks.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if there is no such block; [`DecodeError::Place`] and [`DecodeError::Truncated`] if the
    /// block or a stream reaches past the end of the chunk.
    pub fn streams(&self, index: usize) -> Result<Vec<Stream>, DecodeError> {
        let len = self.header().nblocks();
        if index >= len {
            let end = index.saturating_add(1);
            return Err(DecodeError::Range { unit: "blocks", start: index, end, len });
        }
        let Body::Blocks(layout) = self.body() else { return Ok(Vec::new()) };
        if layout.has_vl_blocks() {
            let block = vlblocks::block(layout, self.bytes(), index)?;
            return Ok(vec![Stream::of_payload(block.offset, block.payload.len(), block.nbytes)]);
        }
        let nstreams = layout.nstreams(index);
        let neblock = layout.block_range(index).len() / nstreams;
        let start = layout.bstart(self.bytes(), index)?;
        let mut reader = StreamReader::new(self.bytes(), index, start, neblock, layout.has_runs());
        let mut streams = Vec::new();
        for _ in 0..nstreams {
            let offset = reader.offset() + CSIZE_LEN;
            streams.push(match reader.read()? {
                Stored::Plain(payload) | Stored::Compressed(payload) => {
                    Stream::of_payload(offset, payload.len(), neblock)
                }
                Stored::Run(value) => Stream { offset, cbytes: 0, nbytes: neblock, kind: StreamKind::Run(value) },
            });
        }
        Ok(streams)
    }
}

impl Stream {
    fn of_payload(offset: usize, cbytes: usize, nbytes: usize) -> Stream {
        let kind = if cbytes == nbytes { StreamKind::Stored } else { StreamKind::Compressed };
        Stream { offset, cbytes, nbytes, kind }
    }
}
