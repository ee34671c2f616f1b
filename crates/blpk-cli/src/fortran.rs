//! Where in a Fortran-ordered array are the items that come next in C order? `cat --items` counts in C order.
//!
//! Neighbours along the last axis are neighbours in C order, and far apart in the file. Items are therefore gathered
//! window by window: their places are sorted, and those that lie close to each other are read at once.
//!
//! ```text
//! C order, one window:   (0, 0) (0, 1) (0, 2) (1, 0) (1, 1) (1, 2)
//! in the file:           (0, 0) (1, 0) ······· (0, 1) (1, 1) ······· (0, 2) (1, 2) ·······
//!                        └── one read ─┘       └── one read ─┘       └── one read ─┘
//! ```
//!
//! Each window is spread over the whole array, but only what is near its items is read: the time goes with their number.

use anyhow::{Context as _, Result, anyhow};
use std::io::Write;
use std::ops::Range;

/// Items of a window: their places take 64 MiB.
const WINDOW: u64 = 1 << 22;
/// Bytes of a window.
const WINDOW_BYTES: u64 = 64 << 20;
/// Bytes that are read at a time.
const PIECE: u64 = 1 << 20;
/// So many bytes between two items take no longer to read than the second of two reads.
const GAP: u64 = 4 << 10;

/// An array in Fortran order, whose bytes can be counted.
#[derive(Debug)]
pub(crate) struct Fortran<'a> {
    pub(crate) shape: &'a [u64],
    pub(crate) itemsize: u64,
}

impl Fortran<'_> {
    /// How often the array is passed from its start to its end for these items.
    pub(crate) fn passes(&self, items: &Range<u64>) -> u64 {
        items.end.saturating_sub(items.start).div_ceil(self.window())
    }

    /// Writes the items of a range in C order. `read` fills a buffer with the bytes from an offset on.
    pub(crate) fn copy_items(
        &self,
        range: Range<u64>,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<()>,
        output: &mut impl Write,
    ) -> Result<()> {
        let mut at = range.start;
        while at < range.end {
            let window = at..range.end.min(at.saturating_add(self.window()));
            if self.itemsize > PIECE {
                window.clone().try_for_each(|item| self.copy_large(item, &mut read, output))?;
            } else {
                let items = self.gather(window.clone(), &mut read)?;
                output.write_all(&items).context("writing the output")?;
            }
            at = window.end;
        }
        output.flush().context("writing the output")
    }

    /// Items of a window.
    fn window(&self) -> u64 {
        WINDOW.min(WINDOW_BYTES / self.itemsize.max(1)).max(1)
    }

    /// The items of a window.
    fn gather(&self, window: Range<u64>, read: &mut impl FnMut(u64, &mut [u8]) -> Result<()>) -> Result<Vec<u8>> {
        let itemsize = usize::try_from(self.itemsize).ok().filter(|size| *size > 0).context("items have no bytes")?;
        let mut places: Vec<(u64, usize)> = window.map(|item| self.place(item)).zip(0..).collect();
        places.sort_unstable();
        let mut items = vec![0; places.len() * itemsize];
        let (mut piece, mut rest) = (Vec::new(), places.as_slice());
        while let Some(&(first, _)) = rest.first() {
            let (near, later) = rest.split_at(self.near(rest));
            let last = near.last().map_or(first, |(place, _)| *place);
            piece.resize((last - first + 1) as usize * itemsize, 0);
            read(first * self.itemsize, &mut piece)?;
            for (place, index) in near {
                let found = piece.iter().skip((place - first) as usize * itemsize);
                let item = items.iter_mut().skip(index * itemsize).take(itemsize);
                item.zip(found).for_each(|(byte, found)| *byte = *found);
            }
            rest = later;
        }
        Ok(items)
    }

    /// How many of the places, at least one, are read at once.
    fn near(&self, places: &[(u64, usize)]) -> usize {
        let first = places.first().map_or(0, |(place, _)| *place);
        let too_far = |pair: &[(u64, usize)]| match pair {
            &[(place, _), (next, _)] => {
                (next - place - 1) * self.itemsize > GAP || (next - first + 1) * self.itemsize > PIECE
            }
            _ => false,
        };
        places.windows(2).position(too_far).map_or(places.len(), |at| at + 1)
    }

    /// Writes an item that is read in pieces.
    fn copy_large(
        &self,
        item: u64,
        read: &mut impl FnMut(u64, &mut [u8]) -> Result<()>,
        output: &mut impl Write,
    ) -> Result<()> {
        let mut at = self.place(item).checked_mul(self.itemsize).ok_or_else(|| anyhow!("the array is too large"))?;
        let end = at.saturating_add(self.itemsize);
        let mut piece = vec![0; PIECE as usize];
        while at < end {
            piece.truncate(usize::try_from(end - at).unwrap_or(usize::MAX));
            read(at, &mut piece)?;
            output.write_all(&piece).context("writing the output")?;
            at += piece.len() as u64;
        }
        Ok(())
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

    /// Reads from a slice, and counts the reads and their bytes.
    fn counted<'a>(data: &'a [u8], counts: &'a mut (usize, usize)) -> impl FnMut(u64, &mut [u8]) -> Result<()> + 'a {
        move |at, buf| {
            buf.copy_from_slice(&data[at as usize..at as usize + buf.len()]);
            *counts = (counts.0 + 1, counts.1 + buf.len());
            Ok(())
        }
    }

    #[test]
    fn items_that_are_near_are_read_at_once() {
        let data: Vec<u8> = (0..60).collect();
        let (mut output, mut counts) = (Vec::new(), (0, 0));
        let array = Fortran { shape: &[4, 5], itemsize: 3 };
        array.copy_items(4..7, counted(&data, &mut counts), &mut output).unwrap();
        // Items (0, 4), (1, 0) and (1, 1) are numbers 16, 1 and 5 in the file.
        assert_eq!(output, [48, 49, 50, 3, 4, 5, 15, 16, 17]);
        assert_eq!(counts, (1, 48));
    }

    #[test]
    fn what_is_far_from_all_items_is_not_read() {
        // Columns of 20,000 rows, of which one window asks for three.
        let data: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let (mut output, mut counts) = (Vec::new(), (0, 0));
        let array = Fortran { shape: &[20_000, 5], itemsize: 1 };
        array.copy_items(50..65, counted(&data, &mut counts), &mut output).unwrap();
        let expected: Vec<u8> = (10..13)
            .flat_map(|row| (0..5).map(move |column| column * 20_000 + row))
            .map(|at: u32| (at % 251) as u8)
            .collect();
        assert_eq!(output, expected);
        assert_eq!(counts, (5, 15));
    }

    #[test]
    fn large_items_are_read_in_pieces() {
        let itemsize = PIECE as usize + 5;
        let data: Vec<u8> = (0..itemsize as u32 * 4).map(|at| (at >> 12) as u8).collect();
        let (mut output, mut counts) = (Vec::new(), (0, 0));
        let array = Fortran { shape: &[2, 2], itemsize: itemsize as u64 };
        array.copy_items(1..3, counted(&data, &mut counts), &mut output).unwrap();
        assert_eq!(output, [&data[2 * itemsize..3 * itemsize], &data[itemsize..2 * itemsize]].concat());
        assert_eq!(counts, (4, 2 * itemsize));
    }
}
