//! The parse of the lowest high-compression levels: two candidates a position, one by seven bytes and one by four, and
//! a look at the next position before a match found by four is taken.
//!
//! A candidate is compared whatever the table says, as in [`rows`](super::rows): whether it is of this input and in reach
//! is asked only where four bytes agree. To ask first cost a third of the time where matches are short (prices).

use super::finder::{Match, eight};
use super::sequence::Sequences;
use super::{MATCH_START_LIMIT, MIN_MATCH};
use crate::codec::lz77::match_length;
use crate::memory::{self, OutOfMemory};

/// Where bytes were last seen, the low 16 bits of it; reusable, and cleared as far as an input needs it.
pub(super) struct MidTable {
    by_7: Box<[u16]>,
    by_4: Box<[u16]>,
}

// 16 and 32 KiB. C has 64 KiB for each; by seven bytes there is little to find in a quarter of the time that the
// first-level cache lacks.
const LOG_7: u32 = 13;
const LOG_4: u32 = 14;

impl MidTable {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let empty = |log: u32| memory::zeroed(1 << log).map(Vec::into_boxed_slice);
        Ok(MidTable { by_7: empty(LOG_7)?, by_4: empty(LOG_4)? })
    }
}

/// Compresses `src` into `dst`.
pub(super) fn compress(src: &[u8], dst: &mut [u8], table: &mut MidTable) -> Option<usize> {
    let mut tables = Tables::new(src, table)?;
    let mut out = Sequences::new(dst);
    let mut anchor = 0;
    let mut at = 0;
    if let Some(last) = src.len().checked_sub(MATCH_START_LIMIT)
        && last > 0
    {
        let last = last as u32;
        while at <= last {
            let Some(found) = tables.find(at, last, at - anchor >= NOISE) else {
                at += step(at - anchor);
                continue;
            };
            let start = found.start
                - match_length::backward(src, found.start - found.offset, found.start, found.start - anchor);
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

/// From so many bytes without a match on, only candidates by four bytes are tried: the others are among them, or stand in
/// a part of the table that noise would soon fill.
const NOISE: u32 = 1 << 8;

/// How far to go after `without` bytes without a match: quickly up to 8 more than one, and slowly on.
///
/// C goes on by one more for each 512 bytes, which is slower at first and skips whole planes of a shuffled block later.
fn step(without: u32) -> u32 {
    1 + (without >> 8).min(8) + (without >> 10)
}

struct Tables<'a> {
    src: &'a [u8],
    by_7: &'a mut [u16; 1 << LOG_7],
    by_4: &'a mut [u16; 1 << LOG_4],
    /// By how many bits less of a hash count.
    shift: u32,
}

impl<'a> Tables<'a> {
    fn new(src: &'a [u8], table: &'a mut MidTable) -> Option<Self> {
        // Two slots by four bytes for each byte, as far as there are so many.
        let shift = LOG_4.saturating_sub(src.len().next_power_of_two().trailing_zeros() + 1).min(5);
        let (by_7, by_4) = (table.by_7.first_chunk_mut()?, table.by_4.first_chunk_mut()?);
        by_7[..(1 << LOG_7) >> shift].fill(0);
        by_4[..(1 << LOG_4) >> shift].fill(0);
        Some(Tables { src, by_7, by_4, shift })
    }

    /// A match at `at` or, if a longer one is found there, at the position behind.
    #[inline(always)]
    fn find(&mut self, at: u32, last: u32, in_noise: bool) -> Option<Match> {
        let here = eight(self.src, at)?;
        if !in_noise {
            let long = self.swap_7(at, here);
            if let Some(found) = self.measure(at, here, long) {
                return Some(found);
            }
        }
        let short = self.swap_4(at, here);
        let found = self.measure(at, here, short)?;
        if at < last {
            let here = eight(self.src, at + 1)?;
            let next = self.swap_7(at + 1, here);
            if let Some(next) = self.measure(at + 1, here, next)
                && next.length > found.length
            {
                return Some(next);
            }
        }
        Some(found)
    }

    /// The match at `at`, where `here` is, with what is `offset` before, if there is one.
    #[inline(always)]
    fn measure(&self, at: u32, here: u64, offset: u32) -> Option<Match> {
        let there = eight(self.src, at.wrapping_sub(offset))?;
        if (here ^ there) as u32 != 0 || offset == 0 {
            return None;
        }
        let behind = at + MIN_MATCH as u32;
        let end = match_length::forward(self.src, behind - offset, behind);
        Some(Match { start: at, length: end - at, offset })
    }

    /// Notes a few positions at both ends of a match.
    #[inline(always)]
    fn note(&mut self, start: u32, end: u32) {
        for at in [start + 1, end.saturating_sub(5), end - 3] {
            if let Some(here) = eight(self.src, at) {
                self.swap_7(at, here);
            }
        }
        for at in [start + 1, end - 2, end - 1] {
            if let Some(here) = eight(self.src, at) {
                self.swap_4(at, here);
            }
        }
    }

    /// Notes `at`, where `here` is, and gives the distance of the position noted before; 0 may be one of 64 KiB.
    #[inline(always)]
    fn swap_7(&mut self, at: u32, here: u64) -> u32 {
        // A prime of 56 bits.
        let hash = ((here << 8).wrapping_mul(58_295_818_150_454_627) >> (64 - LOG_7)) as usize;
        swap(&mut self.by_7[hash >> (self.shift & 31)], at)
    }

    #[inline(always)]
    fn swap_4(&mut self, at: u32, here: u64) -> u32 {
        // 2^32 divided by the golden ratio.
        let hash = ((here as u32).wrapping_mul(2_654_435_761) >> (32 - LOG_4)) as usize;
        swap(&mut self.by_4[hash >> (self.shift & 31)], at)
    }
}

#[inline(always)]
fn swap(slot: &mut u16, at: u32) -> u32 {
    u32::from((at as u16).wrapping_sub(std::mem::replace(slot, at as u16)))
}
