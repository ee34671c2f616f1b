//! A stream of Huffman-coded literals.
//!
//! A table is indexed by the next 11 bits, the longest code. Its cells hold a symbol and the length of its code. The
//! index of a symbol depends on the length of the previous one, which takes about seven cycles per symbol, mostly for
//! the load. Four streams are independent, so their symbols are decoded in turn.
//!
//! Each stream has up to 64 bits in a register, of which the lowest set one is a mark. So the number of bits that were
//! used is the number of trailing zeros, and needs no counting:
//!
//! ```text
//!   refilled       next bits ................................... 1 0000       up to 7 bits used
//!   after a symbol   next bits .............................. 1 00000000     at most 62 after 5 symbols
//! ```

use core::ops::Range;

use super::bits;
/// Length of the longest code.
pub(super) const MAX_BITS: u32 = 11;

/// The low byte of a cell is the length of a code, the high byte its symbol.
pub(super) type Table = [u16; 1 << MAX_BITS];

/// Number of look-ups between two refills: 7 + 5 * 11 bits.
pub(super) const PER_REFILL: usize = 5;

/// A backward stream of codes.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) bits: u64,
    /// End of the bytes that were loaded into `bits`.
    end: usize,
}

impl Stream {
    #[inline(always)]
    pub(super) fn new(src: &[u8], range: &Range<usize>) -> Option<Self> {
        let start = bits::start(src, range)?;
        let used = (range.end * 8 - start) as u32;
        Some(Stream { bits: (load(src, range.end)? | 1) << (used & 63), end: range.end })
    }

    #[inline(always)]
    pub(super) fn refill(&mut self, src: &[u8]) -> Option<()> {
        let used = self.bits.trailing_zeros();
        self.end = self.end.wrapping_sub(used as usize >> 3);
        self.bits = (load(src, self.end)? | 1) << (used & 7);
        Some(())
    }

    #[inline(always)]
    fn symbol(&mut self, table: &Table) -> u8 {
        let cell = table[(self.bits >> (64 - MAX_BITS)) as usize];
        self.bits <<= cell & 63;
        (cell >> 8) as u8
    }

    #[inline(always)]
    pub(super) fn symbols(&mut self, table: &Table, to: &mut [u8; PER_REFILL]) {
        for to in to {
            *to = self.symbol(table);
        }
    }

    /// Decodes the rest of a stream, which must end with the last bit of `range`.
    #[inline(always)]
    pub(super) fn finish(mut self, src: &[u8], range: &Range<usize>, table: &Table, to: &mut [u8]) -> Option<()> {
        let (chunks, rest) = to.as_chunks_mut::<PER_REFILL>();
        for chunk in chunks {
            self.refill(src)?;
            self.symbols(table, chunk);
        }
        self.refill(src)?;
        for to in rest {
            *to = self.symbol(table);
        }
        let at = (self.end * 8).checked_sub(self.bits.trailing_zeros() as usize)?;
        (at == range.start * 8).then_some(())
    }
}

#[inline(always)]
fn load(src: &[u8], end: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*src.get(..end)?.last_chunk()?))
}
