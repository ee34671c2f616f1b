//! Index vectors and masks of shuffle with AVX-512, all computed at compile time.
//!
//! A typesize is `Q * B`, with `Q` odd and `B` a power of two. The `shuffle` module describes the scheme.

use super::super::lanes::inverse;

/// Indices for `vpermb`, aligned to a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Index(pub(super) [u8; 64]);

/// Masks of the bytes that a barrel of up to 16 vectors moves by 1, 2, 4 and 8 vectors.
pub(super) type Moves = [u64; 4];

/// The tables of a typesize in one direction.
#[derive(Debug)]
pub(super) struct Tables<const Q: usize, const B: usize> {
    /// Sorts the bytes of one piece of units by plane: one table for each group `g` and vector `i`.
    pub(super) sort: [[Index; B]; Q],
    /// Moves between the loaded vectors and groups of units.
    pub(super) units: Moves,
    /// Moves between pieces and planes.
    pub(super) blocks: Moves,
}

/// Rotates a vector by a number of 32-bit words.
pub(super) static TURNS: [Index; 16] = {
    let mut index = [Index([0; 64]); 16];
    let mut n = 0;
    while n < 64 * 16 {
        index[n / 64].0[n % 64] = ((n / 64 * 4 + n) % 64) as u8;
        n += 1;
    }
    index
};

/// Returns the tables for shuffle.
pub(super) const fn forth<const Q: usize, const B: usize>() -> Tables<Q, B> {
    Tables { sort: sort(), units: moves(B, inverse(64 / B, Q), Q), blocks: moves(64 / B, 1, B) }
}

/// Returns the tables for unshuffle, with the inverse of every permutation.
pub(super) const fn back<const Q: usize, const B: usize>() -> Tables<Q, B> {
    let mut tables = forth();
    let mut n = 0;
    while n < Q * B {
        tables.sort[n / B][n % B] = inverted(tables.sort[n / B][n % B]);
        n += 1;
    }
    tables
}

/// Returns the masks that move place `p` of blocks of `width` bytes by `p * factor % modulus` vectors.
const fn moves(width: usize, factor: usize, modulus: usize) -> Moves {
    let mut masks = [0; 4];
    let mut n = 0;
    while n < 256 {
        let (bit, byte) = (n / 64, n % 64);
        let distance = byte / width * factor % modulus;
        masks[bit] |= ((distance >> bit) as u64 & 1) << byte;
        n += 1;
    }
    masks
}

/// Returns the permutations that sort a group's units by plane.
///
/// Unit `e` of group `g` is at place `Q * e + g`, modulo the `64 / B` units of a vector. Block `w` of vector `i`
/// becomes plane `w - i`, so that no two vectors have the same plane in the same block.
const fn sort<const Q: usize, const B: usize>() -> [[Index; B]; Q] {
    let (mut index, units) = ([[Index([0; 64]); B]; Q], 64 / B);
    let mut n = 0;
    while n < 64 * B * Q {
        let (g, i, to) = (n / 64 / B, n / 64 % B, n % 64);
        let (block, e) = (to / units, to % units);
        index[g][i].0[to] = ((Q * e + g) % units * B + (block + B - i) % B) as u8;
        n += 1;
    }
    index
}

const fn inverted(index: Index) -> Index {
    let mut inverted = [0; 64];
    let mut to = 0;
    while to < 64 {
        inverted[index.0[to] as usize] = to as u8;
        to += 1;
    }
    Index(inverted)
}
