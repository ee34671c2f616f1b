//! The fast search: one earlier position for each hash of four or five bytes. It takes the first match.

use super::super::symbols::MAX_OFFSET;
use super::sequence::Sequence;
use super::sink::Sink;
use crate::codec::lz77::match_length::{backward, forward};
use crate::memory::{self, OutOfMemory};

/// Bits of a hash. The table takes 32 KiB.
const LOG: u32 = 13;

/// The longest stream that is searched for matches of four bytes, position by position. Most of these get fixed codes,
/// where four literals cost more than such a match.
const SHORT: usize = 8 << 10;

/// The step grows by one after every `2^PATIENCE` positions without a match, by up to [`MAX_SKIP`].
const PATIENCE: u32 = 4;
const MAX_SKIP: u32 = 15;

/// By hash: the newest position, counted from the start of the first input since the table was cleared.
pub(super) struct HashTable {
    heads: Box<[u32; 1 << LOG]>,
    base: u32,
}

impl HashTable {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        Ok(HashTable { heads: memory::zeroed_box()?, base: MAX_OFFSET + 1 })
    }

    /// Finds the sequences of `src`, which is at most 1 GiB long.
    pub(super) fn find(&mut self, src: &[u8], sequences: &mut Vec<Sequence>) -> Result<(), OutOfMemory> {
        // Of a longer stream, a match of four bytes is hardly shorter than its literals.
        if src.len() > SHORT { self.search::<5>(src, sequences) } else { self.search::<4>(src, sequences) }
    }

    /// Finds matches of at least `WIDTH` bytes, the number of bytes hashed.
    #[inline(never)]
    fn search<const WIDTH: u32>(&mut self, src: &[u8], sequences: &mut Vec<Sequence>) -> Result<(), OutOfMemory> {
        if self.base > u32::MAX / 4 {
            self.heads.fill(0);
            self.base = MAX_OFFSET + 1;
        }
        let base = self.base;
        self.base += src.len() as u32 + MAX_OFFSET + 1;
        let heads = &mut *self.heads;
        let mut sink = Sink::new(sequences);
        let mut at = 0u32;
        let mut misses = 0u32;
        while let Some(here) = eight(src, at) {
            let head = &mut heads[hash::<WIDTH>(here)];
            let noted = *head;
            *head = base + at;
            let offset = base + at - noted;
            if offset <= MAX_OFFSET
                && let candidate = at - offset
                && let Some(there) = eight(src, candidate)
                && (here ^ there) << (64 - 8 * WIDTH) == 0
            {
                let back = backward(src, candidate, at, at - sink.end());
                let start = at - back;
                let end = forward(src, candidate, at);
                sink.push(start, end - start, offset);
                // The last position but one of the match, so that a repetition of what follows is found.
                if let Some(near) = eight(src, end - 2) {
                    heads[hash::<WIDTH>(near)] = base + end - 2;
                }
                at = end;
                misses = 0;
                continue;
            }
            misses += 1;
            at += if WIDTH == 4 { 1 } else { 1 + (misses >> PATIENCE).min(MAX_SKIP) };
        }
        sink.finish(src.len() as u32)
    }
}

#[inline(always)]
fn eight(src: &[u8], at: u32) -> Option<u64> {
    let at = at as usize;
    Some(u64::from_le_bytes(*src.get(at..at + 8)?.first_chunk()?))
}

/// Returns the hash of the first `WIDTH` bytes.
#[inline(always)]
fn hash<const WIDTH: u32>(eight: u64) -> usize {
    // 2^64 divided by the golden ratio.
    ((eight << (64 - 8 * WIDTH)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - LOG)) as usize
}
