//! A hash table in rows: each row holds the newest positions with equal hash of their first four bytes.
//!
//! ```text
//!  hash of four bytes   row row row row row row row | tag (8 bits)
//!
//!  row r of 8 slots       slot   0     1     2     3     4     5     6     7
//!      tags               u8     5C    17    9E    5C    03    E1    5C    44
//!      positions          u16   901   902   118   377   590   612   731   840
//!      head               u8                 2, the oldest: the next position goes there
//! ```
//!
//! A search compares all tags of a row at once, in registers, and reads only the positions with equal tags. In
//! incompressible data, it mostly ends there, after one cache line. Hash chains, where each candidate depends on the
//! one before, took 1.7 times as long for the same parse at level 5 (geometric mean of ten shuffled data sets).
//!
//! Positions are stored as their low 16 bits. A position that is further back is read as a nearer one. The bytes there
//! are compared, so they either differ or form a valid match. The same holds for an empty slot, which has position 0
//! and tag 0.

use crate::memory::{self, OutOfMemory};

/// Maximum slots per row: one bit for each slot in 64.
const MAX_WIDTH: usize = 64;

const MIN_WIDTH: usize = 8;

/// One slot for each position within reach of an offset.
const SLOTS: usize = 1 << 16;

/// Minimum number of slots in use. The shortest inputs are inserted in no time.
const MIN_SLOTS: usize = 1 << 10;

/// The rows; reusable. Only the part that an input needs is cleared.
pub(super) struct RowTable {
    tags: Box<[u8]>,
    positions: Box<[u16]>,
    heads: Box<[u8]>,
    /// Number of slots in use, a power of two.
    used: usize,
}

impl RowTable {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        Ok(RowTable {
            tags: memory::zeroed(SLOTS)?.into_boxed_slice(),
            positions: memory::zeroed(SLOTS)?.into_boxed_slice(),
            heads: memory::zeroed(SLOTS / MIN_WIDTH)?.into_boxed_slice(),
            used: MIN_SLOTS,
        })
    }

    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut clone = RowTable::new()?;
        clone.copy_from(self);
        Ok(clone)
    }

    /// Clears the table and sizes it for an input of `len` bytes: two slots per byte, up to [`SLOTS`], since hashes are
    /// not distributed evenly.
    pub(super) fn clear_for(&mut self, len: usize) {
        self.used = len.min(SLOTS).next_power_of_two().saturating_mul(2).clamp(MIN_SLOTS, SLOTS);
        self.tags[..self.used].fill(0);
        self.positions[..self.used].fill(0);
        self.heads[..self.used / MIN_WIDTH].fill(0);
    }

    /// Copies all positions of `other`.
    pub(super) fn copy_from(&mut self, other: &RowTable) {
        let used = other.used;
        self.used = used;
        self.tags[..used].copy_from_slice(&other.tags[..used]);
        self.positions[..used].copy_from_slice(&other.positions[..used]);
        self.heads[..used / MIN_WIDTH].copy_from_slice(&other.heads[..used / MIN_WIDTH]);
    }
}

/// A [`RowTable`] in rows of `W` slots: 8, 16, 32 or 64.
pub(super) struct Rows<'a, const W: usize> {
    tags: &'a mut [u8; SLOTS],
    positions: &'a mut [u16; SLOTS],
    heads: &'a mut [u8; SLOTS / MIN_WIDTH],
    shift: u32,
}

/// The row of a hash, and the tag of a position in that row.
#[derive(Clone, Copy)]
pub(super) struct RowKey {
    row: usize,
    tag: u8,
}

impl<'a, const W: usize> Rows<'a, W> {
    pub(super) fn new(table: &'a mut RowTable) -> Option<Self> {
        const { assert!(W.is_power_of_two() && MIN_WIDTH <= W && W <= MAX_WIDTH) };
        let shift = u32::BITS - u8::BITS - (table.used / W).trailing_zeros();
        let (tags, positions) = (table.tags.first_chunk_mut()?, table.positions.first_chunk_mut()?);
        Some(Rows { tags, positions, heads: table.heads.first_chunk_mut()?, shift })
    }

    /// Returns the place of a position that starts with the bytes `four`.
    #[inline(always)]
    pub(super) fn place(&self, four: u32) -> RowKey {
        // 2^32 divided by the golden ratio.
        let hash = four.wrapping_mul(2_654_435_761) >> (self.shift & 31);
        RowKey { row: (hash >> u8::BITS) as usize & (SLOTS / W - 1), tag: hash as u8 }
    }

    /// Inserts a position, replacing the oldest one.
    #[inline(always)]
    pub(super) fn note(&mut self, place: RowKey, at: u32) {
        let head = &mut self.heads[place.row];
        let slot = place.row * W + usize::from(*head) % W;
        *head = head.wrapping_add(1);
        self.tags[slot] = place.tag;
        self.positions[slot] = at as u16;
    }

    /// Returns the slots with this tag, and the positions of the row. Some of the positions may be of other bytes.
    #[inline(always)]
    pub(super) fn candidates(&self, place: RowKey) -> (Hits, &[u16; W]) {
        let hits = Hits::new(&self.tags.as_chunks::<W>().0[place.row], place.tag);
        (hits, &self.positions.as_chunks::<W>().0[place.row])
    }
}

/// The slots of a row with a given tag. Bit 8 i + k stands for slot 8 k + i.
pub(super) struct Hits(u64);

impl Hits {
    /// Compares eight tags per step, as bytes of a word. (For comparisons of `u8`, LLVM computes the bits one by one.)
    #[inline(always)]
    fn new<const W: usize>(tags: &[u8; W], tag: u8) -> Self {
        const LOW_7: u64 = u64::MAX / 255 * 0x7F;
        let wanted = u64::from(tag) * (u64::MAX / 255);
        let mut hits = 0;
        for (k, tags) in tags.as_chunks::<8>().0.iter().enumerate() {
            let difference = u64::from_le_bytes(*tags) ^ wanted;
            // Bit 7 of each byte that is not 0. No carry leaves a byte.
            let differs = ((difference & LOW_7) + LOW_7) | difference;
            hits |= !(differs | LOW_7) >> (7 - k);
        }
        Hits(hits)
    }
}

impl Iterator for Hits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.checked_sub(1)?;
        Some(bit % 8 * 8 + bit / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hits<const W: usize>(tags: &[u8], tag: u8) -> (Vec<usize>, Vec<usize>) {
        let tags: &[u8; W] = tags.first_chunk().unwrap();
        let mut found: Vec<_> = Hits::new(tags, tag).collect();
        found.sort_unstable();
        (found, (0..W).filter(|&slot| tags[slot] == tag).collect())
    }

    proptest! {
        #[test]
        fn hits_are_the_slots_of_a_tag(mut tags in prop::collection::vec(any::<u8>(), 64), equal in any::<u64>(), tag in any::<u8>()) {
            for (slot, other) in tags.iter_mut().enumerate() {
                if equal >> slot & 1 == 1 {
                    *other = tag;
                }
            }
            for (found, expected) in [hits::<8>(&tags, tag), hits::<16>(&tags, tag), hits::<32>(&tags, tag), hits::<64>(&tags, tag)] {
                prop_assert_eq!(found, expected);
            }
        }
    }
}
