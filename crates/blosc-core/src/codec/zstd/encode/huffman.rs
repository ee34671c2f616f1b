//! The Huffman code of literals, and its description: the weights.

use super::bits::BitWriter;
use super::fse::{self, Table};
use crate::codec::huffman;

/// Maximum length of a code.
const LIMIT: u32 = 11;

/// Codes of literals.
#[derive(Clone)]
pub(super) struct Code {
    /// For each symbol its code in the highest bits, and its length in the lowest byte.
    pub(super) codes: [u64; 256],
    lengths: [u8; 256],
    /// Length of the longest code.
    log: u8,
    max_symbol: u8,
}

impl Default for Code {
    fn default() -> Self {
        Code { codes: [0; 256], lengths: [0; 256], log: 0, max_symbol: 0 }
    }
}

impl Code {
    /// Returns a good limit of code lengths: few literals do not pay for the description of long codes.
    pub(super) fn usual_limit(counts: &[u32; 256], len: usize) -> u32 {
        (len.ilog2().saturating_sub(1)).max(used(counts).ilog2() + 2).clamp(5, LIMIT)
    }

    /// Computes the code of the limit from which a shorter one does not save more. Writes descriptions to `spare`.
    pub(super) fn fill_shortest(&mut self, counts: &[u32; 256], spare: &mut [u8]) {
        let lowest = used(counts).ilog2() + 1;
        let mut size_at = |code: &mut Code, limit| {
            code.fill(counts, limit);
            let (weights, bits) = code.put_weights(spare).zip(code.bits(counts))?;
            Some(8 * weights + bits)
        };
        let mut size = size_at(self, LIMIT);
        let mut limit = u32::from(self.log);
        // A shorter limit makes codes longer and their description shorter.
        while limit > lowest {
            let shorter = size_at(self, limit - 1);
            if shorter.is_none_or(|shorter| size.is_some_and(|size| size <= shorter)) {
                self.fill(counts, limit);
                break;
            }
            (size, limit) = (shorter, limit - 1);
        }
    }

    /// Computes the code for literals with these counts, of which at least two are positive, with lengths up to `limit`.
    pub(super) fn fill(&mut self, counts: &[u32; 256], limit: u32) {
        let max_symbol = counts.iter().rposition(|&n| n > 0).unwrap_or(0);
        huffman::lengths(counts, limit, &mut self.lengths);
        self.max_symbol = max_symbol as u8;
        let mut of_length = [0_u32; 16];
        for &length in &self.lengths[..=max_symbol] {
            of_length[usize::from(length & 15)] += 1;
        }
        of_length[0] = 0;
        self.log = of_length.iter().rposition(|&n| n > 0).unwrap_or(0) as u8;
        // The longest codes start from zero. Codes of one length count up with the symbols.
        let mut next = [0_u32; 16];
        let mut code = 0;
        for length in (1..=usize::from(self.log)).rev() {
            next[length] = code;
            code = (code + of_length[length]) >> 1;
        }
        for (to, &length) in self.codes.iter_mut().zip(&self.lengths[..=max_symbol]) {
            let next = &mut next[usize::from(length & 15)];
            // Symbols of length 0 do not occur.
            *to = u64::from(*next) << ((64 - u32::from(length)) & 63) | u64::from(length);
            *next += 1;
        }
    }

    /// Returns the number of bits of literals with these counts. `None` if one has no code.
    pub(super) fn bits(&self, counts: &[u32; 256]) -> Option<usize> {
        let mut sum = 0;
        let mut missing = 0;
        for (&n, &length) in counts.iter().zip(&self.lengths) {
            sum += n * u32::from(length);
            missing |= if length == 0 { n } else { 0 };
        }
        (missing == 0).then_some(sum as usize)
    }

    /// Writes the weights of all symbols but the last, which follows from the others. Returns their length, or `None` if
    /// they cannot be described.
    pub(super) fn put_weights(&self, dst: &mut [u8]) -> Option<usize> {
        let mut weights = [0_u8; 256];
        let n = usize::from(self.max_symbol);
        for (to, &length) in weights.iter_mut().zip(&self.lengths) {
            *to = if length > 0 { self.log + 1 - length } else { 0 };
        }
        let weights = &mut weights[..n];
        let nibbles = n.div_ceil(2);
        let (first, rest) = dst.split_first_mut()?;
        if let Some(len) = put_compressed(weights, rest)
            && len < 128
            && (len < nibbles || n > 128)
        {
            *first = len as u8;
            return Some(1 + len);
        }
        if n > 128 {
            return None;
        }
        *first = 127 + n as u8;
        for (to, pair) in rest.get_mut(..nibbles)?.iter_mut().zip(weights.chunks(2)) {
            *to = pair[0] << 4 | pair.get(1).unwrap_or(&0);
        }
        Some(1 + nibbles)
    }
}

/// Returns the number of symbols that occur.
fn used(counts: &[u32; 256]) -> usize {
    counts.iter().filter(|n| **n > 0).count()
}

/// Writes weights with finite state entropy: two states in turn, from the last weight to the first.
fn put_compressed(weights: &[u8], dst: &mut [u8]) -> Option<usize> {
    if weights.len() < 8 {
        return None;
    }
    let mut counts = [0_u32; 16];
    for &weight in weights {
        counts[usize::from(weight & 15)] += 1;
    }
    if counts.iter().filter(|n| **n > 0).count() < 2 {
        return None;
    }
    let log = (weights.len() as u32 - 1).ilog2().saturating_sub(2).clamp(5, 6);
    let distribution = fse::normalized(&counts, log);
    let header = fse::put_header(&distribution, dst)?;
    let mut table = Table::default();
    table.fill(&distribution);
    let mut bits = BitWriter::new(&mut dst[header..]);
    let mut states = [0; 2];
    for (i, &weight) in weights.iter().enumerate().rev() {
        let state = &mut states[i % 2];
        if i + 2 >= weights.len() {
            *state = table.last(weight);
        } else {
            *state = table.encode(weight, *state, &mut bits);
            bits.flush()?;
        }
    }
    table.put_state(states[1], &mut bits);
    table.put_state(states[0], &mut bits);
    Some(header + bits.close()?)
}
