//! A step decodes up to four look-ups of literals, or up to two and a match, at a position with room for all of it.
//!
//! The time is spent on latency. Each entry must be loaded to know by how much to shift the word, which gives the index
//! of the next entry. Where literals and matches alternate irregularly, branch mispredictions add to it. So the next
//! entry is looked up before it is known to be needed:
//!
//! ```text
//! entry is loaded, the word is full
//!   skip the bits of entry; look up offset                  used if entry is a length
//!   entry has literals?  write them; look up entry; again
//!   length from entry and extra bits, offset likewise
//!   fill the word; look up entry for the next step          before the copy, which is independent of it
//!   copy
//! ```
//!
//! With 56 bits in the word, a match may follow one look-up of literals. After two or three, the word is refilled
//! first:
//!
//! ```text
//!   11 literals   +   11 length  +  5 extra  +   15 offset  +  13 extra   =  55
//! ```

use super::super::symbols::MAX_MATCH;
use super::bits::REFILLED;
use super::entries::{EntryLayout, LitLen, Offset, literals, number};
use super::table::BlockTables;
use crate::codec::lz77::copy::{OVERRUN, copy_exact, copy_period, copy_roomy, unlikely};

/// Number of bytes that a step writes without checking the length: four pairs of literals, or three and the start of a
/// match.
pub(super) const WINDOW: usize = 8 + OVERRUN;

/// The longest match.
const LONGEST: usize = MAX_MATCH as usize;

/// The position of a stream between two steps.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// The input that is not in the word.
    rest: &'a [u8],
    word: u64,
    /// Number of bits in the word.
    count: u8,
    /// The entry for the low bits of the word.
    entry: u32,
    /// Number of decoded bytes.
    pub(super) d: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a position with `count` bits in `word`.
    #[inline(always)]
    pub(super) fn new(rest: &'a [u8], word: u64, count: u32, d: usize, tables: &BlockTables) -> Option<Self> {
        let mut cursor = Cursor { rest, word, count: count as u8, entry: 0, d };
        cursor.refill()?;
        cursor.entry = tables.litlen.get(cursor.word);
        Some(cursor)
    }

    /// Returns the number of remaining bits of the input.
    #[inline(always)]
    pub(super) fn left(&self) -> u64 {
        self.rest.len() as u64 * 8 + u64::from(self.count)
    }

    #[inline(always)]
    fn refill(&mut self) -> Option<()> {
        self.word |= u64::from_le_bytes(*self.rest.first_chunk()?) << (self.count & 63);
        self.rest = self.rest.get(usize::from(((self.count ^ 63) / 8) & 7)..)?;
        self.count |= REFILLED as u8;
        Some(())
    }

    /// Drops the number of bits in the low byte of `entry`, which must be available.
    #[inline(always)]
    fn skip(&mut self, entry: u32) {
        self.word >>= entry & 63;
        self.count = self.count.wrapping_sub(entry as u8);
    }

    /// Decodes the symbols of one step.
    ///
    /// Returns `None` if a symbol needs the slow path: for lack of room, or because it is rare (a code with a subtable,
    /// the end of the block, or invalid data). The position is then before that symbol, but only [`Cursor::left`] and
    /// `d` are valid.
    #[inline(always)]
    pub(super) fn step(&mut self, tables: &BlockTables, dst: &mut [u8]) -> Option<()> {
        let (done, window) = dst.split_at_mut_checked(self.d)?;
        let window: &mut [u8; WINDOW] = window.first_chunk_mut()?;
        let mut k = 0;
        let mut entry = self.entry;
        let mut word = self.word;
        self.skip(entry);
        let mut next = tables.offset.get(self.word);
        if literals(entry) > 0 {
            // `?` of `put` is for the compiler: `k` is at most six there.
            put(entry, window, &mut k)?;
            entry = tables.litlen.get(self.word);
            word = self.word;
            self.skip(entry);
            next = tables.offset.get(self.word);
            if literals(entry) > 0 {
                put(entry, window, &mut k)?;
                entry = tables.litlen.get(self.word);
                word = self.word;
                self.skip(entry);
                if literals(entry) > 0 {
                    put(entry, window, &mut k)?;
                    entry = tables.litlen.get(self.word);
                    word = self.word;
                    self.skip(entry);
                    if literals(entry) > 0 {
                        put(entry, window, &mut k)?;
                        self.d += k;
                        self.refill()?;
                        self.entry = tables.litlen.get(self.word);
                        return Some(());
                    }
                }
                self.word = word;
                self.count = self.count.wrapping_add(entry as u8);
                if self.refill().is_none() {
                    self.d += k;
                    return None;
                }
                word = self.word;
                self.skip(entry);
                next = tables.offset.get(self.word);
            }
        }
        let left = self.left() + u64::from(entry & 0xFF);
        if entry & LitLen::ODD != 0 || next & Offset::ODD != 0 {
            unlikely();
            return self.stop(left, k);
        }
        let length = number::<LitLen>(entry, word);
        let offset = number::<Offset>(next, self.word);
        self.skip(next);
        if self.refill().is_none() {
            return self.stop(left, k);
        }
        self.entry = tables.litlen.get(self.word);
        // Copies from the output before this step: `tail` is its last `offset - k` bytes.
        let is_far = if let Some(tail) = done.get(done.len().wrapping_sub(offset.wrapping_sub(k))..)
            && let Some(from) = tail.first_chunk::<OVERRUN>()
        {
            window.get_mut(k..k + OVERRUN)?.copy_from_slice(from);
            if length <= OVERRUN {
                self.d += k + length;
                return Some(());
            }
            true
        } else {
            false
        };
        let d = self.d + k;
        if length == LONGEST {
            let Some(cursor) = self.run(word, (entry & 0xFF) + (next & 0xFF), d, offset, dst) else {
                return self.stop(left, k);
            };
            *self = cursor;
            self.entry = tables.litlen.get(self.word);
            return Some(());
        }
        let copied =
            if is_far { copy_far(dst, d + OVERRUN, offset, length - OVERRUN) } else { copy(dst, d, offset, length) };
        if copied.is_none() {
            return self.stop(left, k);
        }
        self.d = d + length;
        Some(())
    }

    /// Decodes a run of the longest match as a single copy to `dst[d..]`, and returns the position after it.
    ///
    /// The longest match often repeats with the same `n` bits. The first one is at the front of `word`, and `self` is
    /// the position after it.
    #[inline(never)]
    fn run(mut self, word: u64, n: u32, d: usize, offset: usize, dst: &mut [u8]) -> Option<Self> {
        let room = dst.len() - d;
        let mut length = LONGEST;
        while (self.word ^ word) & ((1 << (n & 63)) - 1) == 0 && length + LONGEST <= room {
            let mut next = self;
            next.skip(n);
            if next.refill().is_none() {
                break;
            }
            self = next;
            length += LONGEST;
        }
        copy(dst, d, offset, length)?;
        self.d = d + length;
        Some(self)
    }

    /// Ends a step after its `k` bytes of literals, where `left` bits remained.
    #[cold]
    fn stop(&mut self, left: u64, k: usize) -> Option<()> {
        self.count = (left - self.rest.len() as u64 * 8) as u8;
        self.d += k;
        None
    }
}

/// Writes the literals of `entry`, and an extra byte if it is only one.
#[inline(always)]
fn put(entry: u32, window: &mut [u8; WINDOW], k: &mut usize) -> Option<()> {
    let to = window.get_mut(*k..*k + 2)?;
    to.copy_from_slice(&((entry >> 8) as u16).to_le_bytes());
    *k += literals(entry);
    Some(())
}

/// Copies a match with an offset of `OVERRUN` or more. Returns `None` also without room for `OVERRUN` bytes past its
/// end.
#[inline(never)]
fn copy_far(dst: &mut [u8], mut d: usize, offset: usize, length: usize) -> Option<()> {
    if length > 2 * OVERRUN {
        return copy(dst, d, offset, length);
    }
    let end = d + length;
    while d < end {
        let bytes: [u8; OVERRUN] = *dst.get(d.checked_sub(offset)?..)?.first_chunk()?;
        *dst.get_mut(d..)?.first_chunk_mut()? = bytes;
        d += OVERRUN;
    }
    Some(())
}

/// Copies a match to `dst[d..]`. Returns `None` if it begins before `dst` or ends past its end.
#[inline(never)]
pub(super) fn copy(dst: &mut [u8], d: usize, offset: usize, length: usize) -> Option<()> {
    let from = d.checked_sub(offset)?;
    if offset == 1 {
        let byte = *dst.get(from)?;
        dst.get_mut(d..d + length)?.fill(byte);
        Some(())
    } else if dst.len() - d >= length + OVERRUN {
        let has_periods = (16..64).contains(&offset) && length > 64;
        if has_periods { copy_period(dst, from, d, length) } else { copy_roomy(dst, from, d, length) }
    } else {
        copy_exact(dst, from, d, length)
    }
}
