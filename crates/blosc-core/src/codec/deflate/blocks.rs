//! Cutting the sequences into blocks, and writing each in the kind that is the shortest.
//!
//! Segments of about [`SEGMENT`] symbols are looked at one after the other. A segment joins the block in front of it unless
//! the two are shorter apart, by the entropies of their symbols:
//!
//! ```text
//!   bits(block) + bits(segment) + header  <  bits(block + segment)        the segment begins a new block
//! ```
//!
//! Shuffled data needs that: each byte plane has symbols of its own.

use super::bits::{Bits, code};
use super::header::Header;
use super::huffman::{self, LITLEN_LIMIT, OFFSET_LIMIT};
use super::sequence::{END, LITLENS, MAX_MATCH, OFFSETS, Sequence, length_symbol, offset_symbol, pieces};

/// Symbols of a segment.
const SEGMENT: u32 = 2048;

/// How often each symbol occurs.
#[derive(Clone)]
struct Counts {
    litlen: [u32; LITLENS],
    offset: [u32; OFFSETS],
}

/// Some sequences and the bytes they stand for.
#[derive(Clone)]
struct Part {
    counts: Counts,
    sequences: usize,
    bytes: usize,
    /// What its symbols take by entropy.
    bits: u64,
}

impl Part {
    fn new() -> Self {
        Part { counts: Counts { litlen: [0; LITLENS], offset: [0; OFFSETS] }, sequences: 0, bytes: 0, bits: 0 }
    }
}

/// Codes of one block, as they are written.
struct Codes {
    litlen: [u32; LITLENS],
    offset: [u32; OFFSETS],
}

/// Writes `src`, of which `sequences` are all, as the last blocks of the stream; `None` where it does not fit.
pub(super) fn write(src: &[u8], sequences: &[Sequence], bits: &mut Bits<'_>, room: usize) -> Option<()> {
    let (mut src, mut sequences) = (src, sequences);
    let mut block = Part::new();
    let (mut ahead_src, mut ahead) = (src, sequences);
    loop {
        let segment = segment(ahead_src, ahead);
        let over = segment.sequences == 0;
        let joined = if over { None } else { join(&block, &segment) };
        if let Some(joined) = joined {
            block = joined;
        } else {
            if block.sequences > 0 || over {
                let (now, later) = sequences.split_at(block.sequences);
                let (bytes, rest) = src.split_at(block.bytes);
                write_block(bytes, now, &mut block.counts, bits, over, room)?;
                (sequences, src) = (later, rest);
            }
            if over {
                return Some(());
            }
            block = segment.clone();
        }
        ahead = &ahead[segment.sequences..];
        ahead_src = &ahead_src[segment.bytes..];
    }
}

/// Counts the symbols of the first sequences.
fn segment(src: &[u8], sequences: &[Sequence]) -> Part {
    let mut part = Part::new();
    let mut symbols = 0;
    let mut lanes = [[0u32; 256]; 4];
    for sequence in sequences {
        let literals = sequence.literals as usize;
        let Some(bytes) = src.get(part.bytes..part.bytes + literals) else { break };
        // Equal bytes in a row would wait for each other's count.
        let (fours, rest) = bytes.as_chunks::<4>();
        for four in fours {
            for (lane, &byte) in lanes.iter_mut().zip(four) {
                lane[usize::from(byte)] += 1;
            }
        }
        for &byte in rest {
            lanes[0][usize::from(byte)] += 1;
        }
        symbols += sequence.literals;
        if sequence.length > 0 {
            let (full, others) = pieces(sequence.length);
            let offset = &mut part.counts.offset[offset_symbol(sequence.offset).0];
            part.counts.litlen[length_symbol(MAX_MATCH).0] += full;
            *offset += full;
            symbols += 2 * full;
            for piece in others {
                if piece > 0 {
                    part.counts.litlen[length_symbol(piece).0] += 1;
                    *offset += 1;
                    symbols += 2;
                }
            }
        }
        part.bytes += literals + sequence.length as usize;
        part.sequences += 1;
        if symbols >= SEGMENT {
            break;
        }
    }
    let [a, b, c, d] = &lanes;
    for (i, to) in part.counts.litlen[..256].iter_mut().enumerate() {
        *to = a[i] + b[i] + c[i] + d[i];
    }
    part.bits = entropy(&part.counts);
    part
}

/// Both as one, unless they are better apart.
fn join(block: &Part, segment: &Part) -> Option<Part> {
    if block.sequences == 0 {
        return None;
    }
    let mut counts = block.counts.clone();
    let mut used = 0;
    for (to, from) in counts.litlen.iter_mut().zip(&segment.counts.litlen) {
        *to += from;
        used += u64::from(*from > 0);
    }
    for (to, from) in counts.offset.iter_mut().zip(&segment.counts.offset) {
        *to += from;
        used += u64::from(*from > 0);
    }
    let bits = entropy(&counts);
    // Of a header, about 100 bits are always there, and each code takes about three.
    if block.bits + segment.bits + 100 + 3 * used < bits {
        return None;
    }
    Some(Part {
        counts,
        sequences: block.sequences + segment.sequences,
        bytes: block.bytes + segment.bytes,
        bits,
    })
}

fn entropy(counts: &Counts) -> u64 {
    entropy_of(&counts.litlen) + entropy_of(&counts.offset)
}

/// What symbols of these frequencies take: the sum of n * log2(all / n).
pub(super) fn entropy_of(counts: &[u32]) -> u64 {
    let mut all = 0;
    let mut sum = 0;
    for &n in counts {
        all += n;
        sum += u64::from(n) * log2(n);
    }
    (u64::from(all) * log2(all)).saturating_sub(sum) >> 8
}

/// 256 * log2(n), good to about 1; 0 for 0.
#[inline(always)]
fn log2(n: u32) -> u64 {
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
        // Eight binary digits of the logarithm: squaring doubles it, a digit is whether that reaches 2.
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

/// Writes one block.
fn write_block(
    src: &[u8],
    sequences: &[Sequence],
    counts: &mut Counts,
    bits: &mut Bits<'_>,
    last: bool,
    room: usize,
) -> Option<()> {
    counts.litlen[END] = 1;
    let (mut litlen, mut offset) = ([0; LITLENS], [0; OFFSETS]);
    huffman::lengths(&counts.litlen, LITLEN_LIMIT, &mut litlen);
    huffman::lengths(&counts.offset, OFFSET_LIMIT, &mut offset);
    let header = Header::new(&litlen, &offset);
    let extra = extra_bits(counts);
    let dynamic = header.bits + extra + total(&counts.litlen, &litlen) + total(&counts.offset, &offset);
    let fixed = extra + total(&counts.litlen, &FIXED_LITLEN) + total(&counts.offset, &[5; OFFSETS]);
    // Up to 7 bits of padding and two lengths for every 65535 bytes.
    let stored = 8 * src.len() as u64 + 42 * src.len().div_ceil(MAX_STORED).max(1) as u64;
    let least = dynamic.min(fixed).min(stored);
    // Behind it, eight bytes that a flush may write.
    if bits.position() + least > 8 * room as u64 {
        return None;
    }
    bits.flush()?;
    if stored == least {
        return write_stored(src, bits, last);
    }
    bits.push(u32::from(last), 1);
    if dynamic == least {
        bits.push(2, 2);
        header.write(bits)?;
    } else {
        bits.push(1, 2);
        (litlen, offset) = (FIXED_LITLEN, [5; OFFSETS]);
    }
    let mut codes = Codes { litlen: [0; LITLENS], offset: [0; OFFSETS] };
    if dynamic == least {
        huffman::codes(&litlen, &mut codes.litlen);
        huffman::codes(&offset, &mut codes.offset);
    } else {
        // The two symbols without a meaning have codes too.
        let mut all = [8; 288];
        all[..LITLENS].copy_from_slice(&litlen);
        let mut litlen = [0; 288];
        huffman::codes(&all, &mut litlen);
        codes.litlen.copy_from_slice(&litlen[..LITLENS]);
        huffman::codes(&[5; OFFSETS], &mut codes.offset);
    }
    write_symbols(src, sequences, &codes, bits)
}

/// The code lengths of a block with fixed codes.
const FIXED_LITLEN: [u8; LITLENS] = {
    let mut lengths = [8; LITLENS];
    let mut symbol = 144;
    while symbol < 280 {
        lengths[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lengths
};

fn total(counts: &[u32], lengths: &[u8]) -> u64 {
    counts.iter().zip(lengths).map(|(&n, &length)| u64::from(n) * u64::from(length)).sum()
}

fn extra_bits(counts: &Counts) -> u64 {
    let lengths = counts.litlen[265..285].iter().enumerate().map(|(i, &n)| u64::from(n) * (i as u64 / 4 + 1));
    let offsets = counts.offset[4..].iter().enumerate().map(|(i, &n)| u64::from(n) * (i as u64 / 2 + 1));
    lengths.sum::<u64>() + offsets.sum::<u64>()
}

/// As much as a stored block holds.
const MAX_STORED: usize = 65535;

fn write_stored(mut src: &[u8], bits: &mut Bits<'_>, last: bool) -> Option<()> {
    loop {
        let (now, later) = src.split_at(src.len().min(MAX_STORED));
        bits.push(u32::from(last && later.is_empty()), 3);
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

#[inline(never)]
fn write_symbols(src: &[u8], sequences: &[Sequence], codes: &Codes, bits: &mut Bits<'_>) -> Option<()> {
    let mut rest = src;
    let literals: &[u32; 256] = codes.litlen.first_chunk()?;
    for sequence in sequences {
        let (bytes, after) = rest.split_at_checked(sequence.literals as usize)?;
        // 7 bits may be left over.
        let (fours, few) = bytes.as_chunks::<4>();
        for four in fours {
            for &byte in four {
                bits.push_code(literals[usize::from(byte)]);
            }
            bits.flush()?;
        }
        for &byte in few {
            bits.push_code(literals[usize::from(byte)]);
        }
        bits.flush()?;
        rest = after;
        if sequence.length > 0 {
            let (full, others) = pieces(sequence.length);
            let (symbol, extra) = offset_symbol(sequence.offset);
            let offset = codes.offset[symbol];
            let extra = code((sequence.offset - 1) & ((1 << extra) - 1), extra);
            if full > 0 {
                let length = codes.litlen[length_symbol(MAX_MATCH).0];
                for _ in 0..full {
                    bits.push_code(length);
                    bits.push_code(offset);
                    bits.push_code(extra);
                    bits.flush()?;
                }
            }
            for piece in others {
                if piece > 0 {
                    let (symbol, n) = length_symbol(piece);
                    bits.push_code(codes.litlen[symbol]);
                    bits.push(piece.wrapping_sub(3) & ((1 << n) - 1), n);
                    bits.push_code(offset);
                    bits.push_code(extra);
                    bits.flush()?;
                }
            }
            rest = rest.get(sequence.length as usize..)?;
        }
    }
    bits.push_code(codes.litlen[END]);
    bits.flush()
}
