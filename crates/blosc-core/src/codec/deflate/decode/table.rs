//! Tables for decoding Huffman codes, indexed by the next bits.
//!
//! Codes longer than a table's root bits continue in a subtable, whose position is in the root's
//! [entry](super::entries). If the codes of two literals together are no longer than the root bits, one look-up returns
//! both.

use core::marker::PhantomData;

use super::entries::{EntryLayout, LitLen, Offset, literals, pair};

/// The tables of one block.
#[derive(Default)]
pub(super) struct BlockTables {
    /// With 288 symbols and codes of up to 15 bits, root and subtables have at most 2342 entries.
    pub(super) litlen: DecodeTable<LitLen, 4096, 11>,
    /// With 32 symbols, root and subtables have at most 402 entries.
    pub(super) offset: DecodeTable<Offset, 512, 8>,
    are_fixed: bool,
}

impl BlockTables {
    /// Builds both tables from the code lengths, 0..=15, of their symbols, for a block of at most `bytes`.
    pub(super) fn fill(&mut self, litlen: &[u8], offset: &[u8], bytes: usize) -> Result<(), &'static str> {
        self.are_fixed = false;
        self.litlen.fill(litlen).map_err(|()| "invalid literal and length codes")?;
        if are_pairs_worth_it(litlen, bytes) {
            self.litlen.pair();
        }
        self.offset.fill(offset).map_err(|()| "invalid offset codes")
    }

    /// Builds both tables for a block with fixed codes.
    pub(super) fn fill_fixed(&mut self) -> Result<(), &'static str> {
        if self.are_fixed {
            return Ok(());
        }
        let mut litlen = [8; 288];
        litlen[144..256].fill(9);
        litlen[256..280].fill(7);
        // No literal has less than 8 bits, so there are no pairs.
        self.fill(&litlen, &[5; 32], 0)?;
        self.are_fixed = true;
        Ok(())
    }
}

/// A decoding table. `SIZE` is a power of two, so that a masked index needs no check.
pub(super) struct DecodeTable<K, const SIZE: usize, const ROOT: u32>([u32; SIZE], PhantomData<K>);

impl<K: EntryLayout, const SIZE: usize, const ROOT: u32> Default for DecodeTable<K, SIZE, ROOT> {
    fn default() -> Self {
        DecodeTable([K::ODD; SIZE], PhantomData)
    }
}

impl<K: EntryLayout, const SIZE: usize, const ROOT: u32> DecodeTable<K, SIZE, ROOT> {
    /// Looks up the entry for the low bits of `word`.
    #[inline(always)]
    pub(super) fn get(&self, word: u64) -> u32 {
        self.0[word as usize & ((1 << ROOT) - 1)]
    }

    /// Looks up the low bits of `word`, without the root's bits, in the subtable that `entry` links to.
    #[inline(always)]
    pub(super) fn get_sub(&self, entry: u32, word: u64) -> u32 {
        let (start, bits) = K::linked(entry);
        self.0[((1 << ROOT) + start + (word as usize & ((1 << bits) - 1))) & (SIZE - 1)]
    }

    /// Builds the table for symbols with codes of these lengths.
    ///
    /// Rejects what zlib rejects: over-subscribed codes, and incomplete codes unless there is only one code of one bit,
    /// or none.
    fn fill(&mut self, lengths: &[u8]) -> Result<(), ()> {
        // Two sets of counters: incrementing a counter waits for its previous increment.
        let mut counts = [[0u16; 16]; 2];
        for two in lengths.chunks(2) {
            for (count, &length) in counts.iter_mut().zip(two) {
                count[usize::from(length & 15)] += 1;
            }
        }
        let [mut count, more] = counts;
        count.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        count[0] = 0;
        // The number of unused codes of the current length, and so the Kraft sum.
        let mut left = 1i32;
        for &count in &count[1..] {
            left = 2 * left - i32::from(count);
            if left < 0 {
                return Err(());
            }
        }
        if left > 0 {
            return self.fill_incomplete(lengths, &count);
        }

        // The symbols by code length, then by number: the order of their codes. Symbols without a code come last.
        let mut next = [0u16; 16];
        for length in 1..15 {
            next[length + 1] = next[length] + count[length];
        }
        next[0] = next[15] + count[15];
        let mut sorted = [0u16; 512];
        for (symbol, &length) in lengths.iter().enumerate() {
            let at = &mut next[usize::from(length & 15)];
            sorted[usize::from(*at) & 511] = symbol as u16;
            *at += 1;
        }
        self.fill_complete(&sorted, &count);
        Ok(())
    }

    /// Assigns codes in ascending order, each with its bits reversed as in the stream. While codes fit into the root,
    /// the table has an index of the current code length. It is doubled for each further bit:
    ///
    /// ```text
    ///   length 1  | A x |                             x: longer codes, filled in later
    ///   length 2  | A B A x |
    ///   length 3  | A B A C A B A D |
    /// ```
    ///
    /// A longer code goes to a subtable. The subtable is begun with the first code that has its root bits, and is as
    /// wide as its codes will need.
    fn fill_complete(&mut self, sorted: &[u16; 512], count: &[u16; 16]) {
        let mut symbols = sorted.iter();
        let mut code = 0usize;
        for length in 1..=ROOT {
            let size = 1usize << length;
            self.0.copy_within(..size / 2, size / 2);
            for &symbol in symbols.by_ref().take(usize::from(count[length as usize])) {
                self.0[code & (SIZE - 1)] = K::with_bits(K::SYMBOLS[usize::from(symbol & 511)], length);
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
                    // The following codes fill it, shorter ones first. It is wide enough as soon as they do.
                    let mut room = (1i32 << bits) - i32::from(left);
                    while room > 0 && ROOT + bits < 15 {
                        bits += 1;
                        room = 2 * room - i32::from(count[(ROOT + bits) as usize]);
                    }
                    self.0[root] = K::link((start - (1 << ROOT)) as u32, bits, ROOT);
                }
                let entry = K::with_bits(K::SYMBOLS[usize::from(symbol & 511)], length - ROOT);
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

    /// [`DecodeTable::fill`] with no code, or with one of one bit.
    fn fill_incomplete(&mut self, lengths: &[u8], count: &[u16; 16]) -> Result<(), ()> {
        if count[2..].iter().any(|&count| count > 0) {
            return Err(());
        }
        self.0[..1 << ROOT].fill(K::ODD);
        if let Some(symbol) = lengths.iter().position(|&length| length == 1) {
            let entry = K::with_bits(K::SYMBOLS[symbol & 511], 1);
            self.0[..1 << ROOT].iter_mut().step_by(2).for_each(|to| *to = entry);
        }
        Ok(())
    }
}

impl<const SIZE: usize, const ROOT: u32> DecodeTable<LitLen, SIZE, ROOT> {
    /// Puts two literals into each root entry whose first code leaves enough bits for a second.
    fn pair(&mut self) {
        // Without the bits of its first code, an index is smaller. Going downward, the entry there is not a pair yet.
        for i in (0..1usize << ROOT).rev() {
            let first = self.0[i];
            let second = self.0[i >> (first & 15)];
            let bits = (first & 0xFF) + (second & 0xFF);
            if literals(first) == 1 && literals(second) == 1 && bits <= ROOT {
                self.0[i] = pair(first, second);
            }
        }
    }
}

/// Returns whether a block of at most `bytes` has enough pairs to pay for finding them.
fn are_pairs_worth_it(litlen: &[u8], bytes: usize) -> bool {
    // A code of a short length has a probability of 2^-length, and a pair is about two of them. With 6 bits per symbol,
    // there are about `bytes * share^2` pairs. Each saves about 7 cycles; the pass takes about 6000. zlib and zlib-ng
    // begin a new block after 16 Ki symbols.
    let short = litlen.iter().take(256).filter(|&&length| (1..=5).contains(&length));
    let share = short.map(|&length| (1u64 << 10) >> length).sum::<u64>();
    share * share * bytes.min(12 << 10) as u64 > 900 << 20
}

/// Returns the code after `code` of `length` bits, both reversed: adds one at the highest bit, carrying downward.
#[inline(always)]
fn next_code(code: usize, length: u32) -> usize {
    let zeros = !code & ((1 << length) - 1);
    if zeros == 0 {
        return 0;
    }
    let bit = 1 << zeros.ilog2();
    code & (bit - 1) | bit
}
