//! Taking bits from a byte slice, the lowest bit of each byte first.

/// The error of a stream that has fewer bits than are asked for.
pub(super) const ENDS: &str = "the zlib stream is cut off";

/// A place in the input, and up to 63 bits from there in a word.
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

    /// The bytes that are not in the word.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.src.get(self.at..).unwrap_or_default()
    }

    /// Goes to where `left` bits are left, which are no more than there were at first.
    pub(super) fn seek(&mut self, left: u64) {
        let position = (self.src.len() as u64 * 8).saturating_sub(left);
        *self = Bits { at: (position / 8) as usize, ..Bits::new(self.src) };
        self.refill();
        self.skip(position as u32 % 8);
    }

    /// How many bytes are used up, a begun one included.
    pub(super) fn position(&self) -> usize {
        self.at - (self.count / 8) as usize
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

    /// Drops `n` bits, 63 at most; there must be as many.
    #[inline(always)]
    pub(super) fn skip(&mut self, n: u32) {
        self.word >>= n & 63;
        self.count = self.count.wrapping_sub(n);
    }

    /// Fills the word up to [`REFILLED`] bits or more, or with all there is.
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

    /// The next `n` bits, 16 or fewer.
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

    /// Drops what is left of a begun byte and empties the word.
    pub(super) fn align(&mut self) {
        self.at = self.position();
        (self.word, self.count) = (0, 0);
    }

    /// The next `n` bytes, directly after [`Bits::align`].
    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8], &'static str> {
        let Some((bytes, _)) = self.rest().split_at_checked(n) else { return Err(ENDS) };
        self.at += n;
        Ok(bytes)
    }
}
