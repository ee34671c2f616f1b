//! Tables that decode Huffman codes: the next bits are the index.
//!
//! Codes longer than a table's root bits go on in a subtable, whose place stands in the root's entry. An entry says all that
//! is to be known of a symbol, so that length and offset come from it and the extra bits alone:
//!
//! ```text
//!              31 30..24   23..16            15..12  11..8        7..0
//! literal      1  0        0                 the byte             bits of the code
//! two literals 1  1        second byte       first byte           bits of both codes
//! length       0  base (16 bits)             0       code bits    bits of the code and the extra bits
//! offset       0  base (15 bits)             ODD     code bits    the same
//! subtable     0  where it starts            ODD|SUB its bits     root bits
//! end of block 0  0                          ODD|END 0            bits of the code
//! no symbol    0  0                          ODD     0            any
//! ```
//!
//! (An offset's base goes up to 24577, which leaves bit 31 alone.)

/// The entry is neither a literal nor a length nor an offset.
pub(super) const ODD: u32 = 1 << 15;
/// With [`ODD`]: the entry of a subtable.
pub(super) const SUB: u32 = 1 << 14;
/// With [`ODD`]: the end of the block.
pub(super) const END: u32 = 1 << 13;
/// One literal or two.
pub(super) const LITERAL: u32 = 1 << 31;
/// With [`LITERAL`]: two.
pub(super) const PAIR: u32 = 1 << 24;

/// Root bits for literals and lengths.
pub(super) const LITLEN_ROOT: u32 = 11;
/// Root bits for offsets.
pub(super) const OFFSET_ROOT: u32 = 8;

/// Literals and lengths. With 288 symbols and codes of up to 15 bits, root and subtables have 2342 entries at most.
pub(super) type LitLen = Table<4096, LITLEN_ROOT>;
/// Offsets. With 32 symbols root and subtables have 402 entries at most.
pub(super) type Offsets = Table<512, OFFSET_ROOT>;

/// The tables of one block.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) litlen: LitLen,
    pub(super) offset: Offsets,
}

impl Tables {
    /// Makes both tables from the code lengths, 0..=15, of their symbols.
    pub(super) fn fill(&mut self, litlen: &[u8], offset: &[u8]) -> Result<(), &'static str> {
        self.litlen.fill(litlen, &LITLEN).map_err(|()| "invalid literal and length codes")?;
        self.litlen.pair();
        self.offset.fill(offset, &OFFSET).map_err(|()| "invalid offset codes")
    }
}

/// The tables of blocks with fixed codes.
#[derive(Default)]
pub(super) struct FixedTables(Option<Box<Tables>>);

impl FixedTables {
    pub(super) fn get(&mut self) -> &Tables {
        self.0.get_or_insert_with(|| {
            let mut tables = Box::<Tables>::default();
            let mut litlen = [8; 288];
            litlen[144..256].fill(9);
            litlen[256..280].fill(7);
            // Both are complete codes.
            let _ = tables.fill(&litlen, &[5; 32]);
            tables
        })
    }
}

/// `SIZE` is a power of two, so that a masked index needs no check.
pub(super) struct Table<const SIZE: usize, const ROOT: u32>([u32; SIZE]);

impl<const SIZE: usize, const ROOT: u32> Default for Table<SIZE, ROOT> {
    fn default() -> Self {
        Table([ODD; SIZE])
    }
}

impl<const SIZE: usize, const ROOT: u32> Table<SIZE, ROOT> {
    /// What the low bits of `word` begin with.
    #[inline(always)]
    pub(super) fn get(&self, word: u64) -> u32 {
        self.0[word as usize & ((1 << ROOT) - 1)]
    }

    /// What the low bits of `word`, the root's skipped, begin with in the subtable that `entry` names.
    #[inline(always)]
    pub(super) fn get_sub(&self, entry: u32, word: u64) -> u32 {
        let mask = (1 << (entry >> 8 & 0xF)) - 1;
        self.0[((entry >> 16) as usize + (word as usize & mask)) & (SIZE - 1)]
    }

    /// Makes the table for symbols with codes of these lengths; `entries` are theirs but for the bits of the code.
    ///
    /// Refused is what zlib refuses: more codes than there are, and fewer, unless it is one code of one bit or none.
    fn fill<const N: usize>(&mut self, lengths: &[u8], entries: &[u32; N]) -> Result<(), ()> {
        let mut count = [0u16; 16];
        for &length in lengths {
            count[usize::from(length & 15)] += 1;
        }
        count[0] = 0;
        // How many codes of the length at hand are not taken, and so the sum of Kraft.
        let mut left = 1i32;
        for &count in &count[1..] {
            left = 2 * left - i32::from(count);
            if left < 0 {
                return Err(());
            }
        }
        if left > 0 {
            return self.fill_incomplete(lengths, &count, entries);
        }

        // The symbols by length of code, then by number: the order of their codes.
        let mut next = [0u16; 16];
        for length in 1..15 {
            next[length + 1] = next[length] + count[length];
        }
        let mut sorted = [0u16; 288];
        for (symbol, &length) in lengths.iter().enumerate() {
            if length != 0 {
                let at = &mut next[usize::from(length & 15)];
                sorted[usize::from(*at)] = symbol as u16;
                *at += 1;
            }
        }

        self.fill_complete(&sorted, &count, entries);
        Ok(())
    }

    /// Codes are given out in ascending order, each with its bits reversed as it stands in the stream. While they are
    /// no longer than the root is wide, the table has as many bits as the code at hand, and is doubled to get one more:
    ///
    /// ```text
    ///   length 1  | A x |                             x: longer codes, filled in later
    ///   length 2  | A B A x |
    ///   length 3  | A B A C A B A D |
    /// ```
    ///
    /// One that is longer goes to a subtable, begun for the first of its root bits and as wide as its codes will need.
    fn fill_complete<const N: usize>(&mut self, sorted: &[u16; 288], count: &[u16; 16], entries: &[u32; N]) {
        let mut symbols = sorted.iter();
        let mut code = 0usize;
        for length in 1..=ROOT {
            let size = 1usize << length;
            self.0.copy_within(..size / 2, size / 2);
            for &symbol in symbols.by_ref().take(usize::from(count[length as usize])) {
                self.0[code & (SIZE - 1)] = with_bits(entries[usize::from(symbol) & (N - 1)], length);
                code = next_code(code, length);
            }
        }
        let (mut start, mut bits, mut root) = (1usize << ROOT, 0, usize::MAX);
        for length in ROOT + 1..=15 {
            let mut left = count[length as usize];
            while left > 0
                && let Some(&symbol) = symbols.next()
            {
                if code & ((1 << ROOT) - 1) != root {
                    root = code & ((1 << ROOT) - 1);
                    start += if bits == 0 { 0 } else { 1 << bits };
                    bits = length - ROOT;
                    // The codes to come fill it, shorter ones first: as soon as they do, it is wide enough.
                    let mut room = (1i32 << bits) - i32::from(left);
                    while room > 0 && ROOT + bits < 15 {
                        bits += 1;
                        room = 2 * room - i32::from(count[(ROOT + bits) as usize]);
                    }
                    self.0[root] = (start as u32) << 16 | ODD | SUB | bits << 8 | ROOT;
                }
                let entry = with_bits(entries[usize::from(symbol) & (N - 1)], length - ROOT);
                let mut at = code >> ROOT;
                while at < 1 << bits {
                    self.0[(start + at) & (SIZE - 1)] = entry;
                    at += 1 << (length - ROOT);
                }
                code = next_code(code, length);
                left -= 1;
            }
        }
    }

    /// [`Table::fill`] with no code, or with one of one bit.
    fn fill_incomplete<const N: usize>(
        &mut self,
        lengths: &[u8],
        count: &[u16; 16],
        entries: &[u32; N],
    ) -> Result<(), ()> {
        if count[2..].iter().any(|&count| count > 0) {
            return Err(());
        }
        self.0[..1 << ROOT].fill(ODD);
        if let Some(symbol) = lengths.iter().position(|&length| length == 1) {
            let entry = with_bits(entries[symbol & (N - 1)], 1);
            self.0[..1 << ROOT].iter_mut().step_by(2).for_each(|to| *to = entry);
        }
        Ok(())
    }

    /// Puts two literals in every entry of the root where the code of one leaves enough bits for another's.
    fn pair(&mut self) {
        // What an index without the bits of its first code finds is further in front, and so not yet a pair.
        for i in (0..1usize << ROOT).rev() {
            let first = self.0[i];
            if first & LITERAL != 0 {
                let bits = first & 0xFF;
                let second = self.0[i >> (bits & 15)];
                if second & LITERAL != 0 && bits + (second & 0xFF) <= ROOT {
                    self.0[i] = LITERAL | PAIR | (second & 0xFF00) << 8 | first & 0xFF00 | (bits + (second & 0xFF));
                }
            }
        }
    }
}

/// The code after `code` of `length` bits, both reversed: adds one at the highest bit, carrying downward.
#[inline(always)]
fn next_code(code: usize, length: u32) -> usize {
    let zeros = !code & ((1 << length) - 1);
    if zeros == 0 {
        return 0;
    }
    let bit = 1 << zeros.ilog2();
    code & (bit - 1) | bit
}

/// `entry` with a code of `length` bits.
#[inline(always)]
fn with_bits(entry: u32, length: u32) -> u32 {
    // For a length or an offset also where its extra bits begin.
    entry + length * if entry & (LITERAL | ODD) == 0 { 0x101 } else { 1 }
}

/// By symbol: what its entries have in common. There are no more than 288, but the index is masked.
const LITLEN: [u32; 512] = {
    let mut entries = [ODD; 512];
    let mut byte = 0;
    while byte < 256 {
        entries[byte] = LITERAL | (byte as u32) << 8;
        byte += 1;
    }
    entries[256] = ODD | END;
    let entries = ranges(entries, 257, 28, 3, 8, 4);
    // The last length has a symbol of its own, without extra bits.
    ranges(entries, 285, 1, 258, 1, 1)
};

const OFFSET: [u32; 32] = ranges([ODD; 32], 0, 30, 1, 4, 2);

/// Sets the entries of `n` symbols from `first` on to ranges that begin at `base` and follow each other: `plain` of one
/// number each, and then `group` of each number of extra bits.
const fn ranges<const N: usize>(
    mut entries: [u32; N],
    first: usize,
    n: usize,
    mut base: u32,
    plain: usize,
    group: usize,
) -> [u32; N] {
    let mut i = 0;
    while i < n {
        let extra = if i < plain { 0 } else { ((i - plain) / group + 1) as u32 };
        entries[first + i] = base << 16 | extra;
        base += 1 << extra;
        i += 1;
    }
    entries
}
