//! The thorough search, with [hash chains](super::chains) and lazy matching.
//!
//! ```text
//! at each position
//!   a long run begins?                   take it
//!   in a plane of independent bytes?     next plane
//!   best match, by the bits it saves     none, and no run: next position, in growing steps
//!   a run that begins here saves more?   take the run
//!   a run or a repeated offset one byte later saves more?   take that
//!   lazy levels: a match one byte later saves more?         take that, and again
//! ```

use super::chains::HashChains;
use super::depth::Depth;
use super::matches::{Match, Recent, Search, eight};
use super::planes::Planes;
use super::prices::Prices;
use super::sequence::Sequence;
use super::sink::Sink;
use crate::codec::lz77::match_length::backward;
use crate::memory::OutOfMemory;

/// The search effort of a level.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Maximum number of candidates compared per position.
    pub(super) depth: u32,
    /// Share of the long walks, in 1/64, that must find a better match late for longer walks to pay off.
    pub(super) late: u32,
    /// A match of at least this length is accepted without trying further candidates.
    pub(super) nice: u32,
    /// After a match of at least this length, no better one is searched for.
    pub(super) lazy: u32,
    /// The search for a better match tries `depth / 2^half` candidates.
    pub(super) half: u32,
    /// The step grows by one after every `2^patience` positions without a match.
    pub(super) patience: u32,
    /// The longest stream that is searched for matches of three bytes too.
    pub(super) threes: usize,
    /// Number of bytes inserted at each end of a match of more than four times this length. Repetitions of its middle
    /// mostly repeat one of the ends.
    pub(super) ends: u32,
    /// Cost of a block besides its header, in bits.
    pub(super) thrift: u64,
}

/// A run of at least this length is taken without searching for a better match.
const LONG_RUN: u32 = 128;
/// Maximum number of positions skipped.
const MAX_SKIP: u32 = 7;
/// Additional gain of a match that starts one byte later, in 1/16 bits. The byte before it becomes a literal, and those
/// are mostly bytes with a higher price than the average.
const MARGIN: i32 = 64;

/// Finds the sequences of `src`, which is at most 1 GiB long and has planes of `plane` bytes, or none if that is 0.
pub(super) fn find(
    chains: &mut HashChains,
    src: &[u8],
    plane: usize,
    effort: Effort,
    sequences: &mut Vec<Sequence>,
) -> Result<(), OutOfMemory> {
    if src.len() <= effort.threes {
        find_with(Search::<true>::new(chains, src, Depth::new(effort.depth, effort.late)), plane, effort, sequences)
    } else {
        find_with(Search::<false>::new(chains, src, Depth::new(effort.depth, effort.late)), plane, effort, sequences)
    }
}

#[inline(never)]
fn find_with<const THREES: bool>(
    mut search: Search<'_, THREES>,
    plane: usize,
    effort: Effort,
    sequences: &mut Vec<Sequence>,
) -> Result<(), OutOfMemory> {
    let src = search.src;
    let mut prices = Prices::new(src);
    let mut sink = Sink::new(sequences);
    let mut at = 0u32;
    let mut misses = 0u32;
    let mut recent = Recent::default();
    let mut planes = Planes::new(src, plane);
    let mut pause = 0;
    while let Some(here) = eight(src, at) {
        let run = search.run(at, here);
        if let Some(run) = run
            && run.length >= LONG_RUN
        {
            take_run(&mut search, run, &mut sink);
            (at, misses) = (run.end(), 0);
            recent.push(run.offset);
            continue;
        }
        if at >= pause {
            if prices.move_to(at, sink.sequences()) {
                search.adapt(&prices);
            }
            let skipped = planes.independent_until(at, sink.sequences());
            pause = prices.end().min(planes.next());
            if let Some(end) = skipped {
                sink.literals_until(at);
                sink.literals_until(end);
                search.note_some(end);
                at = end;
                continue;
            }
        }
        let found = search.best(at, here, search.depth.get(), effort.nice, recent, &prices);
        if let Some(run) = run
            && let gain = prices.gain_of_run(run.length, run.offset)
            && gain > 0
            && found.is_none_or(|found| gain >= found.gain)
        {
            take_run(&mut search, run, &mut sink);
            (at, misses) = (run.end(), 0);
            recent.push(run.offset);
            continue;
        }
        let Some(mut found) = found else {
            misses += 1;
            at += 1 + (misses >> effort.patience).min(MAX_SKIP);
            search.skip_to(at);
            continue;
        };
        misses = 0;
        if found.length < LONG_RUN
            && let Some(next) = eight(src, at + 1)
        {
            if let Some(run) = search.run(at + 1, next)
                && prices.gain_of_run(run.length, run.offset) > found.gain
            {
                take_run(&mut search, run, &mut sink);
                at = run.end();
                recent.push(run.offset);
                continue;
            }
            if let Some(again) = search.again(at + 1, next, 4, recent, &prices)
                && again.gain > found.gain + MARGIN
            {
                found = again;
            }
        }
        while found.length < effort.lazy
            && let Some(next) = eight(src, found.start + 1)
            && let depth = search.depth.get() >> effort.half
            && let Some(better) = search.best(found.start + 1, next, depth, effort.nice, recent, &prices)
            && better.gain > found.gain + MARGIN
        {
            found = better;
        }
        let Match { start, offset, .. } = found;
        let back = backward(src, start - offset, start, start - sink.end());
        sink.push(start - back, found.length + back, offset);
        at = found.end();
        recent.push(offset);
        if found.length > 4 * effort.ends {
            search.note_before(start + effort.ends);
            search.skip_to(at - effort.ends);
        }
        search.note_before(at);
    }
    sink.finish(src.len() as u32)
}

/// Adds a run to the output. Of all but short runs, only the ends are inserted.
#[inline(always)]
fn take_run<const THREES: bool>(search: &mut Search<'_, THREES>, run: Match, sink: &mut Sink<'_>) {
    sink.push(run.start, run.length, run.offset);
    search.note_before(run.start);
    if run.length >= LONG_RUN / 4 {
        search.skip_to(run.end() - 3);
    }
    search.note_before(run.end());
}
