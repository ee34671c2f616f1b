//! Reads numbers and bits. FSE headers are read forward, all other streams backward.
//!
//! A backward stream starts at the highest set bit of its last byte, which is only a mark, and ends at bit 0 of its
//! first byte. Its position is the number of bits before it, counted from the start of `src`, so it decreases.
//!
//! ```text
//!   src   ........ 76543210 76543210 00176543           bit 3 of the last byte is the mark
//!                  ^start                 ^at: the next bits are 2, 1 and 0 of the last byte, then 7 of the one before
//! ```
//!
//! Bytes before the start of a stream are read, but never change what is decoded: a stream is only accepted if its
//! position at the end is its start, and a position never increases.

use core::ops::Range;

/// Minimum number of bits that [`word`] returns.
pub(super) const WORD_BITS: u32 = 57;

/// Returns the position of the first bit of the backward stream `src[range]`. Returns `None` without a mark.
#[inline(always)]
pub(super) fn start(src: &[u8], range: &Range<usize>) -> Option<usize> {
    let last = *src.get(range.clone())?.last()?;
    if last == 0 { None } else { Some(range.end * 8 - 1 - last.leading_zeros() as usize) }
}

/// Returns the bits before position `at`, the next one as the highest bit. At least [`WORD_BITS`] are valid.
#[inline(always)]
pub(super) fn word(src: &[u8], at: usize) -> Option<u64> {
    Words::new(src)?.before(at)
}

/// The words of a stream, for a loop that reads many: a position is compared once, with the last offset.
pub(super) struct Words<'a> {
    pub(super) src: &'a [u8],
    /// Offset of the last word.
    last: usize,
}

impl<'a> Words<'a> {
    #[inline(always)]
    pub(super) fn new(src: &'a [u8]) -> Option<Self> {
        Some(Words { src, last: src.len().checked_sub(8)? })
    }

    /// Returns [`word`].
    #[inline(always)]
    pub(super) fn before(&self, at: usize) -> Option<u64> {
        // The last byte with bits before `at` is the highest of the word: this is (at + 7) / 8 - 8. It wraps to more than
        // any offset if there are fewer than 8 bytes.
        let from = at.wrapping_sub(WORD_BITS as usize) >> 3;
        if from > self.last {
            return None;
        }
        Some(u64::from_le_bytes(*self.src.get(from..)?.first_chunk()?) << (at.wrapping_neg() & 7))
    }
}

/// Returns the `n` bits of `word` after the first `skip`, which may be none. `skip + n` is at most 64.
#[inline(always)]
pub(super) fn field(word: u64, skip: u32, n: u32) -> u64 {
    (word >> (64_u32.wrapping_sub(skip + n) & 63)) & ((1_u64 << (n & 63)) - 1)
}

/// Reads `n` bits, up to [`WORD_BITS`], and moves `at`.
#[inline(always)]
pub(super) fn take(src: &[u8], at: &mut usize, n: u32) -> Option<u64> {
    let bits = field(word(src, *at)?, 0, n);
    *at = at.checked_sub(n as usize)?;
    Some(bits)
}

/// Reads the little-endian number of `len` bytes at `at`, up to 8.
#[inline(always)]
pub(super) fn number(src: &[u8], at: usize, len: usize) -> Option<u64> {
    // Mostly, more bytes follow.
    if let Some(word) = src.get(at..).and_then(|rest| rest.first_chunk()) {
        let unused = (64 - 8 * len as u32) & 63;
        return Some(if len == 0 { 0 } else { u64::from_le_bytes(*word) << unused >> unused });
    }
    short_number(src, at, len)
}

#[cold]
fn short_number(src: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = src.get(at..at.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// A forward reader. Bits past the end are zeros.
pub(super) struct Forward<'a> {
    src: &'a [u8],
    /// Number of bits read.
    read: usize,
}

impl<'a> Forward<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Forward { src, read: 0 }
    }

    /// Returns the next 25 bits or more.
    #[inline(always)]
    pub(super) fn peek(&self) -> u32 {
        let rest = self.src.get(self.read / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => u32::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
        };
        word >> (self.read % 8)
    }

    pub(super) fn skip(&mut self, n: u32) {
        self.read += n as usize;
    }

    /// Returns the number of bytes of which bits were read, or `None` if there are fewer.
    pub(super) fn finish(self) -> Option<usize> {
        let read = self.read.div_ceil(8);
        (read <= self.src.len()).then_some(read)
    }
}
