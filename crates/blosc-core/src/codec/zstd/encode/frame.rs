//! Writes a frame: its header, and blocks of up to 128 KiB.

use rust_zstd::compress::Strategy;
use rust_zstd::compress::presplit::{PreSplitter, split_level};

use super::block::{BlockWriter, MAX_BLOCK};
use super::parts::{Part, Parts};
use super::search::{Frame, Search};
use super::short;
use super::thrift::Thrift;
use crate::codec::noise::{Care, is_noise_stream};
use crate::memory::OutOfMemory;

/// Levels from here on look at more than one match at a position.
const LAZY: i32 = 5;

const MAGIC: u32 = 0xFD2F_B528;

/// Bytes that a frame must have saved before its blocks are cut where their content changes.
const SAVED: i64 = 3;

/// Encodes frames, and reuses its memory.
pub(super) struct FrameEncoder {
    level: i32,
    /// The search uses the tables of frames of at least this length.
    least: usize,
    search: Search,
    splitter: PreSplitter,
    blocks: BlockWriter,
    /// Length of blocks for which `blocks` has memory.
    reserved: usize,
}

impl FrameEncoder {
    /// Creates an encoder for one of Zstandard's own levels.
    pub(super) fn new(level: i32) -> Self {
        let (search, splitter, blocks) = Default::default();
        FrameEncoder { level, least: 0, search, splitter, blocks, reserved: 0 }
    }

    pub(super) fn level(&self) -> i32 {
        self.level
    }

    pub(super) fn set_level(&mut self, level: i32) {
        if level != self.level {
            self.level = level;
            self.search.change_level();
        }
    }

    /// Chooses tables as for streams of `len` bytes, although shorter ones follow.
    pub(super) fn samples_of(&mut self, len: usize) {
        self.least = len;
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(super) fn held(&self) -> usize {
        self.blocks.held() + self.search.held() + size_of::<Self>()
    }

    /// Returns an upper bound of the bytes that were claimed or allocated at once.
    #[cfg(test)]
    pub(super) fn claimed(&self) -> usize {
        self.blocks.held() + self.search.claimed() + size_of::<Self>()
    }

    /// Returns the bytes of the tables of `rust-zstd`.
    #[cfg(test)]
    pub(super) fn tables(&self) -> usize {
        self.search.tables()
    }

    /// Writes a frame with `planes` planes. Returns its length, or `None` if it does not fit, or if `src` is random.
    // In line, its stack frame would be that of all codecs.
    #[inline(never)]
    pub(super) fn encode(&mut self, src: &[u8], planes: usize, dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        // Fast levels search random bytes in wide steps, which takes hardly longer than a large sample.
        let care = if self.level < LAZY { Care::Least } else { Care::Little };
        let mut frame = Frame::new(src, self.level, self.least);
        let (params, thrift) = (frame.params, Thrift::of(frame.params.strategy));
        if is_noise_stream(src, care) || params.strategy >= Strategy::BtOpt && short::is_random(src, thrift) {
            return Ok(None);
        }
        self.reserve(src.len().min(MAX_BLOCK))?;
        self.blocks.start(thrift);
        let Some(header) = put_header(src.len(), params.window_log, dst) else { return Ok(None) };
        let mut at = header;
        for part in Parts::new(src, params.strategy, planes) {
            let saved = (part.range.start + header) as i64 - at as i64;
            let Some(dst) = dst.get_mut(at..) else { return Ok(None) };
            let Some(len) = self.put_part(&mut frame, src, part, saved, dst)? else { return Ok(None) };
            at += len;
        }
        Ok(Some(at))
    }

    /// Allocates its own buffers for blocks of `len` bytes.
    fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if len > self.reserved {
            self.reserved = 0; // If memory runs out halfway, the next frame reserves again.
            self.blocks.reserve(len)?;
            self.reserved = len;
        }
        Ok(())
    }

    /// Writes the blocks of a part. `saved` are the bytes that those before are shorter than their content.
    fn put_part(
        &mut self,
        frame: &mut Frame<'_>,
        src: &[u8],
        part: Part,
        mut saved: i64,
        dst: &mut [u8],
    ) -> Result<Option<usize>, OutOfMemory> {
        let params = frame.params;
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
            let range = from..from + len;
            from = range.end;
            let Some(dst) = dst.get_mut(at..) else { return Ok(None) };
            let written = match part.is_searched {
                true => self.search.put_block(frame, range, &mut self.blocks, dst)?,
                false => self.search.put_without_matches(frame, range, &mut self.blocks, dst),
            };
            let Some(written) = written else { return Ok(None) };
            saved += len as i64 - written as i64;
            at += written;
            if from == part.range.end {
                return Ok(Some(at));
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
