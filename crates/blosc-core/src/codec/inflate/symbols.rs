//! Decoding the symbols of one block.

use super::bits::Bits;
use super::table::{END, LITERAL, LitLen, ODD, Offsets, PAIR, SUB, Tables};
use super::{ENDS, TOO_LONG};
use crate::codec::lz4::copy::{OVERRUN, copy_exact, copy_roomy, room, unlikely};

const NO_SYMBOL: &str = "invalid literal or length code";
const NO_OFFSET: &str = "invalid offset code";
const TOO_FAR: &str = "offset outside of the decoded bytes";

/// Decodes to `dst[d..]` up to the end of the block and gives the end of what is decoded.
pub(super) fn decode(bits: &mut Bits<'_>, tables: &Tables, dst: &mut [u8], d: usize) -> Result<usize, &'static str> {
    // By value: the state stays in registers.
    let (after, d, ended) = wide(*bits, &tables.litlen, &tables.offset, dst, d)?;
    *bits = after;
    if ended { Ok(d) } else { careful(bits, tables, dst, d) }
}

/// What one turn of [`wide`] may write: three pairs of literals, or two and a match.
const ROOM: usize = 6 + 258 + OVERRUN;

/// What one turn of [`wide`] may load: three refills.
const BYTES: usize = 3 * 8;

/// Decodes symbols as long as both sides have room for a whole turn. Says whether the block is over.
///
/// A turn begins with 56 bits. Two lookups in the root of `litlen` and one in `offset` need no more:
///
/// ```text
///   11 literals   +   11 length  +  5 extra  +   15 offset  +  13 extra   =  55
/// ```
#[inline(never)]
fn wide<'a>(
    mut bits: Bits<'a>,
    litlen: &LitLen,
    offsets: &Offsets,
    dst: &mut [u8],
    mut d: usize,
) -> Result<(Bits<'a>, usize, bool), &'static str> {
    let Some(last) = dst.len().checked_sub(ROOM) else { return Ok((bits, d, false)) };
    while d <= last && bits.has_bytes(BYTES) {
        bits.refill_wide().ok_or(ENDS)?;
        let mut entry = litlen.get(bits.peek());
        if entry & LITERAL != 0 {
            d = put(dst, d, entry).ok_or(TOO_LONG)?;
            bits.skip(entry);
            entry = litlen.get(bits.peek());
            if entry & LITERAL != 0 {
                d = put(dst, d, entry).ok_or(TOO_LONG)?;
                bits.skip(entry);
                entry = litlen.get(bits.peek());
                if entry & LITERAL != 0 {
                    d = put(dst, d, entry).ok_or(TOO_LONG)?;
                    bits.skip(entry);
                    continue;
                }
                bits.refill_wide().ok_or(ENDS)?;
            }
        }
        if entry & ODD != 0 {
            unlikely();
            if entry & SUB != 0 {
                bits.skip(entry);
                entry = litlen.get_sub(entry, bits.peek());
                if entry & LITERAL != 0 {
                    d = put(dst, d, entry).ok_or(TOO_LONG)?;
                    bits.skip(entry);
                    continue;
                }
            }
            if entry & ODD != 0 {
                if entry & END == 0 {
                    return Err(NO_SYMBOL);
                }
                bits.skip(entry);
                return Ok((bits, d, true));
            }
        }
        let length = number(&mut bits, entry);
        if bits.count() < 28 {
            bits.refill_wide().ok_or(ENDS)?;
        }
        let mut entry = offsets.get(bits.peek());
        if entry & ODD != 0 {
            unlikely();
            if entry & SUB == 0 {
                return Err(NO_OFFSET);
            }
            bits.skip(entry);
            entry = offsets.get_sub(entry, bits.peek());
            if entry & ODD != 0 {
                return Err(NO_OFFSET);
            }
        }
        let offset = number(&mut bits, entry);
        let from = d.checked_sub(offset).ok_or(TOO_FAR)?;
        copy_roomy(dst, from, d, length).ok_or(TOO_LONG)?;
        d += length;
    }
    Ok((bits, d, false))
}

/// Writes the one or two literals of `entry`, and a byte too many if it is one.
#[inline(always)]
fn put(dst: &mut [u8], d: usize, entry: u32) -> Option<usize> {
    *room(dst, d)? = ((entry >> 8) as u16).to_le_bytes();
    Some(d + literals(entry))
}

#[inline(always)]
fn literals(entry: u32) -> usize {
    (entry & PAIR) as usize / PAIR as usize + 1
}

/// The length or the offset that `entry` begins, whose bits must be there and are skipped.
#[inline(always)]
fn number(bits: &mut Bits<'_>, entry: u32) -> usize {
    let word = bits.peek();
    bits.skip(entry);
    let extra = (word & ((1 << (entry & 63)) - 1)) >> (entry >> 8 & 0xF);
    (entry >> 16) as usize + extra as usize
}

/// Decodes the rest of a block, symbol by symbol.
#[inline(never)]
fn careful(bits: &mut Bits<'_>, tables: &Tables, dst: &mut [u8], mut d: usize) -> Result<usize, &'static str> {
    loop {
        // All that a length and an offset may take.
        if bits.count() < 48 {
            bits.refill();
        }
        let mut entry = tables.litlen.get(bits.peek());
        if entry & LITERAL == 0 && entry & SUB != 0 {
            skip(bits, entry)?;
            entry = tables.litlen.get_sub(entry, bits.peek());
        }
        if entry & LITERAL != 0 {
            // A second one is none of the bits behind the stream: its checksum stands between.
            skip(bits, entry)?;
            let end = d + literals(entry);
            let Some(to) = dst.get_mut(d..end) else { return Err(TOO_LONG) };
            to.copy_from_slice(&entry.to_le_bytes()[1..=to.len()]);
            d = end;
            continue;
        }
        if entry & ODD != 0 {
            if entry & END == 0 {
                return Err(NO_SYMBOL);
            }
            skip(bits, entry)?;
            return Ok(d);
        }
        let length = enough(bits, entry).map(|()| number(bits, entry))?;
        let mut entry = tables.offset.get(bits.peek());
        if entry & SUB != 0 && entry & ODD != 0 {
            skip(bits, entry)?;
            entry = tables.offset.get_sub(entry, bits.peek());
        }
        if entry & ODD != 0 {
            return Err(NO_OFFSET);
        }
        let offset = enough(bits, entry).map(|()| number(bits, entry))?;
        let from = d.checked_sub(offset).ok_or(TOO_FAR)?;
        copy_exact(dst, from, d, length).ok_or(TOO_LONG)?;
        d += length;
    }
}

fn skip(bits: &mut Bits<'_>, entry: u32) -> Result<(), &'static str> {
    enough(bits, entry)?;
    bits.skip(entry);
    Ok(())
}

/// Whether the input still has the bits of `entry`.
fn enough(bits: &Bits<'_>, entry: u32) -> Result<(), &'static str> {
    if bits.count() < entry & 0xFF { Err(ENDS) } else { Ok(()) }
}
