//! Writes a frame: its header, and blocks of up to 128 KiB.

use rust_zstd::compress::presplit::{PreSplitter, split_level};
use rust_zstd::compress::{CParams, Strategy};

use super::block::{Block, BlockWriter};
use super::parts::{Part, Parts};
use super::search::Search;
use super::short;
use super::thrift::Thrift;
use crate::memory::OutOfMemory;

/// Levels from here on look at more than one match at a position.
pub(super) const LAZY: i32 = 5;

const MAGIC: u32 = 0xFD2F_B528;

/// Maximum length of a block.
const MAX_BLOCK: usize = 128 << 10;

/// Bytes that a frame must have saved before its blocks are cut where their content changes.
const SAVED: i64 = 3;

/// Encodes frames, and reuses its memory.
#[derive(Default)]
pub(super) struct FrameEncoder {
    search: Search,
    splitter: PreSplitter,
    blocks: BlockWriter,
}

/// What a frame is made with.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) level: i32,
    /// The search has the tables of frames of at least this length.
    pub(super) least: usize,
}

impl FrameEncoder {
    /// Returns the bytes of its buffers, without those of `rust-zstd`.
    pub(super) fn held(&self) -> usize {
        self.blocks.held() + size_of::<Self>()
    }

    /// Returns the bytes of the tables of `rust-zstd`.
    pub(super) fn tables(&self) -> usize {
        self.search.tables()
    }

    /// Allocates its own buffers for frames of `len` bytes.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.blocks.reserve(len.min(MAX_BLOCK))
    }

    /// Writes a frame with `planes` planes, for whose length memory was [reserved](FrameEncoder::reserve). Returns its
    /// length, or `None` if it does not fit or would be longer than its content.
    pub(super) fn encode(&mut self, plan: Plan, planes: usize, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let params = CParams::for_level(plan.level, src.len().max(plan.least));
        let thrift = Thrift::of(params.strategy);
        if params.strategy >= Strategy::BtOpt && short::is_random(src, thrift) {
            return None;
        }
        self.blocks.start(thrift);
        self.search.start();
        let header = put_header(src.len(), params.window_log, dst)?;
        let mut at = header;
        for part in Parts::new(src, params.strategy, planes) {
            let saved = (part.range.start + header) as i64 - at as i64;
            at += self.put_part(src, part, params, saved, dst.get_mut(at..)?)?;
        }
        Some(at)
    }

    /// Writes the blocks of a part. `saved` are the bytes that those before are shorter than their content.
    fn put_part(&mut self, src: &[u8], part: Part, params: CParams, mut saved: i64, dst: &mut [u8]) -> Option<usize> {
        let max_block = MAX_BLOCK.min(1 << params.window_log);
        let (mut from, mut at) = (part.range.start, 0);
        // An empty frame has one empty block.
        loop {
            let mut len = max_block.min(part.range.end - from);
            if len == MAX_BLOCK
                && saved >= SAVED
                && let Some(level) = split_level(0, params.strategy)
            {
                len = self.splitter.split_block(&src[from..from + len], level);
            }
            let (range, dst) = (from..from + len, dst.get_mut(at..)?);
            from = range.end;
            let written = match part.is_searched {
                true => self.search.put_block(src, range, params, &mut self.blocks, dst)?,
                false => self.blocks.put(Block::without_matches(src, range), dst)?.len,
            };
            saved += len as i64 - written as i64;
            at += written;
            if from == part.range.end {
                return Some(at);
            }
        }
    }
}

/// Writes the header of a frame with a known length, and with a window if it is longer than that.
fn put_header(len: usize, window_log: u32, dst: &mut [u8]) -> Option<usize> {
    let mut header = [0; 14];
    header[..4].copy_from_slice(&MAGIC.to_le_bytes());
    let is_single = len <= 1 << window_log;
    let mut at = 5;
    if !is_single {
        header[at] = (window_log as u8 - 10) << 3;
        at += 1;
    }
    let (format, size, number) = match len as u64 {
        0..0x100 if is_single => (0, 1, len as u64),
        0x100..0x1_0100 => (1, 2, len as u64 - 0x100),
        0..0x1_0000_0000 => (2, 4, len as u64),
        _ => (3, 8, len as u64),
    };
    header[4] = format << 6 | u8::from(is_single) << 5;
    header[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
    at += size;
    dst.get_mut(..at)?.copy_from_slice(&header[..at]);
    Some(at)
}
