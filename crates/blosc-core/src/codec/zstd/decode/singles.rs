//! Decodes one or four streams of literals, with a fixed number of symbols per look-up.

use core::ops::Range;

use super::huffman::{PER_REFILL, Stream, Table};
use crate::kernels::HotLoop;

/// One stream, which fills `dst`.
pub(super) struct One<'a> {
    pub(super) table: &'a Table,
    pub(super) src: &'a [u8],
    pub(super) range: Range<usize>,
    pub(super) dst: &'a mut [u8],
}

impl HotLoop for One<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        Stream::new(self.src, &self.range)?.finish(self.src, &self.range, self.table, self.dst)
    }
}

/// A table of which each look-up gives the same number of symbols.
///
/// `N` is the number of symbols between two refills.
pub(super) trait Fixed<const N: usize> {
    fn symbols(&self, stream: &mut Stream, to: &mut [u8; N]);
}

impl Fixed<PER_REFILL> for Table {
    #[inline(always)]
    fn symbols(&self, stream: &mut Stream, to: &mut [u8; PER_REFILL]) {
        stream.symbols(self, to);
    }
}

/// Four streams, whose symbols are decoded in turn.
pub(super) struct Four<'a, F, const N: usize> {
    pub(super) cells: &'a F,
    /// Decodes the last symbols, which are fewer than `N`.
    pub(super) table: &'a Table,
    pub(super) src: &'a [u8],
    pub(super) ranges: [Range<usize>; 4],
    /// The outputs, of equal lengths except that the last may be shorter.
    pub(super) dst: [&'a mut [u8]; 4],
}

impl<F: Fixed<N>, const N: usize> HotLoop for Four<'_, F, N> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let Four { cells, table, src, ranges, dst: [dst_a, dst_b, dst_c, dst_d] } = self;
        let mut a = Stream::new(src, &ranges[0])?;
        let mut b = Stream::new(src, &ranges[1])?;
        let mut c = Stream::new(src, &ranges[2])?;
        let mut d = Stream::new(src, &ranges[3])?;
        let n = dst_d.len() / N;
        let (to_a, dst_a) = dst_a.split_at_mut_checked(n * N)?;
        let (to_b, dst_b) = dst_b.split_at_mut_checked(n * N)?;
        let (to_c, dst_c) = dst_c.split_at_mut_checked(n * N)?;
        let (to_d, dst_d) = dst_d.split_at_mut_checked(n * N)?;
        let to_a = to_a.as_chunks_mut::<N>().0;
        let to_b = to_b.as_chunks_mut::<N>().0;
        let to_c = to_c.as_chunks_mut::<N>().0;
        let to_d = to_d.as_chunks_mut::<N>().0;
        for (((to_a, to_b), to_c), to_d) in to_a.iter_mut().zip(to_b).zip(to_c).zip(to_d) {
            a.refill(src)?;
            cells.symbols(&mut a, to_a);
            b.refill(src)?;
            cells.symbols(&mut b, to_b);
            c.refill(src)?;
            cells.symbols(&mut c, to_c);
            d.refill(src)?;
            cells.symbols(&mut d, to_d);
        }
        a.finish(src, &ranges[0], table, dst_a)?;
        b.finish(src, &ranges[1], table, dst_b)?;
        c.finish(src, &ranges[2], table, dst_c)?;
        d.finish(src, &ranges[3], table, dst_d)
    }
}
