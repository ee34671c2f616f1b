//! Where in a Fortran-ordered array are the items that come next in C order? `cat --items` counts in C order.
//!
//! Neighbours along the last axis are neighbours in C order, and far apart in the file. Items are therefore gathered
//! window by window: their places are sorted, so that each chunk is decoded once for a window, however often it is hit. A
//! window of a large array hits all of its chunks, so that the time goes with the number of windows: they are large.

use anyhow::{Context as _, Result, anyhow, bail};
use std::io::Write;
use std::ops::Range;

/// Items of a window: their places take 64 MiB.
const WINDOW: u64 = 1 << 22;
/// Bytes of a window, unless one item has more.
const WINDOW_BYTES: u64 = 64 << 20;

/// An array in Fortran order.
#[derive(Debug)]
pub(crate) struct Fortran<'a> {
    pub(crate) shape: &'a [u64],
    pub(crate) itemsize: u64,
}

impl Fortran<'_> {
    /// Writes the items of a range in C order. `fetch` gives the bytes around one, and where they lie.
    pub(crate) fn copy_items(
        &self,
        range: Range<u64>,
        fetch: impl Fn(u64) -> Result<(Range<u64>, Vec<u8>)>,
        output: &mut impl Write,
    ) -> Result<()> {
        let itemsize = usize::try_from(self.itemsize).ok().filter(|size| *size > 0).context("items have no bytes")?;
        let items = WINDOW.min(WINDOW_BYTES / self.itemsize).max(1);
        let (mut around, mut bytes) = (0..0, Vec::new());
        let mut at = range.start;
        while at < range.end {
            let window = at..range.end.min(at.saturating_add(items));
            let mut places: Vec<(u64, usize)> = window.clone().map(|item| self.place(item)).zip(0..).collect();
            places.sort_unstable();
            let mut plain = vec![0; places.len() * itemsize];
            for (place, index) in places {
                let start = place.checked_mul(self.itemsize).ok_or_else(|| anyhow!("the array is too large"))?;
                let item = plain.iter_mut().skip(index * itemsize).take(itemsize);
                for (byte, at) in item.zip(start..) {
                    if !around.contains(&at) {
                        (around, bytes) = fetch(at)?;
                    }
                    let within = at.checked_sub(around.start).and_then(|at| usize::try_from(at).ok());
                    match within.and_then(|at| bytes.get(at)) {
                        Some(found) => *byte = *found,
                        None => bail!("byte {at} of the array is not in the file"),
                    }
                }
            }
            output.write_all(&plain).context("writing the output")?;
            at = window.end;
        }
        output.flush().context("writing the output")
    }

    /// The place in the file, counted in items, of the item with this number in C order.
    fn place(&self, mut item: u64) -> u64 {
        // The last axis turns fastest in C order; its step in the file is the product of all other axes.
        let mut step: u64 = self.shape.iter().product();
        let mut place = 0;
        for &axis in self.shape.iter().rev() {
            step /= axis.max(1);
            place += item % axis.max(1) * step;
            item /= axis.max(1);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_numpy() {
        // numpy.arange(24).reshape(2, 3, 4, order='F').ravel(order='C')
        let expected = [0, 6, 12, 18, 2, 8, 14, 20, 4, 10, 16, 22, 1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23];
        let array = Fortran { shape: &[2, 3, 4], itemsize: 1 };
        assert_eq!((0..24).map(|item| array.place(item)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn items_may_lie_across_pieces() {
        let data: Vec<u8> = (0..60).collect();
        let fetch = |at: u64| {
            let start = at / 7 * 7;
            let range = start..(start + 7).min(60);
            Ok((range.clone(), data[range.start as usize..range.end as usize].to_vec()))
        };
        let mut output = Vec::new();
        Fortran { shape: &[4, 5], itemsize: 3 }.copy_items(4..7, fetch, &mut output).unwrap();
        // Items (0, 4), (1, 0) and (1, 1) are numbers 16, 1 and 5 in the file.
        assert_eq!(output, [48, 49, 50, 3, 4, 5, 15, 16, 17]);
    }
}
