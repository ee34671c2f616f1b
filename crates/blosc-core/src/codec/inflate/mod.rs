//! Decoding zlib streams (RFC 1950, deflate of RFC 1951) whose plain length is known.
//!
//! A stream is a header of two bytes, deflate blocks, and the Adler-32 of the plain bytes. A block is a bit string, filled
//! from the low bit of each byte upward:
//!
//! ```text
//! last:1  kind:2   0  stored: to the next byte, u16 length, its complement, the bytes
//!                  1  fixed codes:   symbols
//!                  2  dynamic codes: how the codes are made, symbols
//!
//! symbol           0..=255  a literal
//!                  256      end of block
//!                  257..    a length, 3..=258, and extra bits; then an offset symbol, 1..=32768, and extra bits
//! ```
//!
//! Input and output are whole slices, so there is no state between calls but the tables, and every check of room is one
//! for many symbols: [`wide`](symbols) decodes as long as both sides have plenty, its careful brother the rest.

mod bits;
mod header;
mod symbols;
mod table;
#[cfg(test)]
mod tests;

use bits::Bits;
use table::{FixedTables, Tables};

use crate::codec::CorruptStream;

/// Decodes streams, keeping the memory of its tables.
pub(crate) struct Decompressor {
    dynamic: Box<Tables>,
    /// Made when the first block asks for it.
    fixed: FixedTables,
}

impl Default for Decompressor {
    fn default() -> Self {
        Decompressor { dynamic: Box::default(), fixed: FixedTables::default() }
    }
}

impl Decompressor {
    /// Decodes the stream at the front of `src`, which must be one of exactly `dst.len()` bytes. What follows it is
    /// ignored, as zlib does.
    pub(crate) fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
        let mut bits = Bits::new(src);
        self.stream(&mut bits, dst).map_err(|what| CorruptStream::new(bits.position(), what))
    }

    fn stream(&mut self, bits: &mut Bits<'_>, dst: &mut [u8]) -> Result<(), &'static str> {
        header(bits)?;
        let mut d = 0;
        loop {
            let last = bits.take(1)? == 1;
            d = match bits.take(2)? {
                0 => stored(bits, dst, d)?,
                1 => symbols::decode(bits, self.fixed.get(), dst, d)?,
                2 => {
                    header::read(bits, &mut self.dynamic)?;
                    symbols::decode(bits, &self.dynamic, dst, d)?
                }
                _ => return Err("invalid block kind"),
            };
            if last {
                break;
            }
        }
        if d < dst.len() {
            return Err("the zlib stream ends early");
        }
        bits.align();
        let checksum = bits.bytes(4)?.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        if checksum == simd_adler32::adler32(&&*dst) { Ok(()) } else { Err("wrong checksum") }
    }
}

/// The two bytes in front: method 8 with a window of at most 32 KiB, no dictionary, divisible by 31.
fn header(bits: &mut Bits<'_>) -> Result<(), &'static str> {
    let (method, flags) = (bits.take(8)?, bits.take(8)?);
    if (method << 8 | flags) % 31 != 0 {
        Err("wrong checksum of the zlib header")
    } else if method & 0x0F != 8 {
        Err("unknown method in the zlib header")
    } else if method >> 4 > 7 {
        Err("invalid window size in the zlib header")
    } else if flags & 0x20 != 0 {
        Err("the zlib stream needs a dictionary")
    } else {
        Ok(())
    }
}

/// Copies a stored block to `dst[d..]` and gives its end.
fn stored(bits: &mut Bits<'_>, dst: &mut [u8], d: usize) -> Result<usize, &'static str> {
    bits.align();
    let &[low, high, not_low, not_high] = bits.bytes(4)? else { return Err(ENDS) };
    if [low, high] != [!not_low, !not_high] {
        return Err("invalid length of a stored block");
    }
    let from = bits.bytes(usize::from(u16::from_le_bytes([low, high])))?;
    let Some(to) = dst.get_mut(d..d + from.len()) else { return Err(TOO_LONG) };
    to.copy_from_slice(from);
    Ok(d + from.len())
}

const ENDS: &str = "the zlib stream is cut off";
const TOO_LONG: &str = "the zlib stream does not end where it should";
