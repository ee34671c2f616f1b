//! Decodes one or four streams of literals, one symbol per look-up.

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

/// Four streams, whose symbols are decoded in turn.
pub(super) struct Four<'a> {
    pub(super) table: &'a Table,
    pub(super) src: &'a [u8],
    pub(super) ranges: [Range<usize>; 4],
    /// The outputs, of equal lengths except that the last may be shorter.
    pub(super) dst: [&'a mut [u8]; 4],
}

impl HotLoop for Four<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let Four { table, src, ranges, dst: [dst_a, dst_b, dst_c, dst_d] } = self;
        let mut a = Stream::new(src, &ranges[0])?;
        let mut b = Stream::new(src, &ranges[1])?;
        let mut c = Stream::new(src, &ranges[2])?;
        let mut d = Stream::new(src, &ranges[3])?;
        let n = dst_d.len() / PER_REFILL;
        let (to_a, dst_a) = dst_a.split_at_mut_checked(n * PER_REFILL)?;
        let (to_b, dst_b) = dst_b.split_at_mut_checked(n * PER_REFILL)?;
        let (to_c, dst_c) = dst_c.split_at_mut_checked(n * PER_REFILL)?;
        let (to_d, dst_d) = dst_d.split_at_mut_checked(n * PER_REFILL)?;
        let to_a = to_a.as_chunks_mut::<PER_REFILL>().0;
        let to_b = to_b.as_chunks_mut::<PER_REFILL>().0;
        let to_c = to_c.as_chunks_mut::<PER_REFILL>().0;
        let to_d = to_d.as_chunks_mut::<PER_REFILL>().0;
        for (((to_a, to_b), to_c), to_d) in to_a.iter_mut().zip(to_b).zip(to_c).zip(to_d) {
            a.refill(src)?;
            a.symbols(table, to_a);
            b.refill(src)?;
            b.symbols(table, to_b);
            c.refill(src)?;
            c.symbols(table, to_c);
            d.refill(src)?;
            d.symbols(table, to_d);
        }
        a.finish(src, &ranges[0], table, dst_a)?;
        b.finish(src, &ranges[1], table, dst_b)?;
        c.finish(src, &ranges[2], table, dst_c)?;
        d.finish(src, &ranges[3], table, dst_d)
    }
}
