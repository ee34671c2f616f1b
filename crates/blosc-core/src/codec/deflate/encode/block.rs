//! Writes one block with the shortest encoding.

use super::super::symbols::{END, LITLENS, OFFSETS};
use super::bits::Bits;
use super::codes::{self, Codes};
use super::counts::Counts;
use super::header::Header;
use super::huffman::{self, LITLEN_LIMIT, OFFSET_LIMIT};
use super::sequence::Sequence;

/// Writes `sequences`, which encode `src`, as one block. `counts` are the counts of its symbols.
///
/// `cost_of_codes` is how many bits dynamic codes have to save to be worth their time. Returns `None` if the output would
/// become longer than `room` bytes.
pub(super) fn write(
    src: &[u8],
    sequences: &[Sequence],
    counts: &mut Counts,
    last: bool,
    cost_of_codes: u64,
    bits: &mut Bits<'_>,
    room: usize,
) -> Option<()> {
    counts.litlen[END] = 1;
    let extra = counts.extra_bits();
    let fixed = extra + total(&counts.litlen, &FIXED_LITLEN) + total(&counts.offset, &FIXED_OFFSET);
    // Each stored block has its kind, up to 7 bits of padding and two lengths.
    let stored = 8 * src.len() as u64 + (3 + 7 + 32) * src.len().div_ceil(MAX_STORED).max(1) as u64;
    // Building dynamic codes takes longer than writing a short block.
    if fixed < stored && fixed <= extra + counts.entropy() + counts.least_header() + cost_of_codes {
        if bits.position() + 3 + fixed > 8 * room as u64 {
            return None;
        }
        bits.flush()?;
        bits.push(u32::from(last) | FIXED << 1, 3);
        return codes::write(src, sequences, &FIXED_CODES, bits);
    }
    let (mut litlen, mut offset) = ([0; LITLENS], [0; OFFSETS]);
    huffman::lengths(&counts.litlen, LITLEN_LIMIT, &mut litlen);
    huffman::lengths(&counts.offset, OFFSET_LIMIT, &mut offset);
    let header = Header::new(&litlen, &offset);
    let dynamic = header.bits + extra + total(&counts.litlen, &litlen) + total(&counts.offset, &offset);
    let least = 3 + dynamic.min(fixed).min(stored);
    if bits.position() + least > 8 * room as u64 {
        return None;
    }
    bits.flush()?;
    if least == 3 + stored {
        return write_stored(src, last, bits);
    }
    bits.push(u32::from(last), 1);
    if least == 3 + fixed {
        bits.push(FIXED, 2);
        return codes::write(src, sequences, &FIXED_CODES, bits);
    }
    bits.push(DYNAMIC, 2);
    header.write(bits)?;
    let mut codes = Codes { litlen: [0; LITLENS], offset: [0; OFFSETS] };
    huffman::codes(&litlen, &mut codes.litlen);
    huffman::codes(&offset, &mut codes.offset);
    codes::write(src, sequences, &codes, bits)
}

const STORED: u32 = 0;
const FIXED: u32 = 1;
const DYNAMIC: u32 = 2;

/// The code lengths of a block with fixed codes. Two undefined symbols have codes too.
const FIXED_LITLEN: [u8; 288] = {
    let mut lengths = [8; 288];
    let mut symbol = 144;
    while symbol < 280 {
        lengths[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lengths
};
const FIXED_OFFSET: [u8; 32] = [5; 32];

static FIXED_CODES: Codes = {
    let mut codes = Codes { litlen: [0; LITLENS], offset: [0; OFFSETS] };
    huffman::codes(&FIXED_LITLEN, &mut codes.litlen);
    huffman::codes(&FIXED_OFFSET, &mut codes.offset);
    codes
};

fn total(counts: &[u32], lengths: &[u8]) -> u64 {
    counts.iter().zip(lengths).map(|(&n, &length)| u64::from(n) * u64::from(length)).sum()
}

/// Maximum length of a stored block.
const MAX_STORED: usize = 65535;

fn write_stored(mut src: &[u8], last: bool, bits: &mut Bits<'_>) -> Option<()> {
    loop {
        let (now, later) = src.split_at(src.len().min(MAX_STORED));
        bits.push(u32::from(last && later.is_empty()) | STORED << 1, 3);
        bits.align()?;
        let [low, high] = (now.len() as u16).to_le_bytes();
        bits.bytes(&[low, high, !low, !high])?;
        bits.bytes(now)?;
        src = later;
        if src.is_empty() {
            return Some(());
        }
    }
}
