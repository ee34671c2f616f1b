//! What the bytes at some place of a torn frame are: a chunk, an old index, an old trailer, or nothing to make sense of.

use super::layers::Layers;
use super::{ChunkInfo, ChunkSize, Entry, FrameType, Header, Index, Trailer, VlMetalayers};
use blosc_core::Limits;

/// What stands at a place of the data, as far as the bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Found {
    /// A chunk of the data, whole if the bytes were.
    Chunk(ChunkInfo),
    /// The index of an older state of the frame, so many bytes long.
    Index {
        /// Its length.
        len: u32,
    },
    /// The trailer of an older state, so many bytes long: its vlmetalayers may be what is left of them.
    Trailer {
        /// Its length.
        len: u64,
    },
    /// None of these. The walk is over.
    Nothing,
}

/// Says what `bytes` start with. To salvage a contiguous frame whose header still stands, begin behind the header with
/// all bytes that there are and go on behind what was found, until there is nothing.
///
/// `chunks` are where the chunks started that were found so far, from the end of the header, in rising order: an index is
/// told from data by its entries all being there. What such a walk cannot know is which chunks were special values, were
/// deleted, or stood in another order; an index found on the way tells these of an older state.
#[must_use]
pub fn identify(bytes: &[u8], header: &Header, chunks: &[u64], limits: Limits) -> Found {
    if let Some(len) = trailer_len(bytes) {
        return Found::Trailer { len };
    }
    match ChunkInfo::parse(bytes) {
        Ok(info) if is_index(bytes, header, chunks, limits) => Found::Index { len: info.cbytes },
        Ok(info) => Found::Chunk(info),
        Err(_) => Found::Nothing,
    }
}

/// Whether a chunk is an index of chunks that were there before it.
fn is_index(bytes: &[u8], header: &Header, chunks: &[u64], limits: Limits) -> bool {
    // Not how many chunks there are now, but how many there were when it was written.
    let any = Header { chunksize: ChunkSize::Variable, nbytes: header.nbytes.max(1), ..header.without_metalayers() };
    let Ok(index) = Index::decode(bytes, &any, limits) else { return false };
    // Zeros, which are stored where chunk sizes vary, would be as many first chunks; but no two chunks are at one place, and
    // one entry of zero is the only chunk's.
    let is_place = |at: u64| {
        let alone = index.len() == 1 && (at > 0 || chunks.len() == 1);
        header.frame_type == FrameType::Contiguous
            && (alone || index.len() > 1 && !index.is_repeated())
            && chunks.binary_search(&at).is_ok()
    };
    // One that repeats an entry is told by the first.
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
    /// Where the vlmetalayers end of a trailer that starts `bytes`.
    fn end(bytes: &[u8]) -> Option<usize> {
        let layers = Layers::parse(Self::PLACE, bytes).ok()?;
        Some(Self::PLACE.at + layers.end())
    }
}
