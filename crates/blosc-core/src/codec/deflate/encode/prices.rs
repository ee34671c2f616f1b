//! Estimates the bits that a match saves, before there are codes.

use super::counts::Lanes;

/// Number of bytes whose literals have the same price.
const SPAN: u32 = 4096;

/// Estimated cost of literals near the current position: the entropy of the bytes there.
pub(super) struct Prices<'a> {
    src: &'a [u8],
    /// Cost of a literal in 1/16 bits.
    literal: i32,
    /// End of the span that the price is valid for.
    end: u32,
}

impl<'a> Prices<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Prices { src, literal: 0, end: 0 }
    }

    #[inline(always)]
    pub(super) fn move_to(&mut self, at: u32) {
        if at >= self.end {
            self.measure(at);
        }
    }

    #[inline(never)]
    fn measure(&mut self, at: u32) {
        self.end = (at / SPAN + 1) * SPAN;
        let start = (self.end - SPAN) as usize;
        let Some(bytes) = self.src.get(start..(self.end as usize).min(self.src.len())) else { return };
        let mut lanes = Lanes::new();
        lanes.add(bytes);
        let bits = lanes.entropy();
        self.literal = (16 * bits / bytes.len().max(1) as u64).clamp(FLOOR, 128) as i32;
    }

    /// Returns the bits that a match saves, in 1/16 bits.
    #[inline(always)]
    pub(super) fn gain(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (BASE + 16 * offset.ilog2() as i32)
    }

    /// Returns the bits that a match saves if it repeats the offset of the previous match.
    #[inline(always)]
    pub(super) fn gain_again(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (AGAIN + 16 * offset.ilog2() as i32)
    }

    #[inline(always)]
    fn literals(&self, length: u32) -> i32 {
        // Longer matches all count as this length.
        length.min(1024) as i32 * self.literal
    }
}

/// Minimum price of a literal: 2.5 bits.
const FLOOR: u64 = 40;
/// Price of a length symbol and an offset symbol: 9 bits.
const BASE: i32 = 144;
/// Price of a length symbol and an offset symbol if both are frequent: 6 bits.
const AGAIN: i32 = 96;
