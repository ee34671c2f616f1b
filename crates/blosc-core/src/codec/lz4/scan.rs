//! The search of the fast encoder: one candidate per position, the last position with the same hash.

use super::positions::Positions;
use super::sequence::Sequences;
use super::{MATCH_START_LIMIT, MAX_DISTANCE, MIN_MATCH};
use crate::codec::lz77::match_length;
use crate::kernels::HotLoop;

/// The steps of a search.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// The first step of a search for a match.
    pub(super) acceleration: u32,
    /// Factor of the steps up to the first match.
    pub(super) haste: u32,
    /// The position after which the search is given up unless it [`pays`].
    pub(super) trial: u32,
}

/// Returns whether matches have saved an eighth.
pub(super) fn pays(cbytes: u32, nbytes: u32) -> bool {
    cbytes <= nbytes - nbytes / 8
}

/// The arguments of [`compress`] for `run_hot`, without a dictionary.
///
/// Bytes without a filter have many short matches. Compiled for BMI, they are compressed 1.00 to 1.06 times as fast
/// (decision 011). Planes of shuffled numbers gain nothing.
pub(super) struct Compress<'a, P> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
    pub(super) steps: Steps,
    pub(super) table: P,
}

impl<P: Positions> HotLoop for Compress<'_, P> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(mut self) -> Option<usize> {
        compress(self.src, 0, self.dst, self.steps, &mut self.table)
    }
}

/// Compresses `src[start..]`; what precedes it is a dictionary.
#[inline(always)]
pub(super) fn compress<P: Positions>(
    src: &[u8],
    start: u32,
    dst: &mut [u8],
    Steps { acceleration, mut haste, mut trial }: Steps,
    table: &mut P,
) -> Option<usize> {
    let mut out = Sequences::new(dst);
    let mut anchor = start;
    let mut at = start.max(1);
    // Matches must start before `stop`.
    if let Some(stop) = src.len().checked_sub(MATCH_START_LIMIT - 1)
        && stop > at as usize
    {
        'block: loop {
            let mut step = 1;
            // In 64ths.
            let mut next_step = (acceleration * haste) << 6;
            let mut next = |at: u32| {
                let next = at + step;
                step = next_step >> 6;
                next_step += P::GROWTH;
                next
            };
            let mut word_here = word(src, at)?;
            let mut from;
            // Of two positions in a round, each keeps its registers. With one, a fifth of the instructions were moves, and the
            // time depended on where the loop was in a line of the cache.
            loop {
                let there = next(at);
                if there as usize > stop {
                    break 'block;
                }
                let word_there = word(src, there)?;
                from = table.swap(table.slot(word_here), at);
                if is_match::<P>(src, from, at, word_here) {
                    break;
                }
                if !P::PAIRS {
                    (at, word_here) = (there, word_there);
                    continue;
                }
                at = next(there);
                if at as usize > stop {
                    break 'block;
                }
                word_here = word(src, at)?;
                from = table.swap(table.slot(word_there), there);
                if is_match::<P>(src, from, there, word_there) {
                    at = there;
                    break;
                }
            }
            haste = 1;
            if at > trial {
                if !pays(out.len(), at) {
                    return None;
                }
                trial = u32::MAX;
            }
            let mut start = at - match_length::backward(src, from, at, at - anchor);
            // Consecutive matches need no search.
            loop {
                let offset = at - from;
                at = match_length::forward(src, from + MIN_MATCH as u32, at + MIN_MATCH as u32);
                out.push(src, anchor, start, offset, at - start)?;
                anchor = at;
                if at as usize >= stop {
                    break 'block;
                }
                table.swap(table.slot(word(src, at - 2)?), at - 2);
                let word_here = word(src, at)?;
                from = table.swap(table.slot(word_here), at);
                start = at;
                if !is_match::<P>(src, from, at, word_here) {
                    break;
                }
            }
            at += 1;
        }
    }
    out.finish(src.get(anchor as usize..)?)
}

#[inline(always)]
fn word(src: &[u8], at: u32) -> Option<u64> {
    let at = at as usize;
    Some(u64::from_le_bytes(*src.get(at..at + 8)?.first_chunk()?))
}

/// Returns whether the first four bytes of `word`, which is at `at`, are also at `candidate` and an offset can reach
/// it.
#[inline(always)]
fn is_match<P: Positions>(src: &[u8], candidate: u32, at: u32, word: u64) -> bool {
    let from = candidate as usize;
    let Some(four) = src.get(from..from + 4).and_then(|x| x.first_chunk()) else { return false };
    let difference = u32::from_le_bytes(*four) ^ word as u32;
    if P::FAR {
        // A single test for both: which candidates are too far is unpredictable for branch prediction.
        const { assert!(MAX_DISTANCE == 0xFFFF) };
        difference | at.wrapping_sub(candidate) >> 16 == 0
    } else {
        difference == 0
    }
}
