//! Copies selections of an array's items, in C order, in slabs of bounded memory.

use std::io::Write;
use std::ops::Range;

use bloscpack_format::frame::{B2nd, FrameError, Region};
use bloscpack_format::numpy::{Order, Run, Selection, Strided};

use super::View;
use crate::archive::{Boxes, max_items_nbytes};
use crate::error::ArrayRefusal;
use crate::fs::spool::{self, Spool};
use crate::in_memory::room;
use crate::source::gather;
use crate::{Error, UnpackOptions};

/// Maximum number of passes over all chunks of an array in Fortran order. Beyond that, a temporary file is faster.
const PASSES: u64 = 2;

impl View<'_> {
    /// Writes a part of the selected items to `output` in C order. `items` is a range within the selected items.
    pub(super) fn copy_part(
        &self,
        selection: &Selection,
        items: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        self.check(selection)?;
        // The limits bound memory, not the length of the output.
        let options = &options.clone().limits(options.limits.max_nbytes(usize::MAX));
        let itemsize = self.meta.dtype.itemsize();
        let all = self.strided(selection);
        let nbytes = all.nbytes();
        let items = items.start..items.end.min(nbytes.checked_div(itemsize).unwrap_or(0));
        if items.is_empty() {
            return output.flush().map_err(Error::writing);
        }
        if let Some(run) = all.single() {
            let bytes = run.from + items.start * itemsize..run.from + items.end * itemsize;
            return self.archive.copy_range_with(bytes, output, options);
        }
        let most = max_items_nbytes(self.archive, &options.limits);
        let passes = (items.end - items.start).saturating_mul(itemsize).div_ceil(most.max(1));
        let counts = selection.counts();
        let region = Region { start: vec![0; counts.len()], stop: counts };
        let cut = self.cut(selection);
        let boxes = Boxes::new(&cut, &region, items, most.checked_div(itemsize).unwrap_or(1));
        let compressed = self.archive.uncompressed().is_none();
        let spool = match self.meta.order == Order::F && passes > PASSES && compressed {
            // Each pass decodes the chunks again. A few passes are cheaper than writing everything to a file.
            true => Some(self.spooled(options)?),
            false => None,
        };
        for found in boxes {
            options.cancel.check()?;
            let part = selection.part(&found.start, &found.stop);
            if let (None, Some(run)) = (&spool, self.strided(&part).single()) {
                // A contiguous run needs no slab, so even a very large item is copied directly.
                self.archive.copy_range_with(run.from..run.from + run.len, output, options)?;
                continue;
            }
            let mut slab = self.slab(&part, options)?;
            match &spool {
                Some(spool) => gather(spool, 0, &self.strided(&part), &mut slab)?,
                None => self.read_part(&part, &mut slab, options)?,
            }
            output.write_all(&slab).map_err(Error::writing)?;
        }
        output.flush().map_err(Error::writing)
    }

    /// Refuses a selection that was made for another shape. Reading relies on each item being within its axis.
    fn check(&self, selection: &Selection) -> Result<(), Error> {
        let (found, expected) = (selection.axes().len(), self.meta.shape.len());
        if found != expected {
            return Err(Error::not_an_array(ArrayRefusal::SelectionAxes { found, expected }));
        }
        selection.check(&self.meta.shape).map_err(Error::not_an_array)
    }

    /// Reads the selected items into `items`, in C order.
    pub(super) fn read_into(
        &self,
        selection: &Selection,
        items: &mut [u8],
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        self.check(selection)?;
        let all = self.strided(selection);
        let (found, expected) = (items.len() as u64, all.nbytes());
        if found != expected {
            return Err(Error::Format(FrameError::Buffer { found, expected }.into()));
        }
        if items.is_empty() {
            return Ok(());
        }
        match all.single().filter(|_| !self.is_grid()) {
            Some(run) => self.archive.copy_range_with(run.from..run.from + run.len, &mut &mut *items, options),
            None => {
                // Zeros without stored bytes are not written.
                items.fill(0);
                self.read_part(selection, items, options)
            }
        }
    }

    /// Decodes all plain bytes to a temporary file.
    fn spooled(&self, options: &UnpackOptions) -> Result<Spool, Error> {
        let mut spool = spool::create("creating a temporary file")?;
        self.archive.unpack(&mut spool, options)?;
        Ok(spool)
    }

    /// Allocates memory for the items of a part.
    fn slab(&self, part: &Selection, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        let nbytes = self.strided(part).nbytes();
        self.archive.check_output(nbytes, &options.limits)?;
        room(nbytes)
    }

    /// Reads the items of a part into `slab`, in C order.
    pub(super) fn read_part(&self, part: &Selection, slab: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        if self.is_grid() {
            return self.archive.copy_selected(part, slab, options);
        }
        let copy = self.strided(part);
        if self.archive.grid().is_none() {
            return self.archive.copy_strided(&copy, slab, options);
        }
        copy.runs().try_for_each(|run| self.copy_run(run, slab, options))
    }

    /// Copies one run of an array in a frame that is read with a different shape.
    fn copy_run(&self, run: Run, slab: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        let place = usize::try_from(run.to).ok().zip(usize::try_from(run.len).ok());
        let place = place.and_then(|(to, len)| slab.get_mut(to..to.checked_add(len)?));
        self.archive.copy_range_with(run.from..run.from + run.len, &mut place.unwrap_or_default(), options)
    }

    pub(super) fn strided(&self, selection: &Selection) -> Strided {
        Strided::new(selection, &self.meta.shape, self.meta.order, self.meta.dtype.itemsize())
    }

    /// Returns whether this is an array in a frame with the shape that the frame gives it.
    pub(crate) fn has_same_shape(&self) -> bool {
        self.archive.array().is_some_and(|array| array.shape == self.meta.shape)
    }

    /// Returns whether shape and item size match the chunks and blocks of the frame.
    pub(super) fn is_grid(&self) -> bool {
        self.has_same_shape() && self.archive.grid().is_some_and(|grid| grid.itemsize() == self.meta.dtype.itemsize())
    }

    /// Returns the grid to which slabs are aligned: the chunks and blocks of a frame, scaled down by the steps of the
    /// selection.
    fn cut(&self, selection: &Selection) -> B2nd {
        let none = B2nd::new(selection.counts(), [], []);
        let Some(array) = self.archive.array().filter(|_| self.is_grid()) else { return none };
        let scaled = |lens: &[u32]| -> Vec<u32> {
            let axes = lens.iter().zip(selection.axes());
            axes.map(|(len, axis)| (u64::from(*len) / axis.step.unsigned_abs().max(1)).max(1) as u32).collect()
        };
        B2nd::new(none.shape, scaled(&array.chunkshape), scaled(&array.blockshape))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use bloscpack_format::numpy::{Dtype, NumpyMeta, npy};

    use super::*;
    use crate::{Array, ReadAt};

    /// A `.npy` file that counts the reads after its header, and their bytes.
    struct Counted(Vec<u8>, u64, Mutex<(usize, usize)>);

    impl ReadAt for Counted {
        fn len(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            if offset >= self.1 {
                let mut counts = self.2.lock().unwrap();
                *counts = (counts.0 + 1, counts.1 + buf.len());
            }
            self.0.read_exact_at(offset, buf)
        }
    }

    /// Reads a range of items of an array in Fortran order. Returns them in C order, with the number of reads and bytes
    /// read.
    fn items(data: &[u8], shape: &[u64], itemsize: usize, items: Range<u64>) -> (Vec<u8>, (usize, usize)) {
        let dtype = Dtype::from_type_string(&format!("|V{itemsize}")).unwrap();
        let mut file = npy::to_bytes(&NumpyMeta { dtype, shape: shape.to_vec(), order: Order::F }).unwrap();
        let at = file.len() as u64;
        file.extend(data);
        let counted = Counted(file, at, Mutex::default());
        let array = Array::open(&counted).unwrap();
        let mut output = Vec::new();
        array.copy_items(items, &mut output, &UnpackOptions::new()).unwrap();
        (output, *counted.2.lock().unwrap())
    }

    #[test]
    fn places_are_those_of_numpy() {
        // numpy.arange(24).reshape(2, 3, 4, order='F').ravel(order='C')
        let expected = [0, 6, 12, 18, 2, 8, 14, 20, 4, 10, 16, 22, 1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23];
        let data: Vec<u8> = (0..24).collect();
        assert_eq!(items(&data, &[2, 3, 4], 1, 0..24).0, expected);
        assert_eq!(items(&data, &[2, 3, 4], 1, 5..20).0, expected[5..20]);
    }

    #[test]
    fn runs_near_each_other_are_read_at_once() {
        let data: Vec<u8> = (0..60).collect();
        // Items (0, 4), (1, 0) and (1, 1) are numbers 16, 1 and 5 in the file: a box for each row.
        assert_eq!(items(&data, &[4, 5], 3, 4..7), (vec![48, 49, 50, 3, 4, 5, 15, 16, 17], (2, 18)));
    }

    #[test]
    fn what_is_far_from_all_items_is_not_read() {
        // Columns of 20,000 rows. The test reads three rows.
        let data: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let expected: Vec<u8> = (10..13)
            .flat_map(|row| (0..5).map(move |column| column * 20_000 + row))
            .map(|at: u32| (at % 251) as u8)
            .collect();
        assert_eq!(items(&data, &[20_000, 5], 1, 50..65), (expected, (5, 15)));
    }

    #[test]
    fn large_items_go_straight_to_the_output() {
        let itemsize = MOST_TEST + 5;
        let data: Vec<u8> = (0..itemsize as u32 * 4).map(|at| (at >> 12) as u8).collect();
        let (output, counts) = items(&data, &[2, 2], itemsize, 1..3);
        assert!(output == [&data[2 * itemsize..3 * itemsize], &data[itemsize..2 * itemsize]].concat());
        assert_eq!(counts.1, 2 * itemsize);
        assert!(counts.0 > 60, "in pieces: {counts:?}");
    }

    /// The size of a slab.
    const MOST_TEST: usize = 32 << 20;
}
