//! Boxes of items: products, positions and iteration in C order.

use super::FrameError;
use crate::error::FormatError;

/// One number for each axis.
pub(super) type Axes = Vec<u64>;

/// Items of an array, from `start` up to, but not including, `stop` along each axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    /// The first index along each axis.
    pub start: Vec<u64>,
    /// Past the last index along each axis. The region is empty if any is not greater than its `start`.
    pub stop: Vec<u64>,
}

impl Region {
    /// Returns whether it has no items. A region without axes has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.iter().zip(&self.stop).any(|(start, stop)| start >= stop)
    }

    /// Returns the number of items along each axis.
    #[must_use]
    pub fn extents(&self) -> Vec<u64> {
        self.start.iter().zip(&self.stop).map(|(start, stop)| stop.saturating_sub(*start)).collect()
    }

    /// Returns the items that are in both.
    pub(super) fn intersect(&self, other: &Self) -> Self {
        let pick =
            |a: &[u64], b: &[u64], pick: fn(u64, u64) -> u64| a.iter().zip(b).map(|(a, b)| pick(*a, *b)).collect();
        Self { start: pick(&self.start, &other.start, u64::max), stop: pick(&self.stop, &other.stop, u64::min) }
    }

    /// Returns the position, in items, of the item `at` in a buffer of `extents` that starts with the region's first
    /// item.
    pub(super) fn place(&self, at: &[u64], extents: &[u64]) -> u64 {
        let axes = at.iter().zip(&self.start).zip(extents);
        axes.fold(0, |place, ((at, start), extent)| place * extent + (at - start))
    }

    /// Refuses a region that is not within an array of `shape`.
    pub(super) fn check(&self, shape: &[u64]) -> Result<(), FormatError> {
        for found in [self.start.len(), self.stop.len()] {
            if found != shape.len() {
                return Err(FrameError::Ndim { found, expected: shape.len() }.into());
            }
        }
        for (axis, ((&start, &stop), &len)) in self.start.iter().zip(&self.stop).zip(shape).enumerate() {
            if start > stop || stop > len {
                return Err(FrameError::Slice { axis, start, stop, len }.into());
            }
        }
        Ok(())
    }
}

/// Advances to the next position in C order between `start` and `stop`; `false` after the last.
pub(super) fn advance(at: &mut [u64], start: &[u64], stop: &[u64]) -> bool {
    for ((at, start), stop) in at.iter_mut().zip(start).zip(stop).rev() {
        *at += 1;
        if *at < *stop {
            return true;
        }
        *at = *start;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_in_c_order() {
        let mut at = vec![1, 5];
        let mut seen = vec![at.clone()];
        while advance(&mut at, &[1, 5], &[3, 7]) {
            seen.push(at.clone());
        }
        assert_eq!(seen, [[1, 5], [1, 6], [2, 5], [2, 6]]);
        assert!(!advance(&mut [], &[], &[]));
    }
}
