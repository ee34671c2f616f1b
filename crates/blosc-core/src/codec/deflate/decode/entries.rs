//! The entries of the decoding tables.
//!
//! An entry is self-contained: length and offset follow from it and the extra bits alone.
//!
//! ```text
//! litlen         31..30  29   28   27   26..18  11..8      7..0
//! literals       1, 2    -    -    -    (23..16 second, 15..8 first)  bits of the codes
//! length         0       0    0    0    base    code bits  all bits
//! subtable       0       ODD  SUB  0    start   its bits   root bits
//! end of block   0       ODD  0    END  0       0          code bits
//! no symbol      0       ODD  0    0    0       0          0
//!
//! offset         30..16  15   14        11..8      7..0
//! offset         base    0    0         code bits  all bits
//! subtable       start   ODD  SUB       its bits   root bits
//! no symbol      0       ODD  0         0          0
//! ```
//!
//! "All bits" are the bits of the code and the extra bits. A subtable's start counts from the end of the root. In every
//! entry, the low byte is the number of bits to skip before the next look-up.

/// The layout of a table's entries. The constants are bits.
pub(super) trait EntryLayout {
    /// Neither literals nor a length; not an offset.
    const ODD: u32;
    /// The entry links to a subtable.
    const SUB: u32;
    /// Position of the base of a length or an offset, or of a subtable's start.
    const BASE: u32;
    /// By symbol: the common part of its entries. Longer than the number of symbols, as the index is masked.
    const SYMBOLS: &'static [u32; 512];

    /// Returns whether the entry has one literal or two.
    fn is_literal(entry: u32) -> bool;

    /// Returns the `entry` of a symbol for a code of `length` bits.
    #[inline(always)]
    fn with_bits(entry: u32, length: u32) -> u32 {
        entry + length * if entry & Self::ODD != 0 || Self::is_literal(entry) { 1 } else { 0x101 }
    }

    fn link(start: u32, bits: u32, root: u32) -> u32 {
        Self::ODD | Self::SUB | start << Self::BASE | bits << 8 | root
    }

    /// Returns the start of the subtable and its number of bits.
    #[inline(always)]
    fn linked(entry: u32) -> (usize, u32) {
        (((entry & !(Self::ODD | Self::SUB)) >> Self::BASE) as usize, entry >> 8 & 0xF)
    }
}

/// Literals and lengths.
pub(super) struct LitLen;
/// Offsets.
pub(super) struct Offset;

/// The end of the block, in the table of [`LitLen`].
pub(super) const END: u32 = 1 << 27;

impl EntryLayout for LitLen {
    const ODD: u32 = 1 << 29;
    const SUB: u32 = 1 << 28;
    const BASE: u32 = 18;
    const SYMBOLS: &'static [u32; 512] = &LITLEN;

    #[inline(always)]
    fn is_literal(entry: u32) -> bool {
        literals(entry) > 0
    }
}

impl EntryLayout for Offset {
    const ODD: u32 = 1 << 15;
    const SUB: u32 = 1 << 14;
    const BASE: u32 = 16;
    const SYMBOLS: &'static [u32; 512] = &OFFSET;

    #[inline(always)]
    fn is_literal(_: u32) -> bool {
        false
    }
}

/// Returns the number of literals of an entry of [`LitLen`]: none, one or two.
#[inline(always)]
pub(super) fn literals(entry: u32) -> usize {
    (entry >> 30) as usize
}

/// Joins two entries of one literal each to an entry of both.
pub(super) fn pair(first: u32, second: u32) -> u32 {
    2 << 30 | (second & 0xFF00) << 8 | first & 0xFF00 | ((first & 0xFF) + (second & 0xFF))
}

/// Returns the length or the offset of `entry`, whose code and extra bits are the lowest of `word`.
#[inline(always)]
pub(super) fn number<K: EntryLayout>(entry: u32, word: u64) -> usize {
    let extra = (word & ((1 << (entry & 63)) - 1)) >> (entry >> 8 & 0xF);
    (entry >> K::BASE) as usize + extra as usize
}

const LITLEN: [u32; 512] = {
    let mut entries = [LitLen::ODD; 512];
    let mut byte = 0;
    while byte < 256 {
        entries[byte] = 1 << 30 | (byte as u32) << 8;
        byte += 1;
    }
    entries[256] = LitLen::ODD | END;
    let entries = ranges::<LitLen>(entries, 257, 28, 3, 8, 4);
    // The last length has a symbol of its own, without extra bits.
    ranges::<LitLen>(entries, 285, 1, 258, 1, 1)
};

const OFFSET: [u32; 512] = ranges::<Offset>([Offset::ODD; 512], 0, 30, 1, 4, 2);

/// Sets the entries of `n` symbols from `first` on to consecutive ranges that begin at `base`: `plain` ranges of one
/// number each, and then `group` ranges for each number of extra bits.
const fn ranges<K: EntryLayout>(
    mut entries: [u32; 512],
    first: usize,
    n: usize,
    mut base: u32,
    plain: usize,
    group: usize,
) -> [u32; 512] {
    let mut i = 0;
    while i < n {
        let extra = if i < plain { 0 } else { ((i - plain) / group + 1) as u32 };
        entries[first + i] = base << K::BASE | extra;
        base += 1 << extra;
        i += 1;
    }
    entries
}
