//! What a match saves, guessed before there are any codes.

use super::counts::Lanes;

/// Bytes whose literals are given one price.
const SPAN: u32 = 4096;

/// What literals cost about where the search stands: the entropy of the bytes there.
pub(super) struct Prices<'a> {
    src: &'a [u8],
    /// In 1/16 bits.
    literal: i32,
    /// Up to where.
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

    /// What a match saves, in 1/16 bits.
    #[inline(always)]
    pub(super) fn gain(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (BASE + 16 * offset.ilog2() as i32)
    }

    /// What a match saves whose offset is that of the match before.
    #[inline(always)]
    pub(super) fn gain_again(&self, length: u32, offset: u32) -> i32 {
        self.literals(length) - (AGAIN + 16 * offset.ilog2() as i32)
    }

    #[inline(always)]
    fn literals(&self, length: u32) -> i32 {
        // Longer ones are beyond comparison.
        length.min(1024) as i32 * self.literal
    }
}

/// No literal is thought cheaper: 2.5 bits.
const FLOOR: u64 = 40;
/// A length symbol and an offset symbol: 9 bits.
const BASE: i32 = 144;
/// A length symbol and an offset symbol, both of them frequent: 6 bits.
const AGAIN: i32 = 96;
