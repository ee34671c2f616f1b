//! The contents of a chunk after its header: blocks and streams, found without decoding.

use blosc_core::{Chunk, Codec, DecodeError, Header, LazyChunk, Stream, StreamKind};

/// The contents after the header.
pub enum Contents<'a> {
    /// Without block starts if there are no blocks: a stored chunk or a special value.
    Chunk {
        chunk: Chunk<'a>,
        bstarts: Vec<usize>,
    },
    Lazy(LazyChunk),
}

/// A block as it is stored.
pub struct Block {
    /// Offset of its start in the chunk.
    pub bstart: u64,
    /// Uncompressed size.
    pub nbytes: u64,
    pub streams: Vec<Stream>,
}

/// The number of streams of each kind.
#[derive(Default)]
pub struct Counts {
    pub compressed: u64,
    pub stored: u64,
    pub zeros: u64,
    pub runs: u64,
}

impl Contents<'_> {
    /// Iterates over the blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = Result<Block, DecodeError>> {
        let (chunk, bstarts) = match self {
            Contents::Chunk { chunk, bstarts } => (Some(chunk), bstarts.as_slice()),
            Contents::Lazy(_) => (None, [].as_slice()),
        };
        chunk.into_iter().flat_map(move |chunk| {
            bstarts.iter().enumerate().map(move |(index, bstart)| {
                let streams = chunk.streams(index)?;
                // With variable lengths, `block_range` would add up all preceding blocks for every block, which takes
                // too long.
                let nbytes = match chunk.header().has_vl_blocks() {
                    true => streams.iter().map(|stream| stream.nbytes).sum(),
                    false => chunk.block_range(index).len(),
                };
                Ok(Block { bstart: *bstart as u64, nbytes: nbytes as u64, streams })
            })
        })
    }

    /// Counts the streams. Fails if one of them extends past the end of the chunk.
    ///
    /// # Errors
    /// The damage.
    pub fn count(&self) -> Result<Counts, DecodeError> {
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

    /// Returns the value that a special chunk repeats; empty for zeros.
    pub fn value(&self) -> Option<&[u8]> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.repeated_value(),
            Contents::Lazy(_) => None,
        }
    }

    /// Returns the size of the dictionary.
    pub fn dictionary(&self) -> Option<u64> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.dictionary().map(|dictionary| dictionary.len() as u64),
            Contents::Lazy(_) => None,
        }
    }
}

/// Returns the codec's name, with its number if nothing else is known. A chunk without streams may name no codec.
pub fn codec_name(header: &Header) -> String {
    match header.codec() {
        Some(codec @ Codec::Plugin { id, .. }) if matches!(codec.name(), "user" | "unknown") => {
            format!("{}({id})", codec.name())
        }
        codec => codec.map_or("unknown", Codec::name).into(),
    }
}
