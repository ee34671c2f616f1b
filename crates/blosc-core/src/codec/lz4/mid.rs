//! The parse of the lowest high-compression levels: two candidates a position, one by seven bytes and one by four, and
//! a look at the next position before a match found by four is taken.

use super::finder::Match;
use super::matchlen;
use super::sequence::Sequences;
use super::{MATCH_START_LIMIT, MAX_DISTANCE, MIN_MATCH};

/// Where bytes were last seen; reusable, and not cleared between inputs: every input is numbered above the ones before, by
/// so much that none of their positions is in reach.
pub(super) struct MidTable {
    by_7: Box<[u32]>,
    by_4: Box<[u32]>,
    /// The number of the next input's first position.
    base: u32,
}

/// With this for the first position of the first input, an empty slot, which says 0, is out of reach as well.
const FIRST_BASE: u32 = MAX_DISTANCE + 1;

impl MidTable {
    pub(super) fn new() -> Self {
        let empty = || vec![0; 1 << LOG].into_boxed_slice();
        MidTable { by_7: empty(), by_4: empty(), base: FIRST_BASE }
    }

    #[cfg(test)]
    pub(super) fn start_at(&mut self, base: u32) {
        self.base = base;
    }

    /// Numbers an input of `len` bytes.
    fn number(&mut self, len: u32) -> u32 {
        let after = |base: u32| base.checked_add(len)?.checked_add(MAX_DISTANCE + 1);
        if let Some(next) = after(self.base) {
            return std::mem::replace(&mut self.base, next);
        }
        // 4 GiB of input later.
        self.by_7.fill(0);
        self.by_4.fill(0);
        self.base = after(FIRST_BASE).unwrap_or(u32::MAX);
        FIRST_BASE
    }
}

/// Compresses `src` into `dst`.
pub(super) fn compress(src: &[u8], dst: &mut [u8], table: &mut MidTable) -> Option<usize> {
    let base = table.number(src.len() as u32);
    let mut tables = Tables { src, by_7: table.by_7.first_chunk_mut()?, by_4: table.by_4.first_chunk_mut()?, base };
    let mut out = Sequences::new(dst);
    let mut anchor = 0;
    let mut at = 0;
    if let Some(last) = src.len().checked_sub(MATCH_START_LIMIT)
        && last > 0
    {
        let last = last as u32;
        while at <= last {
            let Some(found) = tables.find(at, last) else {
                // One position more is left out for each 512 bytes without a match.
                at += 1 + ((at - anchor) >> 9);
                continue;
            };
            let start =
                found.start - matchlen::backward(src, found.start - found.offset, found.start, found.start - anchor);
            let end = found.end();
            out.push(src, anchor, start, found.offset, end - start)?;
            at = end;
            anchor = end;
            if end <= last {
                tables.note(start, end);
            }
        }
    }
    out.finish(src.get(anchor as usize..)?)
}

const LOG: u32 = 14;

struct Tables<'a> {
    src: &'a [u8],
    by_7: &'a mut [u32; 1 << LOG],
    by_4: &'a mut [u32; 1 << LOG],
    base: u32,
}

impl Tables<'_> {
    /// A match at `at` or, if a longer one is found there, at the position behind.
    #[inline(always)]
    fn find(&mut self, at: u32, last: u32) -> Option<Match> {
        let long = self.swap_7(at);
        if let Some(found) = self.measure(at, long) {
            return Some(found);
        }
        let short = self.swap_4(at);
        let found = self.measure(at, short)?;
        if at < last {
            let next = self.swap_7(at + 1);
            if let Some(next) = self.measure(at + 1, next)
                && next.length > found.length
            {
                return Some(next);
            }
        }
        Some(found)
    }

    /// The match at `at` with what is `offset` before, if there is one.
    #[inline(always)]
    fn measure(&self, at: u32, offset: Option<u32>) -> Option<Match> {
        let offset = offset?;
        let end = matchlen::forward(self.src, at.checked_sub(offset)?, at);
        let length = end - at;
        (length >= MIN_MATCH as u32).then_some(Match { start: at, length, offset })
    }

    /// Notes a few positions at both ends of a match.
    #[inline(always)]
    fn note(&mut self, start: u32, end: u32) {
        for at in [start + 1, start + 2, end.saturating_sub(5), end - 3, end - 2] {
            self.swap_7(at);
        }
        for at in [start + 1, end - 2, end - 1] {
            self.swap_4(at);
        }
    }

    /// Notes `at` and gives the distance of the position noted before, if it is in reach.
    #[inline(always)]
    fn swap_7(&mut self, at: u32) -> Option<u32> {
        let from = at as usize;
        let word = u64::from_le_bytes(*self.src.get(from..from + 8)?.first_chunk()?);
        // A prime of 56 bits.
        let slot = ((word << 8).wrapping_mul(58_295_818_150_454_627) >> (64 - LOG)) as usize;
        in_reach(self.base + at, &mut self.by_7[slot])
    }

    #[inline(always)]
    fn swap_4(&mut self, at: u32) -> Option<u32> {
        let from = at as usize;
        let word = u32::from_le_bytes(*self.src.get(from..from + 4)?.first_chunk()?);
        // 2^32 divided by the golden ratio.
        let slot = (word.wrapping_mul(2_654_435_761) >> (32 - LOG)) as usize;
        in_reach(self.base + at, &mut self.by_4[slot])
    }
}

#[inline(always)]
fn in_reach(now: u32, slot: &mut u32) -> Option<u32> {
    let distance = now.wrapping_sub(std::mem::replace(slot, now));
    (1..=MAX_DISTANCE).contains(&distance).then_some(distance)
}
