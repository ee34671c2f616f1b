//! Searches for the match at a position that saves most.

use super::super::symbols::{MAX_MATCH, MAX_OFFSET};
use super::chains::{Chains, HashChains};
use super::depth::Depth;
use super::prices::Prices;
use crate::codec::lz77::match_length::{TAIL, backward, forward};

/// The largest offset whose repetitions are so cheap that a match may be longer than one symbol.
const NEAR: u32 = 16;
/// Additional price of the byte after a match that repeats the last offset, in 1/16 bits, if a match with another offset
/// includes this byte. Such bytes rarely occur as literals.
const LEFT_OUT: i32 = 80;
/// Matches at this offset determine the number of hashed bytes: those that save nothing there need not be found.
const TYPICAL_OFFSET: u32 = 1 << 13;

/// Distance between the positions that are inserted where no matches are searched for.
const RARE: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Match {
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) offset: u32,
    /// Number of bits saved, in 1/16 bits.
    pub(super) gain: i32,
}

impl Match {
    #[inline(always)]
    pub(super) fn end(self) -> u32 {
        self.start + self.length
    }
}

/// The last two different offsets. Records of numbers often alternate between two.
#[derive(Clone, Copy, Default)]
pub(super) struct Recent {
    last: u32,
    other: u32,
}

impl Recent {
    #[inline(always)]
    pub(super) fn push(&mut self, offset: u32) {
        if offset != self.last {
            *self = Recent { last: offset, other: self.last };
        }
    }
}

/// The search in one input. With `THREES`, matches of three bytes are found too.
pub(super) struct Search<'a, const THREES: bool> {
    pub(super) src: &'a [u8],
    chains: Chains<'a>,
    /// The first position not yet inserted.
    next: u32,
    pub(super) depth: Depth,
}

impl<'a, const THREES: bool> Search<'a, THREES> {
    pub(super) fn new(chains: &'a mut HashChains, src: &'a [u8], depth: Depth) -> Self {
        Search { src, chains: chains.clear_for(src.len(), THREES), next: 0, depth }
    }

    /// Adapts to the data near the current position.
    pub(super) fn adapt(&mut self, prices: &Prices<'_>) {
        self.depth.adapt();
        self.chains.set_width((prices.useless(TYPICAL_OFFSET) + 1).clamp(4, 6));
    }

    /// Inserts all positions before `end`.
    #[inline(always)]
    pub(super) fn note_before(&mut self, end: u32) {
        if self.next >= end {
            return;
        }
        let Some(bytes) = self.src.get(self.next as usize..end as usize + 7) else { return };
        for (now, bytes) in (self.next..).zip(bytes.windows(8)) {
            let Some(eight) = bytes.first_chunk() else { return };
            self.chains.insert(now, u64::from_le_bytes(*eight));
            if THREES {
                self.chains.insert_three(now, u64::from_le_bytes(*eight) as u32);
            }
        }
        self.next = end;
    }

    /// Inserts one of every [`RARE`] positions before `end`, enough to find long matches.
    pub(super) fn note_some(&mut self, end: u32) {
        for now in (self.next..end).step_by(RARE) {
            let Some(eight) = eight(self.src, now) else { break };
            self.chains.insert(now, eight);
        }
        self.skip_to(end);
    }

    /// Leaves out the positions before `at` that are not yet inserted.
    #[inline(always)]
    pub(super) fn skip_to(&mut self, at: u32) {
        self.next = self.next.max(at);
    }

    /// Returns the run of a pattern of 1, 2 or 4 bytes that begins with the bytes `here`. Its gain is not computed.
    #[inline(always)]
    pub(super) fn run(&self, at: u32, here: u64) -> Option<Match> {
        if here != here.rotate_left(32) {
            return None;
        }
        run(self.src, at, here)
    }

    /// Returns the match of at least `least` bytes, up to 8, that repeats the last offset.
    #[inline(always)]
    pub(super) fn again(&self, at: u32, here: u64, least: u32, recent: Recent, prices: &Prices<'_>) -> Option<Match> {
        let last_offset = recent.last;
        let there = at.checked_sub(last_offset).and_then(|from| eight(self.src, from))?;
        let equal = (here ^ there).trailing_zeros() / 8;
        if equal < least || last_offset == 0 {
            return None;
        }
        let length = if equal < 8 { equal } else { match_length(self.src, at, last_offset) };
        Some(Match { start: at, length, offset: last_offset, gain: prices.gain_again(length, last_offset) })
    }

    /// Inserts the position `at`, which starts with the bytes `here`, and returns the match there that saves most.
    #[inline(always)]
    pub(super) fn best(
        &mut self,
        at: u32,
        here: u64,
        depth: u32,
        nice: u32,
        recent: Recent,
        prices: &Prices<'_>,
    ) -> Option<Match> {
        self.note_before(at);
        self.next = at + 1;
        let newest = self.chains.insert(at, here);
        let newest_three = if THREES { self.chains.insert_three(at, here as u32) } else { 0 };
        // Three bytes are enough if the last offset is repeated.
        let again = self.again(at, here, 3, recent, prices);
        if let Some(again) = again
            && again.length >= nice
        {
            return Some(again);
        }
        let mut best = again.map_or(Match { start: at, length: 3, offset: 0, gain: 0 }, |again| Match {
            gain: again.gain - LEFT_OUT,
            ..again
        });
        let offset = distance(at, newest);
        // Most searches in incompressible data end here, without an unpredictable branch.
        let second = distance(at, self.chains.older(at.wrapping_sub(offset)));
        let is_hopeless = self.differs(at.wrapping_sub(offset), here) & self.differs(at.wrapping_sub(second), here);
        if !(is_hopeless & again.is_none()) && offset.wrapping_sub(1) < at.min(MAX_OFFSET) {
            self.walk(at, here, offset, depth, nice, recent.other, prices, &mut best);
        }
        if THREES && best.offset == 0 {
            let offset = distance(at, newest_three);
            if offset.wrapping_sub(1) < at.min(MAX_OFFSET)
                && let Some(there) = eight(self.src, at - offset)
                && (here ^ there) << 40 == 0
            {
                best = Match { start: at, length: 3, offset, gain: prices.gain(3, offset) };
            }
        }
        if let Some(again) = again
            && best.offset == again.offset
            && best.length == again.length
        {
            best.gain = again.gain;
        }
        (best.gain > 0).then_some(best)
    }

    /// Walks the chain from the candidate at `offset` on, and replaces `best` by better matches.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "all are in registers")]
    fn walk(
        &mut self,
        at: u32,
        here: u64,
        mut offset: u32,
        depth: u32,
        nice: u32,
        other: u32,
        prices: &Prices<'_>,
        best: &mut Match,
    ) {
        let src = self.src;
        let reach = at.min(MAX_OFFSET);
        // Only longer matches than this are compared. At a much smaller offset, an equally long one is better.
        let mut longest = best.length - u32::from(best.offset > 4 * offset);
        longest = longest.max(prices.useless(offset)).max(3);
        let mut ahead = longest.saturating_sub(7);
        let mut tail = if ahead == 0 { here } else { eight(src, at + ahead).unwrap_or(here) };
        let mut left = depth;
        while left > 0 {
            let candidate = at - offset;
            let Some(there) = eight(src, candidate + ahead) else { break };
            // The number of equal bytes from `ahead` on. All eight must be equal if `ahead` is not 0.
            let equal = (tail ^ there).trailing_zeros() / 8;
            if ahead + equal > longest {
                let length = if equal < 8 { equal } else { match_length(src, at, offset) };
                if length > longest {
                    longest = length;
                    let is_recent = offset == other;
                    let gain = if is_recent { prices.gain_again(length, offset) } else { prices.gain(length, offset) };
                    if gain > best.gain {
                        self.depth.found(left, depth);
                        *best = Match { start: at, length, offset, gain };
                        if length >= nice {
                            break;
                        }
                    }
                    ahead = longest.saturating_sub(7);
                    let Some(next) = eight(src, at + ahead) else { break };
                    tail = next;
                }
            }
            // A chain ends with a position that is out of reach, or with one that has been overwritten by a newer one.
            let next = distance(at, self.chains.older(candidate));
            if next <= offset || next > reach {
                break;
            }
            offset = next;
            left -= 1;
        }
        self.depth.ended(left, depth);
    }

    /// Returns whether the hashed bytes at `candidate` differ from those of `here`.
    #[inline(always)]
    fn differs(&self, candidate: u32, here: u64) -> bool {
        eight(self.src, candidate).is_none_or(|there| self.chains.differs(here ^ there))
    }
}

/// Returns the distance to a position of which the low 16 bits are known.
#[inline(always)]
fn distance(at: u32, position: u16) -> u32 {
    (at as u16).wrapping_sub(position).into()
}

#[inline(never)]
fn run(src: &[u8], at: u32, here: u64) -> Option<Match> {
    let offset = if here == here.rotate_left(8) {
        1
    } else if here == here.rotate_left(16) {
        2
    } else {
        4
    };
    let end = forward(src, at, at + offset);
    // The run may begin before the first whole pattern.
    let start = at + offset - backward(src, at, at + offset, at.min(offset));
    (end >= start + 4).then(|| Match { start, length: end - start, offset, gain: 0 })
}

/// Returns the length of a match, at most that of one symbol unless the offset is so small that all following symbols
/// are cheap.
#[inline(always)]
fn match_length(src: &[u8], at: u32, offset: u32) -> u32 {
    let src = if offset > NEAR { src.get(..(at + MAX_MATCH) as usize + TAIL).unwrap_or(src) } else { src };
    forward(src, at - offset, at) - at
}

#[inline(always)]
pub(super) fn eight(src: &[u8], at: u32) -> Option<u64> {
    let at = at as usize;
    Some(u64::from_le_bytes(*src.get(at..at + 8)?.first_chunk()?))
}
