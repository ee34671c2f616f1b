//! Compresses Zstandard frames with the pure-Rust `rust-zstd` crate.

use core::fmt;
use std::sync::Arc;

use rust_zstd::CompressOptions;
use rust_zstd::compress::{CParams, CompressDict, DictAttach};

use crate::codec::{CorruptStream, StreamError};
use crate::memory::{self, OutOfMemory};

/// The Zstandard level for each `clevel` 1..=9, as in C-Blosc: every second level, and for 9 the highest
/// (`ZSTD_maxCLevel`).
const LEVELS: [i32; 9] = [1, 3, 5, 7, 9, 11, 13, 15, 22];

/// The level of clevel 9 for shuffled blocks: as small as level 22 and 1.6 times as fast (docs/decisions/005-zstd.md).
const STRONGEST_SHUFFLED: i32 = 19;

/// A compression context at one level, and the last frame it wrote.
pub(crate) struct ZstdEncoder {
    options: CompressOptions,
    context: rust_zstd::Compressor,
    frame: Vec<u8>,
    /// Length of the longest stream for which memory has been reserved.
    longest: usize,
}

impl ZstdEncoder {
    pub(crate) fn new(clevel: u8, is_shuffled: bool) -> Self {
        ZstdEncoder::with_options(CompressOptions {
            level: level_of(clevel, is_shuffled),
            ..CompressOptions::default()
        })
    }

    /// Creates a compressor for streams of about `len` bytes. Its frames can only be read with `dict`.
    pub(crate) fn with_dict(dict: &EncodeDict, len: usize) -> Self {
        let dict_attach = if len < HASH_AGAIN { DictAttach::Auto } else { DictAttach::Load };
        let dict = Some(Arc::clone(&dict.0));
        ZstdEncoder::with_options(CompressOptions { dict, dict_attach, ..CompressOptions::default() })
    }

    /// Creates another compressor with the same settings.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "all blocks are encoded on one thread"))]
    pub(crate) fn fresh(&self) -> Self {
        ZstdEncoder::with_options(self.options.clone())
    }

    fn with_options(options: CompressOptions) -> Self {
        ZstdEncoder { context: rust_zstd::Compressor::new(options.clone()), options, frame: Vec::new(), longest: 0 }
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        self.frame.capacity() + workspace(self.options.level, self.longest)
    }

    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        self.frame.clear();
        if src.len() > self.longest {
            memory::reserve(&mut self.frame, src.len() + src.len() / 128 + FRAME_SLACK)?;
            memory::check_free(workspace(self.options.level, src.len()))?;
            self.longest = src.len();
        }
        self.context.compress(src, &mut self.frame);
        let Some(dst) = dst.get_mut(..self.frame.len()) else { return Ok(None) };
        dst.copy_from_slice(&self.frame);
        Ok(Some(self.frame.len()))
    }
}

/// Minimum stream size for which the dictionary is hashed again for each stream; no shorter than the longest
/// dictionary. The dictionary's own tables are sized by the dictionary and are too small for such a stream. Measured
/// with streams of 64 KiB at `clevel` 5: 5 % smaller.
const HASH_AGAIN: usize = 32 << 10;

/// Maximum bytes of a frame besides its content: headers of the frame and its blocks.
const FRAME_SLACK: usize = 512;

/// Returns an upper bound of the bytes that the crate allocates to compress streams of `len` bytes. The crate cannot
/// report an allocation failure, so the caller [checks](memory::check_free) for this memory first.
fn workspace(level: i32, len: usize) -> usize {
    let params = CParams::for_level(level, len);
    // The hash table with tags, the chains or tree, and the table for three-byte matches, with 4-byte positions.
    let tables = (5_usize << params.hash_log) + (4 << params.chain_log) + (4 << params.window_log.min(17));
    // Long-distance matching.
    let long = if params.window_log >= 27 { 16 << 20 } else { 0 };
    tables + long + ENTROPY_MEMORY
}

/// Sequences and literals of a block, statistics, entropy tables, and the states of the optimal parser.
const ENTROPY_MEMORY: usize = 3 << 20;

/// Returns Zstandard's own level for streams of shuffled or unshuffled blocks.
pub(crate) fn level_of(clevel: u8, is_shuffled: bool) -> i32 {
    if is_shuffled { level(clevel).min(STRONGEST_SHUFFLED) } else { level(clevel) }
}

fn level(clevel: u8) -> i32 {
    LEVELS[usize::from(clevel.clamp(1, 9)) - 1]
}

/// A dictionary hashed for compressing at one level. Clones share it.
///
/// A dictionary that starts with the magic number `37 a4 30 ec` has entropy tables before its content (RFC 8878,
/// section 5). Any other dictionary is raw content. C-Blosc2 writes the former, compresses with it at Zstandard's level
/// 1 for every `clevel`, and reads both.
#[derive(Clone)]
pub(crate) struct EncodeDict(Arc<CompressDict>);

impl EncodeDict {
    pub(crate) fn new(dict: &[u8], clevel: u8) -> Result<Self, StreamError> {
        // Tables are sized by the dictionary. An empty one counts as unknown size: 640 MiB at level 22.
        if dict.is_empty() {
            return Err(MALFORMED_DICT.into());
        }
        memory::check_free(2 * dict.len() + workspace(level(clevel), dict.len()))?;
        let dict = CompressDict::new(dict, level(clevel)).map_err(|_| MALFORMED_DICT)?;
        Ok(EncodeDict(Arc::new(dict)))
    }
}

const MALFORMED_DICT: CorruptStream = CorruptStream::new(0, "not a valid zstd dictionary");

impl fmt::Debug for EncodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::EncodeDict")
    }
}
