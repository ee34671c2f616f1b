//! Cuts a run of an array's items, in C order, into boxes of bounded size. Each box is itself a run in C order, and
//! ends at a chunk or block boundary where possible.
//!
//! ```text
//! shape 5 x 4, items 2..18:      . . 0 0       along the last axis to its end,
//!                                1 1 1 1
//!                                1 1 1 1       then whole rows; if too many, up to a boundary of chunks (3 x 4),
//!                                2 2 2 2
//!                                3 3 . .       and the rest along the last axis
//! ```

use std::ops::Range;

use bloscpack_format::frame::{B2nd, Region};

/// Iterates over the boxes.
pub(crate) struct Boxes<'a> {
    array: &'a B2nd,
    region: &'a Region,
    /// Number of items from one index to the next along each axis.
    strides: Vec<u64>,
    items: Range<u64>,
    /// Maximum number of items in a box, at least 1.
    most: u64,
}

impl<'a> Boxes<'a> {
    /// Cuts the items `items` of `region`, which is within `array`; items count in C order from the region's first.
    pub(crate) fn new(array: &'a B2nd, region: &'a Region, items: Range<u64>, most: u64) -> Self {
        let mut strides = vec![1; region.start.len()];
        let mut stride = 1u64;
        for (place, extent) in strides.iter_mut().zip(region.extents()).rev() {
            *place = stride;
            stride = stride.saturating_mul(extent);
        }
        Boxes { array, region, strides, items, most: most.max(1) }
    }

    /// Returns the index of an item along each axis.
    fn at(&self, mut item: u64) -> Vec<u64> {
        let place = |(start, stride): (&u64, &u64)| {
            let index = item.checked_div(*stride).unwrap_or(0);
            item -= index * stride;
            start + index
        };
        self.region.start.iter().zip(&self.strides).map(place).collect()
    }

    /// Returns the end of a box that starts at index `at` along an axis: `stop` if it is at most `most` steps away.
    /// Otherwise the last chunk boundary within `most` steps, else the last block boundary, else the index after `most`
    /// steps.
    fn stop(&self, axis: usize, at: u64, stop: u64, most: u64) -> u64 {
        let len = |lens: &[u32]| lens.get(axis).map_or(1, |len| u64::from(*len).max(1));
        let (chunk, block) = (len(&self.array.chunkshape), len(&self.array.blockshape));
        let end = at.saturating_add(most);
        if stop <= end {
            return stop;
        }
        // Blocks are aligned to the start of their chunk.
        let chunk_end = end - end % chunk;
        let block_end = end - end % chunk % block;
        [chunk_end, block_end].into_iter().find(|end| *end > at).unwrap_or(end)
    }
}

impl Iterator for Boxes<'_> {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        if self.items.is_empty() || self.region.is_empty() {
            return None;
        }
        let left = self.items.end - self.items.start;
        let start = self.at(self.items.start);
        // The outermost axis along which a whole step starts here and fits into both the rest of the run and the limit.
        let begins = |axis: &usize| {
            let after = start.iter().zip(&self.region.start).skip(axis + 1);
            after.into_iter().all(|(at, start)| at == start)
        };
        let fits = |axis: &usize| self.strides.get(*axis).is_some_and(|stride| *stride <= left.min(self.most));
        let axis = (0..start.len()).find(|axis| begins(axis) && fits(axis));
        let Some(axis) = axis else {
            // No axes: the one item.
            self.items.start = self.items.end;
            return Some(Region { stop: start.clone(), start });
        };
        let stride = self.strides.get(axis).copied().unwrap_or(1);
        let (at, end) = (start.get(axis).copied()?, self.region.stop.get(axis).copied()?);
        let to = self.stop(axis, at, end.min(at.saturating_add(left / stride)), self.most / stride);
        let mut stop: Vec<u64> = start.iter().map(|at| at + 1).collect();
        stop.iter_mut().zip(&self.region.stop).skip(axis + 1).for_each(|(stop, end)| *stop = *end);
        stop.get_mut(axis).into_iter().for_each(|stop| *stop = to);
        self.items.start += (to - at) * stride;
        Some(Region { start, stop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[u64], chunkshape: &[u32], blockshape: &[u32]) -> B2nd {
        B2nd::new(shape, chunkshape, blockshape)
    }

    #[test]
    fn the_picture() {
        let array = array(&[5, 4], &[3, 4], &[1, 2]);
        let all = Region { start: vec![0, 0], stop: vec![5, 4] };
        let boxes: Vec<_> = Boxes::new(&array, &all, 2..18, 10).map(|found| (found.start, found.stop)).collect();
        let expected = [([0, 2], [1, 4]), ([1, 0], [3, 4]), ([3, 0], [4, 4]), ([4, 0], [5, 2])]
            .map(|(a, b)| (a.to_vec(), b.to_vec()));
        assert_eq!(boxes, expected);
    }

    #[test]
    fn boxes_follow_each_other_and_keep_the_limit() {
        let array = array(&[7, 9, 5], &[4, 4, 3], &[2, 2, 3]);
        for region in [([0, 0, 0], [7, 9, 5]), ([1, 2, 1], [6, 9, 4])] {
            let region = Region { start: region.0.to_vec(), stop: region.1.to_vec() };
            let extents = region.extents();
            let len = extents.iter().product::<u64>();
            for most in [1, 3, 7, 20, 90, 1000] {
                for items in [0..len, 5..len - 3, 8..9, 4..4] {
                    let mut at = items.start;
                    for found in Boxes::new(&array, &region, items.clone(), most) {
                        let place = found.start.iter().zip(&region.start).zip(&extents);
                        assert_eq!(place.fold(0, |sum, ((at, start), extent)| sum * extent + at - start), at);
                        let count = found.extents().iter().product::<u64>();
                        assert!((1..=most).contains(&count), "{count} of {most}");
                        at += count;
                    }
                    assert_eq!(at, items.end);
                }
            }
        }
    }
}
