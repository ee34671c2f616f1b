//! Tables of finite state entropy for encoding, and their headers.

use super::bits::{BitWriter, low};
use crate::codec::zstd::decode::fse::{Distribution, MAX_STATES, MAX_SYMBOLS};
use crate::kernels::{HotLoop, run_hot};

/// The states that encode symbols. A state is a number from `1 << log` to twice that.
pub(super) struct Table {
    pub(super) log: u32,
    /// The states of each symbol, in ascending order, symbol after symbol.
    states: [u16; MAX_STATES],
    symbols: [Transition; 64],
}

/// How a symbol changes the state.
#[derive(Clone, Copy, Default)]
struct Transition {
    /// `(state + bits) >> 16` is the number of bits to write.
    bits: u32,
    /// The position of the next state, less the old one without these bits.
    states: i32,
}

impl Default for Table {
    fn default() -> Self {
        Table { log: 0, states: [0; MAX_STATES], symbols: [Transition::default(); 64] }
    }
}

impl Table {
    /// Fills the table.
    ///
    /// A symbol with `p` states has numbers `p..2 * p`, one for each of its states. To encode it, the current state is
    /// shifted right until it is such a number; the bits shifted out are written.
    pub(super) fn fill(&mut self, distribution: &Distribution) {
        run_hot(Fill { table: self, distribution });
    }

    #[inline(always)]
    fn fill_hot(&mut self, distribution: &Distribution) {
        let size = 1_u32 << distribution.log;
        self.log = distribution.log;
        let mut symbols = [0; MAX_STATES];
        distribution.spread(&mut symbols);
        let mut starts = [0_u16; 64];
        let mut start = 0_u32;
        for ((to, first), &states) in self.symbols.iter_mut().zip(&mut starts).zip(&distribution.states) {
            let p = u32::from(states.unsigned_abs());
            *first = start as u16;
            *to = Transition::default();
            if p > 0 {
                // The number of bits of the higher states; the lower ones write one less.
                let bits = distribution.log - if p > 1 { (p - 1).ilog2() } else { 0 };
                *to = Transition { bits: (bits << 16).wrapping_sub(p << bits), states: start as i32 - p as i32 };
                start += p;
            }
        }
        for (state, &symbol) in (size..2 * size).zip(&symbols) {
            let place = &mut starts[usize::from(symbol & 63)];
            self.states[usize::from(*place) & (MAX_STATES - 1)] = state as u16;
            *place += 1;
        }
    }

    /// Makes a table for one symbol, which is encoded in no bits.
    pub(super) fn fill_run(&mut self) {
        self.log = 0;
        self.states[0] = 1;
        self.symbols = [Transition { bits: 0_u32.wrapping_sub(1), states: -1 }; 64];
    }

    /// Returns the lowest state of a symbol, with which a stream ends.
    #[inline(always)]
    pub(super) fn last(&self, symbol: u8) -> u32 {
        let Transition { bits, states } = self.symbols[usize::from(symbol & 63)];
        let n = bits.wrapping_add(1 << 15) >> 16;
        let number = (n << 16).wrapping_sub(bits) >> (n & 31);
        u32::from(self.states[number.wrapping_add_signed(states) as usize & (MAX_STATES - 1)])
    }

    /// Encodes a symbol: writes at most `log` bits and returns the next state.
    #[inline(always)]
    pub(super) fn encode(&self, symbol: u8, state: u32, bits: &mut BitWriter<'_>) -> u32 {
        let Transition { bits: delta, states } = self.symbols[usize::from(symbol & 63)];
        let n = state.wrapping_add(delta) >> 16;
        bits.add(low(state, n), n);
        u32::from(self.states[(state >> (n & 31)).wrapping_add_signed(states) as usize & (MAX_STATES - 1)])
    }

    /// Writes the state from which the decoder starts.
    #[inline(always)]
    pub(super) fn put_state(&self, state: u32, bits: &mut BitWriter<'_>) {
        bits.add(low(state, self.log), self.log);
    }
}

struct Fill<'a> {
    table: &'a mut Table,
    distribution: &'a Distribution,
}

impl HotLoop for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.table.fill_hot(self.distribution);
    }
}

/// Assigns `1 << log` states to symbols, about in proportion to `counts`. At least two counts are positive, and there
/// are no more of them than states.
pub(super) fn normalized(counts: &[u32], log: u32) -> Distribution {
    let len = counts.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1).min(MAX_SYMBOLS);
    let total: u64 = counts[..len].iter().map(|&n| u64::from(n)).sum();
    let step = (1_u64 << (32 + log)) / total.max(1);
    let mut states = [0; MAX_SYMBOLS];
    let mut left = 1_i32 << log;
    for (to, &n) in states.iter_mut().zip(&counts[..len]) {
        if n > 0 {
            *to = (((u64::from(n) * step + (1 << 31)) >> 32) as i16).max(1);
            left -= i32::from(*to);
        }
    }
    // Rounding errors go to the most frequent symbols, which they change least.
    while left != 0 {
        let Some(most) = states.iter_mut().max() else { break };
        let change = left.max(-i32::from(*most / 8) - 1).max(1 - i32::from(*most));
        if change == 0 {
            break;
        }
        *most += change as i16;
        left -= change;
    }
    Distribution { log, len, states }
}

/// Writes the header that [`Distribution::read`] reads. Returns its length.
pub(super) fn put_header(distribution: &Distribution, dst: &mut [u8]) -> Option<usize> {
    let mut bits = BitWriter::new(dst);
    bits.add(distribution.log - 5, 4);
    let mut left = 1_u32 << distribution.log;
    let mut states = distribution.states[..distribution.len].iter().peekable();
    while let Some(&p) = states.next() {
        let number = (p + 1) as u32;
        let n = 32 - (left + 1).leading_zeros();
        let short = (1 << n) - 1 - (left + 1);
        match number {
            _ if number < short => bits.add(number, n - 1),
            _ if number >> (n - 1) != 0 => bits.add(number + short, n),
            _ => bits.add(number, n),
        }
        left -= u32::from(p.unsigned_abs());
        if p == 0 {
            let mut zeros = 0;
            while states.next_if(|&&p| p == 0).is_some() {
                zeros += 1;
            }
            for _ in 0..zeros / 3 {
                bits.add(3, 2);
                bits.flush()?;
            }
            bits.add(zeros % 3, 2);
        }
        bits.flush()?;
    }
    bits.finish()
}

/// Returns the size of symbols with these counts in units of 1/256 bit. `None` if one of them has no state.
pub(super) fn cost(counts: &[u32], distribution: &Distribution) -> Option<u64> {
    let mut cost = 0;
    for (i, &n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
        let states = distribution.states.get(i).copied().unwrap_or(0);
        if states == 0 {
            return None;
        }
        cost += u64::from(n) * u64::from((distribution.log << 8) - log2(u32::from(states.unsigned_abs())));
    }
    Some(cost)
}

/// Returns 256 * log2(n) for 1 to 2^24, with an error of about 2.
pub(super) fn log2(n: u32) -> u32 {
    let high = n.ilog2();
    let f = ((n << 8) >> high) - 256;
    (high << 8) + f + ((f * (256 - f) * 88) >> 16)
}
