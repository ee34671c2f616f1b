//! Strided copies: positions of the selected items in the source and in the destination.
//!
//! Each axis has a number of items, and a step in bytes for each side. Axes that continue each other are merged, so a
//! selection of whole rows is a single run. Runs are in rising order of the source, whatever the order of the array.

use super::{AxisSelection, Order, Selection};

/// One axis of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    count: u64,
    /// Step from one item to the next in the source, in bytes.
    from: u64,
    /// Step from one item to the next in the destination, in bytes; negative if the selection runs backwards.
    to: i64,
}

/// A copy of items between two buffers, described by their strides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strided {
    from: u64,
    to: u64,
    /// Ordered from the largest step in the source to the smallest.
    axes: Vec<Axis>,
    itemsize: u64,
}

/// Bytes that are contiguous in the source and in the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Offset in the source.
    pub from: u64,
    /// Offset in the destination.
    pub to: u64,
    /// Number of bytes.
    pub len: u64,
}

impl Strided {
    /// Creates the copy of `selection` from an array of `shape`, whose items are in `order`, to a destination in C
    /// order. Both arrays must fit a file: offsets are below 2⁶³.
    #[must_use]
    pub fn new(selection: &Selection, shape: &[u64], order: Order, itemsize: u64) -> Self {
        let mut strides = vec![0; shape.len()];
        let mut step = itemsize;
        let mut fill = |(stride, len): (&mut u64, &u64)| {
            *stride = step;
            step = step.saturating_mul(*len);
        };
        match order {
            Order::C => strides.iter_mut().zip(shape).rev().for_each(&mut fill),
            Order::F => strides.iter_mut().zip(shape).for_each(&mut fill),
        }
        let mut copy = Self::of_axes(selection.axes(), &strides, &steps(&selection.counts(), itemsize), itemsize);
        if order == Order::F {
            copy.axes.reverse();
        }
        copy.merged()
    }

    /// Creates a copy between buffers whose items are `from` and `to` bytes apart along each axis.
    pub(crate) fn of_axes(axes: &[AxisSelection], from: &[u64], to: &[u64], itemsize: u64) -> Self {
        let mut copy = Self { from: 0, to: 0, axes: Vec::with_capacity(axes.len()), itemsize };
        for (axis, (from, to)) in axes.iter().zip(from.iter().zip(to)) {
            // If a selection runs backwards, its last item is the first in the source.
            let last = axis.count.saturating_sub(1);
            let backwards = axis.step < 0;
            let (low, first) = if backwards { (axis.at(last), last) } else { (axis.start, 0) };
            if axis.count > 0 {
                copy.from = copy.from.saturating_add(low.saturating_mul(*from));
                copy.to = copy.to.saturating_add(first.saturating_mul(*to));
            }
            let step = axis.step.unsigned_abs().saturating_mul(*from);
            // Arrays without items may have any step.
            let to = if backwards { to.cast_signed().wrapping_neg() } else { to.cast_signed() };
            copy.axes.push(Axis { count: axis.count, from: step, to });
        }
        copy
    }

    /// Moves the copy in the destination.
    pub(crate) fn moved(mut self, to: u64) -> Self {
        self.to = self.to.saturating_add(to);
        self
    }

    /// Merges axes that continue each other, and drops those with one item.
    pub(crate) fn merged(mut self) -> Self {
        let mut merged: Vec<Axis> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.drain(..).filter(|axis| axis.count != 1) {
            let count = axis.count;
            let continues = |outer: &&mut Axis| {
                axis.from.checked_mul(count) == Some(outer.from)
                    && i64::try_from(count).ok().and_then(|count| axis.to.checked_mul(count)) == Some(outer.to)
            };
            match merged.last_mut().filter(continues) {
                Some(outer) => *outer = Axis { count: outer.count.saturating_mul(count), ..axis },
                None => merged.push(axis),
            }
        }
        self.axes = merged;
        self
    }

    /// Returns the size of all items in bytes.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.axes.iter().fold(self.itemsize, |nbytes, axis| nbytes.saturating_mul(axis.count))
    }

    /// Returns the only run, if all items are contiguous.
    #[must_use]
    pub fn single(&self) -> Option<Run> {
        let mut runs = self.runs();
        let first = runs.next().unwrap_or(Run { from: self.from, to: self.to, len: 0 });
        runs.next().is_none().then_some(first)
    }

    /// Returns the runs, in rising order of the source.
    #[must_use]
    pub fn runs(&self) -> Runs {
        let is_dense = |axis: &&Axis| axis.from == self.itemsize && axis.to == self.itemsize.cast_signed();
        let mut axes = self.axes.clone();
        let len = match axes.last().filter(is_dense).map(|axis| axis.count) {
            Some(count) => {
                axes.pop();
                count.saturating_mul(self.itemsize)
            }
            None => self.itemsize,
        };
        let empty = len == 0 || axes.iter().any(|axis| axis.count == 0);
        let next = (!empty).then_some((self.from, self.to.cast_signed()));
        Runs { at: vec![0; axes.len()], axes, next, len }
    }
}

/// Returns the bytes from one item to the next along each axis of an array of `shape` in C order.
pub(crate) fn steps(shape: &[u64], itemsize: u64) -> Vec<u64> {
    let mut steps = vec![0; shape.len()];
    let mut step = itemsize;
    for (place, len) in steps.iter_mut().zip(shape).rev() {
        *place = step;
        step = step.saturating_mul(*len);
    }
    steps
}

/// The runs of a [`Strided`] copy.
#[derive(Debug, Clone)]
pub struct Runs {
    axes: Vec<Axis>,
    at: Vec<u64>,
    next: Option<(u64, i64)>,
    len: u64,
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let (from, to) = self.next.take()?;
        let (mut next_from, mut next_to) = (from, to);
        for (at, axis) in self.at.iter_mut().zip(&self.axes).rev() {
            *at += 1;
            // Steps past the last item are undone below.
            next_from = next_from.wrapping_add(axis.from);
            next_to = next_to.wrapping_add(axis.to);
            if *at < axis.count {
                self.next = Some((next_from, next_to));
                break;
            }
            *at = 0;
            next_from = next_from.wrapping_sub(axis.from.wrapping_mul(axis.count));
            next_to = next_to.wrapping_sub(axis.to.wrapping_mul(axis.count.cast_signed()));
        }
        Some(Run { from, to: to.cast_unsigned(), len: self.len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::Slice;

    fn runs(slice: &str, shape: &[u64], order: Order) -> Vec<(u64, u64, u64)> {
        let selection = slice.parse::<Slice>().unwrap().select(shape).unwrap();
        let copy = Strided::new(&selection, shape, order, 2);
        let runs: Vec<_> = copy.runs().map(|run| (run.from, run.to, run.len)).collect();
        assert_eq!(runs.iter().map(|run| run.2).sum::<u64>(), copy.nbytes(), "{slice}");
        assert!(runs.windows(2).all(|two| two[0].0 < two[1].0), "{slice}: {runs:?}");
        runs
    }

    #[test]
    fn axes_that_continue_each_other_are_one_run() {
        assert_eq!(runs("...", &[3, 4], Order::C), [(0, 0, 24)]);
        assert_eq!(runs("1:", &[3, 4], Order::C), [(8, 0, 16)]);
        assert_eq!(runs("1", &[3, 4], Order::F), [(2, 0, 2), (8, 2, 2), (14, 4, 2), (20, 6, 2)]);
        assert_eq!(runs(":,1", &[3, 4], Order::F), [(6, 0, 6)]);
        assert_eq!(runs(":,1:3", &[2, 4], Order::C), [(2, 0, 4), (10, 4, 4)]);
        assert_eq!(runs("::-1", &[3], Order::C), [(0, 4, 2), (2, 2, 2), (4, 0, 2)]);
        assert_eq!(runs("1::-1,::2", &[2, 3], Order::C), [(0, 4, 2), (4, 6, 2), (6, 0, 2), (10, 2, 2)]);
        assert_eq!(runs(":0", &[3, 4], Order::C), []);
        assert_eq!(runs("...", &[], Order::C), [(0, 0, 2)]);
        assert_eq!(runs("...", &[2, 2], Order::F), [(0, 0, 2), (2, 4, 2), (4, 2, 2), (6, 6, 2)]);
    }
}
