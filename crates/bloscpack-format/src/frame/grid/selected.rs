//! Selections with steps: the chunks and blocks that contain selected items, and copies out of a block.

use super::super::regions::Axes;
use super::Grid;
use crate::numpy::{AxisSelection, Selection, Strided, steps};

/// A chunk with at least one item of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedChunk {
    /// The chunk's number.
    pub nchunk: u64,
    /// Along each axis, the items of the result that are in the chunk.
    items: Vec<Items>,
    /// Position of the chunk on the grid.
    at: Axes,
}

/// Items of the result along an axis that are in a chunk or block, counted in rising order of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Items {
    start: u64,
    stop: u64,
}

/// An axis of a selection in rising order of the array.
#[derive(Debug, Clone, Copy)]
struct Rising {
    low: u64,
    step: u64,
    count: u64,
}

impl From<&AxisSelection> for Rising {
    fn from(axis: &AxisSelection) -> Self {
        let low = if axis.step < 0 { axis.at(axis.count.saturating_sub(1)) } else { axis.start };
        Self { low, step: axis.step.unsigned_abs().max(1), count: axis.count }
    }
}

impl Rising {
    fn at(self, number: u64) -> u64 {
        self.low.saturating_add(number.saturating_mul(self.step))
    }

    /// Returns the first item at or after an index.
    fn first_from(self, index: u64) -> u64 {
        index.saturating_sub(self.low).div_ceil(self.step).min(self.count)
    }

    /// Returns the item `start` and all following items in the same cell of `len` items, and the number of the cell.
    fn cell(self, start: u64, stop: u64, base: u64, len: u64) -> (u64, Items) {
        let cell = self.at(start).saturating_sub(base).checked_div(len).unwrap_or(0);
        let end = base.saturating_add(cell.saturating_add(1).saturating_mul(len.max(1)));
        (cell, Items { start, stop: self.first_from(end).min(stop) })
    }
}

/// All combinations of one cell of each axis, in C order. Only the current combination is in memory.
struct Cells<F> {
    /// The items to visit along each axis.
    within: Vec<Items>,
    /// The cell that starts with an item of an axis.
    cell: F,
    next: Option<Vec<(u64, Items)>>,
}

impl<F: Fn(usize, u64) -> (u64, Items)> Cells<F> {
    fn new(within: Vec<Items>, cell: F) -> Self {
        let empty = within.iter().any(|items| items.start >= items.stop);
        let first = || within.iter().enumerate().map(|(axis, items)| cell(axis, items.start)).collect();
        let next = (!empty).then(first);
        Self { within, cell, next }
    }
}

impl<F: Fn(usize, u64) -> (u64, Items)> Iterator for Cells<F> {
    type Item = Vec<(u64, Items)>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.next.take()?;
        let mut following = found.clone();
        for (axis, (place, within)) in following.iter_mut().zip(&self.within).enumerate().rev() {
            let start = place.1.stop;
            if start < within.stop {
                *place = (self.cell)(axis, start);
                self.next = Some(following);
                break;
            }
            *place = (self.cell)(axis, within.start);
        }
        Some(found)
    }
}

impl Grid {
    /// Returns the chunks that contain a selected item, in the order of their numbers. The selection must be for the
    /// array's shape.
    pub fn selected<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = SelectedChunk> + 'a {
        let axes: Vec<Rising> = selection.axes().iter().map(Rising::from).collect();
        let within = axes.iter().map(|axis| Items { start: 0, stop: axis.count }).collect();
        let cell = move |axis: usize, start: u64| match (axes.get(axis), self.chunkshape.get(axis)) {
            (Some(rising), Some(len)) => rising.cell(start, rising.count, 0, *len),
            _ => (0, Items { start, stop: start.saturating_add(1) }),
        };
        Cells::new(within, cell).map(move |cells| {
            let at: Axes = cells.iter().map(|(cell, _)| *cell).collect();
            // Less than the number of chunks, which does not overflow.
            let nchunk = at.iter().zip(&self.chunks).fold(0, |number, (at, chunks)| number * chunks + at);
            SelectedChunk { nchunk, items: cells.iter().map(|(_, items)| *items).collect(), at }
        })
    }

    /// Returns the blocks of a chunk that contain a selected item, in the order of their numbers. Each comes with its
    /// number and the copy from the block to the result in C order.
    pub fn selected_blocks<'a>(
        &'a self,
        selection: &'a Selection,
        chunk: &'a SelectedChunk,
    ) -> impl Iterator<Item = (usize, Strided)> + 'a {
        let rising: Vec<Rising> = selection.axes().iter().map(Rising::from).collect();
        let base = |axis: usize| {
            let (at, len) = (chunk.at.get(axis), self.chunkshape.get(axis));
            at.zip(len).map_or(0, |(at, len)| at.saturating_mul(*len))
        };
        let axes = rising.clone();
        let cell =
            move |axis: usize, start: u64| match (axes.get(axis), self.blockshape.get(axis), chunk.items.get(axis)) {
                (Some(rising), Some(len), Some(items)) => rising.cell(start, items.stop, base(axis), *len),
                _ => (0, Items { start, stop: start.saturating_add(1) }),
            };
        let (from, to) = (steps(&self.blockshape, self.itemsize), steps(&selection.counts(), self.itemsize));
        Cells::new(chunk.items.clone(), cell).map(move |cells| {
            let number = cells.iter().zip(&self.blocks).fold(0, |number, ((at, _), blocks)| number * blocks + at);
            let mut moved = 0_u64;
            let mut axes = Vec::with_capacity(cells.len());
            for (axis, ((cell, items), (selected, rising))) in
                cells.iter().zip(selection.axes().iter().zip(&rising)).enumerate()
            {
                let len = self.blockshape.get(axis).copied().unwrap_or(1);
                let block = base(axis).saturating_add(cell.saturating_mul(len));
                let (count, low) = (items.stop - items.start, rising.at(items.start).saturating_sub(block));
                // If a selection runs backwards, the last items of the result come first in the array.
                let backwards = selected.step < 0;
                let first = if backwards { selected.count - items.stop } else { items.start };
                moved = moved.saturating_add(first.saturating_mul(to.get(axis).copied().unwrap_or(0)));
                let high = low.saturating_add((count - 1).saturating_mul(rising.step));
                axes.push(AxisSelection { start: if backwards { high } else { low }, count, ..*selected });
            }
            let copy = Strided::of_axes(&axes, &from, &to, self.itemsize).moved(moved).merged();
            // A chunk has fewer blocks than bytes, whose number fits an i32.
            (number as usize, copy)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::B2nd;
    use crate::numpy::Slice;

    /// Compares every item of every selection, copied by chunks and blocks, with indexing one by one.
    #[test]
    fn blocks_give_what_indices_give() {
        let (chunkshape, blockshape) = (vec![4, 3, 2], vec![2, 3, 1]);
        let array = B2nd { version: 0, shape: vec![7, 5, 3], chunkshape, blockshape, dtype: None };
        let grid = Grid::new(&array, 2).unwrap();
        let shape = [7, 5, 3];
        for text in ["...", "::3,1:,::2", "::-1", "6:0:-4,::-2,::-1", "3,4", "-1,-1,-1", "2:2", "1:6:2,-1,1:"] {
            let selection = text.parse::<Slice>().unwrap().select(&shape).unwrap();
            let len = selection.counts().iter().product::<u64>() as usize;
            let (mut found, mut touched) = (vec![u16::MAX; len], Vec::new());
            for chunk in grid.selected(&selection) {
                for (nblock, copy) in grid.selected_blocks(&selection, &chunk) {
                    touched.push((chunk.nchunk, nblock));
                    for run in copy.runs() {
                        for byte in (0..run.len).step_by(2) {
                            // Position of this item of the block in the array.
                            let item = (run.from + byte) / 2;
                            let block = grid.selected_item(&chunk, nblock, item);
                            let place = block.iter().zip(&shape).fold(0, |place, (at, len)| place * len + at);
                            let slot = &mut found[((run.to + byte) / 2) as usize];
                            assert_eq!(*slot, u16::MAX, "{text}: written twice");
                            *slot = place as u16;
                        }
                    }
                }
            }
            let mut expected = vec![0_u64];
            for (axis, len) in selection.axes().iter().zip(&shape) {
                let indices = || (0..axis.count).map(|number| axis.at(number));
                expected = expected.iter().flat_map(|place| indices().map(move |at| place * len + at)).collect();
            }
            assert_eq!(found.into_iter().map(u64::from).collect::<Vec<_>>(), expected, "{text}");
            let mut sorted = touched.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(touched, sorted, "{text}");
        }
    }

    impl Grid {
        /// Returns the indices in the array of an item of a block.
        fn selected_item(&self, chunk: &SelectedChunk, nblock: usize, item: u64) -> Vec<u64> {
            let (mut block, mut item, mut indices) = (nblock as u64, item, Vec::new());
            for axis in (0..self.ndim()).rev() {
                let (blocks, len) = (self.blocks[axis], self.blockshape[axis]);
                indices.push(chunk.at[axis] * self.chunkshape[axis] + block % blocks * len + item % len);
                (block, item) = (block / blocks, item / len);
            }
            indices.reverse();
            indices
        }
    }
}
