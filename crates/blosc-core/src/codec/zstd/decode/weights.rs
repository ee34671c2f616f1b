//! Reads the description of a Huffman code, and builds its table.
//!
//! A symbol of weight `w` has `1 << (w - 1)` cells, if the table has one cell for each symbol of weight 1. The weight
//! of the last symbol is not stored: it completes the table to a power of two.

use super::bits;
use super::fse::{Distribution, MAX_STATES};
use super::huffman::{MAX_BITS, Table};

/// Binary logarithm of the number of states of the largest table of weights.
const MAX_LOG: u32 = 6;

/// Number of weights that are stored, at most.
const MAX_STORED: usize = 255;

/// Reads the description at `src[start..end]` (RFC 8878, section 4.2.1), fills `table`, and returns the description's
/// end.
pub(super) fn read(src: &[u8], start: usize, end: usize, table: &mut Table) -> Option<(usize, f32)> {
    let header = usize::from(*src.get(start..end)?.first()?);
    let start = start + 1;
    let mut weights = [0_u8; MAX_STORED + 1];
    let (stored, len) = if header >= 128 {
        // Four bits each, the high ones first.
        let n = header - 127;
        let packed = src.get(start..end)?.get(..n.div_ceil(2))?;
        for (i, weight) in weights[..n].iter_mut().enumerate() {
            *weight = packed[i / 2] >> (4 * (1 - i % 2)) & 15;
        }
        (n, packed.len())
    } else {
        let compressed = start..start + header;
        if compressed.end > end {
            return None;
        }
        (decode(src.get(..compressed.end)?, compressed.start, &mut weights)?, header)
    };
    Some((start + len, fill(&mut weights, stored, table)?))
}

/// Decodes FSE-compressed weights from `src[start..]`, and returns their number.
///
/// Two states take turns. The stream ends when a state needs more bits than are left. The other state then emits the
/// last weight.
fn decode(src: &[u8], start: usize, weights: &mut [u8; MAX_STORED + 1]) -> Option<usize> {
    let (distribution, len) = Distribution::read(&src[start..], MAX_LOG, MAX_BITS as usize + 1)?;
    let mut table = [(0_u8, 0_u8, 0_u8); MAX_STATES];
    distribution.fill(&mut table[..1 << MAX_LOG], |symbol, bits, next| (symbol, bits as u8, next as u8));
    let start = start + len;
    let mut at = bits::start(src, &(start..src.len()))?;
    let mut states = [0; 2];
    for state in &mut states {
        *state = bits::take(src, &mut at, distribution.log)? as usize;
    }
    if at < start * 8 {
        return None;
    }
    let mut n = 0;
    loop {
        let (symbol, bits, next) = table[states[n % 2] & (MAX_STATES - 1)];
        // The last one is not stored.
        *weights[..MAX_STORED].get_mut(n)? = symbol;
        n += 1;
        if at - start * 8 < usize::from(bits) {
            *weights[..MAX_STORED].get_mut(n)? = table[states[n % 2] & (MAX_STATES - 1)].0;
            return Some(n + 1);
        }
        states[(n - 1) % 2] = usize::from(next) + bits::take(src, &mut at, bits.into())? as usize;
    }
}

/// Fills `table` for the first `stored` of `weights`, and the one that follows from them.
fn fill(weights: &mut [u8; MAX_STORED + 1], stored: usize, table: &mut Table) -> Option<f32> {
    let mut counts = [0_usize; 16];
    for &weight in &weights[..stored] {
        counts[usize::from(weight & 15)] += 1;
    }
    let sum: usize = (1..16).map(|weight| counts[weight] << (weight - 1)).sum();
    if sum == 0 {
        return None;
    }
    let log = sum.ilog2() + 1;
    let left = (1 << log) - sum;
    if log > MAX_BITS || !left.is_power_of_two() {
        return None;
    }
    let last = left.ilog2() + 1;
    weights[stored] = last as u8;
    counts[last as usize] += 1;
    if counts[1] < 2 || counts[1] % 2 != 0 {
        return None;
    }
    // Cells are ordered by weight, then by symbol.
    let mut next = [0; 16];
    let mut end = 0;
    for weight in 1..=log as usize {
        next[weight] = end;
        end += counts[weight] << (weight - 1 + (MAX_BITS - log) as usize);
    }
    for (symbol, &weight) in (0_u16..).zip(&weights[..=stored]) {
        if weight > 0 {
            let weight = usize::from(weight & 15);
            let bits = log as usize + 1 - weight;
            let start = next[weight];
            next[weight] = start + (1 << (MAX_BITS as usize - bits));
            table.get_mut(start..next[weight])?.fill(symbol << 8 | bits as u16);
        }
    }
    // The share of each length among the cells is its share among the symbols.
    let cells = |length: usize| (counts[log as usize + 1 - length] << (MAX_BITS as usize - length)) as f32;
    let mut pairs = 0.0;
    for first in 1..=log as usize {
        let second: f32 = (1..=(MAX_BITS as usize - first).min(log as usize)).map(cells).sum();
        pairs += cells(first) * second;
    }
    Some(pairs / (1 << (2 * MAX_BITS)) as f32)
}
