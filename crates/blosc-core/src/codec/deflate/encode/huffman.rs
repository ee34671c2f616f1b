//! The Huffman codes of a block.

use super::bits::code;
pub(super) use crate::codec::huffman::lengths;

/// Maximum code length of literals and lengths. Four codes and the rest of a byte fit into a word.
pub(super) const LITLEN_LIMIT: u32 = 14;
/// Maximum code length of offsets.
pub(super) const OFFSET_LIMIT: u32 = 15;

/// Computes the codes that `lengths` imply, as written: the highest bit of the code first.
pub(super) const fn codes(lengths: &[u8], codes: &mut [u32]) {
    let mut counts = [0u32; 16];
    let mut i = 0;
    while i < lengths.len() {
        counts[(lengths[i] & 15) as usize] += 1;
        i += 1;
    }
    let mut next = [0u32; 16];
    let mut length = 1;
    while length < 15 {
        next[length + 1] = (next[length] + counts[length]) << 1;
        length += 1;
    }
    let mut i = 0;
    while i < codes.len() && i < lengths.len() {
        let length = (lengths[i] & 15) as u32;
        let next = &mut next[length as usize];
        // A symbol without a code uses the counter of length 0, which results in no bits.
        codes[i] = code(((*next as u16).reverse_bits() as u32) >> (16 - length) & 0x7FFF, length);
        *next += 1;
        i += 1;
    }
}
