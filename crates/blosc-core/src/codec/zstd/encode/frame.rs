//! Writes a frame: its header, and blocks of up to 128 KiB.
//!
//! `rust-zstd` finds the matches and decides where blocks end; what is left is to encode them. In streams of independent
//! bytes it does not search, and all bytes are literals.

use core::ops::Range;

use rust_zstd::compress::block::{BlockLdm, REP_START_VALUE, build_seq_store};
use rust_zstd::compress::matchstate::MatchState;
use rust_zstd::compress::presplit::{PreSplitter, split_level};
use rust_zstd::compress::{CParams, SeqStore};

use super::literals::{Literals, MIN_GAIN_SHIFT};
use super::sequences::Sequences;
use crate::codec::independent::{Care, is_independent};
use crate::kernels;
use crate::memory::{self, OutOfMemory};

/// Levels from here on look at more than one match at a position.
pub(super) const LAZY: i32 = 5;

/// Levels up to here do not search for matches of three bytes, whatever the length of the stream.
pub(super) const LAST_LAZY: i32 = 11;

const MAGIC: u32 = 0xFD2F_B528;

/// Maximum length of a block.
const MAX_BLOCK: usize = 128 << 10;

/// Length of the header of a block.
const HEADER: usize = 3;

/// Kinds of blocks: the values of their headers.
#[derive(Clone, Copy)]
enum Kind {
    Stored = 0,
    Run = 1,
    Compressed = 2,
}

/// Encodes frames at levels without an optimal parser, and reuses its memory.
#[derive(Default)]
pub(super) struct FrameEncoder {
    finder: Option<MatchState>,
    /// Whether this frame has matches.
    is_searched: bool,
    found: SeqStore,
    splitter: PreSplitter,
    literals: Literals,
    sequences: Sequences,
    /// A block that is written where the destination may be too short for it.
    spare: Vec<u8>,
}

/// Bytes that a block of any content needs besides it: headers, and words that reach beyond the end.
const SLACK: usize = 512;

impl FrameEncoder {
    /// Returns the bytes of its buffers, without those of `rust-zstd`.
    pub(super) fn held(&self) -> usize {
        self.literals.held() + self.sequences.held() + self.spare.capacity() + size_of::<Self>()
    }

    /// Returns the bytes of the tables of `rust-zstd`.
    pub(super) fn tables(&self) -> usize {
        self.finder.as_ref().map_or(0, MatchState::workspace_size)
    }

    /// Allocates its own buffers for frames of `len` bytes.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let len = len.min(MAX_BLOCK);
        self.literals.reserve(len)?;
        self.sequences.reserve(len)?;
        memory::at_least(&mut self.spare, room(len)).map(|_| ())
    }

    /// Writes a frame, for whose length memory was [reserved](FrameEncoder::reserve). Its tables are those of frames of
    /// at least `least` bytes. Returns its length, or `None` if it does not fit.
    pub(super) fn encode(&mut self, level: i32, least: usize, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let params = CParams::for_level(level, src.len().max(least));
        self.literals.clear();
        self.sequences.start(level < LAZY);
        let max_block = MAX_BLOCK.min(1 << params.window_log);
        self.is_searched = !is_independent_at(level, src);
        if self.is_searched {
            match &mut self.finder {
                Some(finder) => finder.reset(params, 0),
                None => self.finder = Some(MatchState::new(params, 0)),
            }
            self.found.reserve(max_block.min(src.len()));
        }
        let mut at = put_header(src.len(), params.window_log, dst)?;
        let (mut repeats, mut from, mut gained) = (REP_START_VALUE, 0, 0);
        // An empty frame has one empty block.
        loop {
            let mut len = max_block.min(src.len() - from);
            if len == MAX_BLOCK
                && gained >= 3
                && let Some(level) = split_level(0, params.strategy)
            {
                len = self.splitter.split_block(&src[from..from + len], level);
            }
            let written = self.put_block_exactly(src, from..from + len, &mut repeats, dst.get_mut(at..)?)?;
            gained += len as i64 - written as i64;
            at += written;
            from += len;
            if from == src.len() {
                return Some(at);
            }
        }
    }

    /// Writes a block with its header. It fits, and is the same, if `dst` has only room for its bytes.
    fn put_block_exactly(
        &mut self,
        src: &[u8],
        block: Range<usize>,
        repeats: &mut [u32; 3],
        dst: &mut [u8],
    ) -> Option<usize> {
        if dst.len() >= room(block.len()) {
            return self.put_block(src, block, repeats, dst);
        }
        let mut spare = core::mem::take(&mut self.spare);
        let written = self.put_block(src, block, repeats, &mut spare);
        self.spare = spare;
        dst.get_mut(..written?)?.copy_from_slice(self.spare.get(..written?)?);
        written
    }

    /// Writes a block with its header.
    fn put_block(&mut self, src: &[u8], block: Range<usize>, repeats: &mut [u32; 3], dst: &mut [u8]) -> Option<usize> {
        let is_last = block.end == src.len();
        let plain = &src[block.clone()];
        // Old decoders reject a run at the start.
        if block.start > 0 && plain.iter().all(|&byte| byte == plain[0]) {
            put_block_header(Kind::Run, plain.len(), is_last, dst)?;
            *dst.get_mut(HEADER)? = plain[0];
            return Some(HEADER + 1);
        }
        if let Some(len) = self.put_compressed(src, block.clone(), repeats, dst.get_mut(HEADER..)?) {
            put_block_header(Kind::Compressed, len, is_last, dst)?;
            return Some(HEADER + len);
        }
        // Tables that the block described are not known to the decoder.
        self.literals.clear();
        self.sequences.clear();
        put_block_header(Kind::Stored, plain.len(), is_last, dst)?;
        kernels::copy(plain, dst.get_mut(HEADER..HEADER + plain.len())?);
        Some(HEADER + plain.len())
    }

    /// Writes the content of a compressed block. Returns `None` if that saves too little.
    fn put_compressed(
        &mut self,
        src: &[u8],
        block: Range<usize>,
        repeats: &mut [u32; 3],
        dst: &mut [u8],
    ) -> Option<usize> {
        let len = block.len();
        let mut next = *repeats;
        let (lits, seqs) = if self.is_searched {
            let finder = self.finder.as_mut()?;
            let entered = finder.enter_block(block);
            next = build_seq_store(finder, src, entered, next, &mut self.found, &mut BlockLdm::Off, None)?;
            (&*self.found.lits, &*self.found.seqs)
        } else {
            (&src[block], &[][..])
        };
        let literals = self.literals.put(lits, seqs.len(), dst)?;
        let size = literals + self.sequences.put(seqs, dst.get_mut(literals..)?)?;
        if size >= len - (len >> MIN_GAIN_SHIFT) - 2 {
            return None;
        }
        *repeats = next;
        Some(size)
    }
}

/// Returns whether no match would pay. At higher levels, matches of three bytes may pay.
fn is_independent_at(level: i32, src: &[u8]) -> bool {
    level <= LAST_LAZY && is_independent(src, if level < LAZY { Care::Little } else { Care::Much })
}

/// Returns a number of bytes that is enough to write a block of `len` bytes, whatever it contains.
fn room(len: usize) -> usize {
    len + len / 128 + SLACK
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

fn put_block_header(kind: Kind, len: usize, is_last: bool, dst: &mut [u8]) -> Option<()> {
    let header = u32::from(is_last) | (kind as u32) << 1 | (len as u32) << 3;
    dst.get_mut(..HEADER)?.copy_from_slice(&header.to_le_bytes()[..HEADER]);
    Some(())
}
