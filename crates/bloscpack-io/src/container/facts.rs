//! Facts about a stored chunk, from its header.

use blosc_core::{Chunk, Codec, FilterPipeline, Header, Special};

use super::Fetched;

/// How a chunk is stored: its sizes, its codec and filters. Nothing is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChunkFacts {
    /// The size of its plain bytes, padding included.
    pub nbytes: u64,
    /// The number of stored bytes; 0 for a special value without any.
    pub cbytes: u64,
    /// The codec of its blocks. `None` for a special value, and for chunks that Blosc did not compress.
    pub codec: Option<Codec>,
    /// The filters before the codec.
    pub filters: FilterPipeline,
    /// The value that the chunk repeats, if it is a special one.
    pub special: Option<Special>,
    /// Whether the plain bytes are stored unchanged.
    pub is_stored_plain: bool,
}

impl ChunkFacts {
    /// The facts of a special value without stored bytes.
    pub(crate) fn special(special: Special, nbytes: u64) -> Self {
        ChunkFacts { nbytes, special: Some(special), ..ChunkFacts::default() }
    }

    /// The facts of a chunk by its header.
    pub(crate) fn of_header(header: &Header) -> Self {
        let special = header.special_value();
        ChunkFacts {
            nbytes: header.nbytes() as u64,
            cbytes: header.cbytes() as u64,
            codec: if special.is_some() { None } else { header.codec() },
            filters: header.filters(),
            special,
            is_stored_plain: header.is_memcpyed(),
        }
    }

    /// The facts of a chunk by its bytes, or by those of its header.
    pub(crate) fn of_fetched(fetched: &Fetched) -> Result<Self, blosc_core::DecodeError> {
        match fetched {
            Fetched::Special { special, nbytes } => Ok(ChunkFacts::special(*special, (*nbytes).into())),
            Fetched::Bytes { bytes, .. } => Ok(match Chunk::parse(bytes) {
                Ok(chunk) => ChunkFacts::of_header(&chunk.header()),
                Err(_) => ChunkFacts::of_header(&Header::parse(bytes)?),
            }),
        }
    }

    /// The facts of `nbytes` plain bytes in `cbytes` bytes that Blosc did not compress.
    pub(crate) fn foreign(nbytes: u64, cbytes: u64) -> Self {
        ChunkFacts { nbytes, cbytes, is_stored_plain: nbytes == cbytes, ..ChunkFacts::default() }
    }
}
