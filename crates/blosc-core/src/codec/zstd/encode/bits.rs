//! Writes bits, the lowest first.

/// A bit writer over a slice. Bytes beyond the last written one may be overwritten.
pub(super) struct BitWriter<'a> {
    dst: &'a mut [u8],
    at: usize,
    held: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    pub(super) fn new(dst: &'a mut [u8]) -> Self {
        BitWriter { dst, at: 0, held: 0, count: 0 }
    }

    /// Adds the lowest `n` bits of `value`; others must be zero. At most 63 bits may be held.
    #[inline(always)]
    pub(super) fn add(&mut self, value: u32, n: u32) {
        self.held |= u64::from(value) << (self.count & 63);
        self.count += n;
    }

    /// Writes whole bytes, after which at most 7 bits are held. Returns `None` if less than 8 bytes are left.
    #[inline(always)]
    pub(super) fn flush(&mut self) -> Option<()> {
        *self.dst.get_mut(self.at..)?.first_chunk_mut()? = self.held.to_le_bytes();
        self.at += (self.count >> 3) as usize;
        self.held >>= self.count & 56;
        self.count &= 7;
        Some(())
    }

    /// Pads the last byte with zeros. Returns the number of bytes.
    #[inline(always)]
    pub(super) fn finish(mut self) -> Option<usize> {
        self.flush()?;
        Some(self.at + usize::from(self.count > 0))
    }

    /// Marks the end of a stream that is read from its end.
    #[inline(always)]
    pub(super) fn close(mut self) -> Option<usize> {
        self.add(1, 1);
        self.finish()
    }
}

/// Returns the lowest `n` bits.
#[inline(always)]
pub(super) fn low(value: u32, n: u32) -> u32 {
    value & ((1u64 << (n & 31)) - 1) as u32
}
