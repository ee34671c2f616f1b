//! Encoding zlib streams (RFC 1950, deflate of RFC 1951) of inputs that are there as a whole.
mod bits;
mod blocks;
mod chains;
mod fast;
mod header;
mod huffman;
mod prices;
mod sequence;
mod sink;
#[cfg(test)]
mod tests;

use bits::Bits;
use sequence::Sequence;

/// Tables and buffers of one level.
pub(crate) struct Compressor {
    level: u8,
    search: Search,
    sequences: Vec<Sequence>,
}

enum Search {
    Fast(fast::Table, u32),
    Chains(chains::Table, chains::Effort),
}

impl Compressor {
    /// Of level 1 to 9.
    pub(crate) fn new(level: u8) -> Self {
        let chains = |depth, nice, lazy, patience| {
            Search::Chains(chains::Table::default(), chains::Effort { depth, nice, lazy, patience })
        };
        let search = match level {
            ..=1 => Search::Fast(fast::Table::default(), 5),
            2 => Search::Fast(fast::Table::default(), 6),
            3 => chains(4, 16, 0, 6),
            4 => chains(6, 32, 16, 6),
            5 => chains(8, 32, 16, 6),
            6 => chains(16, 64, 32, 7),
            7 => chains(32, 64, 32, 7),
            8 => chains(64, 128, 64, 8),
            9.. => chains(96, 128, 128, 8),
        };
        Compressor { level, search, sequences: Vec::new() }
    }

    /// Compresses `src` into `dst`; `None` where the result does not fit, with some bytes to spare.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        if src.len() >= 1 << 30 {
            return None;
        }
        match &mut self.search {
            Search::Fast(table, patience) => table.find(src, *patience, &mut self.sequences),
            Search::Chains(table, effort) => table.find(src, *effort, &mut self.sequences),
        }
        // Method 8 with a window of 32 KiB; zlib's idea of the effort; what makes it divisible by 31.
        let header = [0x78, [0x01, 0x5E, 0x9C, 0xDA][usize::from(self.level / 2).saturating_sub(1).min(3)]];
        dst.get_mut(..2)?.copy_from_slice(&header);
        let room = dst.len().checked_sub(12)?;
        let mut bits = Bits::new(dst, 2);
        blocks::write(src, &self.sequences, &mut bits, room)?;
        bits.align()?;
        bits.bytes(&simd_adler32::adler32(&src).to_be_bytes())?;
        bits.align()
    }
}
