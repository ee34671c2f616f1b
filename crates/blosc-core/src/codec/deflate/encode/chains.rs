//! Hash chains: all positions whose first bytes have the same hash are linked from the newest to the oldest.
//!
//! The number of hashed bytes is four to six and may change at any position. Positions that were inserted with another
//! number are not found.
//!
//! Positions are stored as their low 16 bits. A position that is further back is read as a nearer one. The bytes there
//! are compared, so they either differ or form a valid match. The same holds for an empty place, which has position 0.

use super::super::symbols::MAX_OFFSET;
use crate::memory::{self, OutOfMemory};

/// Maximum and minimum bits of a hash.
const LOG: u32 = 16;
const MIN_LOG: u32 = 9;
/// Bits of a hash of three bytes.
const THREES_LOG: u32 = 13;

const WINDOW: usize = MAX_OFFSET as usize;

/// The tables; reusable. Only the part that an input needs is cleared.
pub(super) struct HashChains {
    heads: Box<[u16; 1 << LOG]>,
    /// By position in the window: the next older position.
    links: Box<[u16; WINDOW]>,
    threes: Box<[u16; 1 << THREES_LOG]>,
}

impl HashChains {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let (heads, links, threes) = (memory::zeroed_box()?, memory::zeroed_box()?, memory::zeroed_box()?);
        Ok(HashChains { heads, links, threes })
    }

    /// Returns the chains without positions, for an input of `len` bytes.
    pub(super) fn clear_for(&mut self, len: usize, has_threes: bool) -> Chains<'_> {
        let log = (usize::BITS - len.leading_zeros()).clamp(MIN_LOG, LOG);
        self.heads[..1 << log].fill(0);
        if has_threes {
            self.threes.fill(0);
        }
        let (heads, links, threes) = (&mut self.heads, &mut self.links, &mut self.threes);
        Chains { heads, links, threes, shift: 64 - log, unused: 32 }
    }
}

/// The part of [`HashChains`] for one input.
pub(super) struct Chains<'a> {
    heads: &'a mut [u16; 1 << LOG],
    links: &'a mut [u16; WINDOW],
    threes: &'a mut [u16; 1 << THREES_LOG],
    /// Shifts a product to a hash.
    shift: u32,
    /// Number of bits of eight bytes that are not hashed.
    unused: u32,
}

impl Chains<'_> {
    /// Sets the number of bytes that are hashed from now on, up to eight.
    pub(super) fn set_width(&mut self, width: u32) {
        self.unused = 64 - 8 * width;
    }

    /// Inserts a position that starts with `eight`. Returns the newest one with the same hash before it.
    #[inline(always)]
    pub(super) fn insert(&mut self, at: u32, eight: u64) -> u16 {
        let product = (eight << (self.unused & 63)).wrapping_mul(GOLDEN_64);
        // The shift leaves at most `LOG` bits.
        let hash = (product >> (self.shift & 63)) as usize & ((1 << LOG) - 1);
        let newest = core::mem::replace(&mut self.heads[hash], at as u16);
        self.links[at as usize % WINDOW] = newest;
        newest
    }

    /// Returns whether two positions whose first eight bytes have this difference differ in the bytes that are hashed.
    #[inline(always)]
    pub(super) fn differs(&self, difference: u64) -> bool {
        difference << (self.unused & 63) != 0
    }

    /// Returns the next older position with the hash of `position`.
    #[inline(always)]
    pub(super) fn older(&self, position: u32) -> u16 {
        self.links[position as usize % WINDOW]
    }

    /// Inserts a position by its first three bytes only. Returns the newest one with the same hash before it.
    #[inline(always)]
    pub(super) fn insert_three(&mut self, at: u32, four: u32) -> u16 {
        let hash = (four << 8).wrapping_mul(GOLDEN) >> (32 - THREES_LOG);
        core::mem::replace(&mut self.threes[hash as usize], at as u16)
    }
}

/// 2^32 divided by the golden ratio.
const GOLDEN: u32 = 2_654_435_761;
/// 2^64 divided by the golden ratio.
const GOLDEN_64: u64 = 0x9E37_79B9_7F4A_7C15;
