//! Compresses Zstandard frames. The pure-Rust `rust-zstd` crate finds the matches.
//!
//! | file | does |
//! |---|---|
//! | `frame` | writes frames and blocks |
//! | `literals`, `huffman`, `streams` | the section of literals, its code, and the hot loop |
//! | `sequences` | the section of sequences, with the hot loop |
//! | `fse` | entropy tables, and how they are described |
//! | `bits` | a bit writer |
//!
//! Frames with a dictionary, and those of the optimal parser, are written by `rust-zstd` altogether: the parser
//! estimates the size of its choices with the tables of the block before.

mod bits;
mod frame;
mod fse;
mod huffman;
mod literals;
mod sequences;
mod streams;
#[cfg(test)]
mod tests;

use core::fmt;
use std::sync::Arc;

use frame::{FrameEncoder, LAZY};
use rust_zstd::CompressOptions;
use rust_zstd::compress::{CParams, CompressDict, DictAttach};

use super::levels::level;
use super::{HASH_AGAIN, MALFORMED_DICT};
use crate::codec::StreamError;
use crate::codec::noise::{Care, is_noise_stream};
use crate::memory::{self, OutOfMemory};

/// Levels from here on may use the optimal parser.
const OPTIMAL: i32 = 16;

/// A compression context at one level.
pub(crate) struct ZstdEncoder {
    options: CompressOptions,
    context: Context,
    dict_len: usize,
    /// Length of the longest stream for which memory has been reserved at this level.
    longest: usize,
    /// An upper bound of the bytes that the crate holds.
    crate_memory: usize,
    /// Frames are written with the tables of streams of at least this length.
    least: usize,
}

enum Context {
    Frames(Box<FrameEncoder>),
    /// `frame` is the last frame: the crate writes to vectors only.
    RustZstd {
        compressor: Box<rust_zstd::Compressor>,
        frame: Vec<u8>,
    },
}

impl ZstdEncoder {
    /// Creates a compressor of one of Zstandard's own levels.
    pub(crate) fn new(level: i32) -> Self {
        ZstdEncoder::with_options(CompressOptions { level, ..CompressOptions::default() })
    }

    /// Creates a compressor for streams of about `len` bytes. Its frames can only be read with `dict`.
    pub(crate) fn with_dict(dict: &EncodeDict, len: usize) -> Self {
        let dict_attach = if len < HASH_AGAIN { DictAttach::Auto } else { DictAttach::Load };
        let (level, dict_len) = (dict.hashed.level(), dict.len);
        let dict = Some(Arc::clone(&dict.hashed));
        let options = CompressOptions { level, dict, dict_attach, ..CompressOptions::default() };
        ZstdEncoder { dict_len, ..ZstdEncoder::with_options(options) }
    }

    /// Creates another compressor with the same settings.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "all blocks are encoded on one thread"))]
    pub(crate) fn fresh(&self) -> Self {
        ZstdEncoder { dict_len: self.dict_len, ..ZstdEncoder::with_options(self.options.clone()) }
    }

    fn with_options(options: CompressOptions) -> Self {
        let context = match options.level < OPTIMAL && options.dict.is_none() {
            true => Context::Frames(Box::default()),
            false => {
                let compressor = Box::new(rust_zstd::Compressor::new(options.clone()));
                Context::RustZstd { compressor, frame: Vec::new() }
            }
        };
        ZstdEncoder { context, options, dict_len: 0, longest: 0, crate_memory: 0, least: 0 }
    }

    /// Continues at another level, with the same memory. Returns `false` if that is not possible.
    pub(crate) fn set_level(&mut self, level: i32) -> bool {
        if level >= OPTIMAL || !matches!(self.context, Context::Frames(_)) {
            return false;
        }
        (self.options.level, self.longest) = (level, 0);
        true
    }

    /// Chooses tables as for streams of `len` bytes, although shorter ones follow.
    pub(crate) fn samples_of(&mut self, len: usize) {
        if len != self.least {
            (self.least, self.longest) = (len, 0);
        }
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        let own = match &self.context {
            Context::Frames(encoder) => encoder.held(),
            Context::RustZstd { frame, .. } => frame.capacity(),
        };
        own + self.crate_memory
    }

    /// Returns whether `src` is stored without a search. With a dictionary, random bytes may be compressible.
    fn looks_incompressible(&self, src: &[u8]) -> bool {
        // Fast levels search random bytes in wide steps, which takes hardly longer than a large sample.
        let care = if self.options.level < LAZY { Care::Least } else { Care::Little };
        self.options.dict.is_none() && is_noise_stream(src, care)
    }

    /// Writes a frame to the start of `dst`. Returns its length, or `None` if it does not fit.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        if self.looks_incompressible(src) {
            return Ok(None);
        }
        // Until the crate has allocated its memory.
        let _claim = if src.len() > self.longest || self.longest == 0 { self.reserve(src.len())? } else { None };
        match &mut self.context {
            Context::Frames(encoder) => {
                let tables = encoder.tables();
                let len = encoder.encode(self.options.level, self.least, src, dst);
                if encoder.tables() < tables {
                    // The crate has released tables that were too large for the last streams.
                    self.longest = 0;
                }
                Ok(len)
            }
            Context::RustZstd { compressor, frame } => {
                frame.clear();
                compressor.compress(src, frame);
                let Some(dst) = dst.get_mut(..frame.len()) else { return Ok(None) };
                dst.copy_from_slice(frame);
                Ok(Some(frame.len()))
            }
        }
    }

    /// Allocates memory for streams of `len` bytes, and claims what the crate may allocate for them.
    fn reserve(&mut self, len: usize) -> Result<Option<memory::Claim>, OutOfMemory> {
        self.longest = 0; // If memory runs out halfway, the next stream reserves again.
        match &mut self.context {
            Context::Frames(encoder) => encoder.reserve(len)?,
            Context::RustZstd { frame, .. } => *frame = memory::with_capacity(len + len / 128 + FRAME_SLACK)?,
        }
        let needed = self.needed(len.max(self.least));
        let claim = if needed > self.tables() { Some(memory::claim(needed)?) } else { None };
        self.crate_memory = self.crate_memory.max(needed);
        self.longest = len;
        Ok(claim)
    }

    /// Returns an upper bound of the bytes that the crate allocates for streams of `len` bytes.
    fn needed(&self, len: usize) -> usize {
        match self.dict_len {
            0 => workspace(self.options.level, len),
            // The crate searches a copy of the dictionary and the stream, one after the other.
            dict_len => dict_len + len + workspace(self.options.level, dict_len + len),
        }
    }

    /// Returns the bytes of tables that the crate keeps, as far as they are known.
    fn tables(&self) -> usize {
        if let Context::Frames(encoder) = &self.context { encoder.tables() } else { 0 }
    }
}

/// Maximum bytes of a frame besides its content: headers of the frame and its blocks.
const FRAME_SLACK: usize = 512;

/// Returns an upper bound of the bytes that the crate allocates to compress streams of `len` bytes. The crate cannot
/// report an allocation failure, so the caller [claims](memory::claim) this memory first.
fn workspace(level: i32, len: usize) -> usize {
    let params = CParams::for_level(level, len);
    // The hash table with tags, the chains or tree, and the table for three-byte matches, with 4-byte positions.
    let tables = (5_usize << params.hash_log) + (4 << params.chain_log) + (4 << params.window_log.min(17));
    // Long-distance matching.
    let long = if params.window_log >= 27 { 16 << 20 } else { 0 };
    tables + long + ENTROPY_MEMORY
}

/// Returns an upper bound of the bytes that the crate allocates to hash a dictionary of `len` bytes.
fn dict_memory(len: usize, clevel: u8) -> usize {
    2 * len + workspace(level(clevel), len)
}

/// Sequences and literals of a block, statistics, entropy tables, and the states of the optimal parser.
const ENTROPY_MEMORY: usize = 3 << 20;

/// A dictionary hashed for compressing at one level. Clones share it.
///
/// A dictionary that starts with the magic number `37 a4 30 ec` has entropy tables before its content (RFC 8878,
/// section 5). Any other dictionary is raw content. C-Blosc2 writes the former, compresses with it at Zstandard's level
/// 1 for every `clevel`, and reads both.
#[derive(Clone)]
pub(crate) struct EncodeDict {
    hashed: Arc<CompressDict>,
    len: usize,
}

impl EncodeDict {
    pub(crate) fn new(dict: &[u8], clevel: u8) -> Result<Self, StreamError> {
        // Tables are sized by the dictionary. An empty one counts as unknown size: 640 MiB at level 22.
        if dict.is_empty() {
            return Err(MALFORMED_DICT.into());
        }
        let _claim = memory::claim(dict_memory(dict.len(), clevel))?;
        let hashed = CompressDict::new(dict, level(clevel)).map_err(|_| MALFORMED_DICT)?;
        Ok(EncodeDict { hashed: Arc::new(hashed), len: dict.len() })
    }
}

impl fmt::Debug for EncodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::EncodeDict")
    }
}
