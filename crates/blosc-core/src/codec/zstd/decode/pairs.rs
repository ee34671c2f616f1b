//! Decodes two symbols per look-up, where codes are short.
//!
//! A look-up takes as long for two symbols as for one. A cell holds two if both codes together have at most 11 bits. If no
//! code is longer than 5 bits, all cells do, and the symbols need not be counted: byte planes of rounded numbers often have
//! few values of about equal frequency.

use core::ops::Range;

use super::huffman::{MAX_BITS, PER_REFILL, Stream, Table};
use super::singles::Fixed;
use crate::kernels::HotLoop;

/// One or two symbols. From the lowest bit: 8 bits for each symbol, 8 bits for the length of their codes, and as the
/// highest bit whether there are two.
pub(super) type Pair = u32;

pub(super) type PairTable = [Pair; 1 << MAX_BITS];

/// Fills `pairs` for the code of `table`. Returns whether all look-ups give two symbols.
///
/// The second symbols after a first one only depend on the length of its code. Codes of the same length are next to each
/// other in a table, so a template of the cells of each length is filled once and copied for each symbol.
#[inline(never)]
pub(super) fn fill(table: &Table, pairs: &mut PairTable) -> bool {
    let mut template = [0; 1 << MAX_BITS];
    let (mut length, mut longest) = (0, 0);
    let mut rest = &mut pairs[..];
    while let Some(&first) = table.get(table.len() - rest.len()) {
        let bits = u32::from(first & 15);
        let n = table.len() >> bits;
        if length != bits {
            length = bits;
            longest = longest.max(bits);
            for (to, &second) in template[..n].iter_mut().zip(table.iter().step_by(1 << bits)) {
                let both = bits + u32::from(second & 0xFF);
                *to = if both <= MAX_BITS { both << 16 | u32::from(second >> 8) << 8 | 1 << 31 } else { bits << 16 };
            }
        }
        let Some(region) = rest.split_off_mut(..n) else { break };
        for (to, cell) in region.iter_mut().zip(&template) {
            *to = cell | u32::from(first >> 8);
        }
    }
    2 * longest <= MAX_BITS
}

/// For a table of which all look-ups give two symbols.
impl Fixed<{ 2 * PER_REFILL }> for PairTable {
    #[inline(always)]
    fn symbols(&self, stream: &mut Stream, to: &mut [u8; 2 * PER_REFILL]) {
        for to in to.as_chunks_mut().0 {
            let cell = stream.pair(self);
            *to = (cell as u16).to_le_bytes();
        }
    }
}

/// Decodes four streams.
pub(super) struct FourPairs<'a> {
    pub(super) pairs: &'a PairTable,
    pub(super) table: &'a Table,
    pub(super) src: &'a [u8],
    pub(super) ranges: [Range<usize>; 4],
    pub(super) dst: [&'a mut [u8]; 4],
}

impl HotLoop for FourPairs<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let FourPairs { pairs, table, src, ranges, dst: [dst_a, dst_b, dst_c, dst_d] } = self;
        let mut a = Stream::new(src, &ranges[0])?;
        let mut b = Stream::new(src, &ranges[1])?;
        let mut c = Stream::new(src, &ranges[2])?;
        let mut d = Stream::new(src, &ranges[3])?;
        let (mut i, mut j, mut k, mut l) = (0, 0, 0, 0);
        while a.pairs(src, pairs, dst_a, &mut i)
            && b.pairs(src, pairs, dst_b, &mut j)
            && c.pairs(src, pairs, dst_c, &mut k)
            && d.pairs(src, pairs, dst_d, &mut l)
        {}
        a.finish(src, &ranges[0], table, dst_a.get_mut(i..)?)?;
        b.finish(src, &ranges[1], table, dst_b.get_mut(j..)?)?;
        c.finish(src, &ranges[2], table, dst_c.get_mut(k..)?)?;
        d.finish(src, &ranges[3], table, dst_d.get_mut(l..)?)
    }
}

impl Stream {
    /// Decodes the symbols between two refills to `dst[*d..]`. Returns false without effect if there is not enough room.
    #[inline(always)]
    fn pairs(&mut self, src: &[u8], pairs: &PairTable, dst: &mut [u8], d: &mut usize) -> bool {
        let Some(to) = dst.get_mut(*d..).and_then(|dst| dst.first_chunk_mut::<{ 2 * PER_REFILL }>()) else {
            return false;
        };
        if self.refill(src).is_none() {
            return false;
        }
        let mut npairs = 0;
        for i in 0..PER_REFILL {
            let cell = self.pair(pairs);
            to[i + npairs..][..2].copy_from_slice(&(cell as u16).to_le_bytes());
            npairs += (cell >> 31) as usize;
        }
        *d += PER_REFILL + npairs;
        true
    }

    #[inline(always)]
    fn pair(&mut self, pairs: &PairTable) -> Pair {
        let cell = pairs[(self.bits >> (64 - MAX_BITS)) as usize];
        self.bits <<= cell >> 16 & 63;
        cell
    }
}
