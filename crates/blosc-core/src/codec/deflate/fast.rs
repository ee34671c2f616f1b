//! The fast search: one earlier position for each hash of four bytes, the first match taken.

use super::sequence::{MAX_OFFSET, Sequence};
use super::sink::Sink;
use crate::codec::lz4::matchlen::{backward, forward};

const LOG: u32 = 13;

/// By hash: the newest position, counted from the start of the first input since the table was cleared.
pub(super) struct Table {
    heads: Box<[u32; 1 << LOG]>,
    base: u32,
}

impl Default for Table {
    fn default() -> Self {
        Table { heads: Box::new([0; 1 << LOG]), base: MAX_OFFSET + 1 }
    }
}

impl Table {
    /// Finds the sequences of `src`, which is shorter than 1 GiB. After every `2^patience` bytes without a match the steps
    /// become longer by one.
    pub(super) fn find(&mut self, src: &[u8], patience: u32, sequences: &mut Vec<Sequence>) {
        if self.base > u32::MAX / 4 {
            *self = Table::default();
        }
        let base = self.base;
        self.base += src.len() as u32 + MAX_OFFSET + 1;
        let heads = &mut *self.heads;
        let mut sink = Sink::new(sequences);
        let mut at = 0u32;
        let mut misses = 0u32;
        while let Some(here) = four(src, at) {
            let head = &mut heads[hash(here)];
            let noted = *head;
            *head = base + at;
            let offset = base + at - noted;
            if offset <= MAX_OFFSET
                && let candidate = at - offset
                && four(src, candidate) == Some(here)
            {
                let back = backward(src, candidate, at, at - sink.end());
                let start = at - back;
                let end = forward(src, candidate + 4, at + 4);
                sink.push(start, end - start, offset);
                // The last place but one of the match, so that what follows is found again.
                if let Some(near) = four(src, end - 2) {
                    heads[hash(near)] = base + end - 2;
                }
                at = end;
                misses = 0;
                continue;
            }
            misses += 1;
            at += 1 + (misses >> patience);
        }
        sink.finish(src.len() as u32);
    }
}

#[inline(always)]
fn four(src: &[u8], at: u32) -> Option<u32> {
    let at = at as usize;
    Some(u32::from_le_bytes(*src.get(at..at + 4)?.first_chunk()?))
}

#[inline(always)]
fn hash(four: u32) -> usize {
    // 2^32 divided by the golden ratio.
    (four.wrapping_mul(2_654_435_761) >> (32 - LOG)) as usize
}
