//! The contents of a chunk after its header: blocks and streams, found without decoding.

use anyhow::Result;
use blosc_core::{Chunk, Codec, DecodeError, Header, LazyChunk, Stream, StreamKind};

/// The contents after the header.
pub(super) enum Contents<'a> {
    /// Without block starts if there are no blocks: plain bytes, or a special value.
    Chunk {
        chunk: Chunk<'a>,
        bstarts: Vec<usize>,
    },
    Lazy(LazyChunk),
}

/// A block as it is stored.
pub(super) struct Block {
    /// Where it starts in the chunk.
    pub(super) bstart: u64,
    /// Plain bytes.
    pub(super) nbytes: u64,
    pub(super) streams: Vec<Stream>,
}

/// How many streams there are of each kind.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) compressed: u64,
    pub(super) stored: u64,
    pub(super) zeros: u64,
    pub(super) runs: u64,
}

impl Contents<'_> {
    /// The blocks in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Result<Block, DecodeError>> {
        let (chunk, bstarts) = match self {
            Contents::Chunk { chunk, bstarts } => (Some(chunk), bstarts.as_slice()),
            Contents::Lazy(_) => (None, [].as_slice()),
        };
        chunk.into_iter().flat_map(move |chunk| {
            bstarts.iter().enumerate().map(move |(index, bstart)| {
                let streams = chunk.streams(index)?;
                // Adding up all blocks before, for every block, would take too long where lengths vary.
                let nbytes = match chunk.header().has_vl_blocks() {
                    true => streams.iter().map(|stream| stream.nbytes).sum(),
                    false => chunk.block_range(index).len(),
                };
                Ok(Block { bstart: *bstart as u64, nbytes: nbytes as u64, streams })
            })
        })
    }

    /// Counts the streams, and finds those that reach out of the chunk.
    pub(super) fn count(&self) -> Result<Counts, DecodeError> {
        let mut counts = Counts::default();
        for block in self.blocks() {
            for stream in block?.streams {
                match stream.kind {
                    StreamKind::Stored => counts.stored += 1,
                    StreamKind::Run(0) => counts.zeros += 1,
                    StreamKind::Run(_) => counts.runs += 1,
                    _ => counts.compressed += 1,
                }
            }
        }
        Ok(counts)
    }

    /// The value that a special chunk repeats; empty for zeros.
    pub(super) fn value(&self) -> Option<&[u8]> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.repeated_value(),
            Contents::Lazy(_) => None,
        }
    }

    /// Bytes of the dictionary.
    pub(super) fn dictionary(&self) -> Option<u64> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.dictionary().map(|dictionary| dictionary.len() as u64),
            Contents::Lazy(_) => None,
        }
    }
}

/// The codec's name, with its number if that is all that is known. A chunk without streams may name none.
pub(super) fn codec_name(header: &Header) -> String {
    match header.codec() {
        Some(codec @ Codec::Plugin { id, .. }) if matches!(codec.name(), "user" | "unknown") => {
            format!("{}({id})", codec.name())
        }
        codec => codec.map_or("unknown", Codec::name).into(),
    }
}
