//! The codes of a sequence: literal length, match length and offset (RFC 8878, section 3.1.1.3.2.1).
//!
//! A code stands for the numbers from a base on, and is followed by the bits that are added to it.

use std::sync::LazyLock;

use super::fse::{Distribution, MAX_STATES};
use crate::kernels::{HotLoop, run_hot};

/// A state of a table: a code, and how the next state is chosen.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(in crate::codec::zstd) struct Cell {
    /// The lowest next state.
    pub(super) next: u16,
    /// Number of bits that are added to `next`.
    pub(super) bits: Count,
    /// Number of bits that are added to `base`, and `bits`. For an offset it is [`ALL_BITS`] minus this number: minus the
    /// numbers of the other two states, it is how far the bits of a sequence are from the end of a word.
    pub(super) total: Count,
    pub(in crate::codec::zstd) base: u32,
}

/// The number from which the bits of a sequence are subtracted.
pub(super) const ALL_BITS: u32 = 63;

impl Cell {
    /// Returns the number of bits that are added to the `base` of a length.
    #[inline(always)]
    pub(in crate::codec::zstd) const fn extra(&self) -> u32 {
        (self.total as u32).wrapping_sub(self.bits as u32) & 31
    }

    /// Returns the number of bits that are added to the `base` of an offset.
    pub(super) const fn offset_extra(&self) -> u32 {
        (ALL_BITS - self.total as u32).wrapping_sub(self.bits as u32) & 31
    }
}

/// A number of bits below 64. The compiler knows this limit, and needs no instruction to reduce a shift to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[rustfmt::skip]
pub(in crate::codec::zstd) enum Count {
    _0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15,
    _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31,
    _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47,
    _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62, _63,
}

impl Count {
    /// Returns `n` modulo 64.
    pub(super) const fn new(n: u32) -> Self {
        use Count::*;
        #[rustfmt::skip]
        const ALL: [Count; 64] = [
            _0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15,
            _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31,
            _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47,
            _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62, _63,
        ];
        ALL[(n & 63) as usize]
    }
}

/// The states of one kind of code.
pub(super) type CodeTable = [Cell; MAX_STATES];

/// One of the three codes of a sequence. The number is its position in a list of three tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::codec::zstd) enum Code {
    LiteralLength = 0,
    Offset = 1,
    MatchLength = 2,
}

impl Code {
    /// The order of the tables in a block.
    pub(in crate::codec::zstd) const ALL: [Code; 3] = [Code::LiteralLength, Code::Offset, Code::MatchLength];

    /// Binary logarithm of the number of states of the largest table.
    pub(in crate::codec::zstd) fn max_log(self) -> u32 {
        if self == Code::Offset { 8 } else { 9 }
    }

    /// Bases and extra bits of all codes, as states without a next one.
    pub(in crate::codec::zstd) fn codes(self) -> &'static [Cell] {
        match self {
            Code::LiteralLength => &LITERAL_LENGTHS,
            Code::Offset => &OFFSETS,
            Code::MatchLength => &MATCH_LENGTHS,
        }
    }

    /// Returns the table of the distribution that is part of the format, and the logarithm of its length.
    pub(super) fn predefined(self) -> (&'static [Cell], u8) {
        static TABLES: LazyLock<[[Cell; 64]; 3]> = LazyLock::new(|| {
            Code::ALL.map(|code| {
                let mut table = [EMPTY; 64];
                code.fill(code.distribution(), &mut table);
                table
            })
        });
        let log = self.distribution().log;
        (&TABLES[self as usize][..1 << log], log as u8)
    }

    pub(in crate::codec::zstd) fn distribution(self) -> &'static Distribution {
        match self {
            Code::LiteralLength => &LITERAL_LENGTH_STATES,
            Code::Offset => &OFFSET_STATES,
            Code::MatchLength => &MATCH_LENGTH_STATES,
        }
    }

    /// Reads a distribution of these codes at the front of `src`, and fills `table` for it. Returns the distribution's
    /// length, and the logarithm of the table's.
    pub(super) fn read(self, src: &[u8], table: &mut CodeTable) -> Option<(usize, u8)> {
        run_hot(Read { src, code: self, table })
    }

    /// Fills `table` for a distribution of these codes.
    #[inline(always)]
    fn fill(self, states: &Distribution, table: &mut [Cell]) {
        let (codes, is_offset) = (self.codes(), self == Code::Offset);
        states.fill(table, |symbol, bits, next| {
            let code = codes.get(usize::from(symbol)).unwrap_or(&EMPTY);
            let more = if is_offset { bits.wrapping_neg() } else { bits };
            let total = Count::new((code.total as u32).wrapping_add(more));
            Cell { next: next as u16, bits: Count::new(bits), total, base: code.base }
        });
    }
}

struct Read<'a> {
    src: &'a [u8],
    code: Code,
    table: &'a mut CodeTable,
}

impl HotLoop for Read<'_> {
    type Output = Option<(usize, u8)>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Read { src, code, table } = self;
        let (distribution, len) = Distribution::read(src, code.max_log(), code.codes().len())?;
        code.fill(&distribution, table);
        Some((len, distribution.log as u8))
    }
}

/// A cell that is not used.
pub(super) const EMPTY: Cell = cell(0, 0);

const fn cell(base: u32, total: u32) -> Cell {
    Cell { next: 0, bits: Count::_0, total: Count::new(total), base }
}

/// Returns `codes` that follow each other without gaps.
const fn consecutive<const N: usize>(first: u32, extra: [u32; N]) -> [Cell; N] {
    let mut codes = [EMPTY; N];
    let mut base = first;
    let mut i = 0;
    while i < N {
        codes[i] = cell(base, extra[i]);
        base += 1 << extra[i];
        i += 1;
    }
    codes
}

pub(in crate::codec::zstd) static LITERAL_LENGTHS: [Cell; 36] = consecutive(
    0,
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
);

pub(in crate::codec::zstd) static MATCH_LENGTHS: [Cell; 53] = consecutive(
    3,
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2,
        2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
);

/// Values 1 to 3 are repeated offsets, the others offsets plus three. Code i has i extra bits.
static OFFSETS: [Cell; 32] = {
    let mut codes = [EMPTY; 32];
    let mut i = 0;
    while i < 32 {
        codes[i as usize] = cell(1 << i, ALL_BITS - i);
        i += 1;
    }
    codes
};

static LITERAL_LENGTH_STATES: Distribution = Distribution::fixed(
    6,
    [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
);

static MATCH_LENGTH_STATES: Distribution = Distribution::fixed(
    6,
    [
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
);

static OFFSET_STATES: Distribution = Distribution::fixed(
    5,
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
);
