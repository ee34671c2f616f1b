//! Reads the rows of an array sequentially in C order, regardless of the order in which they are stored.

use std::io::{self, Read};

use bloscpack_format::frame::Region;
use bloscpack_format::numpy::NumpyMeta;

use crate::Error;
use crate::formats::frame::ArrayItems;

/// Size in bytes of the rows to read at a time. For an array in Fortran order, this takes one run of each column.
const WINDOW: u64 = 8 << 20;

/// Reads the rows of an array.
pub(crate) struct RowReader<'a, I> {
    items: &'a I,
    shape: Vec<u64>,
    /// Number of rows to read at a time, and the first row that is not read yet.
    step: u64,
    row: u64,
    window: Vec<u8>,
    read: usize,
}

impl<'a, I: ArrayItems> RowReader<'a, I> {
    pub(crate) fn new(items: &'a I, meta: &NumpyMeta) -> Self {
        let inner = meta.shape.get(1..).unwrap_or_default();
        let size = inner.iter().fold(meta.dtype.itemsize().max(1), |size, len| size.saturating_mul(*len));
        let step = WINDOW.checked_div(size).unwrap_or(0).max(1);
        RowReader { items, shape: meta.shape.clone(), step, row: 0, window: Vec::new(), read: 0 }
    }

    fn fill(&mut self) -> Result<(), Error> {
        let (mut start, mut stop) = (vec![0; self.shape.len()], self.shape.clone());
        let (Some(first), Some(last)) = (start.first_mut(), stop.first_mut()) else { return Ok(()) };
        let end = (*last).min(self.row.saturating_add(self.step));
        (*first, *last) = (self.row, end);
        self.window = if self.row < end { self.items.read(&Region { start, stop })? } else { Vec::new() };
        (self.row, self.read) = (end, 0);
        Ok(())
    }
}

impl<I: ArrayItems> Read for RowReader<'_, I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.read == self.window.len() {
            self.fill()?;
        }
        let mut rest = self.window.get(self.read..).unwrap_or_default();
        let len = rest.read(buf)?;
        self.read += len;
        Ok(len)
    }
}
