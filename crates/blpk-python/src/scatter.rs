//! Columns into records: the bytes of a column, one after the other, to places at a distance.

use std::io::{self, Write};
use std::ops::Range;

/// Writes rows of one column into their places within records.
pub(crate) struct Scatter<'a> {
    records: std::slice::ChunksExactMut<'a, u8>,
    place: Range<usize>,
}

impl Write for Scatter<'_> {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        // A constant size makes the copy one move.
        match self.place.len() {
            1 => self.copy::<1>(rows),
            2 => self.copy::<2>(rows),
            4 => self.copy::<4>(rows),
            8 => self.copy::<8>(rows),
            16 => self.copy::<16>(rows),
            size => rows.chunks_exact(size.max(1)).for_each(|row| self.put(row)),
        }
        Ok(rows.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> Scatter<'a> {
    /// Returns a writer to the bytes `place` of each record of `stride` bytes.
    pub(crate) fn new(records: &'a mut [u8], stride: usize, place: Range<usize>) -> Self {
        Scatter { records: records.chunks_exact_mut(stride.max(1)), place }
    }

    fn copy<const SIZE: usize>(&mut self, rows: &[u8]) {
        rows.as_chunks::<SIZE>().0.iter().for_each(|row| self.put(row));
    }

    #[inline(always)]
    fn put(&mut self, row: &[u8]) {
        let record = self.records.next().and_then(|record| record.get_mut(self.place.clone()));
        if let Some(place) = record {
            place.copy_from_slice(row);
        }
    }
}
