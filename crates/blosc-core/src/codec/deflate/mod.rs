//! zlib streams (RFC 1950, with the deflate format of RFC 1951) whose uncompressed data is in memory as a whole.
//!
//! A stream is a header of two bytes, blocks, and the Adler-32 of the uncompressed data. A block is a bit string,
//! stored from the low bit of each byte upward:
//!
//! ```text
//! last:1  kind:2   0  stored: to the next byte, u16 length, its complement, the bytes
//!                  1  fixed codes:   symbols
//!                  2  dynamic codes: description of the codes, symbols
//!
//! symbol           0..=255  a literal
//!                  256      end of block
//!                  257..    a length, 3..=258, and extra bits; then an offset symbol, 1..=32768, and extra bits
//! ```

mod decode;
mod encode;
mod symbols;

pub(crate) use decode::DeflateDecoder;
pub(crate) use encode::{DeflateEncoder, Reference};
