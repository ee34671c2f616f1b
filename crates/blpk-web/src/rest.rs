//! Reads the intact parts of a damaged array.

use blosc_core::ErrorKind;
use bloscpack_format::numpy::{Order, Selection};
use bloscpack_io::{Array, Error, UnpackOptions};

use crate::opened::{is_damage, room};

/// Bounds of the maximum number of attempts to read parts. Each may decode chunks.
const FEWEST_ATTEMPTS: u64 = 512;
const MOST_ATTEMPTS: u64 = 1 << 16;

/// A part of the selected items that cannot be read, in indices of the selection.
pub(crate) struct Lost {
    pub(crate) start: Vec<u64>,
    pub(crate) stop: Vec<u64>,
    pub(crate) problem: String,
    pub(crate) kind: ErrorKind,
}

/// Reads the selected items. Items that cannot be read are zeros, and are listed.
///
/// A part that fails is cut at a chunk boundary, as long as it may be more than one chunk.
///
/// # Errors
/// Errors that are not damage. Bytes that have not arrived are no damage.
pub(crate) fn read(
    array: &Array<'_>,
    selection: &Selection,
    items: &mut [u8],
    options: &UnpackOptions,
) -> Result<Vec<Lost>, Error> {
    let whole = match array.read_into(selection, items, options) {
        Ok(()) => return Ok(Vec::new()),
        Err(error) => error,
    };
    if !is_damage(&whole) {
        return Err(whole);
    }
    items.fill(0);
    let counts = selection.counts();
    // Halving reaches each of `n` chunks in about `2 * n` attempts, and in more if chunks are not boxes.
    let attempts = array.archive().nchunks().saturating_mul(4).clamp(FEWEST_ATTEMPTS, MOST_ATTEMPTS);
    let mut reader = Reader { array, selection, options, units: units(array), attempts, lost: Vec::new() };
    reader.halves(vec![0; counts.len()], counts, items, whole)?;
    Ok(reader.lost)
}

struct Reader<'a> {
    array: &'a Array<'a>,
    selection: &'a Selection,
    options: &'a UnpackOptions,
    /// The length of a chunk along each axis.
    units: Vec<u64>,
    /// The number of attempts that are left.
    attempts: u64,
    lost: Vec<Lost>,
}

impl Reader<'_> {
    /// Reads a part in two halves, after reading it as a whole failed.
    fn halves(&mut self, start: Vec<u64>, stop: Vec<u64>, items: &mut [u8], error: Error) -> Result<(), Error> {
        let cut = self.cut(&start, &stop).filter(|_| self.attempts > 0);
        let Some((axis, at)) = cut else {
            self.lost.push(Lost { start, stop, problem: error.report().to_string(), kind: error.kind() });
            return Ok(());
        };
        let with = |axes: &[u64]| {
            let mut axes = axes.to_vec();
            axes.iter_mut().skip(axis).take(1).for_each(|index| *index = at);
            axes
        };
        self.part(start.clone(), with(&stop), items)?;
        self.part(with(&start), stop, items)
    }

    fn part(&mut self, start: Vec<u64>, stop: Vec<u64>, items: &mut [u8]) -> Result<(), Error> {
        self.attempts = self.attempts.saturating_sub(1);
        let part = self.selection.part(&start, &stop);
        let mut found = room(self.array, &part)?;
        match self.array.read_into(&part, &mut found, self.options) {
            Ok(()) => {
                self.place(&start, &stop, &found, items);
                Ok(())
            }
            Err(error) if is_damage(&error) => self.halves(start, stop, items, error),
            Err(error) => Err(error),
        }
    }

    /// Copies the items of a part to their places, in runs along the last axis.
    fn place(&self, start: &[u64], stop: &[u64], found: &[u8], items: &mut [u8]) {
        let itemsize = self.array.meta().dtype.itemsize();
        let (counts, last) = (self.selection.counts(), start.len().saturating_sub(1));
        let run = stop.get(last).zip(start.get(last)).map_or(1, |(stop, start)| stop - start) * itemsize;
        let mut at = start.to_vec();
        for bytes in found.chunks_exact(run.max(1) as usize) {
            let position = at.iter().zip(&counts).fold(0, |position, (index, len)| position * len + index) * itemsize;
            let place = items.get_mut(position as usize..(position + run) as usize);
            place.into_iter().for_each(|place| place.copy_from_slice(bytes));
            // The next index along all axes but the last.
            for axis in (0..last).rev() {
                let (Some(index), Some(first), Some(end)) = (at.get_mut(axis), start.get(axis), stop.get(axis)) else {
                    break;
                };
                *index += 1;
                if *index < *end {
                    break;
                }
                *index = *first;
            }
        }
    }

    /// Returns an axis along which the part is in several chunks, and the index to cut at: the chunk boundary near the
    /// middle.
    fn cut(&self, start: &[u64], stop: &[u64]) -> Option<(usize, u64)> {
        let axes = self.selection.axes();
        let chunk_of = |axis: usize, index: u64| {
            Some(axes.get(axis)?.at(index) / self.units.get(axis).copied().unwrap_or(1).max(1))
        };
        let bounds = start.iter().zip(stop).map(|(start, stop)| (*start, *stop)).enumerate();
        let mut several = bounds
            .filter(|(axis, (start, stop))| *start < *stop && chunk_of(*axis, *start) != chunk_of(*axis, stop - 1));
        let (axis, (start, stop)) = several.next()?;
        let middle = start + (stop - start) / 2;
        let is_boundary = |at: &u64| chunk_of(axis, *at) != chunk_of(axis, at - 1);
        let before = (start + 1..=middle).rev().find(is_boundary);
        let boundary = before.or_else(|| (middle + 1..stop).find(is_boundary));
        Some((axis, boundary.unwrap_or(middle.max(start + 1))))
    }
}

/// Returns the length of a chunk along each axis. Chunks that are not boxes are taken as whole rows where they have some.
fn units(array: &Array<'_>) -> Vec<u64> {
    let (archive, meta) = (array.archive(), array.meta());
    if let Some(boxes) = archive.array().filter(|found| found.shape == meta.shape) {
        return boxes.chunkshape.iter().map(|len| u64::from(*len)).collect();
    }
    let chunk = archive.chunk_range(0).map_or(0, |range| range.end - range.start);
    let mut units = vec![1; meta.shape.len()];
    let mut inner = meta.dtype.itemsize().max(1);
    let mut place = |(unit, len): (&mut u64, &u64)| {
        *unit = (chunk / inner).clamp(1, (*len).max(1));
        inner = inner.saturating_mul((*len).max(1));
    };
    match meta.order {
        Order::C => units.iter_mut().zip(&meta.shape).rev().for_each(&mut place),
        Order::F => units.iter_mut().zip(&meta.shape).for_each(&mut place),
    }
    units
}
