//! Sequences, the output of the searches, and the symbols that encode them.

use super::super::symbols::{MAX_MATCH, MIN_MATCH};

/// Literals, followed by a match: `length` bytes that also occur `offset` bytes earlier. A length of 0 is no match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    /// Of any size. The format's own matches have at most [`MAX_MATCH`] bytes; see [`pieces`].
    pub(super) length: u32,
    pub(super) offset: u32,
}

/// The longest run of literals in one sequence.
pub(super) const MAX_LITERALS: u32 = 4096;

/// Splits a match of any length into a number of matches of [`MAX_MATCH`] and up to two others (0 if there is none).
///
/// If the remainder is too short for a match, it takes some bytes from the previous one.
#[inline(always)]
pub(super) fn pieces(length: u32) -> (u32, [u32; 2]) {
    let (full, rest) = (length / MAX_MATCH, length % MAX_MATCH);
    match rest {
        1 | 2 if full > 0 => (full - 1, [MAX_MATCH + rest - MIN_MATCH, MIN_MATCH]),
        rest => (full, [rest, 0]),
    }
}

/// Returns the symbol and the number of extra bits of a length from 3 to 258.
#[inline(always)]
pub(super) fn length_symbol(length: u32) -> (usize, u32) {
    let [symbol, extra] = LENGTH_SYMBOLS[length as usize & 511];
    (257 + usize::from(symbol), extra.into())
}

/// Returns the symbol and the number of extra bits of an offset from 1 to 32768. The extra bits are the low ones of
/// `offset - 1`.
#[inline(always)]
pub(super) fn offset_symbol(offset: u32) -> (usize, u32) {
    let n = offset.wrapping_sub(1);
    if n < 2 {
        return (n as usize, 0);
    }
    // Two symbols for each power of two, by the bit below the highest.
    let high = n.ilog2();
    (((high << 1) + (n >> (high - 1) & 1)) as usize, high - 1)
}

/// The low bits of `length - 3` are the extra bits, except for 258, which has none.
const LENGTH_SYMBOLS: [[u8; 2]; 512] = {
    let mut table = [[0; 2]; 512];
    let mut length = 3;
    while length < 258 {
        let n = length as u32 - 3;
        table[length] = if n < 4 {
            [n as u8, 0]
        } else {
            // Four symbols for each power of two, by the two bits below the highest.
            let high = n.ilog2();
            [((high << 2) + (n >> (high - 2) & 3)) as u8 - 4, high as u8 - 2]
        };
        length += 1;
    }
    table[258] = [28, 0];
    table
};
