//! Finds the matches of a block, and writes it as one block or several.

use core::ops::Range;

use rust_zstd::compress::block::{BlockLdm, REP_START_VALUE, build_seq_store};
use rust_zstd::compress::entropy::EntropyTables;
use rust_zstd::compress::matchstate::MatchState;
use rust_zstd::compress::split::{BlockSplitter, Partition, block_splitter_enabled, resolve_off_codes};
use rust_zstd::compress::{CParams, ParamSwitch, SeqStore};

use super::block::{Block, BlockWriter};

/// The search of `rust-zstd`, and its memory.
#[derive(Default)]
pub(super) struct Search {
    finder: Option<MatchState>,
    /// Whether the finder works on this frame.
    is_started: bool,
    found: SeqStore,
    /// Levels of the optimal parser only. The splitter is told that there are no tables of earlier blocks to repeat.
    splitter: Option<Box<(BlockSplitter, EntropyTables)>>,
    /// The offsets that the next block may repeat.
    repeats: [u32; 3],
}

impl Search {
    /// Returns the bytes of the tables of `rust-zstd`.
    pub(super) fn tables(&self) -> usize {
        self.finder.as_ref().map_or(0, MatchState::workspace_size)
    }

    /// Starts a frame.
    pub(super) fn start(&mut self) {
        (self.is_started, self.repeats) = (false, REP_START_VALUE);
    }

    /// Searches a block of `src` and writes it. Returns its length.
    pub(super) fn put_block(
        &mut self,
        src: &[u8],
        range: Range<usize>,
        params: CParams,
        blocks: &mut BlockWriter,
        dst: &mut [u8],
    ) -> Option<usize> {
        let block = Block::without_matches(src, range.clone());
        let found = if block.is_run() { None } else { self.find(src, range, params) };
        let Some(next) = found else {
            return Some(blocks.put(block, dst)?.len);
        };
        if block_splitter_enabled(ParamSwitch::Auto, &params) {
            let (splitter, no_tables) = &mut **self.splitter.get_or_insert_default();
            let parts = splitter.derive(&self.found, no_tables, &params, block.plain.len());
            if !parts.is_empty() {
                return put_parts(block, parts, &mut self.found, &mut self.repeats, blocks, dst);
            }
        }
        let block = Block { literals: &self.found.lits, sequences: &self.found.seqs, ..block };
        let written = blocks.put(block, dst)?;
        if written.is_compressed {
            self.repeats = next;
        }
        Some(written.len)
    }

    /// Finds the matches of a block. Returns the offsets that the next block may repeat, or `None` if it is too short.
    fn find(&mut self, src: &[u8], range: Range<usize>, params: CParams) -> Option<[u32; 3]> {
        let finder = match &mut self.finder {
            Some(finder) => {
                if !self.is_started {
                    finder.reset(params, 0);
                }
                finder
            }
            none => none.insert(MatchState::new(params, 0)),
        };
        self.is_started = true;
        self.found.reserve(range.len());
        let entered = finder.enter_block(range);
        build_seq_store(finder, src, entered, self.repeats, &mut self.found, &mut BlockLdm::Off, None)
    }
}

/// Writes a block as several, each with tables of its own. Returns their length.
fn put_parts(
    block: Block<'_>,
    parts: &[Partition],
    found: &mut SeqStore,
    repeats: &mut [u32; 3],
    blocks: &mut BlockWriter,
    dst: &mut [u8],
) -> Option<usize> {
    let (mut plain, mut at) = (block.plain, 0);
    // The search went by the repeats of parts that are all compressed. The decoder does not read sequences of others.
    let mut searched = *repeats;
    for part in parts {
        let (first, rest) = plain.split_at_checked(part.src_len)?;
        let before = *repeats;
        let sequences = found.seqs.get_mut(part.seqs.clone())?;
        resolve_off_codes(repeats, &mut searched, sequences);
        let block = Block {
            plain: first,
            literals: found.lits.get(part.lits.clone())?,
            sequences,
            is_first: block.is_first && at == 0,
            is_last: block.is_last && rest.is_empty(),
        };
        let written = blocks.put(block, dst.get_mut(at..)?)?;
        if !written.is_compressed {
            *repeats = before;
        }
        (plain, at) = (rest, at + written.len);
    }
    Some(at)
}
