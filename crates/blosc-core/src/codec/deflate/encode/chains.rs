//! The thorough search, with hash chains and lazy matching.
//!
//! All positions of equal hash are linked from the newest to the oldest. A match gives way to a better one that starts
//! one byte later.

use super::super::symbols::MAX_OFFSET;
use super::prices::Prices;
use super::sequence::Sequence;
use super::sink::Sink;
use crate::codec::lz77::match_length::{backward, forward};
use crate::memory::{self, OutOfMemory};

/// Bits of a hash of four bytes.
const LOG: u32 = 15;
/// Bits of a hash of three bytes.
const THREES_LOG: u32 = 12;

/// Maximum number of positions skipped.
const MAX_SKIP: u32 = 7;

/// The search effort of a level.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Maximum number of candidates compared per position.
    pub(super) depth: u32,
    /// A match of at least this length is accepted without trying further candidates.
    pub(super) nice: u32,
    /// After a match of at least this length, no better one is searched for.
    pub(super) lazy: u32,
    /// The search for a better match tries `depth / 2^half` candidates.
    pub(super) half: u32,
    /// The step grows by one after every `2^patience` positions without a match.
    pub(super) patience: u32,
    /// Whether matches of three bytes are searched for too.
    pub(super) threes: bool,
    /// Cost of a block besides its header, in bits.
    pub(super) thrift: u64,
}

/// The newest position of each hash and, for each position of the window, the distance to the next older one of its
/// hash.
pub(super) struct HashChains {
    heads: Box<[u32; 1 << LOG]>,
    links: Box<[u16; MAX_OFFSET as usize]>,
    /// By hash of three bytes: the newest position.
    threes: Box<[u32; 1 << THREES_LOG]>,
    base: u32,
}

impl HashChains {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let (heads, links) = (memory::zeroed_box()?, memory::zeroed_box()?);
        Ok(HashChains { heads, links, threes: memory::zeroed_box()?, base: MAX_OFFSET + 1 })
    }

    /// Removes all positions.
    fn clear(&mut self) {
        self.heads.fill(0);
        self.links.fill(0);
        self.threes.fill(0);
        self.base = MAX_OFFSET + 1;
    }
}

#[derive(Clone, Copy)]
struct Match {
    length: u32,
    offset: u32,
    /// Number of bits saved, in 1/16 bits.
    gain: i32,
}

struct Search<'a, const THREES: bool> {
    src: &'a [u8],
    heads: &'a mut [u32; 1 << LOG],
    links: &'a mut [u16; MAX_OFFSET as usize],
    threes: &'a mut [u32; 1 << THREES_LOG],
    base: u32,
    /// The first position not yet inserted.
    next: u32,
}

impl HashChains {
    /// Finds the sequences of `src`, which is at most 1 GiB long.
    pub(super) fn find(
        &mut self,
        src: &[u8],
        effort: Effort,
        sequences: &mut Vec<Sequence>,
    ) -> Result<(), OutOfMemory> {
        if effort.threes {
            self.find_with::<true>(src, effort, sequences)
        } else {
            self.find_with::<false>(src, effort, sequences)
        }
    }

    #[inline(never)]
    fn find_with<const THREES: bool>(
        &mut self,
        src: &[u8],
        effort: Effort,
        sequences: &mut Vec<Sequence>,
    ) -> Result<(), OutOfMemory> {
        if self.base > u32::MAX / 4 {
            self.clear();
        }
        let base = self.base;
        self.base += src.len() as u32 + MAX_OFFSET + 1;
        let mut search = Search::<THREES> {
            src,
            heads: &mut self.heads,
            links: &mut self.links,
            threes: &mut self.threes,
            base,
            next: 0,
        };
        let mut prices = Prices::new(src);
        let mut sink = Sink::new(sequences);
        let mut at = 0u32;
        let mut misses = 0u32;
        let mut last_offset = 0;
        while at as usize + 4 < src.len() {
            prices.move_to(at);
            let Some(mut found) = search.best(at, effort.depth, effort.nice, last_offset, &prices) else {
                misses += 1;
                search.note_before(at + 1);
                at += 1 + (misses >> effort.patience).min(MAX_SKIP);
                search.next = at;
                continue;
            };
            misses = 0;
            while found.length < effort.lazy
                && let Some(better) =
                    search.best(at + 1, effort.depth >> effort.half, effort.nice, last_offset, &prices)
                && better.gain > found.gain
            {
                found = better;
                at += 1;
            }
            let back = backward(src, at - found.offset, at, at - sink.end());
            let (start, end) = (at - back, at + found.length);
            sink.push(start, end - start, found.offset);
            last_offset = found.offset;
            if found.length > 64 {
                // Inserts only the ends of a long match: repetitions of its middle mostly repeat one of the ends.
                search.note_before(at + 16);
                search.next = search.next.max(end - 16);
            }
            search.note_before(end);
            at = end;
        }
        sink.finish(src.len() as u32)
    }
}

impl<const THREES: bool> Search<'_, THREES> {
    /// Inserts all positions before `end`.
    #[inline(always)]
    fn note_before(&mut self, end: u32) {
        let Some(bytes) = self.src.get(self.next as usize..end as usize + 3) else { return };
        for (now, four) in (self.base + self.next..).zip(bytes.windows(4)) {
            let head = &mut self.heads[hash(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))];
            self.links[now as usize % MAX_OFFSET as usize] = (now - *head).min(u16::MAX.into()) as u16;
            *head = now;
            if THREES {
                self.threes[hash_three(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))] = now;
            }
        }
        self.next = end;
    }

    /// Returns the match at `at` that saves most.
    #[inline(always)]
    fn best(&mut self, at: u32, depth: u32, nice: u32, last_offset: u32, prices: &Prices<'_>) -> Option<Match> {
        if self.next < at {
            self.note_before(at);
        }
        let src = self.src;
        let here = four(src, at)?;
        let mut best = Match { length: 3, offset: 0, gain: 0 };
        let mut tail = here;
        let mut ahead = 0;
        // Three bytes are enough if the last offset is repeated.
        if last_offset > 0
            && let Some(there) = at.checked_sub(last_offset).and_then(|from| four(src, from))
            && (here ^ there) << 8 == 0
        {
            let length = forward(src, at - last_offset + 3, at + 3) - at;
            best = Match { length, offset: last_offset, gain: prices.gain_again(length, last_offset) };
            if length >= nice {
                return Some(best);
            }
            // A match of equal length with a nearer offset may be better.
            ahead = length.saturating_sub(4);
            tail = four(src, at + ahead)?;
        }
        let now = self.base + at;
        let reach = at.min(MAX_OFFSET);
        let mut noted = self.heads[hash(here)];
        for _ in 0..depth {
            let offset = now.wrapping_sub(noted);
            if offset.wrapping_sub(1) >= reach {
                break;
            }
            let candidate = at - offset;
            if four(src, candidate + ahead) == Some(tail) && four(src, candidate) == Some(here) {
                let length = forward(src, candidate + 4, at + 4) - at;
                if length >= best.length {
                    let gain = prices.gain(length, offset);
                    if gain > best.gain {
                        best = Match { length, offset, gain };
                        if length >= nice {
                            break;
                        }
                        ahead = length - 3;
                        let Some(next) = four(src, at + ahead) else { break };
                        tail = next;
                    }
                }
            }
            noted = noted.wrapping_sub(u32::from(self.links[noted as usize % MAX_OFFSET as usize]).max(1));
        }
        if THREES && best.offset == 0 {
            let offset = now.wrapping_sub(self.threes[hash_three(here)]);
            if offset.wrapping_sub(1) < reach
                && let Some(there) = four(src, at - offset)
                && (here ^ there) << 8 == 0
            {
                best = Match { length: 3, offset, gain: prices.gain(3, offset) };
            }
        }
        (best.gain > 0).then_some(best)
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

/// Returns the hash of the first three bytes.
#[inline(always)]
fn hash_three(four: u32) -> usize {
    ((four << 8).wrapping_mul(2_654_435_761) >> (32 - THREES_LOG)) as usize
}
