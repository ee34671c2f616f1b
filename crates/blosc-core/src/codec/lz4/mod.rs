//! LZ4 blocks (the block format, no frame): decoder, fast encoder, high-compression encoder.
//!
//! A block is a chain of sequences, the last of which ends after its literals:
//!
//! ```text
//! token      more literal length   literals   offset        more match length
//! LLLL MMMM  255.. x, if L = 15    L bytes    u16, 1..=d    255.. x, if M = 15
//! ```
//!
//! `L` and `M` are a number below 15, or 15 plus the bytes that follow, each 255 but the last. A match is `M` +
//! [`MIN_MATCH`] bytes that also occur `offset` bytes earlier. It may overlap its own output, which is how runs are
//! stored. `d` is the number of bytes decoded so far: every block is independent of other blocks.
//!
//! A Blosc2 chunk may have a dictionary of at most 32 KiB, which logically precedes each block. Offsets may reach into
//! it, and a match that starts in it may continue in the block. The encoders need dictionary and block in one buffer
//! and start after the dictionary ([`dict`]). The decoder reads the dictionary in place.
//!
//! | file | content |
//! |---|---|
//! | `decode` | the decoder |
//! | `fast`, `scan`, `positions` | the fast encoder: tables and the choice of a search; its search; its hash tables |
//! | `hc` | the high-compression encoder: levels and tables |
//! | `mid`, `lazy` | its parsers: of the lowest level, of the others |
//! | `rows`, `finder` | its hash table in rows; the longest match among the candidates of a row |
//! | `sequence` | writes sequences, for all encoders |
//! | `dict` | encoders with a dictionary |
//! | `tests`, `dict_tests` | tests of encoders and decoder together |

mod decode;
mod dict;
#[cfg(test)]
mod dict_tests;
mod fast;
mod finder;
mod hc;
mod lazy;
mod mid;
mod positions;
mod rows;
mod scan;
mod sequence;
#[cfg(test)]
mod tests;

use super::lz77::match_length;

pub(crate) use decode::{decompress, decompress_prefix, decompress_with_dict};
pub(crate) use dict::{DictTable, HcDictTable, compress_fast_with_dict, compress_hc_with_dict};
pub(crate) use fast::{HashTable, Search, compress_fast};
pub(crate) use hc::{HcTable, compress_hc};

/// The shortest match.
const MIN_MATCH: usize = 4;

/// The value of a token's half that is followed by more length bytes.
const LONG: usize = 15;

/// Minimum number of literals at the end of a block, unless the whole block is shorter.
const END_LITERALS: usize = 5;

// The encoders use match lengths exactly as measured.
const _: () = assert!(END_LITERALS == match_length::TAIL);

/// Minimum distance from the start of the last match to the end of the block (`MFLIMIT`).
const MATCH_START_LIMIT: usize = 12;

/// The largest offset.
const MAX_DISTANCE: u32 = u16::MAX as u32;

/// The longest input that the encoders accept, as in the reference library.
const MAX_INPUT: usize = 0x7E00_0000;
