//! Copies of items between two buffers, along axes.

use blosc_core::memory;

use crate::blosc2::codes::{INVALID_PARAM, MEMORY, trace};

/// The offsets of the items along an axis, in bytes: in the source and in the destination.
pub(crate) type Offsets = Vec<(usize, usize)>;

/// Copies all combinations of one item of each axis.
///
/// # Errors
/// The code of an item outside a buffer, or of missing memory.
pub(crate) fn copy(axes: &[Offsets], itemsize: usize, src: &[u8], dst: &mut [u8]) -> Result<(), i32> {
    if axes.iter().any(Vec::is_empty) {
        return Ok(());
    }
    // Axes with one item only move the others, so that the last axis has long runs.
    let is_single = |axis: &&Offsets| axis.len() == 1;
    let single = axes.iter().filter(is_single).filter_map(|axis| axis.first());
    let start = single.fold((0, 0), |(from, to): (usize, usize), offset| {
        (from.saturating_add(offset.0), to.saturating_add(offset.1))
    });
    let mut outer = memory::collect(axes.iter().filter(|axis| !is_single(axis))).map_err(|_| MEMORY)?;
    let runs = match outer.pop() {
        Some(inner) => runs(inner, itemsize)?,
        None => vec![(0, 0, itemsize)],
    };
    copy_axes(&outer, start, &runs, src, dst)
}

/// Joins items that follow each other in both buffers: source, destination and length.
fn runs(items: &Offsets, itemsize: usize) -> Result<Vec<(usize, usize, usize)>, i32> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (from, to) in items {
        match runs.last_mut() {
            Some((first, target, len)) if *first + *len == *from && *target + *len == *to => *len += itemsize,
            _ => {
                runs.try_reserve(1).map_err(|_| MEMORY)?;
                runs.push((*from, *to, itemsize));
            }
        }
    }
    Ok(runs)
}

fn copy_axes(
    axes: &[&Offsets],
    (from, to): (usize, usize),
    runs: &[(usize, usize, usize)],
    src: &[u8],
    dst: &mut [u8],
) -> Result<(), i32> {
    if let Some((axis, inner)) = axes.split_first() {
        let mut items = axis.iter();
        return items.try_for_each(|offset| {
            copy_axes(inner, (from.saturating_add(offset.0), to.saturating_add(offset.1)), runs, src, dst)
        });
    }
    for (run_from, run_to, len) in runs {
        let (from, to) = (from.saturating_add(*run_from), to.saturating_add(*run_to));
        let items = src.get(from..from.saturating_add(*len)).zip(dst.get_mut(to..to.saturating_add(*len)));
        let (items, place) =
            items.ok_or_else(|| trace(INVALID_PARAM, format_args!("an item is outside the buffer")))?;
        place.copy_from_slice(items);
    }
    Ok(())
}

/// Returns the offsets of `extents` items, which start at an index in two arrays in C order: shape and index of each.
///
/// # Errors
/// The code of items that are not in the arrays, or of a size that overflows.
pub(crate) fn slice_offsets(
    extents: &[i64],
    src: (&[i64], &[i64]),
    dst: (&[i64], &[i64]),
    itemsize: usize,
) -> Result<Vec<Offsets>, i32> {
    let (from, to) = (steps(src.0, itemsize)?, steps(dst.0, itemsize)?);
    let mut axes = Vec::new();
    for (axis, extent) in extents.iter().enumerate() {
        let start = |(shape, start): (&[i64], &[i64])| {
            let (len, at) = (*shape.get(axis)?, *start.get(axis)?);
            let end = at.checked_add(*extent)?;
            if at >= 0 && end <= len { usize::try_from(at).ok() } else { None }
        };
        let places = start(src).zip(start(dst)).zip(from.get(axis).zip(to.get(axis)));
        let Some(((at, target), (from, to))) = places else {
            return Err(trace(INVALID_PARAM, format_args!("axis {axis} has fewer than {extent} items")));
        };
        let count = usize::try_from(*extent).unwrap_or(0);
        let offsets = (0..count).map(|item| ((at + item).saturating_mul(*from), (target + item).saturating_mul(*to)));
        axes.push(memory::collect(offsets).map_err(|_| MEMORY)?);
    }
    Ok(axes)
}

/// Returns the bytes from one item to the next along each axis.
fn steps(shape: &[i64], itemsize: usize) -> Result<Vec<usize>, i32> {
    let mut steps = vec![itemsize; shape.len()];
    let mut step = itemsize;
    for (len, to) in shape.iter().zip(&mut steps).rev() {
        *to = step;
        let next = usize::try_from(*len).ok().and_then(|len| step.checked_mul(len));
        step = next.ok_or_else(|| trace(INVALID_PARAM, format_args!("the buffer has too many items")))?;
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_copied_item_by_item() {
        let src: Vec<u8> = (0..60).collect();
        let mut dst = vec![255; 5 * 7];
        let axes = slice_offsets(&[2, 1, 3], (&[3, 4, 5], &[1, 2, 1]), (&[5, 1, 7], &[3, 0, 4]), 1).unwrap();
        copy(&axes, 1, &src, &mut dst).unwrap();
        let mut expected = vec![255; 35];
        for (row, item) in [0, 1].iter().flat_map(|row| [0, 1, 2].map(|item| (*row, item))) {
            expected[(3 + row) * 7 + 4 + item] = src[((1 + row) * 4 + 2) * 5 + 1 + item];
        }
        assert_eq!(dst, expected);
    }

    #[test]
    fn items_outside_are_refused() {
        let offsets = |extent, start, len| slice_offsets(&[extent], (&[len], &[start]), (&[9], &[0]), 1);
        assert!(offsets(3, 1, 4).is_ok());
        for (extent, start, len) in [(4, 1, 4), (1, -1, 4), (10, 0, 20), (i64::MAX, 1, i64::MAX), (1, 0, -1)] {
            assert_eq!(offsets(extent, start, len), Err(INVALID_PARAM));
        }
        assert_eq!(slice_offsets(&[1, 1], (&[1, i64::MAX], &[0, 0]), (&[1, 1], &[0, 0]), 4), Err(INVALID_PARAM));
        assert_eq!(copy(&[vec![(8, 0)]], 1, &[0; 8], &mut [0; 1]), Err(INVALID_PARAM));
        assert_eq!(copy(&[], 4, &[7; 4], &mut [0; 3]), Err(INVALID_PARAM));
    }
}
