//! Hash tables of positions, for the fast encoder.

use super::{MATCH_START_LIMIT, MAX_INPUT};

// 16 KiB each, half of the L1 cache.
pub(super) const NEAR_LOG: u32 = 13;
pub(super) const FAR_LOG: u32 = 12;

/// Inputs below this size have no match that starts after position 65535, so 16 bits hold all their positions.
pub(super) const NEAR_INPUT: usize = (1 << 16) + MATCH_START_LIMIT - 1;

/// A hash table of positions. An empty slot is 0, which is also a valid position in every block.
pub(super) trait Positions {
    /// Whether a position can be too far back for an offset.
    const FAR: bool;
    /// Each miss adds this to the next step, in 64ths of a byte.
    const GROWTH: u32 = 1;
    /// Whether a search examines two positions in each round of its loop. In streams of at most 256 bytes it ends after few
    /// rounds, and one position is faster.
    const PAIRS: bool = true;
    /// Returns the slot for the first bytes of `word`.
    fn slot(&self, word: u64) -> usize;
    /// Stores `position` and returns the previous one, which is the candidate to compare with.
    fn swap(&mut self, slot: usize, position: u32) -> u32;
}

/// Returns the multiplicative hash of the first `BYTES` bytes of `word`. The high bits are the best distributed.
#[inline(always)]
pub(super) fn hash<const BYTES: u32>(word: u64) -> u32 {
    match BYTES {
        // 2^32 divided by the golden ratio, and a prime of 40 bits.
        4 => (word as u32).wrapping_mul(2_654_435_761),
        5 => ((word << 24).wrapping_mul(889_523_592_379) >> 32) as u32,
        // 2^64 divided by the golden ratio.
        _ => ((word << (64 - 8 * BYTES)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32,
    }
}

/// 16-bit positions, indexed by the top `LOG` bits of a hash.
pub(super) struct Near<'a, const BYTES: u32, const LOG: u32, const GROWTH: u32> {
    pub(super) slots: &'a mut [u16; 1 << NEAR_LOG],
}

impl<const BYTES: u32, const LOG: u32, const GROWTH: u32> Positions for Near<'_, BYTES, LOG, GROWTH> {
    const FAR: bool = false;
    const GROWTH: u32 = GROWTH;
    const PAIRS: bool = LOG > 8;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        (hash::<BYTES>(word) >> (32 - LOG)) as usize & ((1 << LOG) - 1)
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        u32::from(std::mem::replace(&mut self.slots[slot], position as u16))
    }
}

/// The low 16 bits of positions. A slot stands for the last position with these bits.
pub(super) struct Wrapped<'a, const BYTES: u32> {
    pub(super) slots: &'a mut [u16; 1 << NEAR_LOG],
}

impl<const BYTES: u32> Positions for Wrapped<'_, BYTES> {
    const FAR: bool = false;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        (hash::<BYTES>(word) >> (32 - NEAR_LOG)) as usize
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        let before = std::mem::replace(&mut self.slots[slot], position as u16);
        match (position as u16).wrapping_sub(before) {
            // An empty slot, or a position out of reach: no position of any input.
            0 => MAX_INPUT as u32,
            distance => position.wrapping_sub(u32::from(distance)),
        }
    }
}

pub(super) struct Far<'a, const BYTES: u32> {
    pub(super) slots: &'a mut [u32; 1 << FAR_LOG],
}

impl<const BYTES: u32> Positions for Far<'_, BYTES> {
    const FAR: bool = true;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        (hash::<BYTES>(word) >> (32 - FAR_LOG)) as usize
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        std::mem::replace(&mut self.slots[slot], position)
    }
}
