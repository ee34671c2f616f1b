//! Encodes zlib streams.
//!
//! ```text
//!   src ─ search ─▶ sequences ─ cut ─▶ blocks, each: stored, fixed codes, or codes of its own ─▶ dst
//!         (fast, chains)        (blocks)                                   (huffman, header, codes, bits)
//! ```
//!
//! A sequence is some literals and a match. A search finds all sequences of an input before a bit is written. So blocks
//! can be cut where the statistics change, and a block's size is known before it is written.

mod bits;
mod block;
mod blocks;
mod chains;
mod codes;
mod counts;
mod fast;
mod header;
mod huffman;
mod prices;
mod sequence;
mod sink;
#[cfg(test)]
mod tests;

use bits::Bits;
use chains::Effort;
use sequence::Sequence;

use crate::memory::OutOfMemory;

/// Tables and buffers of one level.
pub(crate) struct DeflateEncoder {
    level: u8,
    search: Finder,
    sequences: Vec<Sequence>,
}

enum Finder {
    Fast(fast::HashTable),
    Chains(chains::HashChains, Effort),
}

impl DeflateEncoder {
    /// Creates a compressor for level 1 to 9.
    pub(crate) fn new(level: u8) -> Result<Self, OutOfMemory> {
        let search = match level {
            ..=1 => Finder::Fast(fast::HashTable::new()?),
            2.. => Finder::Chains(chains::HashChains::new()?, EFFORTS[usize::from(level.min(9)) - 2]),
        };
        Ok(DeflateEncoder { level, search, sequences: Vec::new() })
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        MAX_TABLES + self.sequences.capacity() * size_of::<Sequence>()
    }

    /// Creates another compressor with the same settings.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        DeflateEncoder::new(self.level)
    }

    /// Compresses `src` into `dst`. Returns `None` if the result does not fit.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        if src.len() > MAX_INPUT {
            return Ok(None);
        }
        let thrift = match &mut self.search {
            Finder::Fast(table) => {
                table.find(src, &mut self.sequences)?;
                FAST_THRIFT
            }
            Finder::Chains(table, effort) => {
                table.find(src, *effort, &mut self.sequences)?;
                effort.thrift
            }
        };
        Ok(self.write(src, dst, thrift))
    }

    /// Writes the sequences of `src`. Returns `None` if they do not fit.
    fn write(&self, src: &[u8], dst: &mut [u8], thrift: u64) -> Option<usize> {
        dst.get_mut(..2)?.copy_from_slice(&header(self.level));
        // The checksum takes four bytes.
        let room = dst.len().checked_sub(4)?;
        let mut bits = Bits::new(dst, 2);
        blocks::write(src, &self.sequences, thrift, &mut bits, room)?;
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

/// Cost of a block at level 1 besides its header, in bits. It represents time.
const FAST_THRIFT: u64 = 2000;

/// Levels 2 to 9. Chosen so that none of ten kinds of shuffled data is more than 2 % larger than with zlib-ng at the
/// same level. The exception is one that compresses to 1/60, at level 9 (docs/decisions/004-zlib.md).
const EFFORTS: [Effort; 8] = [
    Effort { depth: 4, nice: 16, lazy: 0, half: 0, patience: 5, threes: false, thrift: 1000 },
    Effort { depth: 8, nice: 24, lazy: 0, half: 0, patience: 6, threes: false, thrift: 500 },
    Effort { depth: 12, nice: 32, lazy: 0, half: 0, patience: 6, threes: false, thrift: 500 },
    Effort { depth: 16, nice: 32, lazy: 0, half: 0, patience: 6, threes: false, thrift: 500 },
    Effort { depth: 24, nice: 64, lazy: 16, half: 2, patience: 6, threes: false, thrift: 300 },
    Effort { depth: 40, nice: 258, lazy: 32, half: 2, patience: 7, threes: false, thrift: 200 },
    Effort { depth: 40, nice: 258, lazy: 64, half: 1, patience: 7, threes: false, thrift: 100 },
    Effort { depth: 64, nice: 258, lazy: 258, half: 1, patience: 8, threes: true, thrift: 100 },
];
