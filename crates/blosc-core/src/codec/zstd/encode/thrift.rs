//! From where on compression pays.

use rust_zstd::compress::Strategy;

/// How little a block, or its literals, may save. Zstandard's stronger strategies compress what saves less.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thrift {
    /// Minimum number of literals that are compressed.
    pub(super) min_literals: usize,
    /// A length must shrink by 2 and by its share of one in two to this power.
    gain_shift: u32,
    /// Whether several limits of code lengths, and several tables for sequences, are tried, or one that is usually good.
    pub(super) tries_limits: bool,
    /// From this number of sequences on, a block may describe tables for them.
    pub(super) min_described: usize,
}

impl Default for Thrift {
    fn default() -> Self {
        Thrift::of(Strategy::Fast)
    }
}

impl Thrift {
    /// Returns Zstandard's rules for a strategy.
    pub(super) fn of(strategy: Strategy) -> Self {
        let (min_literals, gain_shift, min_described) = match strategy {
            Strategy::Fast | Strategy::DFast => (64, 6, 32),
            Strategy::Greedy | Strategy::Lazy | Strategy::Lazy2 | Strategy::BtLazy2 => (64, 6, 16),
            Strategy::BtOpt => (32, 6, 1),
            Strategy::BtUltra => (16, 7, 1),
            Strategy::BtUltra2 => (8, 8, 1),
        };
        let tries_limits = matches!(strategy, Strategy::BtUltra | Strategy::BtUltra2);
        Thrift { min_literals, gain_shift, tries_limits, min_described }
    }

    /// Returns the least number of bytes that `len` bytes must save.
    pub(super) fn least_gain(self, len: usize) -> usize {
        (len >> self.gain_shift) + 2
    }

    /// Returns the length below which the compressed form of `len` bytes is kept.
    pub(super) fn room(self, len: usize) -> usize {
        len.saturating_sub(self.least_gain(len))
    }
}
