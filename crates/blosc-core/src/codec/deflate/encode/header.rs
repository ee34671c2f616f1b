//! Writes the header of a block with dynamic codes.

use super::super::symbols::{CODE_LENGTH_LIMIT, CODE_LENGTH_ORDER, CODE_LENGTHS, LITLENS, OFFSETS};
use super::bits::{Bits, code};
use super::huffman;

/// The code lengths of a block in their stored form.
pub(super) struct Header {
    litlens: usize,
    offsets: usize,
    /// Code length symbols, each with its extra bits and their number, packed by [`code`].
    symbols: [(u8, u32); LITLENS + OFFSETS],
    len: usize,
    lengths: [u8; CODE_LENGTHS],
    stored: usize,
    /// Total size of the header in bits.
    pub(super) bits: u64,
}

impl Header {
    #[inline(never)]
    pub(super) fn new(litlen: &[u8; LITLENS], offset: &[u8; OFFSETS]) -> Self {
        let litlens = 257 + litlen[257..].iter().rposition(|&length| length > 0).map_or(0, |last| last + 1);
        let offsets = 1 + offset[1..].iter().rposition(|&length| length > 0).map_or(0, |last| last + 1);
        let mut all = [0; LITLENS + OFFSETS];
        all[..litlens].copy_from_slice(&litlen[..litlens]);
        all[litlens..litlens + offsets].copy_from_slice(&offset[..offsets]);

        let mut header = Header {
            litlens,
            offsets,
            symbols: [(0, 0); LITLENS + OFFSETS],
            len: 0,
            lengths: [0; CODE_LENGTHS],
            stored: 4,
            bits: 14,
        };
        let mut frequencies = [0; CODE_LENGTHS];
        let mut last = None;
        let mut rest = &all[..litlens + offsets];
        while let Some(&value) = rest.first() {
            let run = rest.iter().take_while(|&&length| length == value).count();
            // 16 repeats the last length 3..=6 times; 17 and 18 are 3..=10 and 11..=138 zeros.
            let (symbol, extra, n) = match (value, run) {
                (0, 11..) => (18, code(run.min(138) as u32 - 11, 7), run.min(138)),
                (0, 3..) => (17, code(run as u32 - 3, 3), run),
                (_, 3..) if last == Some(value) => (16, code(run.min(6) as u32 - 3, 2), run.min(6)),
                _ => (value, 0, 1),
            };
            frequencies[usize::from(symbol)] += 1;
            header.bits += u64::from(extra & 0xFF);
            header.symbols[header.len] = (symbol, extra);
            header.len += 1;
            last = Some(value);
            rest = &rest[n..];
        }
        huffman::lengths(&frequencies, CODE_LENGTH_LIMIT, &mut header.lengths);
        header.stored = CODE_LENGTH_ORDER
            .iter()
            .rposition(|&symbol| header.lengths[usize::from(symbol)] > 0)
            .map_or(4, |last| (last + 1).max(4));
        header.bits += 3 * header.stored as u64;
        header.bits +=
            frequencies.iter().zip(header.lengths).map(|(&n, length)| u64::from(n) * u64::from(length)).sum::<u64>();
        header
    }

    pub(super) fn write(&self, bits: &mut Bits<'_>) -> Option<()> {
        bits.flush()?;
        bits.push(self.litlens as u32 - 257, 5);
        bits.push(self.offsets as u32 - 1, 5);
        bits.push(self.stored as u32 - 4, 4);
        for &symbol in &CODE_LENGTH_ORDER[..self.stored] {
            bits.flush()?;
            bits.push(self.lengths[usize::from(symbol)].into(), 3);
        }
        let mut codes = [0; CODE_LENGTHS];
        huffman::codes(&self.lengths, &mut codes);
        for &(symbol, extra) in &self.symbols[..self.len] {
            bits.flush()?;
            bits.push_code(codes[usize::from(symbol)]);
            bits.push_code(extra);
        }
        bits.flush()
    }
}
