//! Finds the matches of a block, and writes it as one block or several.

use core::ops::Range;

use rust_zstd::compress::block::{BlockLdm, REP_START_VALUE, build_seq_store};
use rust_zstd::compress::entropy::EntropyTables;
use rust_zstd::compress::lazy::default_search_method;
use rust_zstd::compress::matchstate::{MatchState, needed_space};
use rust_zstd::compress::split::{BlockSplitter, Partition, block_splitter_enabled, resolve_off_codes};
use rust_zstd::compress::{CParams, ParamSwitch, Seq, SeqStore, Strategy};

use super::block::{Block, BlockWriter, MAX_BLOCK};
use crate::codec::few_words::{has_few_words, has_many_values};
use crate::memory::{self, OutOfMemory};

/// The search of `rust-zstd`, and its memory.
#[derive(Default)]
pub(super) struct Search {
    finder: Option<MatchState>,
    found: SeqStore,
    /// Levels of the optimal parser only. The splitter is told that there are no tables of earlier blocks to repeat.
    splitter: Option<Box<(BlockSplitter, EntropyTables)>>,
    /// The most sequences for which the splitter has allocated its memory.
    most_split: usize,
    allocated: Allocated,
    /// The bytes that the crate used for the last frame.
    used: usize,
    /// The parameters of the last frame, if the next one with them needs no more memory.
    settled: Option<CParams>,
    /// The most bytes that the crate may have allocated for a frame.
    #[cfg(test)]
    crate_memory: usize,
}

/// The parameters of frames for which the crate has allocated its memory. Neither longer frames nor larger tables of other
/// parameters say that memory suffices: each strategy has tables of its own.
#[derive(Default)]
struct Allocated {
    params: [Option<CParams>; 8],
    next: usize,
}

/// A frame that is being written.
pub(super) struct Frame<'a> {
    src: &'a [u8],
    pub(super) params: CParams,
    /// The search uses the tables of frames of this length.
    len: usize,
    /// The offsets that the next block may repeat.
    repeats: [u32; 3],
    /// Whether the finder works on this frame.
    is_searched: bool,
}

/// Maximum length of a short frame.
const SHORT: usize = 4 << 10;

impl<'a> Frame<'a> {
    /// Starts a frame with the content `src`. Its search uses the tables of frames of at least `least` bytes.
    pub(super) fn new(src: &'a [u8], level: i32, least: usize) -> Self {
        let len = src.len().max(least);
        let params = CParams::for_level(level, len);
        Frame { src, params, len, repeats: REP_START_VALUE, is_searched: false }
    }

    /// Returns the parameters for the search.
    ///
    /// Zstandard's levels 9 and 10 search a binary tree in short frames. Half of their depth suffices, unless the frame has
    /// few values: then a string has many candidates, and the best is found late. Text of few words is searched for longer
    /// matches, with half the candidates where a level compares more than 8. docs/decisions/005-zstd.md has figures.
    fn search_params(&self) -> CParams {
        let params = self.params;
        let search_log = params.search_log;
        match params.strategy {
            Strategy::BtLazy2 if self.len <= SHORT && has_many_values(self.src) => {
                CParams { search_log: search_log - 1, ..params }
            }
            Strategy::Fast if has_few_words(self.src) => CParams { min_match: 7, ..params },
            Strategy::Greedy | Strategy::Lazy | Strategy::Lazy2 if has_few_words(self.src) => {
                CParams { min_match: 6, search_log: search_log - u32::from(search_log > 3), ..params }
            }
            _ => params,
        }
    }
}

impl Allocated {
    fn has(&self, params: CParams) -> bool {
        self.params.contains(&Some(params))
    }

    /// Adds parameters, in place of the oldest ones.
    fn add(&mut self, params: CParams) {
        if !self.has(params) {
            self.params[self.next] = Some(params);
            self.next = (self.next + 1) % self.params.len();
        }
    }
}

impl Search {
    /// Returns the bytes of the tables of `rust-zstd`.
    pub(super) fn tables(&self) -> usize {
        self.finder.as_ref().map_or(0, MatchState::workspace_size)
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(super) fn held(&self) -> usize {
        let SeqStore { seqs, lits, .. } = &self.found;
        // The memory of the optimal parser is not part of the workspace.
        let has_parser = self.allocated.params.iter().flatten().any(|params| params.strategy >= Strategy::BtOpt);
        let parser = if has_parser || self.splitter.is_some() { PARSER_MEMORY } else { 0 };
        self.tables() + lits.capacity() + seqs.capacity() * size_of::<Seq>() + parser
    }

    /// Returns an upper bound of the bytes that were claimed at once, and of those of its own vectors.
    #[cfg(test)]
    pub(super) fn claimed(&self) -> usize {
        self.crate_memory + self.held() - self.tables()
    }

    /// Continues at another level, which may need other memory than tables.
    pub(super) fn change_level(&mut self) {
        self.allocated = Allocated::default();
        self.settled = None;
    }

    /// Searches a block and writes it. Returns its length.
    pub(super) fn put_block(
        &mut self,
        frame: &mut Frame<'_>,
        range: Range<usize>,
        blocks: &mut BlockWriter,
        dst: &mut [u8],
    ) -> Result<Option<usize>, OutOfMemory> {
        let block = Block::without_matches(frame.src, range.clone());
        if block.is_run() {
            return Ok(self.put_without_matches(frame, range, blocks, dst));
        }
        let finder = self.started(frame, range.start)?;
        let entered = finder.enter_block(range);
        let (Some(finder), found) = (&mut self.finder, &mut self.found) else { return Ok(None) };
        found.reserve(block.plain.len());
        let next = build_seq_store(finder, frame.src, entered, frame.repeats, found, &mut BlockLdm::Off, None);
        match next {
            Some(next) => self.put_found(frame, block, next, blocks, dst),
            // It is too short for matches.
            None => Ok(blocks.put(block, dst).map(|written| written.len)),
        }
    }

    /// Writes a block that is not searched. Returns its length.
    pub(super) fn put_without_matches(
        &mut self,
        frame: &Frame<'_>,
        range: Range<usize>,
        blocks: &mut BlockWriter,
        dst: &mut [u8],
    ) -> Option<usize> {
        if let Some(finder) = self.finder.as_mut().filter(|_| frame.is_searched) {
            // Its positions must not jump far: they have 32 bits, and start again in time.
            finder.enter_block(range.clone());
        }
        Some(blocks.put(Block::without_matches(frame.src, range), dst)?.len)
    }

    /// Returns the finder, which has read the frame up to `start` if this is its first block to be searched.
    fn started(&mut self, frame: &mut Frame<'_>, start: usize) -> Result<&mut MatchState, OutOfMemory> {
        if !frame.is_searched {
            let tables = self.tables();
            self.reserve(frame.len.min(MAX_BLOCK))?;
            // Until the crate has allocated its memory.
            let _claim = self.claim(frame)?;
            match &mut self.finder {
                Some(finder) => finder.reset(frame.search_params(), 0),
                none => *none = Some(MatchState::new(frame.search_params(), 0)),
            }
            if self.tables() != tables {
                // The crate has released the tables of all frames before.
                self.allocated = Allocated::default();
            }
            self.allocated.add(frame.params);
        }
        let finder = self.finder.get_or_insert_with(|| MatchState::new(frame.params, 0));
        if !frame.is_searched {
            for from in (0..start).step_by(MAX_BLOCK) {
                finder.enter_block(from..start.min(from + MAX_BLOCK));
            }
            frame.is_searched = true;
        }
        Ok(finder)
    }

    /// Allocates memory for the sequences and literals of blocks of `len` bytes. The crate would abort without it.
    fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let SeqStore { seqs, lits, .. } = &mut self.found;
        seqs.clear();
        lits.clear();
        // A match has at least three bytes. Words are copied beyond the end.
        memory::reserve(seqs, len / 3 + 1)?;
        memory::reserve(lits, len + SLACK)
    }

    /// Claims what the crate may allocate for a frame, as it cannot report that an allocation failed.
    fn claim(&mut self, frame: &Frame<'_>) -> Result<Option<memory::Claim>, OutOfMemory> {
        if self.settled == Some(frame.params) {
            return Ok(None);
        }
        let least = needed_space(&frame.params, default_search_method(&frame.params), None, u64::MAX);
        // Tables that are too large for many frames are replaced by smaller ones.
        let may_be_replaced = self.tables().saturating_sub(self.used) >= 3 * least;
        let suffices = self.allocated.has(frame.params) && !may_be_replaced;
        let claim = if suffices { None } else { Some(self.claim_workspace(frame.params)?) };
        self.used = least;
        let stays = suffices && self.tables() < 4 * least;
        self.settled = stays.then_some(frame.params);
        Ok(claim)
    }

    fn claim_workspace(&mut self, params: CParams) -> Result<memory::Claim, OutOfMemory> {
        let needed = workspace(params);
        #[cfg(test)]
        {
            self.crate_memory = self.crate_memory.max(needed);
        }
        memory::claim(if needed > self.tables() { needed } else { ENTROPY_MEMORY })
    }

    /// Writes a block with the matches that were found. `next` are the offsets that may be repeated after it.
    fn put_found(
        &mut self,
        frame: &mut Frame<'_>,
        block: Block<'_>,
        next: [u32; 3],
        blocks: &mut BlockWriter,
        dst: &mut [u8],
    ) -> Result<Option<usize>, OutOfMemory> {
        if block_splitter_enabled(ParamSwitch::Auto, &frame.params) {
            let sequences = self.found.seqs.len();
            let _claim = if sequences > self.most_split { Some(memory::claim(SPLITTER_MEMORY)?) } else { None };
            self.most_split = self.most_split.max(sequences);
            let splitter = self.splitter.get_or_insert_with(memory::default_of);
            let parts = splitter.0.derive(&self.found, &splitter.1, &frame.params, block.plain.len());
            if !parts.is_empty() {
                return Ok(put_parts(block, parts, &mut self.found, &mut frame.repeats, blocks, dst));
            }
        }
        let block = Block { literals: &self.found.lits, sequences: &self.found.seqs, ..block };
        let Some(written) = blocks.put(block, dst) else { return Ok(None) };
        if written.is_compressed {
            frame.repeats = next;
        }
        Ok(Some(written.len))
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

/// Returns an upper bound of the bytes that the crate allocates to compress with these parameters.
pub(super) fn workspace(params: CParams) -> usize {
    // The hash table with tags, the chains or tree, and the table for three-byte matches, with 4-byte positions.
    let tables = (5_usize << params.hash_log) + (4 << params.chain_log) + (4 << params.window_log.min(17));
    tables + ENTROPY_MEMORY
}

/// An upper bound of what the splitter allocates for a block: the places of up to 43 thousand sequences, twice while a
/// vector grows, and more.
const SPLITTER_MEMORY: usize = 512 << 10;

/// An upper bound of what the optimal parser and the splitter hold.
const PARSER_MEMORY: usize = 1 << 20;

/// Bytes that the crate writes beyond the end of the literals.
const SLACK: usize = 64;

/// Sequences and literals of a block, statistics, entropy tables, and the states of the optimal parser.
const ENTROPY_MEMORY: usize = 3 << 20;
