//! How a block with dynamic codes says what they are: code lengths, themselves run-length coded and then Huffman coded.

use super::ENDS;
use super::bits::Bits;
use super::table::Tables;

/// The order in which the lengths of the code length code are stored.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The longest code of the code length code.
const MAX_BITS: usize = 7;

/// Reads the codes of a block and makes its tables.
///
/// ```text
/// 257..=286 litlen lengths: 5 bits   1..=30 offset lengths: 5 bits   4..=19 lengths of the code length code: 4 bits
/// those, 3 bits each, in `ORDER`
/// the lengths of both codes as one list:  0..=15 a length   16 the last one, 3..=6 times   17, 18 zeros, 3..=138
/// ```
pub(super) fn read(bits: &mut Bits<'_>, tables: &mut Tables) -> Result<(), &'static str> {
    let litlens = bits.take(5)? as usize + 257;
    let offsets = bits.take(5)? as usize + 1;
    let stored = bits.take(4)? as usize + 4;
    if litlens > 286 || offsets > 30 {
        return Err("too many symbols");
    }
    let mut lengths = [0; 19];
    for &symbol in &ORDER[..stored] {
        lengths[usize::from(symbol)] = bits.take(3)? as u8;
    }
    let code = code_length_code(&lengths)?;

    // A run of 138 may begin at the last place.
    let mut lengths = [0u8; 286 + 30];
    let total = litlens + offsets;
    let mut at = 0;
    while at < total {
        // 7 bits of code and 7 more.
        if bits.count() < 14 {
            bits.refill();
        }
        let [symbol, used] = code[bits.peek() as usize & ((1 << MAX_BITS) - 1)];
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
    if lengths[256] == 0 {
        return Err("no code for the end of the block");
    }
    let (litlen, offset) = lengths[..total].split_at(litlens);
    tables.fill(litlen, offset, bits.rest().len())
}

/// Symbol and bits, by the next seven bits.
fn code_length_code(lengths: &[u8; 19]) -> Result<[[u8; 2]; 1 << MAX_BITS], &'static str> {
    let mut table = [[0; 2]; 1 << MAX_BITS];
    // The next code counted in seven bits, where one of n bits stands for 2^(7-n).
    let mut code = 0u32;
    for bits in 1..=MAX_BITS as u8 {
        for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &length)| length == bits) {
            if code >= 1 << MAX_BITS {
                return Err("too many code length codes");
            }
            // In the stream a code begins with its highest bit.
            let first = (code as u8).reverse_bits() >> 1;
            for entry in table[usize::from(first)..].iter_mut().step_by(1 << bits) {
                *entry = [symbol as u8, bits];
            }
            code += 1 << (MAX_BITS as u8 - bits);
        }
    }
    // Without any code there is no end of block either, and so nothing that could be decoded.
    if code == 1 << MAX_BITS { Ok(table) } else { Err("incomplete code length code") }
}
