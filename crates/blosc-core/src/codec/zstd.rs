//! Zstandard frames, using the pure-Rust `rust-zstd` crate.

use core::fmt;
use std::sync::Arc;

use rust_zstd::compress::{CParams, CompressDict, DictAttach};
use rust_zstd::{CompressOptions, Decompressor as Frames};

use super::{CorruptStream, StreamError};
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

/// A dictionary parsed for decompressing. Clones share it.
#[derive(Clone)]
pub(crate) struct DecodeDict(rust_zstd::decode::DecodeDict);

impl DecodeDict {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, StreamError> {
        memory::check_free(dict.len() + DECODER_MEMORY)?;
        Ok(rust_zstd::decode::DecodeDict::new(dict).map(DecodeDict).map_err(|_| MALFORMED_DICT)?)
    }
}

const MALFORMED_DICT: CorruptStream = CorruptStream::new(0, "not a valid zstd dictionary");

/// A decompression context, and the content it decoded last.
pub(crate) struct ZstdDecoder {
    frames: Frames,
    content: Vec<u8>,
}

/// Upper bound of the bytes that the crate allocates to decode: the literals of a block, sequences and entropy tables.
/// Measured: 170 KiB.
const DECODER_MEMORY: usize = 176 << 10;

impl ZstdDecoder {
    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        DECODER_MEMORY + self.content.capacity()
    }

    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        memory::check_free(DECODER_MEMORY)?;
        Ok(ZstdDecoder { frames: Frames::new(), content: Vec::new() })
    }

    /// Decodes the frames of `src`, written with `dict` if given, into exactly `dst`.
    pub(crate) fn decompress(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        dict: Option<&DecodeDict>,
    ) -> Result<(), StreamError> {
        let mut content = core::mem::take(&mut self.content);
        let decoded = self.decompress_to(src, &mut content, dst.len(), dict);
        if decoded.is_ok() {
            dst.copy_from_slice(&content);
        }
        self.content = content;
        decoded
    }

    /// Decodes like [`decompress`](Self::decompress) into `content`, which then has `len` bytes. Saves a copy.
    pub(crate) fn decompress_to(
        &mut self,
        src: &[u8],
        content: &mut Vec<u8>,
        len: usize,
        dict: Option<&DecodeDict>,
    ) -> Result<(), StreamError> {
        // The crate allocates the sizes that the blocks announce, so they are checked first.
        let bound = frames_bound(src)?;
        if bound > len as u64 + MAX_BLOCK {
            return Err(CorruptStream::new(0, "the zstd frame exceeds the stream's uncompressed size").into());
        }
        content.clear();
        // The crate reserves room for the content, one more block, and copies that go past its end.
        let room = |content: u64| (content + MAX_BLOCK) as usize + PAST_END;
        if content.capacity() < room(bound) {
            // The crate would double the old allocation.
            *content = Vec::new();
            memory::check_free(room(bound.min(len as u64)))?;
        }
        let decoded = match dict {
            Some(dict) => self.frames.decompress_into_with_dict(src, &dict.0, content),
            None => self.frames.decompress_into(src, content),
        };
        decoded.map_err(|_| CorruptStream::new(0, "not a valid zstd frame"))?;
        if content.len() != len {
            return Err(CorruptStream::new(src.len(), "the zstd frame and the stream differ in size").into());
        }
        Ok(())
    }
}

impl fmt::Debug for EncodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::EncodeDict")
    }
}

impl fmt::Debug for DecodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::DecodeDict")
    }
}

impl fmt::Debug for ZstdDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::ZstdDecoder")
    }
}

/// Bytes that the crate may write past the end of a block.
const PAST_END: usize = 32;

/// Maximum decoded size of a block (RFC 8878, section 3.1.1.2.4).
const MAX_BLOCK: u64 = 128 * 1024;

/// Returns an upper bound of the decoded size of the frames in `src`.
///
/// Blosc writes one frame that states its content size, which the decoder enforces block by block. This function also
/// handles everything else that a decoder accepts: several frames, skippable frames, and frames without a content size.
/// In the latter, each compressed block counts as full.
///
/// A frame (RFC 8878, section 3.1.1): magic, descriptor, window, dictionary id, content size, blocks, checksum.
fn frames_bound(src: &[u8]) -> Result<u64, CorruptStream> {
    let mut at = 0;
    let mut bound = 0u64;
    while at < src.len() {
        let cut = CorruptStream::new(at, "the zstd frame is truncated");
        let magic = number(src, at, 4).ok_or(cut)?;
        if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
            let len = number(src, at + 4, 4).ok_or(cut)?;
            at = at.saturating_add(8).saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
            continue;
        }
        if magic != 0xFD2F_B528 {
            return Err(CorruptStream::new(at, "expected the start of a zstd frame"));
        }
        let descriptor = *src.get(at + 4).ok_or(cut)?;
        let single_segment = descriptor & 0x20 != 0;
        let size_len = match descriptor >> 6 {
            0 => usize::from(single_segment),
            flag => 1 << flag,
        };
        let size_at = at + 5 + usize::from(!single_segment) + [0, 1, 2, 4][usize::from(descriptor & 3)];
        let blocks;
        (at, blocks) = blocks_bound(src, size_at + size_len)?;
        let stated = match size_len {
            0 => blocks,
            // Two-byte sizes are stored minus 256.
            2 => number(src, size_at, 2).ok_or(cut)? + 256,
            len => number(src, size_at, len).ok_or(cut)?,
        };
        bound = bound.saturating_add(stated);
        at += if descriptor & 4 != 0 { 4 } else { 0 };
    }
    Ok(bound)
}

/// Walks the blocks from `at` and returns their end and the maximum size they decode to.
///
/// A block is a three-byte header (bit 0: last, bits 1-2: type, the rest: size) and its content.
fn blocks_bound(src: &[u8], mut at: usize) -> Result<(usize, u64), CorruptStream> {
    let mut bound = 0u64;
    loop {
        let header = number(src, at, 3).ok_or(CorruptStream::new(at, "the zstd frame is truncated"))?;
        let size = header >> 3;
        let (stored, plain) = match header >> 1 & 3 {
            0 => (size, size),
            1 => (1, size),
            2 => (size, MAX_BLOCK),
            _ => return Err(CorruptStream::new(at, "the zstd block has a reserved type")),
        };
        at = at.saturating_add(3).saturating_add(usize::try_from(stored).unwrap_or(usize::MAX));
        bound = bound.saturating_add(plain);
        if header & 1 != 0 {
            return Ok((at, bound));
        }
    }
}

/// Reads the little-endian number of `len` bytes at `at`.
fn number(src: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = src.get(at..at.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests;
