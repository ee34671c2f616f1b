//! Parses the header of a block with dynamic codes: code lengths, run-length coded and then Huffman coded.

use super::super::symbols::{CODE_LENGTH_LIMIT, CODE_LENGTH_ORDER, CODE_LENGTHS, END, LITLENS, OFFSETS};
use super::bits::{Bits, ENDS};
use super::table::BlockTables;

/// Reads the codes of a block and builds its tables.
///
/// ```text
/// 257..=286 litlen lengths: 5 bits   1..=30 offset lengths: 5 bits   4..=19 lengths of the code length code: 4 bits
/// the latter, 3 bits each, in `CODE_LENGTH_ORDER`
/// the lengths of both codes as one list:  0..=15 a length   16 the last one, 3..=6 times   17, 18 zeros, 3..=138
/// ```
pub(super) fn read(bits: &mut Bits<'_>, tables: &mut BlockTables) -> Result<(), &'static str> {
    let litlens = bits.take(5)? as usize + 257;
    let offsets = bits.take(5)? as usize + 1;
    let stored = bits.take(4)? as usize + 4;
    if litlens > LITLENS || offsets > OFFSETS {
        return Err("too many symbols");
    }
    let mut lengths = [0; CODE_LENGTHS];
    for &symbol in &CODE_LENGTH_ORDER[..stored] {
        lengths[usize::from(symbol)] = bits.take(3)? as u8;
    }
    let code = code_length_code(&lengths)?;

    // A run of 138 may begin at the last place.
    let mut lengths = [0u8; LITLENS + OFFSETS];
    let total = litlens + offsets;
    let mut at = 0;
    while at < total {
        // 7 bits of code and 7 more.
        if bits.count() < 14 {
            bits.refill();
        }
        let [symbol, used] = code[bits.peek() as usize & ((1 << CODE_LENGTH_LIMIT) - 1)];
        if bits.count() < u32::from(used) {
            return Err(ENDS);
        }
        bits.skip(used.into());
        if symbol < 16 {
            lengths[at] = symbol;
            at += 1;
            continue;
        }
        let (value, n) = match symbol {
            16 if at == 0 => return Err("no code length to repeat"),
            16 => (lengths[at - 1], 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            _ => (0, 11 + bits.take(7)?),
        };
        let end = at + n as usize;
        if end > total {
            return Err("too many code lengths");
        }
        lengths[at..end].fill(value);
        at = end;
    }
    if lengths[END] == 0 {
        return Err("no code for the end of the block");
    }
    let (litlen, offset) = lengths[..total].split_at(litlens);
    tables.fill(litlen, offset, bits.rest().len())
}

/// Returns a table of symbol and code length, indexed by the next seven bits.
fn code_length_code(lengths: &[u8; CODE_LENGTHS]) -> Result<[[u8; 2]; 1 << CODE_LENGTH_LIMIT], &'static str> {
    let mut table = [[0; 2]; 1 << CODE_LENGTH_LIMIT];
    // The next code, scaled to seven bits: a code of n bits counts as 2^(7-n).
    let mut code = 0u32;
    for bits in 1..=CODE_LENGTH_LIMIT as u8 {
        for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &length)| length == bits) {
            if code >= 1 << CODE_LENGTH_LIMIT {
                return Err("too many code length codes");
            }
            // In the stream a code begins with its highest bit.
            let first = (code as u8).reverse_bits() >> 1;
            for entry in table[usize::from(first)..].iter_mut().step_by(1 << bits) {
                *entry = [symbol as u8, bits];
            }
            code += 1 << (CODE_LENGTH_LIMIT as u8 - bits);
        }
    }
    // A code without symbols is rejected too: there would be no end of block, so nothing could be decoded.
    if code == 1 << CODE_LENGTH_LIMIT { Ok(table) } else { Err("incomplete code length code") }
}
