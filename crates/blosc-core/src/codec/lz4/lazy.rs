//! The parser of the high-compression levels.
//!
//! It gathers overlapping matches, each longer than the remainder of the previous one. It then chooses which of them to
//! write and where to cut.

use super::finder::{Finder, Match};
use super::sequence::Sequences;
use super::{LONG, MATCH_START_LIMIT, MIN_MATCH};
use crate::codec::lz77::match_length;
use crate::kernels::HotLoop;

/// The arguments of the parser, for `run_hot`: compresses `src[start..]`; what precedes it is a dictionary.
pub(super) struct Compress<'a, const W: usize> {
    pub(super) src: &'a [u8],
    pub(super) start: u32,
    pub(super) dst: &'a mut [u8],
    pub(super) finder: Finder<'a, W>,
}

impl<const W: usize> HotLoop for Compress<'_, W> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        compress(self.src, self.start, self.dst, self.finder)
    }
}

#[inline(always)]
fn compress<const W: usize>(src: &[u8], start: u32, dst: &mut [u8], mut finder: Finder<'_, W>) -> Option<usize> {
    let mut out = Sequences::new(dst);
    let mut anchor = start;
    let mut at = start;
    let mut group = Group::new();
    if let Some(last) = src.len().checked_sub(MATCH_START_LIMIT)
        && last > start as usize
    {
        let last = last as u32;
        while at <= last {
            let Some(mut first) = finder.longest(at) else {
                at += 1 + ((at - anchor) >> NOISE_LOG).min(MAX_SKIP);
                continue;
            };
            // The match may extend backward to positions that were not searched.
            let low = first.start
                - match_length::backward(src, first.start - first.offset, first.start, first.start - anchor);
            first = Match { start: low, length: first.end() - low, offset: first.offset };
            finder.leave_out(first);
            let mut start = group.restart(first);
            at = first.end();
            // A match that covers the last two bytes of this one may be longer, and may start anywhere within it. From
            // the second match of a group on, it must cover three: with two as well, unshuffled prices become a tenth
            // larger.
            let mut shared = 2;
            while at <= last
                && !group.is_full()
                && let Some(next) = finder.longer(at - shared, start, at - start)
            {
                shared = 3;
                finder.leave_out(next);
                start = group.push(next);
                at = next.end();
            }
            for piece in group.choose() {
                out.push(src, anchor, piece.start, piece.offset, piece.length)?;
                anchor = piece.end();
            }
        }
    }
    out.finish(src.get(anchor as usize..)?)
}

/// For each 128 bytes without a match, the step grows by one position, up to 15 more. Skipped positions are not
/// searched, but inserted.
///
/// This reduces the time for random bytes to a fifth. It halves the time for shuffled numbers, many of whose planes are
/// as good as random. Blocks grow by less than 0.1 %.
const NOISE_LOG: u32 = 7;

const MAX_SKIP: u32 = 15;

/// Matches that each start within the previous one and end after it, and the cheapest way to the end of each.
struct Group {
    steps: [Step; GROUP],
    len: usize,
    pieces: [Match; GROUP],
}

/// Maximum number of matches in a group. Most groups have one or two.
const GROUP: usize = 8;

/// The last step of the cheapest way to the end of a match, which is that match.
#[derive(Clone, Copy, Default)]
struct Step {
    whole: Match,
    /// Start of the part that is used.
    start: u32,
    /// Cost of everything before `start`.
    cost: u32,
    /// The previous step, or this one if there is none.
    before: usize,
}

impl Group {
    fn new() -> Self {
        Group { steps: [Step::default(); GROUP], len: 0, pieces: [Match::default(); GROUP] }
    }

    /// Begins a group and returns the start of the part of its first match that is used.
    #[inline(always)]
    fn restart(&mut self, first: Match) -> u32 {
        self.steps[0] = Step { whole: first, start: first.start, cost: 0, before: 0 };
        self.len = 1;
        first.start
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.len == GROUP
    }

    /// Adds a match and returns the start of the part that would be used.
    fn push(&mut self, whole: Match) -> u32 {
        let end = whole.end();
        let literals = whole.start - self.steps[0].start;
        let mut step = Step { whole, start: whole.start, cost: literals, before: self.len };
        let mut least = literals + price(whole.length);
        for (i, before) in self.steps[..self.len].iter().enumerate() {
            // Both keep at least a minimum match. The earlier one keeps as much as fits without a length byte, if
            // possible.
            let low = (before.start + MIN_MATCH as u32).max(whole.start.min(before.whole.end()));
            let high = before.whole.end().min(end - MIN_MATCH as u32);
            if low > high {
                continue;
            }
            let cut = (before.start + MAX_SHORT).clamp(low, high);
            let start = cut.max(whole.start);
            let cost = before.cost + price(cut - before.start) + (start - cut);
            let total = cost + price(end - start);
            if total <= least {
                least = total;
                step = Step { whole, start, cost, before: i };
            }
        }
        self.steps[self.len] = step;
        self.len += 1;
        step.start
    }

    /// Returns the cheapest way to the end of the last match.
    #[inline(always)]
    fn choose(&mut self) -> &[Match] {
        let mut i = self.len - 1;
        let mut end = self.steps[i].whole.end();
        let mut first = GROUP;
        loop {
            let step = self.steps[i];
            first -= 1;
            end = end.min(step.whole.end());
            self.pieces[first] = Match { start: step.start, length: end - step.start, offset: step.whole.offset };
            if step.before == i {
                return &self.pieces[first..];
            }
            end = step.start;
            i = step.before;
        }
    }
}

/// The longest match whose length fits into the token.
const MAX_SHORT: u32 = (MIN_MATCH + LONG - 1) as u32;

/// Returns the cost of a match in bytes: token, offset, length bytes.
fn price(length: u32) -> u32 {
    if length <= MAX_SHORT { 3 } else { 4 + (length - MAX_SHORT - 1) / 255 }
}
