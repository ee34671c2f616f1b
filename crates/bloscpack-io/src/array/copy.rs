//! Selections of an array's items, in C order, in slabs of bounded memory.

use std::io::Write;
use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::frame::{B2nd, Region};
use bloscpack_format::numpy::{Order, Run, Selection, Strided};

use super::{Array, Opened};
use crate::archive::{Boxes, most_of};
use crate::in_memory::room;
use crate::source::ReadAt;
use crate::{Error, UnpackOptions};

/// Bytes that are read at a time.
const PIECE: u64 = 1 << 20;
/// Maximum gap between two runs that one read covers: a second read costs more than the gap.
const GAP: u64 = 4 << 10;
/// Passes over all chunks of an array in Fortran order, beyond which a temporary file is faster.
const PASSES: u64 = 2;

impl<R: ReadAt> Array<R> {
    /// Writes the selected items to `output` in C order. Of each chunk only the blocks that hold one are decoded. At most
    /// 32 MiB of items, or a quarter of [`Limits::max_memory`](crate::Limits::max_memory), are in memory besides the chunks
    /// in flight. Of a bloscpack array in Fortran order more than twice that goes through a temporary file.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the selection is not of an array of this shape; else as [`Archive::copy_range`](crate::Archive::copy_range).
    pub fn copy_selection(
        &self,
        selection: &Selection,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        self.copy_part(selection, 0..u64::MAX, output, options)
    }

    /// Writes a range of all items, which count in C order.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the items; else as [`Array::copy_selection`].
    pub fn copy_items(&self, items: Range<u64>, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        let len = self.len();
        if items.start > items.end || items.end > len {
            return Err(Error::Range { unit: "items", start: items.start, end: items.end, len });
        }
        self.copy_part(&Selection::all(&self.meta.shape), items, output, options)
    }

    /// Writes a range of the stored bytes.
    ///
    /// # Errors
    /// As [`Archive::copy_range`](crate::Archive::copy_range).
    pub fn copy_bytes(&self, range: Range<u64>, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        let (source, start) = match &self.input {
            Opened::Archive(archive) => return archive.copy_range_with(range, output, options),
            Opened::Plain { source, at, .. } => (source, *at),
        };
        if range.start > range.end || range.end > self.nbytes {
            return Err(Error::Range { unit: "bytes", start: range.start, end: range.end, len: self.nbytes });
        }
        let mut piece = room(PIECE.min(range.end - range.start))?;
        let mut at = range.start;
        while at < range.end {
            options.cancel.check()?;
            piece.truncate(usize::try_from(range.end - at).unwrap_or(usize::MAX));
            source.read_exact_at(start + at, &mut piece).map_err(Error::io("reading the input"))?;
            output.write_all(&piece).map_err(Error::io("writing the output"))?;
            at += piece.len() as u64;
        }
        output.flush().map_err(Error::io("writing the output"))
    }

    fn copy_part(
        &self,
        selection: &Selection,
        items: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        if selection.axes().len() != self.meta.shape.len() {
            let (found, expected) = (selection.axes().len(), self.meta.shape.len());
            return Err(Error::NotANumpyArray { what: format!("{expected} axes, but the selection has {found}") });
        }
        // The limits bound memory, not the length of the output.
        let options = &options.clone().limits(options.limits.max_nbytes(usize::MAX));
        let itemsize = self.meta.dtype.itemsize();
        let all = self.strided(selection);
        let nbytes = all.nbytes();
        let items = items.start..items.end.min(nbytes.checked_div(itemsize).unwrap_or(0));
        if items.is_empty() {
            return output.flush().map_err(Error::io("writing the output"));
        }
        if let Some(run) = all.single() {
            let bytes = run.from + items.start * itemsize..run.from + items.end * itemsize;
            return self.copy_bytes(bytes, output, options);
        }
        let most = most_of(&options.limits);
        let passes = (items.end - items.start).saturating_mul(itemsize).div_ceil(most.max(1));
        let counts = selection.counts();
        let region = Region { start: vec![0; counts.len()], stop: counts };
        let cut = self.cut(selection);
        let boxes = Boxes::new(&cut, &region, items, most.checked_div(itemsize).unwrap_or(1));
        let spool = match &self.input {
            // Each pass decodes the chunks again, which is cheaper than to write all of them down; but not many times.
            Opened::Archive(archive) if self.meta.order == Order::F && passes > PASSES => {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(&mut spool, options)?;
                Some(spool)
            }
            _ => None,
        };
        for found in boxes {
            options.cancel.check()?;
            let part = selection.part(&found.start, &found.stop);
            if let (None, Some(run)) = (&spool, self.strided(&part).single()) {
                // Nothing has to be put together: also of a single item, however large.
                self.copy_bytes(run.from..run.from + run.len, output, options)?;
                continue;
            }
            let mut slab = self.slab(&part, options)?;
            match (&spool, &self.input) {
                (Some(spool), _) => gather(spool, 0, &self.strided(&part), &mut slab)?,
                (None, Opened::Plain { source, at, .. }) => gather(source, *at, &self.strided(&part), &mut slab)?,
                (None, Opened::Archive(archive)) if self.is_grid() => {
                    archive.copy_selected(&part, &mut slab, options)?
                }
                (None, Opened::Archive(archive)) if archive.grid().is_some() => {
                    for run in self.strided(&part).runs() {
                        self.copy_run(run, &mut slab, options)?;
                    }
                }
                (None, Opened::Archive(archive)) => archive.copy_strided(&self.strided(&part), &mut slab, options)?,
            }
            output.write_all(&slab).map_err(Error::io("writing the output"))?;
        }
        output.flush().map_err(Error::io("writing the output"))
    }

    /// Room for the items of a part.
    fn slab(&self, part: &Selection, options: &UnpackOptions) -> Result<Vec<u8>, Error> {
        let nbytes = self.strided(part).nbytes();
        if let Opened::Archive(archive) = &self.input {
            archive.check_output(nbytes, &options.limits)?;
        }
        room(nbytes)
    }

    /// One run of an array in a frame that is read in another shape than it has.
    fn copy_run(&self, run: Run, slab: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        let place = usize::try_from(run.to).ok().zip(usize::try_from(run.len).ok());
        let place = place.and_then(|(to, len)| slab.get_mut(to..to.checked_add(len)?));
        self.copy_bytes(run.from..run.from + run.len, &mut place.unwrap_or_default(), options)
    }

    fn strided(&self, selection: &Selection) -> Strided {
        Strided::new(selection, &self.meta.shape, self.meta.order, self.meta.dtype.itemsize())
    }

    /// Whether the array is the one whose chunks and blocks the frame has.
    fn is_grid(&self) -> bool {
        let Opened::Archive(archive) = &self.input else { return false };
        let same = archive.array().is_some_and(|array| array.shape == self.meta.shape);
        same && archive.grid().is_some_and(|grid| grid.itemsize() == self.meta.dtype.itemsize())
    }

    /// Where slabs should end: at chunks and blocks of a frame, which have fewer items of a selection with steps.
    fn cut(&self, selection: &Selection) -> B2nd {
        let none =
            B2nd { version: 0, shape: selection.counts(), chunkshape: Vec::new(), blockshape: Vec::new(), dtype: None };
        let Opened::Archive(archive) = &self.input else { return none };
        let Some(array) = archive.array().filter(|_| self.is_grid()) else { return none };
        let scaled = |lens: &[u32]| {
            let axes = lens.iter().zip(selection.axes());
            axes.map(|(len, axis)| (u64::from(*len) / axis.step.unsigned_abs().max(1)).max(1) as u32).collect()
        };
        B2nd { chunkshape: scaled(&array.chunkshape), blockshape: scaled(&array.blockshape), ..none }
    }
}

/// Reads the runs of a copy, those near each other at once.
fn gather(source: &impl ReadAt, start: u64, copy: &Strided, slab: &mut [u8]) -> Result<(), Error> {
    let reading = Error::io("reading the input");
    let (mut near, mut piece): (Vec<Run>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut runs = copy.runs().peekable();
    while let Some(first) = runs.next() {
        near.clear();
        let mut end = first.from + first.len;
        if first.len >= PIECE {
            // A long run goes to its place at once.
            if let Some(place) = place(slab, &first) {
                source.read_exact_at(start + first.from, place).map_err(&reading)?;
            }
            continue;
        }
        memory::push(&mut near, first)?;
        while let Some(next) = runs.next_if(|next| next.from - end <= GAP && next.from + next.len - first.from <= PIECE)
        {
            end = next.from + next.len;
            memory::push(&mut near, next)?;
        }
        memory::resize(&mut piece, (end - first.from) as usize, 0)?;
        source.read_exact_at(start + first.from, &mut piece).map_err(&reading)?;
        for run in &near {
            let from = (run.from - first.from) as usize;
            if let (Some(place), Some(found)) = (place(slab, run), piece.get(from..from + run.len as usize)) {
                place.copy_from_slice(found);
            }
        }
    }
    Ok(())
}

fn place<'a>(slab: &'a mut [u8], run: &Run) -> Option<&'a mut [u8]> {
    let to = usize::try_from(run.to).ok()?;
    slab.get_mut(to..to.checked_add(usize::try_from(run.len).ok()?)?)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use bloscpack_format::numpy::{Dtype, NumpyMeta, npy};

    use super::*;
    use crate::Typing;

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

    /// A range of items of an array in Fortran order, in C order, and what was read for it.
    fn items(data: &[u8], shape: &[u64], itemsize: usize, items: Range<u64>) -> (Vec<u8>, (usize, usize)) {
        let dtype = Dtype::from_type_string(&format!("|V{itemsize}")).unwrap();
        let mut file = npy::to_bytes(&NumpyMeta { dtype, shape: shape.to_vec(), order: Order::F }).unwrap();
        let at = file.len() as u64;
        file.extend(data);
        let array = Array::open(Counted(file, at, Mutex::default()), &Typing::default(), Default::default()).unwrap();
        let mut output = Vec::new();
        array.copy_items(items, &mut output, &UnpackOptions::new()).unwrap();
        let Opened::Plain { source, .. } = &array.input else { panic!() };
        (output, *source.2.lock().unwrap())
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
        // Columns of 20,000 rows, three of which are asked for.
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

    /// More than a slab holds.
    const MOST_TEST: usize = 32 << 20;
}
