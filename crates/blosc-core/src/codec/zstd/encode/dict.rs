//! Frames with a dictionary, which `rust-zstd` writes altogether.

use core::fmt;
use std::sync::Arc;

use rust_zstd::CompressOptions;
use rust_zstd::compress::{CParams, CompressDict, DictAttach};

use super::super::levels::level;
use super::super::{HASH_AGAIN, MALFORMED_DICT};
use super::search::workspace;
use crate::codec::StreamError;
use crate::memory::{self, OutOfMemory};

/// Maximum bytes of a frame besides its content: headers of the frame and its blocks.
const FRAME_SLACK: usize = 512;

/// Memory of the search for long matches at great distances, which the crate adds for very long streams.
const LONG_DISTANCE: usize = 16 << 20;

/// Compresses with a dictionary.
pub(super) struct DictEncoder {
    compressor: rust_zstd::Compressor,
    options: CompressOptions,
    dict_len: usize,
    /// The last frame: the crate writes to vectors only.
    frame: Vec<u8>,
    /// Length of the longest stream for which memory has been reserved.
    longest: usize,
    /// An upper bound of the bytes that the crate holds.
    crate_memory: usize,
}

impl DictEncoder {
    /// Creates a compressor for streams of about `len` bytes.
    pub(super) fn new(dict: &EncodeDict, len: usize) -> Self {
        let dict_attach = if len < HASH_AGAIN { DictAttach::Auto } else { DictAttach::Load };
        let (level, dict_len) = (dict.hashed.level(), dict.len);
        let dict = Some(Arc::clone(&dict.hashed));
        let options = CompressOptions { level, dict, dict_attach, ..CompressOptions::default() };
        DictEncoder::with_options(options, dict_len)
    }

    fn with_options(options: CompressOptions, dict_len: usize) -> Self {
        let compressor = rust_zstd::Compressor::new(options.clone());
        DictEncoder { compressor, options, dict_len, frame: Vec::new(), longest: 0, crate_memory: 0 }
    }

    /// Creates another compressor with the same settings.
    pub(super) fn fresh(&self) -> Self {
        DictEncoder::with_options(self.options.clone(), self.dict_len)
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(super) fn held(&self) -> usize {
        self.frame.capacity() + self.crate_memory
    }

    /// Writes a frame to the start of `dst`. Returns its length, or `None` if it does not fit.
    pub(super) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        // Until the crate has allocated its memory.
        let _claim = if src.len() > self.longest || self.longest == 0 { Some(self.reserve(src.len())?) } else { None };
        self.frame.clear();
        self.compressor.compress(src, &mut self.frame);
        let Some(dst) = dst.get_mut(..self.frame.len()) else { return Ok(None) };
        dst.copy_from_slice(&self.frame);
        Ok(Some(self.frame.len()))
    }

    /// Allocates memory for streams of `len` bytes, and claims what the crate may allocate for them.
    fn reserve(&mut self, len: usize) -> Result<memory::Claim, OutOfMemory> {
        self.longest = 0; // If memory runs out halfway, the next stream reserves again.
        self.frame = memory::with_capacity(len + len / 128 + FRAME_SLACK)?;
        // The crate searches a copy of the dictionary and the stream, one after the other.
        let searched = self.dict_len + len;
        let needed = searched + all_tables(self.options.level, searched);
        let claim = memory::claim(needed)?;
        self.crate_memory = self.crate_memory.max(needed);
        self.longest = len;
        Ok(claim)
    }
}

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

/// Returns an upper bound of the bytes that the crate allocates to hash a dictionary of `len` bytes.
pub(super) fn dict_memory(len: usize, clevel: u8) -> usize {
    2 * len + all_tables(level(clevel), len)
}

fn all_tables(level: i32, len: usize) -> usize {
    let params = CParams::for_level(level, len);
    let long = if params.window_log >= 27 { LONG_DISTANCE } else { 0 };
    workspace(params) + long
}

impl fmt::Debug for EncodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::EncodeDict")
    }
}
