//! Decodes two symbols per look-up, where codes are short.
//!
//! A look-up takes as long for two symbols as for one. A cell holds two if both codes together have at most 11 bits. If no
//! code is longer than 5 bits, all cells do, and the symbols need not be counted: byte planes of rounded numbers often have
//! few values of about equal frequency.
//!
//! The look-ups of one stream depend on each other. Where symbols are counted, the look-ups of the four streams alternate, so
//! that the processor has all four chains in its window.

use core::ops::Range;

use super::huffman::{MAX_BITS, PER_REFILL, Stream, Table};
use super::singles::Fixed;
use crate::kernels::HotLoop;

/// One or two symbols. From the lowest bit: 8 bits for the total length of their codes, which the next look-up waits for, 8
/// bits for each symbol, and as the highest bit whether there are two.
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
                *to = if both <= MAX_BITS { both | u32::from(second >> 8) << 16 | 1 << 31 } else { bits };
            }
        }
        let Some(region) = rest.split_off_mut(..n) else { break };
        for (to, cell) in region.iter_mut().zip(&template) {
            *to = cell | u32::from(first >> 8) << 8;
        }
    }
    2 * longest <= MAX_BITS
}

/// For a table of which all look-ups give two symbols.
impl Fixed<{ 2 * PER_REFILL }> for PairTable {
    #[inline(always)]
    fn symbols(&self, stream: &mut Stream, to: &mut [u8; 2 * PER_REFILL]) {
        for to in to.as_chunks_mut().0 {
            *to = symbols(stream.pair(self));
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
        let FourPairs { pairs, table, src, ranges, mut dst } = self;
        let [a, b, c, d] = &ranges;
        let mut streams = [Stream::new(src, a)?, Stream::new(src, b)?, Stream::new(src, c)?, Stream::new(src, d)?];
        let mut at = [0; 4];
        while round(src, pairs, &mut streams, &mut dst, &mut at).is_some() {}
        for (((stream, range), dst), at) in streams.into_iter().zip(&ranges).zip(dst).zip(at) {
            stream.finish(src, range, table, dst.get_mut(at..)?)?;
        }
        Some(())
    }
}

/// Decodes the symbols between two refills of each stream to its `dst[at..]`. Returns `None`, and decodes nothing, if one of
/// them has not enough room or cannot be refilled. Others may have been refilled, which changes no result.
#[inline(always)]
fn round(
    src: &[u8],
    pairs: &PairTable,
    streams: &mut [Stream; 4],
    dst: &mut [&mut [u8]; 4],
    at: &mut [usize; 4],
) -> Option<()> {
    let [a, b, c, d] = dst;
    let to = [room(a, at[0])?, room(b, at[1])?, room(c, at[2])?, room(d, at[3])?];
    for stream in &mut *streams {
        stream.refill(src)?;
    }
    let mut npairs = [0; 4];
    for i in 0..PER_REFILL {
        for stream in 0..4 {
            let cell = streams[stream].pair(pairs);
            to[stream][i + npairs[stream]..][..2].copy_from_slice(&symbols(cell));
            npairs[stream] += (cell >> 31) as usize;
        }
    }
    for (at, npairs) in at.iter_mut().zip(npairs) {
        *at += PER_REFILL + npairs;
    }
    Some(())
}

/// Returns the bytes at `dst[at..]` that the symbols between two refills may take.
#[inline(always)]
fn room(dst: &mut [u8], at: usize) -> Option<&mut [u8; 2 * PER_REFILL]> {
    dst.get_mut(at..)?.first_chunk_mut()
}

/// Returns both symbols of a cell. The second one is 0 if there is none.
#[inline(always)]
fn symbols(cell: Pair) -> [u8; 2] {
    ((cell >> 8) as u16).to_le_bytes()
}

impl Stream {
    #[inline(always)]
    fn pair(&mut self, pairs: &PairTable) -> Pair {
        let cell = pairs[(self.bits >> (64 - MAX_BITS)) as usize];
        self.bits <<= cell & 63;
        cell
    }
}
