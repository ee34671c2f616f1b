//! Taking bits from a byte slice, the lowest bit of each byte first.

use super::ENDS;

/// The input, and up to 63 bits of it in a word.
///
/// ```text
///   src      .. .. .. .. .. .. .. .. .. .. ..
///                      at ^
///   word     ? ? ? n n n n n n n n     the low `count` bits come before src[at]; above them are zeros or bits of src[at..]
/// ```
///
/// That the bits above are the right ones already is what makes the refill free of branches: it puts the next eight bytes
/// on top of what is there, counts only the whole bytes, and may come across the rest again.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    src: &'a [u8],
    at: usize,
    word: u64,
    count: u32,
}

/// As many bits [`Bits::refill`] provides at least.
pub(super) const REFILLED: u32 = 56;

impl<'a> Bits<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Bits { src, at: 0, word: 0, count: 0 }
    }

    /// How many bytes are used up, a begun one included.
    pub(super) fn position(&self) -> usize {
        self.at - (self.count / 8) as usize
    }

    /// Whether `n` bytes are left that are not yet in the word.
    #[inline(always)]
    pub(super) fn has_bytes(&self, n: usize) -> bool {
        self.src.len() - self.at >= n
    }

    /// The next bits, of which [`Bits::count`] are there.
    #[inline(always)]
    pub(super) fn peek(&self) -> u64 {
        self.word
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Drops as many bits as the low byte of `n` says; there must be as many.
    #[inline(always)]
    pub(super) fn skip(&mut self, n: u32) {
        let n = n & 0xFF;
        self.word >>= n & 63;
        self.count = self.count.wrapping_sub(n);
    }

    /// Fills the word up to [`REFILLED`] bits or more, given eight bytes.
    #[inline(always)]
    pub(super) fn refill_wide(&mut self) -> Option<()> {
        let next = u64::from_le_bytes(*self.src.get(self.at..)?.first_chunk()?);
        self.word |= next << (self.count & 63);
        self.at += ((63 - self.count) / 8) as usize;
        self.count |= REFILLED;
        Some(())
    }

    /// Fills the word up to [`REFILLED`] bits or more, or with all there is.
    #[inline]
    pub(super) fn refill(&mut self) {
        if self.refill_wide().is_none() {
            while self.count < REFILLED
                && let Some(&byte) = self.src.get(self.at)
            {
                self.word |= u64::from(byte) << self.count;
                self.count += 8;
                self.at += 1;
            }
        }
    }

    /// The next `n` bits, 16 or fewer.
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

    /// Drops what is left of a begun byte and empties the word.
    pub(super) fn align(&mut self) {
        self.at = self.position();
        (self.word, self.count) = (0, 0);
    }

    /// The next `n` bytes, directly after [`Bits::align`].
    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8], &'static str> {
        let Some((bytes, _)) = self.src.get(self.at..).and_then(|rest| rest.split_at_checked(n)) else {
            return Err(ENDS);
        };
        self.at += n;
        Ok(bytes)
    }
}
