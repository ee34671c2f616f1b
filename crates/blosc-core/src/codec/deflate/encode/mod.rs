//! Encodes zlib streams.
//!
//! ```text
//!   src ─ search ─▶ sequences ─ cut ─▶ blocks, each: stored, fixed codes, or codes of its own ─▶ dst
//!         (fast, thorough)       (blocks)                                   (huffman, header, codes, bits)
//! ```
//!
//! A sequence is some literals and a match. A search finds all sequences of an input before a bit is written. So blocks
//! can be cut where the statistics change, and a block's size is known before it is written.
//!
//! | file | content |
//! |---|---|
//! | `fast` | the fast search |
//! | `thorough`, `chains`, `depth`, `matches`, `prices`, `planes` | the thorough search: hash chains, the length of walks, the match that saves most bits, byte planes without useful matches |
//! | `text` | tells text from other data, for the choice of a search |
//! | `sequence`, `sink` | the sequences and their symbols; collects what a search finds |
//! | `blocks`, `counts` | cuts sequences into blocks; symbol counts and their entropy |
//! | `block`, `header`, `codes`, `huffman` | writes one block: its encoding, the header of dynamic codes, the codes |
//! | `bits` | writes bits |

mod bits;
mod block;
mod blocks;
mod chains;
mod codes;
mod counts;
mod depth;
mod fast;
mod header;
mod huffman;
mod matches;
mod planes;
mod prices;
mod sequence;
mod sink;
#[cfg(test)]
mod tests;
mod text;
mod thorough;

use bits::Bits;
use blocks::Cost;
use chains::HashChains;
use sequence::Sequence;
use thorough::Effort;

use crate::codec::few_words::has_few_words;
use crate::memory::OutOfMemory;

/// Tables and buffers of one level.
pub(crate) struct DeflateEncoder {
    level: u8,
    reference: Reference,
    /// Number of parts of a stream with bytes of one kind, or 0.
    planes: usize,
    search: Finder,
    sequences: Vec<Sequence>,
}

/// The library whose sizes at the same level are matched.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    /// Classic zlib, in C-Blosc 1. It finds matches of three bytes.
    Zlib,
    /// zlib-ng, in C-Blosc2.
    ZlibNg,
}

enum Finder {
    Fast(fast::HashTable),
    Thorough(HashChains, Effort),
    /// The fast search for text, the other for the rest.
    ByContent(fast::HashTable, HashChains, Effort),
}

impl DeflateEncoder {
    /// Creates a compressor for level 1 to 9 whose output is as small as that of `reference`.
    ///
    /// Its streams consist of `planes` parts of the same length, each with bytes of one kind. 0: of bytes of several kinds.
    pub(crate) fn new(level: u8, reference: Reference, planes: usize) -> Result<Self, OutOfMemory> {
        let index = usize::from(level.clamp(1, 9)) - 1;
        let search = match reference {
            Reference::ZlibNg if index == 0 => Finder::Fast(fast::HashTable::new()?),
            Reference::ZlibNg => Finder::Thorough(HashChains::new()?, ZLIB_NG_EFFORTS[index - 1]),
            Reference::Zlib if index == 0 => {
                Finder::ByContent(fast::HashTable::new()?, HashChains::new()?, ZLIB_EFFORTS[0])
            }
            Reference::Zlib => Finder::Thorough(HashChains::new()?, ZLIB_EFFORTS[index]),
        };
        // The searches of lower levels take little longer than the test of a plane.
        let first_tested = match reference {
            Reference::ZlibNg => 4,
            Reference::Zlib => 3,
        };
        let planes = if level < first_tested { 0 } else { planes };
        Ok(DeflateEncoder { level, reference, planes, search, sequences: Vec::new() })
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        MAX_TABLES + self.sequences.capacity() * size_of::<Sequence>()
    }

    /// Creates another compressor with the same settings.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        DeflateEncoder::new(self.level, self.reference, self.planes)
    }

    /// Compresses `src` into `dst`. Returns `None` if the result does not fit.
    // In line, its frame of two pages would be that of all codecs.
    #[inline(never)]
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        if src.len() > MAX_INPUT {
            return Ok(None);
        }
        let plane = src.len().checked_div(self.planes).unwrap_or(0);
        let cost = match &mut self.search {
            Finder::Fast(table) => {
                table.find(src, &mut self.sequences)?;
                FAST_COST
            }
            Finder::ByContent(table, _, effort) if text::is_text(src) => {
                table.find(src, &mut self.sequences)?;
                Cost { cut: effort.thrift, codes: 0 }
            }
            Finder::Thorough(table, effort) | Finder::ByContent(_, table, effort) => {
                let effort = effort.for_content(src, self.reference);
                thorough::find(table, src, plane, effort, &mut self.sequences)?;
                Cost { cut: effort.thrift, codes: 0 }
            }
        };
        Ok(self.write(src, dst, cost))
    }

    /// Writes the sequences of `src`. Returns `None` if they do not fit.
    fn write(&self, src: &[u8], dst: &mut [u8], cost: Cost) -> Option<usize> {
        dst.get_mut(..2)?.copy_from_slice(&header(self.level));
        // The checksum takes four bytes.
        let room = dst.len().checked_sub(4)?;
        let mut bits = Bits::new(dst, 2);
        blocks::write(src, &self.sequences, cost, &mut bits, room)?;
        bits.align()?;
        bits.bytes(&simd_adler32::adler32(&src).to_be_bytes())?;
        bits.align()
    }
}

/// Returns the header: method 8 with a window of 32 KiB, zlib's level class, and check bits that make both bytes
/// together divisible by 31.
fn header(level: u8) -> [u8; 2] {
    [
        0x78,
        [0x01, 0x5E, 0x9C, 0xDA][match level {
            ..=1 => 0,
            2..=5 => 1,
            6 => 2,
            7.. => 3,
        }],
    ]
}

/// Upper bound of the bytes of hash tables and chains.
const MAX_TABLES: usize = 256 << 10;

/// The longest input: positions and the distance to earlier inputs fit into 32 bits.
const MAX_INPUT: usize = 1 << 30;

/// Costs at level 1. Dynamic codes take two thirds of the time of a stream of 4 KiB.
const FAST_COST: Cost = Cost { cut: 2000, codes: 2000 };

/// Streams of all lengths.
const ALL: usize = usize::MAX;
/// A stream in which three bytes often cost less as a match than as literals, because its codes are fixed or rough.
const SHORT: usize = 8 << 10;

/// Levels 2 to 9 with the sizes of zlib-ng. docs/decisions/004-zlib.md lists the sizes, and where they are missed.
const ZLIB_NG_EFFORTS: [Effort; 8] = [
    Effort { depth: 4, late: 6, nice: 16, lazy: 0, half: 0, patience: 5, threes: 0, ends: 16, thrift: 1000 },
    Effort { depth: 8, late: 6, nice: 24, lazy: 0, half: 0, patience: 6, threes: 0, ends: 16, thrift: 500 },
    Effort { depth: 12, late: 6, nice: 32, lazy: 0, half: 0, patience: 6, threes: 0, ends: 16, thrift: 500 },
    Effort { depth: 16, late: 6, nice: 32, lazy: 6, half: 1, patience: 6, threes: 0, ends: 16, thrift: 300 },
    Effort { depth: 24, late: 6, nice: 64, lazy: 16, half: 2, patience: 6, threes: 0, ends: 16, thrift: 300 },
    Effort { depth: 64, late: 6, nice: 258, lazy: 32, half: 2, patience: 7, threes: 0, ends: 16, thrift: 200 },
    Effort { depth: 256, late: 6, nice: 258, lazy: 64, half: 1, patience: 7, threes: 0, ends: 16, thrift: 100 },
    Effort { depth: 256, late: 6, nice: 258, lazy: 258, half: 1, patience: 8, threes: ALL, ends: 16, thrift: 100 },
];

/// Levels 1 to 9 with the sizes of zlib.
const ZLIB_EFFORTS: [Effort; 9] = [
    Effort { depth: 8, late: 6, nice: 8, lazy: 0, half: 0, patience: 6, threes: SHORT, ends: 2, thrift: 500 },
    Effort { depth: 16, late: 20, nice: 16, lazy: 0, half: 0, patience: 6, threes: SHORT, ends: 4, thrift: 500 },
    Effort { depth: 24, late: 6, nice: 32, lazy: 0, half: 0, patience: 6, threes: ALL, ends: 16, thrift: 500 },
    Effort { depth: 16, late: 6, nice: 16, lazy: 8, half: 1, patience: 6, threes: ALL, ends: 16, thrift: 500 },
    Effort { depth: 16, late: 6, nice: 32, lazy: 16, half: 1, patience: 6, threes: ALL, ends: 16, thrift: 300 },
    Effort { depth: 40, late: 6, nice: 258, lazy: 32, half: 1, patience: 7, threes: ALL, ends: 16, thrift: 200 },
    Effort { depth: 40, late: 6, nice: 258, lazy: 64, half: 1, patience: 7, threes: ALL, ends: 16, thrift: 100 },
    Effort { depth: 256, late: 6, nice: 258, lazy: 258, half: 1, patience: 8, threes: ALL, ends: 16, thrift: 100 },
    Effort { depth: 1024, late: 6, nice: 258, lazy: 258, half: 0, patience: 8, threes: ALL, ends: 16, thrift: 100 },
];

impl Effort {
    /// Returns the effort for `src`. Text of few words has many candidates: with three quarters of them, its sizes stay within
    /// 1 % of classic zlib's (docs/decisions/004-zlib.md).
    fn for_content(self, src: &[u8], reference: Reference) -> Self {
        match reference {
            Reference::Zlib if has_few_words(src) => Effort { depth: self.depth * 3 / 4, ..self },
            _ => self,
        }
    }
}
