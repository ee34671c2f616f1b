//! Estimates the bits that a match saves, before there are codes.

use super::counts::{Lanes, log2};
use super::sequence::Sequence;

/// Number of bytes whose literals have the same price.
const SPAN: u32 = 4096;

/// Estimated costs near the current position, in 1/16 bits.
pub(super) struct Prices<'a> {
    src: &'a [u8],
    /// Cost of a literal: the entropy of the bytes nearby.
    literal: i32,
    /// Cost of a match that repeats a recent offset, without the extra bits of the offset.
    again: i32,
    /// By the logarithm of an offset: the longest match that saves nothing.
    useless: [u8; 16],
    /// Number of sequences that `again` takes into account.
    counted: usize,
    /// End of the span that the prices are valid for.
    end: u32,
}

impl<'a> Prices<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Prices { src, literal: 0, again: BASE, useless: [3; 16], counted: 0, end: 0 }
    }

    /// Moves to a position. `done` are the sequences before it. Returns whether prices have changed.
    #[inline(always)]
    pub(super) fn move_to(&mut self, at: u32, done: &[Sequence]) -> bool {
        if at < self.end {
            return false;
        }
        self.measure_repeats(done);
        self.measure(at);
        true
    }

    /// Returns the position up to which they hold.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    #[inline(never)]
    fn measure(&mut self, at: u32) {
        self.end = (at / SPAN + 1) * SPAN;
        let start = (self.end - SPAN) as usize;
        let Some(bytes) = self.src.get(start..(self.end as usize).min(self.src.len())) else { return };
        let mut lanes = Lanes::new();
        lanes.add_runs(bytes);
        let bits = lanes.entropy();
        self.literal = (16 * bits / bytes.len().max(1) as u64).clamp(FLOOR, 128) as i32;
        for (log, useless) in self.useless.iter_mut().enumerate() {
            *useless = ((BASE + 16 * log as i32) / self.literal).max(3) as u8;
        }
    }

    /// Updates the price of a repeated offset by how often the last sequences have one of the two before them.
    fn measure_repeats(&mut self, done: &[Sequence]) {
        let new = done.get(self.counted..).unwrap_or_default();
        if new.is_empty() {
            return;
        }
        let repeats =
            new.windows(3).filter(|three| three[..2].iter().any(|before| before.offset == three[2].offset)).count();
        self.counted = done.len();
        let bits = log2(new.len() as u32 + 2).saturating_sub(log2(repeats as u32 + 1)) as i32 / 16;
        self.again = (LENGTH + bits).min(BASE);
    }

    /// Returns the length of the longest match with this offset that saves nothing, at least 3.
    #[inline(always)]
    pub(super) fn useless(&self, offset: u32) -> u32 {
        self.useless[offset.ilog2() as usize % 16].into()
    }

    /// Returns the bits that a match saves, in 1/16 bits.
    #[inline(always)]
    pub(super) fn gain(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (BASE + 16 * offset.ilog2() as i32)
    }

    /// Returns the bits that a match saves if it repeats a recent offset.
    #[inline(always)]
    pub(super) fn gain_again(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (self.again + 16 * offset.ilog2() as i32)
    }

    /// Returns the bits that a run saves. Data with runs of one byte has many of them.
    #[inline(always)]
    pub(super) fn gain_of_run(&self, length: u32, offset: u32) -> i32 {
        if offset == 1 { self.gain_again(length, 1) } else { self.gain(length, offset) }
    }

    #[inline(always)]
    fn literals(&self, length: u32) -> i32 {
        // Longer matches all count as this length.
        length.min(1024) as i32 * self.literal
    }
}

/// Minimum price of a literal: 2.5 bits.
const FLOOR: u64 = 80;
/// Price of a length symbol and an offset symbol: 9 bits.
const BASE: i32 = 144;
/// Price of a length symbol alone: 4 bits.
const LENGTH: i32 = 64;
