//! Huffman codes of limited length.

use super::bits::code;

/// Maximum code length of literals and lengths. Four codes and the rest of a byte fit into a word.
pub(super) const LITLEN_LIMIT: u32 = 14;
/// Maximum code length of offsets.
pub(super) const OFFSET_LIMIT: u32 = 15;

/// Computes code `lengths`, none above `limit`, for symbols with these frequencies. A symbol with frequency 0 gets no
/// code.
///
/// At least two symbols get a code, as not every decoder accepts fewer.
pub(super) fn lengths(frequencies: &[u32], limit: u32, lengths: &mut [u8]) {
    lengths.fill(0);
    // Frequency in the high bits, symbol in the low bits: sorting needs no other data.
    let mut leaves = [0u32; 288];
    let mut n = 0;
    let mut most = 0;
    for (symbol, &frequency) in frequencies.iter().enumerate() {
        // A frequency has 23 bits. More than 8 million of one symbol are treated as 8 million.
        let frequency = frequency.min(MOST);
        leaves[n] = frequency << SHIFT | symbol as u32;
        n += usize::from(frequency > 0);
        most = most.max(frequency);
    }
    if n < 2 {
        let used = if n == 1 { symbol(leaves[0]) } else { 0 };
        lengths[used] = 1;
        lengths[usize::from(used == 0)] = 1;
        return;
    }
    let leaves = &mut leaves[..n];
    sort(leaves, most);
    let mut depths = [0u16; 16];
    count_depths(leaves, limit, &mut depths);
    // The rarest symbols get the longest codes.
    let mut leaves = leaves.iter();
    for (length, &count) in depths.iter().enumerate().rev() {
        for leaf in leaves.by_ref().take(usize::from(count)) {
            lengths[symbol(*leaf)] = length as u8;
        }
    }
}

/// Bits of a leaf that hold the symbol.
const SHIFT: u32 = 9;
/// The maximum frequency in a leaf. The sum over all symbols fits into 32 bits.
const MOST: u32 = (1 << (32 - SHIFT)) - 1;

#[inline(always)]
fn symbol(leaf: u32) -> usize {
    leaf as usize & ((1 << SHIFT) - 1)
}

/// Sorts leaves by frequency with a radix sort, in most blocks one or two digits of 8 bits. `most` is the highest
/// frequency.
fn sort(leaves: &mut [u32], most: u32) {
    let mut spare = [0u32; 288];
    let mut shift = SHIFT;
    loop {
        let digit = |leaf: u32| (leaf >> shift & 0xFF) as usize;
        let mut places = [0u16; 256];
        for &leaf in &*leaves {
            places[digit(leaf)] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            next += core::mem::replace(place, next);
        }
        for &leaf in &*leaves {
            let place = &mut places[digit(leaf)];
            spare[usize::from(*place)] = leaf;
            *place += 1;
        }
        leaves.copy_from_slice(&spare[..leaves.len()]);
        shift += 8;
        if shift >= 32 || most >> (shift - SHIFT) == 0 {
            return;
        }
    }
}

/// Counts the codes of each length.
///
/// Uses Huffman's algorithm with two queues, the leaves and the inner nodes. Inner nodes are created in ascending
/// order. Only the parent of each inner node is stored; the tree is then walked from the root down:
///
/// ```text
///   depth of a node = depth of its parent + 1,      leaves at a depth = 2 * inner nodes above - inner nodes there
/// ```
///
/// Depths beyond the limit are cut to it. While the Kraft sum is too large, a leaf moves down by one level, the deepest
/// first.
fn count_depths(leaves: &[u32], limit: u32, depths: &mut [u16; 16]) {
    let n = leaves.len();
    // Inner nodes that do not exist yet weigh more than any other.
    let mut weights = [u32::MAX; 288];
    let mut parents = [0u16; 288];
    let (mut leaf, mut inner) = (0, 0);
    for node in 0..n - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            // No branches: which queue is next is unpredictable.
            let of_leaf = leaves.get(leaf).map_or(u32::MAX, |leaf| leaf >> SHIFT);
            let of_inner = weights[inner];
            let is_leaf = of_leaf <= of_inner;
            weight += of_leaf.min(of_inner);
            parents[inner] = node as u16;
            leaf += usize::from(is_leaf);
            inner += usize::from(!is_leaf);
        }
        weights[node] = weight;
    }
    let mut depth_of = [0u8; 288];
    let mut inner_at = [0u16; 290];
    inner_at[0] = 1;
    for node in (0..n - 2).rev() {
        let depth = depth_of[usize::from(parents[node])].saturating_add(1);
        depth_of[node] = depth;
        inner_at[usize::from(depth)] += 1;
    }
    let limit = limit as usize;
    // The Kraft sum, in units of `2^-limit`.
    let mut kraft = 0u32;
    for depth in 1..inner_at.len() {
        let leaves = 2 * inner_at[depth - 1] - inner_at[depth];
        depths[depth.min(limit)] += leaves;
        kraft += u32::from(leaves) << (limit - depth.min(limit));
    }
    while kraft > 1 << limit {
        // A leaf moves down one level, which frees half of its share.
        let mut depth = limit - 1;
        while depths[depth] == 0 {
            depth -= 1;
        }
        depths[depth] -= 1;
        depths[depth + 1] += 1;
        kraft -= 1 << (limit - depth - 1);
    }
    // If more was freed than necessary, leaves move up again.
    let mut depth = limit;
    while kraft < 1 << limit && depth > 1 {
        if depths[depth] > 0 && kraft + (1 << (limit - depth)) <= 1 << limit {
            depths[depth] -= 1;
            depths[depth - 1] += 1;
            kraft += 1 << (limit - depth);
        } else {
            depth -= 1;
        }
    }
}

/// Computes the codes that `lengths` imply, as written: the highest bit of the code first.
pub(super) fn codes(lengths: &[u8], codes: &mut [u32]) {
    let mut counts = [0u32; 16];
    for &length in lengths {
        counts[usize::from(length & 15)] += 1;
    }
    let mut next = [0u32; 16];
    for length in 1..15 {
        next[length + 1] = (next[length] + counts[length]) << 1;
    }
    for (to, &length) in codes.iter_mut().zip(lengths) {
        let next = &mut next[usize::from(length & 15)];
        // A symbol without a code uses the counter of length 0, which results in no bits.
        *to = code(u32::from((*next as u16).reverse_bits()) >> (16 - u32::from(length & 15)) & 0x7FFF, length.into());
        *next += 1;
    }
}
