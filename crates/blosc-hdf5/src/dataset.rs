//! The values that are stored with a new dataset.

use crate::filter::Filter;
use crate::values::DEFAULTS;

/// The largest typesize of Blosc1. A larger one counts as 1.
const MAX_TYPESIZE: u64 = 255;

/// The most axes of an array of Blosc2.
const MAX_AXES: usize = bloscpack_format::frame::MAX_NDIM;

/// The facts about a dataset that a filter needs.
#[derive(Debug)]
pub(crate) struct Dataset<'a> {
    /// Items of a chunk along each axis.
    pub(crate) chunkshape: &'a [u64],
    /// Bytes of an item.
    pub(crate) itemsize: u64,
    /// Bytes of an element of an item, which only differs if an item is an array.
    pub(crate) typesize: u64,
}

/// Returns the values of a filter for a dataset. `given` are those that the program gave.
pub(crate) fn values(filter: Filter, given: &[u32], dataset: &Dataset<'_>) -> Vec<u32> {
    let nbytes = dataset.chunkshape.iter().fold(dataset.itemsize, |nbytes, len| nbytes.saturating_mul(*len));
    let mut values = given.to_vec();
    values.resize(given.len().max(4), 0);
    let (typesize, axes) = match filter {
        Filter::Blosc1 => (if dataset.typesize > MAX_TYPESIZE { 1 } else { dataset.typesize }, &[][..]),
        Filter::Blosc2 => (dataset.typesize, dataset.chunkshape),
    };
    let fixed = match filter {
        Filter::Blosc1 => [2, 2],
        Filter::Blosc2 => [1, given.get(1).copied().unwrap_or(0)],
    };
    // A chunk that is too large for a value is too large for Blosc, and stored without the filter.
    let clamped = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let fixed = fixed.into_iter().chain([clamped(typesize), clamped(nbytes)]);
    values.iter_mut().zip(fixed).for_each(|(value, fixed)| *value = fixed);
    if (2..=MAX_AXES).contains(&axes.len()) {
        values.extend(DEFAULTS.iter().skip(values.len() - 4));
        values.truncate(7);
        values.push(axes.len() as u32);
        values.extend(axes.iter().map(|len| clamped(*len)));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{Dataset, values};
    use crate::filter::Filter::{Blosc1, Blosc2};

    #[test]
    fn values_of_datasets() {
        let plane = Dataset { chunkshape: &[10, 20], itemsize: 8, typesize: 8 };
        assert_eq!(values(Blosc1, &[], &plane), [2, 2, 8, 1600]);
        assert_eq!(values(Blosc1, &[0, 0, 0, 0, 9, 2, 5], &plane), [2, 2, 8, 1600, 9, 2, 5]);
        assert_eq!(values(Blosc2, &[], &plane), [1, 0, 8, 1600, 5, 1, 0, 2, 10, 20]);
        assert_eq!(values(Blosc2, &[0, 64, 0, 0, 3], &plane), [1, 64, 8, 1600, 3, 1, 0, 2, 10, 20]);
        let old = [0, 0, 0, 0, 9, 2, 5, 3, 1, 1, 1];
        assert_eq!(values(Blosc2, &old, &plane), [1, 0, 8, 1600, 9, 2, 5, 2, 10, 20]);
        let texts = Dataset { chunkshape: &[1 << 40], itemsize: 300, typesize: 300 };
        assert_eq!(values(Blosc1, &[], &texts), [2, 2, 1, u32::MAX]);
        assert_eq!(values(Blosc2, &[], &texts), [1, 0, 300, u32::MAX]);
    }
}
