//! Tables of finite state entropy: the distribution of a header, and the order of its symbols among the states.
//!
//! A table has a power of two of states. A symbol of probability `p` (in states) is assigned `p` of them. From such a
//! state, the decoder emits the symbol and reads the bits that choose the next state among `1 << bits` neighbors.

use super::bits::Forward;

/// Number of states of the largest table.
pub(in crate::codec::zstd) const MAX_STATES: usize = 512;

/// Number of symbols of the largest alphabet: codes of match lengths.
pub(in crate::codec::zstd) const MAX_SYMBOLS: usize = 53;

/// Number of states that are filled at a time.
const OVERRUN: usize = 16;

/// How many states each symbol has. -1 stands for one state at the end of the table, which reads all its bits.
pub(in crate::codec::zstd) struct Distribution {
    pub(in crate::codec::zstd) log: u32,
    pub(in crate::codec::zstd) len: usize,
    pub(in crate::codec::zstd) states: [i16; MAX_SYMBOLS],
}

impl Distribution {
    /// Returns a distribution that is part of the format.
    pub(super) const fn fixed<const N: usize>(log: u32, states: [i16; N]) -> Self {
        let mut padded = [0; MAX_SYMBOLS];
        let mut i = 0;
        while i < N {
            padded[i] = states[i];
            i += 1;
        }
        Distribution { log, len: N, states: padded }
    }

    /// Reads the header at the front of `src` (RFC 8878, section 4.1.1), and returns its length too.
    ///
    /// A number is a probability plus one. If `left` states are not assigned yet, it is at most `left + 1`. Numbers have
    /// `n` bits, the length of that maximum. `n` bits have `short` values more than are needed. So the lowest `short`
    /// numbers have one bit less.
    #[inline(always)]
    pub(in crate::codec::zstd) fn read(src: &[u8], max_log: u32, max_len: usize) -> Option<(Self, usize)> {
        let mut bits = Forward::new(src);
        let log = (bits.peek() & 15) + 5;
        bits.skip(4);
        if log > max_log {
            return None;
        }
        let mut distribution = Distribution { log, len: 0, states: [0; MAX_SYMBOLS] };
        let mut left = 1_u32 << log;
        while left > 0 {
            let n = 32 - (left + 1).leading_zeros();
            let short = (1 << n) - 1 - (left + 1);
            let peeked = bits.peek();
            let low = peeked & ((1 << (n - 1)) - 1);
            let number = if low < short {
                bits.skip(n - 1);
                low
            } else {
                bits.skip(n);
                let full = peeked & ((1 << n) - 1);
                if full >> (n - 1) != 0 { full - short } else { full }
            };
            *distribution.states.get_mut(..max_len)?.get_mut(distribution.len)? = number as i16 - 1;
            distribution.len += 1;
            left = left.checked_sub(if number == 0 { 1 } else { number - 1 })?;
            if number == 1 {
                distribution.len += zeros(&mut bits, max_len);
            }
        }
        if distribution.len > max_len {
            return None;
        }
        Some((distribution, bits.finish()?))
    }

    /// Fills the first `1 << log` states of a table. `cell` packs a symbol, its number of bits, and the lowest next
    /// state.
    ///
    /// Symbols are assigned to every `step`th state in turn. `symbols` has them in this order, so a state's symbol is
    /// found with the inverse of `step`.
    #[inline(always)]
    pub(super) fn fill<T: Copy>(&self, table: &mut [T], cell: impl Fn(u8, u32, u32) -> T) {
        let mut symbols = [0_u8; MAX_STATES + OVERRUN];
        let stride = match symbols.first_chunk_mut() {
            Some(symbols) if self.has_rare_symbols() => {
                self.spread(symbols);
                1
            }
            _ => {
                self.list(&mut symbols);
                inverse(self.step())
            }
        };
        // The states of a symbol are numbered from its probability on.
        let mut next = [0_u16; 64];
        for (next, &states) in next.iter_mut().zip(&self.states) {
            *next = states.unsigned_abs();
        }
        let size = 1 << self.log;
        let mut i = 0;
        for to in &mut table[..size] {
            let symbol = symbols[i & (size - 1) & (MAX_STATES - 1)];
            i += stride;
            let next = &mut next[usize::from(symbol & 63)];
            let number = u32::from(*next);
            *next += 1;
            let bits = (self.log + number.leading_zeros()).wrapping_sub(31);
            *to = cell(symbol, bits, (number << (bits & 15)).wrapping_sub(size as u32));
        }
    }

    /// Returns whether symbols of probability -1 take states from the end of the table.
    fn has_rare_symbols(&self) -> bool {
        self.states[..self.len].contains(&-1)
    }

    /// Returns the distance between states that are assigned one after the other: 5/8 of the table.
    fn step(&self) -> usize {
        (1 << self.log >> 1) + (1 << self.log >> 3) + 3
    }

    /// Repeats each symbol as often as it has states.
    #[inline(always)]
    fn list(&self, symbols: &mut [u8; MAX_STATES + OVERRUN]) {
        let mut at = 0;
        for (symbol, states) in self.symbols() {
            let end = at + usize::from(states.unsigned_abs());
            while at < end {
                let Some(to) = symbols.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) else { return };
                *to = [symbol; OVERRUN];
                at += OVERRUN;
            }
            at = end;
        }
    }

    /// Assigns a symbol to each state: symbols of probability -1 from the end, the others in steps, without these states.
    #[inline(never)]
    pub(in crate::codec::zstd) fn spread(&self, symbols: &mut [u8; MAX_STATES]) {
        let mask = (1 << self.log) - 1;
        let mut high = mask;
        for (symbol, _) in self.symbols().filter(|&(_, states)| states == -1) {
            symbols[high & (MAX_STATES - 1)] = symbol;
            high = high.wrapping_sub(1);
        }
        let step = self.step();
        let mut state = 0;
        for (symbol, states) in self.symbols() {
            for _ in 0..states {
                symbols[state & (MAX_STATES - 1)] = symbol;
                state = (state + step) & mask;
                while state > high {
                    state = (state + step) & mask;
                }
            }
        }
    }

    fn symbols(&self) -> impl Iterator<Item = (u8, i16)> {
        (0..).zip(self.states[..self.len].iter().copied())
    }
}

/// Returns the inverse of an odd number modulo [`MAX_STATES`].
fn inverse(n: usize) -> usize {
    // `n` is its own inverse modulo 8. Each step doubles the number of bits.
    let once = n.wrapping_mul(2_usize.wrapping_sub(n.wrapping_mul(n)));
    once.wrapping_mul(2_usize.wrapping_sub(n.wrapping_mul(once))) & (MAX_STATES - 1)
}

/// Reads the number of symbols of probability zero that follow the first one. It is stored in steps of up to three, and a
/// step of three is followed by another. Returns more than `max` if there are more.
fn zeros(bits: &mut Forward<'_>, max: usize) -> usize {
    let mut count = 0;
    while count <= max {
        let step = bits.peek() & 3;
        bits.skip(2);
        count += step as usize;
        if step < 3 {
            break;
        }
    }
    count
}
