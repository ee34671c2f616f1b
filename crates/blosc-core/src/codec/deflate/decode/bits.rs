//! Reads bits from a byte slice, the lowest bit of each byte first.

/// The error of a stream with fewer bits than requested.
pub(super) const ENDS: &str = "the zlib stream is truncated";

/// A position in the input, and up to 63 bits from there in a word.
///
/// ```text
///   src      .. .. .. .. .. .. .. .. .. .. ..
///                      at ^
///   word     ? ? ? n n n n n n n n     the low `count` bits come before src[at]; above them are zeros or bits of src[at..]
/// ```
///
/// The bits above `count` are already the correct ones, which makes the refill free of branches. It ORs the next eight
/// bytes into the word above the existing bits and counts only the whole bytes. It may read the remaining bits again
/// later.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    src: &'a [u8],
    at: usize,
    word: u64,
    count: u32,
}

/// Minimum number of bits after [`Bits::refill`], except at the end of the input.
pub(super) const REFILLED: u32 = 56;

impl<'a> Bits<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Bits { src, at: 0, word: 0, count: 0 }
    }

    /// Returns the bytes that are not in the word.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.src.get(self.at..).unwrap_or_default()
    }

    /// Moves to the position where `left` bits remain, at most the number at the start.
    pub(super) fn seek(&mut self, left: u64) {
        let position = (self.src.len() as u64 * 8).saturating_sub(left);
        *self = Bits { at: (position / 8) as usize, ..Bits::new(self.src) };
        self.refill();
        self.skip(position as u32 % 8);
    }

    /// Returns the number of consumed bytes, including a partly consumed one.
    pub(super) fn position(&self) -> usize {
        self.at - (self.count / 8) as usize
    }

    /// Returns the next bits, of which [`Bits::count`] are valid.
    #[inline(always)]
    pub(super) fn peek(&self) -> u64 {
        self.word
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Drops `n` bits, at most 63, which must be in the word.
    #[inline(always)]
    pub(super) fn skip(&mut self, n: u32) {
        self.word >>= n & 63;
        self.count = self.count.wrapping_sub(n);
    }

    /// Fills the word to at least [`REFILLED`] bits, or with all remaining input.
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        if let Some(next) = self.src.get(self.at..).and_then(|rest| rest.first_chunk()) {
            self.word |= u64::from_le_bytes(*next) << (self.count & 63);
            self.at += ((self.count ^ 63) / 8) as usize;
            self.count |= REFILLED;
        } else {
            self.refill_last();
        }
    }

    #[cold]
    fn refill_last(&mut self) {
        while self.count < REFILLED
            && let Some(&byte) = self.src.get(self.at)
        {
            self.word |= u64::from(byte) << self.count;
            self.count += 8;
            self.at += 1;
        }
    }

    /// Takes the next `n` bits, at most 16.
    #[inline(always)]
    pub(super) fn take(&mut self, n: u32) -> Result<u32, &'static str> {
        if self.count < n {
            self.refill();
            if self.count < n {
                return Err(ENDS);
            }
        }
        let value = self.word as u32 & ((1 << n) - 1);
        self.skip(n);
        Ok(value)
    }

    /// Drops the rest of a partly consumed byte and empties the word.
    pub(super) fn align(&mut self) {
        self.at = self.position();
        (self.word, self.count) = (0, 0);
    }

    /// Takes the next `n` bytes, directly after [`Bits::align`].
    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8], &'static str> {
        let Some((bytes, _)) = self.rest().split_at_checked(n) else { return Err(ENDS) };
        self.at += n;
        Ok(bytes)
    }
}
