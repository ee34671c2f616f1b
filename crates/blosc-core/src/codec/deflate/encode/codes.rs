//! The codes of one block, and the encoding of its symbols.

use super::super::symbols::{END, LITLENS, MAX_MATCH, OFFSETS};
use super::bits::{Bits, code};
use super::sequence::{Sequence, length_symbol, offset_symbol, pieces};

/// Codes of one block, as written to the stream.
pub(super) struct Codes {
    pub(super) litlen: [u32; LITLENS],
    pub(super) offset: [u32; OFFSETS],
}

/// Writes `sequences`, which encode `src`, and the end of the block.
#[inline(never)]
pub(super) fn write(src: &[u8], sequences: &[Sequence], codes: &Codes, bits: &mut Bits<'_>) -> Option<()> {
    let mut rest = src;
    let literals: &[u32; 256] = codes.litlen.first_chunk()?;
    for sequence in sequences {
        let (bytes, after) = rest.split_at_checked(sequence.literals as usize)?;
        // Up to 7 bits may remain in the word.
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
