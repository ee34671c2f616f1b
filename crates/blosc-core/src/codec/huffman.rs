//! Lengths of Huffman codes, none above a limit. For zlib and zstd.

/// Computes code `lengths`, none above `limit`, for symbols with these frequencies. A symbol with frequency 0 gets no
/// code.
///
/// At least two symbols get a code, as not every decoder accepts fewer.
pub(crate) fn lengths(frequencies: &[u32], limit: u32, lengths: &mut [u8]) {
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

/// The weight of nodes that do not exist yet, more than any other.
const NONE: u64 = u32::MAX as u64;

#[inline(always)]
fn symbol(leaf: u32) -> usize {
    leaf as usize & ((1 << SHIFT) - 1)
}

/// Sorts leaves by frequency, in one pass: by the position of the highest bit and the five bits below it. Leaves that
/// differ less keep their order, which changes the size of data by less than 0.01 %. `most` is the highest frequency.
fn sort(leaves: &mut [u32], most: u32) {
    let mut spare = [0u32; 288];
    let mut places = [0u16; 1024];
    for &leaf in &*leaves {
        places[rank(leaf >> SHIFT)] += 1;
    }
    let mut next = 0;
    for place in &mut places[..=rank(most)] {
        next += core::mem::replace(place, next);
    }
    for &leaf in &*leaves {
        let place = &mut places[rank(leaf >> SHIFT)];
        spare[usize::from(*place)] = leaf;
        *place += 1;
    }
    leaves.copy_from_slice(&spare[..leaves.len()]);
}

/// Returns the frequency itself up to 63, and above a number that grows with its logarithm.
#[inline(always)]
fn rank(frequency: u32) -> usize {
    let shift = (frequency | 32).ilog2() - 5;
    (shift * 32 + (frequency >> shift)) as usize & 1023
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
/// Depths beyond the limit are cut to it. While the Kraft sum is too large, a leaf moves down by one level, the
/// [cheapest] first.
fn count_depths(leaves: &[u32], limit: u32, depths: &mut [u16; 16]) {
    let n = leaves.len();
    let weight_of = |leaf: usize| leaves.get(leaf).map_or(NONE, |leaf| u64::from(leaf >> SHIFT));
    let mut weights = [NONE; 290];
    let mut parents = [0u16; 290];
    let (mut leaf, mut inner) = (0, 0);
    for node in 0..n - 1 {
        // The children are two of the first two of each queue. No branches: which ones is unpredictable.
        let (a, b) = ([weight_of(leaf), weight_of(leaf + 1)], [weights[inner], weights[inner + 1]]);
        let is_leaf = a[0] <= b[0];
        let are_leaves = is_leaf & (a[1] <= b[0]);
        let are_inner = !is_leaf & (b[1] < a[0]);
        (parents[inner], parents[inner + 1]) = (node as u16, node as u16);
        let mixed = a[0] + b[0];
        let alike = if is_leaf { a[0] + a[1] } else { b[0] + b[1] };
        weights[node] = if are_leaves | are_inner { alike } else { mixed };
        leaf += usize::from(!are_inner) + usize::from(are_leaves);
        inner += usize::from(!are_leaves) + usize::from(are_inner);
    }
    let limit = limit as usize;
    // The Kraft sum, in units of `2^-limit`.
    let mut kraft = 0u32;
    // Inner nodes of one depth follow each other, like their parents.
    let (mut first, mut end) = (n - 2, n - 1);
    let mut depth = 0;
    while first < end {
        let above = first;
        let inner = (end - first) as u16;
        end = first;
        while first > 0 && usize::from(parents[first - 1]) >= above {
            first -= 1;
        }
        depth += 1;
        let leaves = 2 * inner - (end - first) as u16;
        depths[depth.min(limit)] += leaves;
        kraft += u32::from(leaves) << (limit - depth.min(limit));
    }
    while kraft > 1 << limit {
        let depth = cheapest(leaves, limit, depths, kraft - (1 << limit));
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

/// Returns the depth at which a leaf moves down at the lowest cost: the rarest leaf of a depth, its frequency divided by
/// what it frees of the `excess`. The next level takes half of a leaf's share.
fn cheapest(leaves: &[u32], limit: usize, depths: &[u16; 16], excess: u32) -> usize {
    // The number of leaves below the current depth, which are rarer.
    let mut rarer = usize::from(depths[limit]);
    let (mut best, mut lowest, mut most_freed) = (limit - 1, u64::MAX, 0);
    for depth in (1..limit).rev() {
        if depths[depth] > 0
            && let Some(leaf) = leaves.get(rarer)
        {
            let cost = u64::from(leaf >> SHIFT);
            let freed = u64::from((1 << (limit - depth - 1)).min(excess));
            if most_freed == 0 || cost * most_freed < lowest * freed {
                (best, lowest, most_freed) = (depth, cost, freed);
            }
        }
        rarer += usize::from(depths[depth]);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bits of symbols with these frequencies, after a check of the code.
    fn bits(frequencies: &[u32], limit: u32) -> u64 {
        let mut of_symbols = vec![0; frequencies.len()];
        lengths(frequencies, limit, &mut of_symbols);
        let used = of_symbols.iter().filter(|&&length| length > 0);
        let kraft: u64 = used.map(|&length| 1 << (limit - u32::from(length))).sum();
        assert!(kraft <= 1 << limit, "{of_symbols:?}");
        frequencies.iter().zip(of_symbols).map(|(&n, length)| u64::from(n) * u64::from(length)).sum()
    }

    /// The lower half of a linspace: 16 frequent bytes, and 240 that need more than eleven bits.
    #[test]
    fn a_limit_costs_frequent_symbols_little() {
        let frequencies: Vec<u32> = (0..256).map(|symbol| if symbol % 16 == 0 { 1028 } else { 4 }).collect();
        // Twelve codes of four bits, four of five, and 240 of eleven.
        assert!(bits(&frequencies, 11) <= (12 * 4 + 4 * 5) * 1028 + 240 * 11 * 4);
    }

    #[test]
    fn codes_are_decodable_at_every_limit() {
        for limit in 8..=15 {
            for base in [1.0, 1.05, 1.3, 2.0] {
                let frequencies: Vec<u32> = (0..200).map(|i| f64::powi(base, i).min(1e6) as u32).collect();
                assert!(bits(&frequencies, limit) > 0);
            }
        }
    }
}
