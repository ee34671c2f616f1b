//! The parser of the lowest high-compression levels.
//!
//! It compares two candidates per position, one found by a hash of seven bytes and one by a hash of four. Before a
//! match found by four bytes is accepted, the next position is tried.
//!
//! As in [`rows`](super::rows), candidates are compared before they are validated: only if four bytes agree is it
//! tested whether the candidate is in this input and within reach. Testing this first cost a third of the time where
//! matches are short (prices).

use super::finder::{Match, eight};
use super::sequence::Sequences;
use super::{MATCH_START_LIMIT, MIN_MATCH};
use crate::codec::lz77::match_length;
use crate::kernels::HotLoop;
use crate::memory::{self, OutOfMemory};

/// The low 16 bits of the last position of each hash; reusable. Only the part that an input needs is cleared.
pub(super) struct MidTable {
    by_7: Box<[u16]>,
    by_4: Box<[u16]>,
}

// 16 and 32 KiB. The C library has 64 KiB for each. Larger tables exceed the L1 cache, which took a
// quarter of the time, and the hash of seven bytes finds little more with them.
const LOG_7: u32 = 13;
const LOG_4: u32 = 14;

impl MidTable {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let empty = |log: u32| memory::zeroed(1 << log).map(Vec::into_boxed_slice);
        Ok(MidTable { by_7: empty(LOG_7)?, by_4: empty(LOG_4)? })
    }
}

/// The arguments of the parser, for `run_hot`: compresses `src` into `dst`.
pub(super) struct Compress<'a> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
    pub(super) table: &'a mut MidTable,
}

impl HotLoop for Compress<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        compress(self.src, self.dst, self.table)
    }
}

#[inline(always)]
fn compress(src: &[u8], dst: &mut [u8], table: &mut MidTable) -> Option<usize> {
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
                tables.note(start, end)?;
            }
        }
    }
    out.finish(src.get(anchor as usize..)?)
}

/// After this number of bytes without a match, only candidates of the four-byte hash are tried. The others are among
/// them, or in a part of the table that incompressible data would soon fill.
const NOISE: u32 = 1 << 8;

/// Returns the step after `without` bytes without a match. It grows quickly up to 9, then slowly.
///
/// The C library's step grows by one for each 512 bytes. That is slower at first, and later skips whole planes of a
/// shuffled block.
#[inline(always)]
fn step(without: u32) -> u32 {
    1 + (without >> 8).min(8) + (without >> 10)
}

struct Tables<'a> {
    src: &'a [u8],
    by_7: &'a mut [u16; 1 << LOG_7],
    by_4: &'a mut [u16; 1 << LOG_4],
    /// Number of hash bits dropped.
    shift: u32,
}

impl<'a> Tables<'a> {
    #[inline(always)]
    fn new(src: &'a [u8], table: &'a mut MidTable) -> Option<Self> {
        // Two four-byte-hash slots for each byte, up to the size of the table.
        let shift = LOG_4.saturating_sub(src.len().next_power_of_two().trailing_zeros() + 1).min(5);
        let (by_7, by_4) = (table.by_7.first_chunk_mut()?, table.by_4.first_chunk_mut()?);
        by_7[..(1 << LOG_7) >> shift].fill(0);
        by_4[..(1 << LOG_4) >> shift].fill(0);
        Some(Tables { src, by_7, by_4, shift })
    }

    /// Returns a match at `at`, or at the next position if that is longer.
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
            // The hash takes seven bytes.
            let here = here >> 8;
            let next = self.swap_7(at + 1, here);
            if let Some(next) = self.measure(at + 1, here, next)
                && next.length > found.length
            {
                return Some(next);
            }
        }
        Some(found)
    }

    /// Returns the match of `here`, the bytes at `at`, with the bytes `offset` before, if there is one.
    #[inline(always)]
    fn measure(&self, at: u32, here: u64, offset: u32) -> Option<Match> {
        let there = eight(self.src, at.wrapping_sub(offset))?;
        if (here ^ there) as u32 != 0 || offset == 0 {
            return None;
        }
        let after = at + MIN_MATCH as u32;
        let end = match_length::forward(self.src, after - offset, after);
        Some(Match { start: at, length: end - at, offset })
    }

    /// Inserts a few positions at both ends of a match.
    #[inline(always)]
    fn note(&mut self, start: u32, end: u32) -> Option<()> {
        let first = eight(self.src, start + 1)?;
        self.swap_7(start + 1, first);
        self.swap_4(start + 1, first);
        // `end` is at least 5: a match has at least four bytes, and a byte precedes it.
        let last: &[u8; 10] = self.src.get(end as usize - 5..end as usize + 5)?.first_chunk()?;
        let word = u64::from_le_bytes(*last.first_chunk()?);
        self.swap_7(end - 5, word);
        self.swap_7(end - 3, u64::from_le_bytes(*last.last_chunk()?));
        self.swap_4(end - 2, word >> 24);
        self.swap_4(end - 1, word >> 32);
        Some(())
    }

    /// Stores `at`, where the bytes `here` are, and returns the distance of the previous position. 0 may also stand for
    /// 64 KiB.
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
