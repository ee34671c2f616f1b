//! Reads the description of a Huffman code, and builds its table.
//!
//! A symbol of weight `w` has `1 << (w - 1)` cells, if the table has one cell for each symbol of weight 1. The weight
//! of the last symbol is not stored: it completes the table to a power of two.

use super::bits;
use super::fse::Distribution;
use super::huffman::{MAX_BITS, Table};
use crate::kernels::HotLoop;

/// Binary logarithm of the number of states of the largest table of weights.
const MAX_LOG: u32 = 6;

/// Number of weights that are stored, at most.
const MAX_STORED: usize = 255;

/// Number of weights that are decoded from one word.
const PER_WORD: usize = 8;

type Weights = [u8; MAX_STORED + 1];

/// A state of the table of weights.
#[derive(Clone, Copy, Default)]
#[repr(align(4))]
struct State {
    weight: u8,
    /// Number of bits that are added to `next`.
    bits: u8,
    next: u16,
}

/// Reads the description at `src[start..end]` (RFC 8878, section 4.2.1), fills `table`, and returns the description's
/// end, and the share of look-ups of two symbols that a table of pairs finds.
pub(super) struct Read<'a> {
    pub(super) src: &'a [u8],
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) table: &'a mut Table,
}

impl HotLoop for Read<'_> {
    type Output = Option<(usize, f32)>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Read { src, start, end, table } = self;
        read(src, start, end, table)
    }
}

#[inline(always)]
fn read(src: &[u8], start: usize, end: usize, table: &mut Table) -> Option<(usize, f32)> {
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
#[inline(always)]
fn decode(src: &[u8], start: usize, weights: &mut Weights) -> Option<usize> {
    let (distribution, len) = Distribution::read(&src[start..], MAX_LOG, MAX_BITS as usize + 1)?;
    let mut table = [State::default(); 1 << MAX_LOG];
    distribution.fill(&mut table, |weight, bits, next| State { weight, bits: bits as u8, next: next as u16 });
    let start = start + len;
    let mut at = bits::start(src, &(start..src.len()))?;
    let mut even = bits::take(src, &mut at, distribution.log)? as usize;
    let mut odd = bits::take(src, &mut at, distribution.log)? as usize;
    let mut left = at.checked_sub(start * 8)?;
    let mut n = 0;
    let (chunks, _) = weights[..MAX_STORED].as_chunks_mut::<PER_WORD>();
    for chunk in chunks {
        if left < PER_WORD * distribution.log as usize {
            break;
        }
        let mut word = bits::word(src, start * 8 + left)?;
        for pair in chunk.as_chunks_mut::<2>().0 {
            for (to, state) in pair.iter_mut().zip([&mut even, &mut odd]) {
                let State { weight, bits, next } = table[*state & (table.len() - 1)];
                *to = weight;
                *state = usize::from(next) + (word >> 1 >> (63 - (bits & 63))) as usize;
                word <<= bits & 63;
                left = left.wrapping_sub(usize::from(bits));
            }
        }
        n += PER_WORD;
    }
    // All bits that are left fit into a word, except after too many weights.
    let mut word = bits::word(src, start * 8 + left)?;
    loop {
        let State { weight, bits, next } = table[even & (table.len() - 1)];
        // The last one is not stored.
        *weights[..MAX_STORED].get_mut(n)? = weight;
        n += 1;
        (even, odd) = (odd, usize::from(next) + (word >> 1 >> (63 - (bits & 63))) as usize);
        word <<= bits & 63;
        left = match left.checked_sub(bits.into()) {
            Some(left) => left,
            None => {
                *weights[..MAX_STORED].get_mut(n)? = table[even & (table.len() - 1)].weight;
                return Some(n + 1);
            }
        };
    }
}

/// Fills `table` for the first `stored` of `weights`, and the one that follows from them. Returns
/// [`share_of_pairs`].
#[inline(always)]
fn fill(weights: &mut Weights, stored: usize, table: &mut Table) -> Option<f32> {
    let quarter = (stored + 1).div_ceil(4);
    let mut by_quarter = count(weights, quarter);
    let mut counts: [usize; 16] =
        core::array::from_fn(|weight| by_quarter.iter().map(|counts| usize::from(counts[weight])).sum());
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
    let counts_of_last = &mut by_quarter[(stored / quarter) & 3];
    counts_of_last[0] -= 1;
    counts_of_last[last as usize & 15] += 1;
    if counts[1] < 2 || !counts[1].is_multiple_of(2) {
        return None;
    }
    // Cells are ordered by weight, then by symbol.
    let sorted = sort(weights, quarter, &by_quarter);
    let (mut symbols, mut cells) = (&sorted[..], &mut table[..]);
    for weight in 1..=log {
        let (count, bits) = (counts[weight as usize], log + 1 - weight);
        let n = 1 << (MAX_BITS - bits);
        let symbols = symbols.split_off(..count)?;
        let cells = cells.split_off_mut(..count * n)?;
        let cell = |symbol: u8| u16::from(symbol) << 8 | bits as u16;
        match n {
            1 => repeat::<1>(symbols, cells, cell),
            2 => repeat::<2>(symbols, cells, cell),
            4 => repeat::<4>(symbols, cells, cell),
            8 => repeat::<8>(symbols, cells, cell),
            _ => {
                for (&symbol, to) in symbols.iter().zip(cells.chunks_exact_mut(n)) {
                    for to in to.as_chunks_mut::<16>().0 {
                        *to = [cell(symbol); 16];
                    }
                }
            }
        }
    }
    Some(share_of_pairs(&counts, log))
}

/// Writes a cell for each symbol, `N` times.
#[inline(always)]
fn repeat<const N: usize>(symbols: &[u8], cells: &mut [u16], cell: impl Fn(u8) -> u16) {
    for (&symbol, to) in symbols.iter().zip(cells.as_chunks_mut::<N>().0) {
        *to = [cell(symbol); N];
    }
}

/// Counts each weight in each quarter of `weights`.
///
/// An increment waits for the previous one of the same count, so the quarters are counted in turn.
#[inline(always)]
fn count(weights: &Weights, quarter: usize) -> [[u8; 16]; 4] {
    let mut counts = [[0; 16]; 4];
    for i in 0..quarter {
        for (part, counts) in counts.iter_mut().enumerate() {
            let weight = weights[(part * quarter + i) & MAX_STORED];
            counts[usize::from(weight & 15)] += 1;
        }
    }
    counts
}

/// Returns the symbols of weight 1, then of weight 2, and so on, and at the end the symbols of weight 0. `counts` is
/// the result of [`count`].
#[inline(always)]
fn sort(weights: &Weights, quarter: usize, counts: &[[u8; 16]; 4]) -> [u8; MAX_STORED + 1] {
    let mut next = [[0_u8; 16]; 4];
    let mut start = 0_u8;
    for weight in (1..16).chain([0]) {
        for (next, counts) in next.iter_mut().zip(counts) {
            next[weight] = start;
            start = start.wrapping_add(counts[weight]);
        }
    }
    let mut sorted = [0; MAX_STORED + 1];
    for i in 0..quarter {
        for (part, next) in next.iter_mut().enumerate() {
            let symbol = (part * quarter + i) & MAX_STORED;
            let next = &mut next[usize::from(weights[symbol] & 15)];
            sorted[usize::from(*next)] = symbol as u8;
            *next = next.wrapping_add(1);
        }
    }
    sorted
}

/// Returns the share of look-ups that find two symbols, whose codes have at most [`MAX_BITS`] together.
fn share_of_pairs(counts: &[usize; 16], log: u32) -> f32 {
    // The share of each length among the cells is its share among the symbols.
    let mut up_to = [0_usize; MAX_BITS as usize + 1];
    let mut cells = up_to;
    for length in 1..=MAX_BITS as usize {
        let weight = (log as usize + 1).saturating_sub(length);
        cells[length] = if weight > 0 { counts[weight & 15] << (MAX_BITS as usize - length) } else { 0 };
        up_to[length] = up_to[length - 1] + cells[length];
    }
    let pairs: usize = (1..=MAX_BITS as usize).map(|first| cells[first] * up_to[MAX_BITS as usize - first]).sum();
    pairs as f32 / (1 << (2 * MAX_BITS)) as f32
}
