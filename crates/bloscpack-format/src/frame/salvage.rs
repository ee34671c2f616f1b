//! Identification of bytes in a torn frame: a chunk, an old index, an old trailer, or unknown.

use super::layers::Layers;
use super::{ChunkInfo, ChunkSize, Entry, FrameType, Header, Index, Trailer, VlMetalayers};
use blosc_core::Limits;

/// The structure at an offset of the data, identified by its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Salvaged {
    /// A chunk of the data, complete if the bytes were.
    Chunk(ChunkInfo),
    /// The index of an older state of the frame, `len` bytes long.
    Index {
        /// Its length.
        len: u32,
    },
    /// The trailer of an older state, `len` bytes long. Its vlmetalayers may be the only ones left.
    Trailer {
        /// Its length.
        len: u64,
    },
    /// None of these. The scan ends here.
    Nothing,
}

/// Identifies the structure at the start of `bytes`.
///
/// To salvage a contiguous frame whose header is intact, start after the header with all remaining bytes. Continue
/// after each structure found, until [`Salvaged::Nothing`].
///
/// `chunks` are the offsets of the chunks found so far, from the end of the header, in rising order. An index is told
/// from data by its entries: each must be the offset of such a chunk or a special value. The scan cannot recover which
/// chunks were special values, were deleted, or were in another order. An index found on the way has this information
/// for an older state.
#[must_use]
pub fn identify(bytes: &[u8], header: &Header, chunks: &[u64], limits: Limits) -> Salvaged {
    if let Some(len) = trailer_len(bytes) {
        return Salvaged::Trailer { len };
    }
    match ChunkInfo::parse(bytes) {
        Ok(info) if is_index(bytes, header, chunks, limits) => Salvaged::Index { len: info.cbytes },
        Ok(info) => Salvaged::Chunk(info),
        Err(_) => Salvaged::Nothing,
    }
}

/// Returns whether a chunk is an index of chunks that were found before it.
fn is_index(bytes: &[u8], header: &Header, chunks: &[u64], limits: Limits) -> bool {
    // The current number of chunks does not matter, only the number when the index was written.
    let any = Header { chunksize: ChunkSize::Variable, nbytes: header.nbytes.max(1), ..header.without_metalayers() };
    let Ok(index) = Index::decode(bytes, &any, limits) else { return false };
    // A chunk of zeros, which is stored where chunk sizes vary, would look like an index whose entries all refer to the
    // first chunk. But no two chunks have the same offset, and a single entry of zero is valid only if there is one
    // chunk.
    let is_place = |at: u64| {
        let alone = index.len() == 1 && (at > 0 || chunks.len() == 1);
        header.frame_type == FrameType::Contiguous
            && (alone || index.len() > 1 && !index.is_repeated())
            && chunks.binary_search(&at).is_ok()
    };
    // In an index that repeats one entry, the first is enough.
    let nchunks = if index.is_repeated() { 1 } else { index.len() };
    let mut places = Vec::new();
    let mut is_entry = |chunk| match index.get(chunk) {
        Ok(Entry::Stored(at)) => {
            places.push(at);
            is_place(at)
        }
        Ok(Entry::Special(_)) => true,
        Err(_) => false,
    };
    if index.is_empty() || !(0..nchunks).all(&mut is_entry) {
        return false;
    }
    places.sort_unstable();
    places.windows(2).all(|pair| pair[0] < pair[1])
}

fn trailer_len(bytes: &[u8]) -> Option<u64> {
    let layers = VlMetalayers::end(bytes)?;
    let end = layers.checked_add(Trailer::TAIL_LEN)?;
    Trailer::parse(bytes.get(..end)?).ok().map(|_| end as u64)
}

impl VlMetalayers {
    /// Returns the end of the vlmetalayers of a trailer at the start of `bytes`.
    fn end(bytes: &[u8]) -> Option<usize> {
        let layers = Layers::parse(Self::SECTION, bytes).ok()?;
        Some(Self::SECTION.at + layers.end())
    }
}
