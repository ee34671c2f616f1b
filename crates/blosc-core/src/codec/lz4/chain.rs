//! Finding the longest match: every position is noted by the hash of its first four bytes, and positions of equal hash
//! are linked from the newest to the oldest.

use super::matchlen;
use super::{END_LITERALS, MAX_DISTANCE, MIN_MATCH};

/// `length` bytes at `start` that are also found `offset` before.
#[derive(Clone, Copy, Default)]
pub(super) struct Match {
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) offset: u32,
}

impl Match {
    pub(super) fn end(self) -> u32 {
        self.start + self.length
    }
}

const HEADS_LOG: u32 = 15;

/// By hash: the newest position.
pub(super) type Heads = [u32; 1 << HEADS_LOG];

/// By the low 16 bits of a position: how far back the next older one of its hash is.
pub(super) type Links = [u16; LINKS];

/// One for each value of 16 bits.
pub(super) const LINKS: usize = 1 << 16;

pub(super) struct Chains<'a> {
    src: &'a [u8],
    heads: &'a mut Heads,
    links: &'a mut Links,
    /// What position 0 is noted as. What is noted below is of an earlier input.
    base: u32,
    /// The first position not yet noted.
    next: u32,
    /// How many links a search may follow.
    attempts: u32,
}

impl<'a> Chains<'a> {
    /// `heads` and `links` may be used before for inputs noted more than [`MAX_DISTANCE`] below `base`, and for the
    /// positions of this one before `next`.
    pub(super) fn new(
        src: &'a [u8],
        next: u32,
        heads: &'a mut Heads,
        links: &'a mut Links,
        base: u32,
        attempts: u32,
    ) -> Self {
        Chains { src, heads, links, base, next, attempts }
    }

    /// The longest match that starts at `at`. No search may be left of an earlier one.
    #[inline(always)]
    pub(super) fn longest(&mut self, at: u32) -> Option<Match> {
        self.search::<false>(at, at, MIN_MATCH as u32 - 1)
    }

    /// The longest match that covers `at`, starts at `low` or later and is longer than `length`.
    #[inline(always)]
    pub(super) fn longer(&mut self, at: u32, low: u32, length: u32) -> Option<Match> {
        self.search::<true>(at, low, length)
    }

    #[inline(always)]
    fn search<const BACK: bool>(&mut self, at: u32, low: u32, length: u32) -> Option<Match> {
        self.note_before(at);
        let src = self.src;
        let mut goal = Goal::<BACK>::new(src, at, low, length)?;
        let is_run = goal.here == [goal.here[0]; 4];
        let oldest = self.base.max((self.base + at).saturating_sub(MAX_DISTANCE));
        let mut noted = self.heads[hash(goal.here)];
        let mut attempts = self.attempts;
        while noted >= oldest {
            if goal.may_be(src, noted - self.base) && goal.is_met(src, noted - self.base) && goal.is_final(src) {
                break;
            }
            let mut link = u32::from(self.links[noted as usize & 0xFFFF]);
            if is_run && link == 1 {
                // Inside an earlier run of the same byte, where only one place is worth a try.
                let candidate = noted - self.base;
                let (start, aligned) = in_run(src, candidate, at, oldest - self.base);
                if aligned < candidate && goal.is_met(src, aligned) && goal.is_final(src) {
                    break;
                }
                noted = self.base + start;
                link = u32::from(self.links[noted as usize & 0xFFFF]);
            }
            noted = noted.wrapping_sub(link);
            attempts -= 1;
            if attempts == 0 {
                break;
            }
        }
        (goal.best.offset != 0).then_some(goal.best)
    }

    /// Undoes the noting of every position from `first` on, as far as it was noted. All positions since number 0 must
    /// still have their links: the input is not longer than there are links.
    pub(super) fn forget_from(&mut self, first: u32) {
        let Some(bytes) = self.src.get(first as usize..) else { return };
        for (i, four) in bytes.windows(4).enumerate().rev() {
            let now = self.base + first + i as u32;
            let head = &mut self.heads[hash([four[0], four[1], four[2], four[3]])];
            if *head == now {
                *head = now - u32::from(self.links[now as usize & 0xFFFF]);
            }
        }
    }

    /// Notes all positions before `end`.
    #[inline(always)]
    pub(super) fn note_before(&mut self, end: u32) {
        let Some(bytes) = self.src.get(self.next as usize..end as usize + 3) else { return };
        for (now, four) in (self.base + self.next..).zip(bytes.windows(4)) {
            let head = &mut self.heads[hash([four[0], four[1], four[2], four[3]])];
            self.links[now as usize & 0xFFFF] = (now - *head).min(MAX_DISTANCE) as u16;
            *head = now;
        }
        self.next = self.next.max(end);
    }
}

/// What a search is after: a match that covers `at`, starts at `low` or later (at `at` without `BACK`), and is longer
/// than the best so far.
struct Goal<const BACK: bool> {
    at: u32,
    low: u32,
    /// The bytes at `at`.
    here: [u8; 4],
    best: Match,
    /// Four bytes, `ahead` behind `at`, of any longer match: the one that makes it longer, and three before.
    tail: [u8; 4],
    ahead: u32,
}

impl<const BACK: bool> Goal<BACK> {
    #[inline(always)]
    fn new(src: &[u8], at: u32, low: u32, length: u32) -> Option<Self> {
        let here = four(src, at)?;
        let best = Match { start: low, length, offset: 0 };
        let mut goal = Goal { at, low, here, best, tail: here, ahead: 0 };
        if BACK {
            goal.raise(src);
        }
        Some(goal)
    }

    /// Whether `candidate` has the tail.
    #[inline(always)]
    fn may_be(&self, src: &[u8], candidate: u32) -> bool {
        four(src, candidate + self.ahead) == Some(self.tail)
    }

    /// Whether `candidate` is a longer match, which raises the goal.
    #[inline(always)]
    fn is_met(&mut self, src: &[u8], candidate: u32) -> bool {
        if four(src, candidate) != Some(self.here) {
            return false;
        }
        let end = matchlen::forward(src, candidate + MIN_MATCH as u32, self.at + MIN_MATCH as u32);
        let start =
            if BACK { self.at - matchlen::backward(src, candidate, self.at, self.at - self.low) } else { self.at };
        if end - start <= self.best.length {
            return false;
        }
        self.best = Match { start, length: end - start, offset: self.at - candidate };
        self.raise(src);
        true
    }

    #[inline(always)]
    fn raise(&mut self, src: &[u8]) {
        let tail = (self.low + self.best.length).saturating_sub(3).max(self.at);
        if let Some(bytes) = four(src, tail) {
            self.tail = bytes;
            self.ahead = tail - self.at;
        }
    }

    /// Whether nothing can be longer than the best.
    #[inline(always)]
    fn is_final(&self, src: &[u8]) -> bool {
        (self.low + self.best.length) as usize + END_LITERALS >= src.len()
    }
}

/// For a run at `at` and a `candidate` in an earlier run of the same byte, which starts at `oldest` or later: the start of
/// that one, and the place in it from which it is as long as the run at `at`, or else its start.
#[inline(never)]
fn in_run(src: &[u8], candidate: u32, at: u32, oldest: u32) -> (u32, u32) {
    let start = candidate - matchlen::backward(src, candidate, candidate + 1, candidate - oldest);
    let end = matchlen::forward(src, candidate, candidate + 1);
    let length = matchlen::forward(src, at, at + 1) - at;
    (start, end.saturating_sub(length).max(start))
}

#[inline(always)]
fn four(src: &[u8], at: u32) -> Option<[u8; 4]> {
    src.get(at as usize..at as usize + 4)?.first_chunk().copied()
}

#[inline(always)]
fn hash(four: [u8; 4]) -> usize {
    // 2^32 divided by the golden ratio.
    (u32::from_le_bytes(four).wrapping_mul(2_654_435_761) >> (32 - HEADS_LOG)) as usize
}
