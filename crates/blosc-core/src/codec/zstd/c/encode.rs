//! Compresses Zstandard frames.

use core::fmt;
use std::sync::Arc;

use ::zstd::zstd_safe::{CCtx, CDict, compress_bound};

use super::super::levels::level;
use super::super::{HASH_AGAIN, MALFORMED_DICT};
use super::{REFUSED, is_out_of_memory, refusal_of};
use crate::codec::StreamError;
use crate::memory::{self, OutOfMemory};

/// A compression context, created for the first stream, and the last frame it wrote.
pub(crate) struct ZstdEncoder {
    search: Search,
    context: Option<CCtx<'static>>,
    frame: Vec<u8>,
}

#[derive(Clone)]
enum Search {
    Level(i32),
    /// With the hash tables of the dictionary.
    Hashed(EncodeDict),
    /// With new hash tables for each stream, of a size that fits the stream.
    HashedAgain(EncodeDict),
}

impl ZstdEncoder {
    /// Creates a compressor of one of Zstandard's own levels.
    pub(crate) fn new(level: i32) -> Self {
        ZstdEncoder::with_search(Search::Level(level))
    }

    /// Creates a compressor for streams of about `len` bytes. Its frames can only be read with `dict`.
    pub(crate) fn with_dict(dict: &EncodeDict, len: usize) -> Self {
        let search = if len < HASH_AGAIN { Search::Hashed } else { Search::HashedAgain };
        ZstdEncoder::with_search(search(dict.clone()))
    }

    /// Creates another compressor with the same settings.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "all blocks are encoded on one thread"))]
    pub(crate) fn fresh(&self) -> Self {
        ZstdEncoder::with_search(self.search.clone())
    }

    fn with_search(search: Search) -> Self {
        ZstdEncoder { search, context: None, frame: Vec::new() }
    }

    /// Continues at another level, with the same memory. Returns `false` if that is not possible.
    pub(crate) fn set_level(&mut self, level: i32) -> bool {
        let is_possible = matches!(self.search, Search::Level(_));
        if is_possible {
            self.search = Search::Level(level);
        }
        is_possible
    }

    /// Returns the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        self.frame.capacity() + self.context.as_ref().map_or(0, CCtx::sizeof)
    }

    pub(crate) fn compress(
        &mut self,
        src: &[u8],
        _planes: usize,
        dst: &mut [u8],
    ) -> Result<Option<usize>, OutOfMemory> {
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(CCtx::try_create().ok_or(REFUSED)?),
        };
        // The library needs some bytes more than the frame has, and may write another frame where room is short. So it
        // always gets room for any frame.
        let frame = &mut self.frame;
        frame.clear();
        memory::reserve(frame, compress_bound(src.len()))?;
        let compressed = match &self.search {
            Search::Level(level) => context.compress(frame, src, *level),
            Search::Hashed(dict) => context.compress_using_cdict(frame, src, &dict.0.hashed),
            Search::HashedAgain(dict) => context.compress_using_dict(frame, src, &dict.0.bytes, dict.0.level),
        };
        match compressed {
            Ok(len) => Ok(dst.get_mut(..len).map(|dst| dst.copy_from_slice(&frame[..len])).map(|()| len)),
            Err(error) if is_out_of_memory(error) => Err(REFUSED),
            // No other error is documented for these calls. The stream is stored.
            Err(_) => Ok(None),
        }
    }
}

/// A dictionary hashed for compressing at one level, with or without entropy tables. Clones share it.
#[derive(Clone)]
pub(crate) struct EncodeDict(Arc<Parts>);

struct Parts {
    hashed: CDict<'static>,
    bytes: Vec<u8>,
    level: i32,
}

impl EncodeDict {
    pub(crate) fn new(dict: &[u8], clevel: u8) -> Result<Self, StreamError> {
        if dict.is_empty() {
            return Err(MALFORMED_DICT.into());
        }
        let level = level(clevel);
        let hashed = CDict::try_create(dict, level).ok_or_else(|| refusal_of(dict))?;
        Ok(EncodeDict(Arc::new(Parts { hashed, bytes: memory::copy_of(dict)?, level })))
    }
}

impl fmt::Debug for EncodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::EncodeDict")
    }
}
