//! Writes bits to a byte slice, the lowest bit of each byte first.

use crate::kernels;

/// The output, and up to 63 bits not yet written to it.
pub(super) struct Bits<'a> {
    dst: &'a mut [u8],
    at: usize,
    word: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(dst: &'a mut [u8], at: usize) -> Self {
        Bits { dst, at, word: 0, count: 0 }
    }

    /// Returns the number of bits from the start of the output to the current position.
    pub(super) fn position(&self) -> u64 {
        8 * self.at as u64 + u64::from(self.count)
    }

    /// Adds the low `n` bits of `bits`, which must have no others set. There is room for 56 bits between two calls of
    /// [`Bits::flush`].
    #[inline(always)]
    pub(super) fn push(&mut self, bits: u32, n: u32) {
        self.word |= u64::from(bits) << (self.count & 63);
        self.count += n;
    }

    /// Adds a code made by [`code`].
    #[inline(always)]
    pub(super) fn push_code(&mut self, code: u32) {
        self.push(code >> 8, code & 0xFF);
    }

    /// Writes all whole bytes. Returns `None` if there is no room for them.
    #[inline(always)]
    pub(super) fn flush(&mut self) -> Option<()> {
        let whole = (self.count / 8) as usize;
        match self.dst.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            Some(eight) => *eight = self.word.to_le_bytes(),
            None => self.flush_end(whole)?,
        }
        self.at += whole;
        self.word >>= self.count & !7 & 63;
        self.count &= 7;
        Some(())
    }

    /// Near the end of the output, writes no unused byte: whether a stream fits must not depend on how it is written.
    #[cold]
    fn flush_end(&mut self, whole: usize) -> Option<()> {
        let end = self.dst.get_mut(self.at..)?.get_mut(..whole)?;
        end.copy_from_slice(&self.word.to_le_bytes()[..whole]);
        Some(())
    }

    /// Pads the current byte and returns the end of the output.
    pub(super) fn align(&mut self) -> Option<usize> {
        for byte in self.word.to_le_bytes().into_iter().take(self.count.div_ceil(8) as usize) {
            *self.dst.get_mut(self.at)? = byte;
            self.at += 1;
        }
        (self.word, self.count) = (0, 0);
        Some(self.at)
    }

    /// Adds bytes, directly after [`Bits::align`].
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        kernels::copy(bytes, self.dst.get_mut(self.at..self.at + bytes.len())?);
        self.at += bytes.len();
        Some(())
    }
}

/// Packs `n` bits and their number into one word.
#[inline(always)]
pub(super) const fn code(bits: u32, n: u32) -> u32 {
    bits << 8 | n
}
