//! The high-compression encoder: its levels and its tables.

use super::chain::{Chains, Heads, Links};
use super::{MAX_DISTANCE, MAX_INPUT, lazy, mid};

/// Tables of positions; reusable, and not cleared between inputs: every input is numbered above the ones before, by so
/// much that none of their positions is in reach.
#[derive(Clone)]
pub(crate) struct HcTable {
    heads: Box<[u32]>,
    links: Box<[u16]>,
    /// The number of the next input's first position.
    base: u32,
}

/// With this for the first position of the first input, an empty slot, which says 0, is out of reach as well.
const FIRST_BASE: u32 = MAX_DISTANCE + 1;

impl Default for HcTable {
    fn default() -> Self {
        Self::new()
    }
}

impl HcTable {
    pub(crate) fn new() -> Self {
        HcTable {
            heads: vec![0; size_of::<Heads>() / size_of::<u32>()].into_boxed_slice(),
            links: vec![0; size_of::<Links>() / size_of::<u16>()].into_boxed_slice(),
            base: FIRST_BASE,
        }
    }

    #[cfg(test)]
    pub(super) fn start_at(&mut self, base: u32) {
        self.base = base;
    }

    /// The two tables.
    pub(super) fn parts(&mut self) -> Option<(&mut Heads, &mut Links)> {
        Some((self.heads.first_chunk_mut()?, self.links.first_chunk_mut()?))
    }

    /// Numbers an input of `len` bytes.
    pub(super) fn number(&mut self, len: u32) -> u32 {
        let after = |base: u32| base.checked_add(len)?.checked_add(MAX_DISTANCE + 1);
        if let Some(next) = after(self.base) {
            return std::mem::replace(&mut self.base, next);
        }
        // 4 GiB of input later.
        self.heads.fill(0);
        self.base = after(FIRST_BASE).unwrap_or(u32::MAX);
        FIRST_BASE
    }
}

/// Links of a chain that levels 3 to 9 follow. C's first three are 4, 8 and 16; with as few, doubles that were not
/// shuffled (prices) came out 2 % larger than C's.
const ATTEMPTS: [u32; 7] = [7, 12, 18, 32, 64, 128, 256];

/// As many as for level 3 for those below.
pub(super) fn attempts(level: u8) -> u32 {
    ATTEMPTS[usize::from(level.clamp(3, 9)) - 3]
}

/// Compresses `src` into `dst` and says how long the block is; `None` where it does not fit.
///
/// Levels 1 and 2 are one, the fastest; the others search longer from level to level ([`ATTEMPTS`]).
pub(crate) fn compress_hc(src: &[u8], dst: &mut [u8], level: u8, table: &mut HcTable) -> Option<usize> {
    if src.len() > MAX_INPUT {
        return None;
    }
    let base = table.number(src.len() as u32);
    let (heads, links) = table.parts()?;
    match level {
        0..=2 => mid::compress(src, dst, heads, base),
        _ => lazy::compress(src, 0, dst, Chains::new(src, 0, heads, links, base, attempts(level))),
    }
}
