//! The match finder: a table of positions by hash, and comparisons of positions.

use super::NEAR;
use super::effort::EFFORTS;
use crate::memory::{self, OutOfMemory};

/// 2^13 slots of two bytes take 16 KiB, so the table and the input share the L1 cache. Twice the number of slots would
/// save half a percent of output and cost a tenth of the speed.
const MAX_BITS: u32 = 13;

/// A hash table, reusable from stream to stream. Entries of earlier streams never affect the output.
pub(crate) struct HashTable {
    slots: Box<[u16; 1 << MAX_BITS]>,
}

impl HashTable {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(HashTable { slots: memory::zeroed_box()? })
    }
}

/// The search through one stream, with the effort `EFFORTS[E]`.
///
/// A slot holds the low 16 bits of a position. It is read as the last position with these bits before the current one,
/// so distances reach 65535 regardless of the stream's length. An empty slot, or one that stands for a position 65536
/// earlier, only costs a failing comparison: the bytes at the position are always compared.
pub(super) struct Finder<'a, const E: usize> {
    src: &'a [u8],
    slots: &'a mut [u16; 1 << MAX_BITS],
}

impl<'a, const E: usize> Finder<'a, E> {
    const MIN: usize = EFFORTS[E].min;
    /// A far distance takes two more bytes. The match must be two bytes longer to make up for them, as far as one word
    /// shows.
    const FAR: usize = if Self::MIN < 6 { Self::MIN + 2 } else { 8 };
    const BITS: u32 = EFFORTS[E].bits;

    /// Creates a finder for `src`. Matches may reach the end of `src`, but none begins in its last seven bytes.
    pub(super) fn new(src: &'a [u8], table: &'a mut HashTable) -> Self {
        table.slots[..1 << Self::BITS].fill(0);
        Finder { src, slots: &mut table.slots }
    }

    /// Returns the eight bytes at `at`.
    #[inline(always)]
    pub(super) fn word(&self, at: usize) -> Option<u64> {
        word_at(self.src, at)
    }

    #[inline(always)]
    fn slot(&mut self, word: u64) -> &mut u16 {
        // Fibonacci hashing of the first MIN bytes.
        let hash = (word << (64 - 8 * Self::MIN)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS);
        &mut self.slots[hash as usize & ((1 << Self::BITS) - 1)]
    }

    /// Stores the position `at`, except inside a run: see [`Finder::look`].
    #[inline(always)]
    pub(super) fn insert(&mut self, at: usize) {
        if let Some(word) = word_at(self.src, at)
            && !Self::is_run(word)
        {
            *self.slot(word) = at as u16;
        }
    }

    /// Returns whether the first `MIN` bytes of `word` are one repeated byte.
    #[inline(always)]
    fn is_run(word: u64) -> bool {
        (word ^ word >> 8) << (64 - 8 * (Self::MIN - 1)) == 0
    }

    /// Stores `at`, and looks up the last position with the same hash. `word` is the bytes at `at`.
    ///
    /// Returns that position if the bytes there make a match worth writing. The second number is the XOR of the two
    /// words: its trailing zero bits are the bytes that agree.
    ///
    /// All positions of a run of one byte have the same hash. Only the first is stored, so the next run of that byte is
    /// matched from its start and the match can continue past the run. Inside a run, a match with distance 1 continues
    /// the run.
    #[inline(always)]
    pub(super) fn look(&mut self, at: usize, word: u64) -> Option<(usize, u64)> {
        let slot = self.slot(word);
        let distance = usize::from((at as u16).wrapping_sub(*slot));
        *slot = at as u16;
        let mut from = at.wrapping_sub(distance);
        let mut differ = word ^ word_at(self.src, from)?;
        if differ << (64 - 8 * Self::MIN) != 0 {
            return None;
        }
        if distance.wrapping_sub(1) >= NEAR {
            if distance == 0 {
                // 65536 bytes back, the period of a counter's second byte; or the slot is empty.
                from = at.checked_sub(1 << 16)?;
                differ = word ^ word_at(self.src, from)?;
            }
            if differ << (64 - 8 * Self::FAR) != 0 {
                return None;
            }
        }
        if Self::is_run(word) && self.src.get(at.wrapping_sub(1)) == Some(&(word as u8)) {
            *self.slot(word) = from as u16;
            return Some((at - 1, word ^ word_at(self.src, at - 1)?));
        }
        Some((from, differ))
    }
}

/// Returns the end of the bytes from `at` on that agree with those from `from` on.
#[inline(always)]
pub(super) fn forward(src: &[u8], mut from: usize, mut at: usize) -> usize {
    // Most matches end in the first words and need no call.
    let near = at + 32;
    while from < at
        && at + 8 <= src.len()
        && let Some(x) = src.get(from..from + 8).and_then(|x| x.first_chunk())
        && let Some(y) = src.get(at..at + 8).and_then(|x| x.first_chunk())
    {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + (differ.trailing_zeros() / 8) as usize;
        }
        from += 8;
        at += 8;
        if at >= near {
            break;
        }
    }
    at + agreement(src, at, from)
}

/// Returns the number of bytes before `from` and `at` that agree, no further back than `done`.
#[inline(always)]
pub(super) fn backward(src: &[u8], from: usize, at: usize, done: usize) -> usize {
    let limit = (at - done).min(from);
    if let (Some(x), Some(y)) = (
        at.checked_sub(8).and_then(|k| src.get(k..k + 8)?.first_chunk()),
        from.checked_sub(8).and_then(|k| src.get(k..k + 8)?.first_chunk()),
    ) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 || limit <= 8 {
            return limit.min((differ.leading_zeros() / 8) as usize);
        }
    }
    src[..at].iter().rev().zip(src[..from].iter().rev()).take(limit).take_while(|(x, y)| x == y).count()
}

#[inline(always)]
fn word_at(src: &[u8], at: usize) -> Option<u64> {
    // In this form the compiler needs only one bounds check.
    let last = src.len().checked_sub(8)?;
    if at > last { None } else { src[at..at + 8].first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) }
}

/// Returns the number of bytes from `a` on that equal those from `b` on; `b < a`.
// Not inlined: only long matches and samples get here.
#[inline(never)]
pub(super) fn agreement(src: &[u8], a: usize, b: usize) -> usize {
    let (Some(x), Some(y)) = (src.get(a..), src.get(b..)) else { return 0 };
    let (chunks, tail) = x.as_chunks::<32>();
    let mut n = 0;
    for (x, y) in chunks.iter().zip(y.as_chunks::<32>().0) {
        if x != y {
            return n + agreeing(x, y);
        }
        n += 32;
    }
    n + tail.iter().zip(&y[n..]).take_while(|(x, y)| x == y).count()
}

/// Returns the number of leading bytes that agree in two arrays that differ.
#[inline(always)]
fn agreeing(x: &[u8; 32], y: &[u8; 32]) -> usize {
    let (x, y) = (x.as_chunks::<8>().0, y.as_chunks::<8>().0);
    for k in 0..4 {
        let differ = u64::from_le_bytes(x[k]) ^ u64::from_le_bytes(y[k]);
        if differ != 0 {
            return 8 * k + (differ.trailing_zeros() / 8) as usize;
        }
    }
    32
}
