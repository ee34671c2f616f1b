//! Finds the longest match among the candidates of [`rows`](super::rows).

use super::rows::{RowTable, Rows};
use super::{END_LITERALS, MIN_MATCH};
use crate::codec::lz77::match_length;

/// `length` bytes at `start` that also occur `offset` bytes earlier.
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

/// Searches in rows of `W` slots.
pub(super) struct Finder<'a, const W: usize> {
    src: &'a [u8],
    rows: Rows<'a, W>,
    /// The first position not yet inserted.
    next: u32,
}

impl<'a, const W: usize> Finder<'a, W> {
    /// Creates a finder. `table` must contain only positions before `next`.
    pub(super) fn new(src: &'a [u8], next: u32, table: &'a mut RowTable) -> Option<Self> {
        Some(Finder { src, rows: Rows::new(table)?, next })
    }

    /// Returns the longest match that starts at `at`, which must not be before the position of an earlier search.
    #[inline(always)]
    pub(super) fn longest(&mut self, at: u32) -> Option<Match> {
        self.search::<false>(at, at, MIN_MATCH as u32 - 1)
    }

    /// Returns the longest match that covers `at`, starts at `low` or later and is longer than `length`.
    #[inline(always)]
    pub(super) fn longer(&mut self, at: u32, low: u32, length: u32) -> Option<Match> {
        self.search::<true>(at, low, length)
    }

    #[inline(always)]
    fn search<const BACK: bool>(&mut self, at: u32, low: u32, length: u32) -> Option<Match> {
        self.note_before(at);
        let goal = Goal::<BACK> { src: self.src, at, here: eight(self.src, at)?, low };
        let place = self.rows.place(goal.here as u32);
        let (hits, positions) = self.rows.candidates(place);
        let mut best = Match { start: low, length, offset: 0 };
        for slot in hits {
            let offset = u32::from((at as u16).wrapping_sub(positions[slot % W]));
            if (1..=at).contains(&offset)
                && let Some((start, end)) = goal.reach(at - offset, best.length)
            {
                best = Match { start, length: end - start, offset };
                if (low + best.length) as usize + END_LITERALS >= self.src.len() {
                    break;
                }
            }
        }
        self.rows.note(place, at);
        self.next = at + 1;
        (best.offset != 0).then_some(best)
    }

    /// Inserts all positions before `end`.
    #[inline(always)]
    pub(super) fn note_before(&mut self, end: u32) {
        self.note_every::<1>(end);
    }

    /// Inserts the next position and every `STEP`th after it, up to `end`.
    #[inline(always)]
    fn note_every<const STEP: usize>(&mut self, end: u32) {
        if self.next >= end {
            return;
        }
        let Some(bytes) = self.src.get(self.next as usize..end as usize + 3) else { return };
        for (at, four) in (self.next..).step_by(STEP).zip(bytes.windows(4).step_by(STEP)) {
            let place = self.rows.place(u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            self.rows.note(place, at);
        }
        self.next = end;
    }

    /// Skips insertion inside long matches.
    ///
    /// In a match with a short period, only the first and the last period are inserted. The others would only displace
    /// other matches from their few rows. In other matches, every fourth position in the middle is inserted. One of
    /// these, or either end, finds a further repetition.
    #[inline(always)]
    pub(super) fn leave_out(&mut self, found: Match) {
        let kept = SHORT_PERIOD.min(found.offset) + 3;
        if found.length > 2 * kept {
            let end = found.end() - kept;
            self.note_before(found.start + kept);
            if found.offset > SHORT_PERIOD {
                self.note_every::<4>(end);
            }
            self.next = self.next.max(end);
        }
    }
}

const SHORT_PERIOD: u32 = 8;

/// The goal of a search: a match that covers `at` and starts at `low` or later. Without `BACK` it must start at `at`.
struct Goal<'a, const BACK: bool> {
    src: &'a [u8],
    at: u32,
    /// The bytes at `at`.
    here: u64,
    low: u32,
}

impl<const BACK: bool> Goal<'_, BACK> {
    /// Returns the start and end of the match with `candidate` if it is longer than `length` bytes.
    ///
    /// Most candidates agree in less than eight bytes forward and backward: two comparisons and no loop.
    #[inline(always)]
    fn reach(&self, candidate: u32, length: u32) -> Option<(u32, u32)> {
        let Goal { src, at, here, low } = *self;
        let ahead = (here ^ eight(src, candidate)?).trailing_zeros() / 8;
        // A longer match starts at `low` or later, so it must include all of these bytes.
        let least = low + length - at;
        if ahead < 8 {
            if ahead <= least {
                return None;
            }
            if !BACK {
                return Some((at, at + ahead));
            }
            if let Some(before) = candidate.checked_sub(8).and_then(|before| eight(src, before))
                && let Some(ours) = eight(src, at - 8)
                && before != ours
            {
                let back = ((before ^ ours).leading_zeros() / 8).min(at - low);
                return (back + ahead > length).then_some((at - back, at + ahead));
            }
        } else {
            let tail = least.saturating_sub(7);
            if eight(src, candidate + tail) != eight(src, at + tail) {
                return None;
            }
        }
        // The eighth byte may be one of the trailing bytes that no match may include.
        let end = if ahead < 8 { at + ahead } else { match_length::forward(src, candidate + 7, at + 7) };
        let start = if BACK { at - match_length::backward(src, candidate, at, at - low) } else { at };
        (end - start > length).then_some((start, end))
    }
}

/// Returns the eight bytes at `at`.
#[inline(always)]
pub(super) fn eight(src: &[u8], at: u32) -> Option<u64> {
    Some(u64::from_le_bytes(*src.get(at as usize..at as usize + 8)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::lz4::MATCH_START_LIMIT;
    use proptest::prelude::*;

    /// Returns the longest range around `at` in which bytes equal those `offset` before.
    fn stretch(src: &[u8], at: usize, offset: usize, low: usize) -> (usize, usize) {
        let same = |i: &usize| src[*i] == src[*i - offset];
        let start = (low.max(offset)..at).rev().take_while(same).last().unwrap_or(at);
        (start, at + (at..src.len() - END_LITERALS).take_while(same).count())
    }

    proptest! {
        /// Few bytes with few values: every position has its slot, so the finder returns the longest match of all.
        #[test]
        fn the_longest_is_found(src in prop::collection::vec(0..3u8, MATCH_START_LIMIT..64), back in 0..12usize) {
            let mut table = RowTable::new().unwrap();
            for at in 0..=src.len() - MATCH_START_LIMIT {
                let low = at.saturating_sub(back);
                let all = (1..=at).map(|offset| stretch(&src, at, offset, low)).filter(|x| x.1 >= at + MIN_MATCH);
                let ahead = all.clone().map(|x| x.1 - at).max();
                let both = all.map(|x| x.1 - x.0).max();
                for back in [false, true] {
                    table.clear_for(src.len());
                    let mut finder = Finder::<64>::new(&src, 0, &mut table).unwrap();
                    let found = match back {
                        false => finder.longest(at as u32),
                        true => finder.longer(at as u32, low as u32, (at - low) as u32 + 3),
                    };
                    let longest = if back { both.filter(|&length| length > at - low + 3) } else { ahead };
                    prop_assert_eq!(found.map(|found| found.length as usize), longest, "at {}", at);
                    if let Some(found) = found {
                        let (start, end) = stretch(&src, at, found.offset as usize, low);
                        prop_assert!(found.end() as usize <= end && start <= found.start as usize);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_keep_the_newest() {
        // 40 occurrences of the same four bytes, each followed by its number.
        let src: Vec<u8> = (0..40).flat_map(|i| [b"same", &[i; 4][..]].concat()).collect();
        let last = src.len() as u32;
        for place in 0..40 {
            let src = [&src[..], b"same", &[place; 4], &[0xFF; 20]].concat();
            let mut table = RowTable::new().unwrap();
            table.clear_for(src.len());
            let found = Finder::<8>::new(&src, 0, &mut table).unwrap().longest(last).unwrap();
            assert_eq!(found.length >= 8, place >= 32, "{place}: {} bytes", found.length);
        }
    }
}
