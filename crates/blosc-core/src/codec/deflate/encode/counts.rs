//! Counts of symbols, and their size by entropy.

use super::super::symbols::{LITLENS, MAX_MATCH, OFFSETS};
use super::sequence::{Sequence, length_symbol, offset_symbol, pieces};

/// Number of occurrences of each symbol.
#[derive(Clone)]
pub(super) struct Counts {
    pub(super) litlen: [u32; LITLENS],
    pub(super) offset: [u32; OFFSETS],
}

impl Default for Counts {
    fn default() -> Self {
        Counts { litlen: [0; LITLENS], offset: [0; OFFSETS] }
    }
}

impl Counts {
    /// Counts the symbols of a match, if there is one, and returns their number.
    #[inline(always)]
    pub(super) fn add_match(&mut self, sequence: Sequence) -> u32 {
        if sequence.length == 0 {
            return 0;
        }
        let (full, others) = pieces(sequence.length);
        self.litlen[length_symbol(MAX_MATCH).0] += full;
        let mut n = full;
        for piece in others {
            if piece > 0 {
                self.litlen[length_symbol(piece).0] += 1;
                n += 1;
            }
        }
        self.offset[offset_symbol(sequence.offset).0] += n;
        2 * n
    }

    /// Adds other counts and returns the number of different symbols in those.
    pub(super) fn add(&mut self, others: &Counts) -> u64 {
        let mut used = 0;
        for (to, from) in self.litlen.iter_mut().zip(&others.litlen) {
            *to += from;
            used += u64::from(*from > 0);
        }
        for (to, from) in self.offset.iter_mut().zip(&others.offset) {
            *to += from;
            used += u64::from(*from > 0);
        }
        used
    }

    /// Returns the size of all symbols in bits, without extra bits.
    pub(super) fn entropy(&self) -> u64 {
        entropy(&self.litlen) + entropy(&self.offset)
    }

    /// Returns a lower bound of the size of a header with codes for all symbols, in bits, which is seldom reached.
    pub(super) fn least_header(&self) -> u64 {
        let used = self.litlen.iter().chain(&self.offset).filter(|&&n| n > 0).count() as u64;
        40 + 2 * used
    }

    /// Returns the number of all extra bits.
    pub(super) fn extra_bits(&self) -> u64 {
        let lengths = self.litlen[265..285].iter().enumerate().map(|(i, &n)| u64::from(n) * (i as u64 / 4 + 1));
        let offsets = self.offset[4..].iter().enumerate().map(|(i, &n)| u64::from(n) * (i as u64 / 2 + 1));
        lengths.sum::<u64>() + offsets.sum::<u64>()
    }
}

/// Counts of literals. Equal consecutive bytes would wait for each other's increment, so neighbours go to different
/// lanes.
pub(super) struct Lanes([[u32; 256]; 4]);

impl Lanes {
    pub(super) fn new() -> Self {
        Lanes([[0; 256]; 4])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, literals: &[u8]) {
        let (fours, rest) = literals.as_chunks::<4>();
        for four in fours {
            for (lane, &byte) in self.0.iter_mut().zip(four) {
                lane[usize::from(byte)] += 1;
            }
        }
        for &byte in rest {
            self.0[0][usize::from(byte)] += 1;
        }
    }

    /// [`Lanes::add`] for bytes with runs.
    pub(super) fn add_runs(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            if *eight == [eight[0]; 8] {
                self.0[0][usize::from(eight[0])] += 8;
            } else {
                self.add(eight);
            }
        }
        self.add(rest);
    }

    /// Returns the size of the literals in bits, by entropy.
    pub(super) fn entropy(&self) -> u64 {
        let mut counts = Counts::default();
        self.sum(&mut counts);
        entropy(&counts.litlen[..256])
    }

    pub(super) fn sum(&self, counts: &mut Counts) {
        let [a, b, c, d] = &self.0;
        for (i, to) in counts.litlen[..256].iter_mut().enumerate() {
            *to = a[i] + b[i] + c[i] + d[i];
        }
    }
}

/// Returns the size of symbols with these frequencies in bits: the sum of n * log2(all / n).
fn entropy(counts: &[u32]) -> u64 {
    let mut all = 0;
    let mut sum = 0;
    for &n in counts {
        all += n;
        sum += u64::from(n) * log2(n);
    }
    (u64::from(all) * log2(all)).saturating_sub(sum) >> 8
}

/// Returns 256 * log2(n), with an error of about 1; 0 for 0.
#[inline(always)]
pub(super) fn log2(n: u32) -> u64 {
    let high = (n | 1).ilog2();
    // The eight bits below the highest.
    let next = (u64::from(n | 1) << 8 >> high) as usize & 0xFF;
    u64::from(high) << 8 | u64::from(LOG2[next])
}

/// 256 * log2(1 + i / 256).
const LOG2: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        // Computes eight binary digits of the logarithm. Squaring doubles it; a digit is set if that reaches 2.
        let mut x = (256 + i as u64) << 22;
        let (mut digit, mut log) = (0, 0u16);
        while digit < 8 {
            x = (x * x) >> 30;
            log <<= 1;
            if x >= 2 << 30 {
                x >>= 1;
                log |= 1;
            }
            digit += 1;
        }
        table[i] = log as u8;
        i += 1;
    }
    table
};
