//! Compresses Zstandard frames. The pure-Rust `rust-zstd` crate finds the matches.
//!
//! | file | does |
//! |---|---|
//! | `frame` | writes frames |
//! | `parts` | cuts a stream into parts with matches and without |
//! | `short` | short streams of random bytes |
//! | `search` | the matches of a block, and where it is cut into several |
//! | `block`, `thrift` | writes a block; when it pays to compress one |
//! | `literals`, `huffman`, `streams` | the section of literals, its code, and the hot loop |
//! | `sequences` | the section of sequences, with the hot loop |
//! | `fse` | entropy tables, and how they are described |
//! | `bits` | a bit writer |
//!
//! Frames with a dictionary are written by `rust-zstd` altogether.

mod bits;
mod block;
mod frame;
mod fse;
mod huffman;
mod literals;
mod parts;
mod search;
mod sequences;
mod short;
mod streams;
#[cfg(test)]
mod tests;
mod thrift;

use core::fmt;
use std::sync::Arc;

use frame::{FrameEncoder, LAZY, Plan};
use rust_zstd::CompressOptions;
use rust_zstd::compress::{CParams, CompressDict, DictAttach};

use super::levels::level;
use super::{HASH_AGAIN, MALFORMED_DICT};
use crate::codec::StreamError;
use crate::codec::noise::{Care, is_noise_stream};
use crate::memory::{self, OutOfMemory};

/// A compression context at one level.
pub(crate) struct ZstdEncoder {
    plan: Plan,
    context: Context,
    /// Length of the longest stream for which memory has been reserved at this level.
    longest: usize,
    /// An upper bound of the bytes that the crate holds.
    crate_memory: usize,
    /// Whether the crate has not worked at this level yet.
    is_new_level: bool,
}

enum Context {
    Frames(Box<FrameEncoder>),
    WithDict(Box<WithDict>),
}

/// Compresses with a dictionary.
struct WithDict {
    compressor: rust_zstd::Compressor,
    options: CompressOptions,
    dict_len: usize,
    /// The last frame: the crate writes to vectors only.
    frame: Vec<u8>,
}

impl ZstdEncoder {
    /// Creates a compressor of one of Zstandard's own levels.
    pub(crate) fn new(level: i32) -> Self {
        ZstdEncoder::with(Plan { level, least: 0 }, Context::Frames(Box::default()))
    }

    /// Creates a compressor for streams of about `len` bytes. Its frames can only be read with `dict`.
    pub(crate) fn with_dict(dict: &EncodeDict, len: usize) -> Self {
        let dict_attach = if len < HASH_AGAIN { DictAttach::Auto } else { DictAttach::Load };
        let (level, dict_len) = (dict.hashed.level(), dict.len);
        let dict = Some(Arc::clone(&dict.hashed));
        let options = CompressOptions { level, dict, dict_attach, ..CompressOptions::default() };
        ZstdEncoder::with_options(options, dict_len)
    }

    fn with_options(options: CompressOptions, dict_len: usize) -> Self {
        let plan = Plan { level: options.level, least: 0 };
        let compressor = rust_zstd::Compressor::new(options.clone());
        ZstdEncoder::with(
            plan,
            Context::WithDict(Box::new(WithDict { compressor, options, dict_len, frame: Vec::new() })),
        )
    }

    /// Creates another compressor with the same settings.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "all blocks are encoded on one thread"))]
    pub(crate) fn fresh(&self) -> Self {
        match &self.context {
            Context::Frames(_) => ZstdEncoder::new(self.plan.level),
            Context::WithDict(with) => ZstdEncoder::with_options(with.options.clone(), with.dict_len),
        }
    }

    fn with(plan: Plan, context: Context) -> Self {
        ZstdEncoder { plan, context, longest: 0, crate_memory: 0, is_new_level: true }
    }

    /// Continues at another level, with the same memory. Returns `false` if that is not possible.
    pub(crate) fn set_level(&mut self, level: i32) -> bool {
        if !matches!(self.context, Context::Frames(_)) {
            return false;
        }
        if level != self.plan.level {
            (self.plan.level, self.longest, self.is_new_level) = (level, 0, true);
        }
        true
    }

    /// Chooses tables as for streams of `len` bytes, although shorter ones follow.
    pub(crate) fn samples_of(&mut self, len: usize) {
        if len != self.plan.least {
            (self.plan.least, self.longest) = (len, 0);
        }
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        let own = match &self.context {
            Context::Frames(encoder) => encoder.held(),
            Context::WithDict(with) => with.frame.capacity(),
        };
        own + self.crate_memory
    }

    /// Returns whether `src` is stored without a search. With a dictionary, random bytes may be compressible.
    fn looks_incompressible(&self, src: &[u8]) -> bool {
        // Fast levels search random bytes in wide steps, which takes hardly longer than a large sample.
        let care = if self.plan.level < LAZY { Care::Least } else { Care::Little };
        matches!(self.context, Context::Frames(_)) && is_noise_stream(src, care)
    }

    /// Writes a frame to the start of `dst`. Returns its length, or `None` if it does not fit. `src` consists of `planes`
    /// parts of the same length, each with bytes of one kind, or of no such parts.
    pub(crate) fn compress(&mut self, src: &[u8], planes: usize, dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        if self.looks_incompressible(src) {
            return Ok(None);
        }
        // Until the crate has allocated its memory.
        let _claim = if src.len() > self.longest || self.longest == 0 { self.reserve(src.len())? } else { None };
        match &mut self.context {
            Context::Frames(encoder) => {
                let tables = encoder.tables();
                let len = encoder.encode(self.plan, planes, src, dst);
                if encoder.tables() < tables {
                    // The crate has released tables that were too large for the last streams.
                    self.longest = 0;
                }
                Ok(len)
            }
            Context::WithDict(with) => {
                let WithDict { compressor, frame, .. } = &mut **with;
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
            Context::WithDict(with) => with.frame = memory::with_capacity(len + len / 128 + FRAME_SLACK)?,
        }
        let needed = self.needed(len.max(self.plan.least));
        // Another level may need other memory than tables.
        let is_claimed = self.is_new_level || needed > self.tables();
        let claim = if is_claimed { Some(memory::claim(needed)?) } else { None };
        self.crate_memory = self.crate_memory.max(needed);
        (self.longest, self.is_new_level) = (len, false);
        Ok(claim)
    }

    /// Returns an upper bound of the bytes that the crate allocates for streams of `len` bytes.
    fn needed(&self, len: usize) -> usize {
        match &self.context {
            Context::Frames(_) => workspace(self.plan.level, len),
            // The crate searches a copy of the dictionary and the stream, one after the other.
            Context::WithDict(with) => with.dict_len + len + workspace(self.plan.level, with.dict_len + len),
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
