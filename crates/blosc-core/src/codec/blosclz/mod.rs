//! BloscLZ, Blosc's own codec.
//!
//! A stream is a sequence of opcodes, each followed by its operands:
//!
//! ```text
//! 000nnnnn                      literal run: the next n+1 (1..=32) bytes as they are
//! cccooooo [e e .. e] b [h l]   match: repeat `length` bytes from `distance` bytes back
//!
//! length     c = 1..=6:  c + 2
//!            c = 7:      9 + the sum of the bytes e, of which only the last is not 255
//! distance   1..=8191:       o * 256 + b + 1
//!            8192..=73727:   o = 31 and b = 255, then 8192 + h * 256 + l
//! ```
//!
//! A match may overlap its own output; distance 1 repeats one byte. The first opcode is a literal run whatever its
//! upper three bits are (encoders set the lowest of them). The last opcode is a literal run too: a decoder reads the
//! opcode after a match before it copies the match.
//!
//! | file | content |
//! |---|---|
//! | `decode` | the decoder |
//! | `encode` | the encoder |
//! | `effort` | search parameters of the levels |
//! | `promise` | samples a stream to decide how it is searched, or that it is stored |
//! | `find` | hash table and match finder |
//! | `emit` | writes literal runs and matches |

mod decode;
mod effort;
mod emit;
mod encode;
mod find;
mod promise;
#[cfg(test)]
mod tests;

pub(crate) use decode::{decompress, decompress_prefix};
pub(crate) use encode::compress;
pub(crate) use find::HashTable;

/// The longest literal run of one opcode.
const MAX_LITERALS: usize = 32;
/// The length of a match with c = 1, the shortest.
const MIN_MATCH: usize = 3;
/// The largest distance that takes one byte besides the opcode. o = 31 with b = 255 means that two more bytes follow.
const NEAR: usize = 31 * 256 + 255;
