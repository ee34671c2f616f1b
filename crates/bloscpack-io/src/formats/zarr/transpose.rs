//! Undoes a permutation of the axes of a chunk.

use blosc_core::{OutOfMemory, memory};

/// Returns the items of a chunk in C order. `stored` has them with axis `i` being axis `order[i]` of the chunk, whose
/// shape is `shape`.
pub(super) fn undo(stored: &[u8], shape: &[u64], order: &[usize], itemsize: usize) -> Result<Vec<u8>, OutOfMemory> {
    let mut items = memory::zeroed(stored.len())?;
    // Steps in bytes between the items of the chunk along each of its axes.
    let mut steps = vec![itemsize; shape.len()];
    for axis in (1..shape.len()).rev() {
        let step = steps.get(axis).copied().unwrap_or(0).saturating_mul(length(shape, axis));
        if let Some(before) = steps.get_mut(axis - 1) {
            *before = step;
        }
    }
    let stored_shape: Vec<usize> = order.iter().map(|axis| length(shape, *axis)).collect();
    let stored_steps: Vec<usize> = order.iter().map(|axis| steps.get(*axis).copied().unwrap_or(0)).collect();
    let (Some((&row, outer)), Some((&step, outer_steps))) = (stored_shape.split_last(), stored_steps.split_last())
    else {
        items.copy_from_slice(stored);
        return Ok(items);
    };
    let mut position = vec![0_usize; outer.len()];
    let mut base = 0_usize;
    for row in stored.chunks_exact(row.saturating_mul(itemsize).max(1)) {
        let mut to = base;
        for item in row.chunks_exact(itemsize.max(1)) {
            if let Some(place) = items.get_mut(to..to.saturating_add(itemsize)) {
                place.copy_from_slice(item);
            }
            to = to.saturating_add(step);
        }
        // The next position of the outer axes, in C order.
        for ((place, len), step) in position.iter_mut().zip(outer).zip(outer_steps).rev() {
            *place += 1;
            base = base.saturating_add(*step);
            if *place < *len {
                break;
            }
            base = base.saturating_sub(step.saturating_mul(*len));
            *place = 0;
        }
    }
    Ok(items)
}

fn length(shape: &[u64], axis: usize) -> usize {
    // The chunk fits 2 GiB.
    shape.get(axis).copied().unwrap_or(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_come_back() {
        // numpy: arange(24).reshape(2, 3, 4).transpose(order).ravel()
        let plain: Vec<u8> = (0..24).collect();
        let f: Vec<u8> = vec![0, 12, 4, 16, 8, 20, 1, 13, 5, 17, 9, 21, 2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23];
        assert_eq!(undo(&f, &[2, 3, 4], &[2, 1, 0], 1).unwrap(), plain);
        let other: Vec<u8> = vec![0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23];
        assert_eq!(undo(&other, &[2, 3, 4], &[2, 0, 1], 1).unwrap(), plain);
        assert_eq!(undo(&[1, 2, 5, 6, 3, 4, 7, 8], &[2, 2], &[1, 0], 2).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(undo(&plain, &[24], &[0], 1).unwrap(), plain);
        assert_eq!(undo(&[7, 8], &[], &[], 2).unwrap(), [7, 8]);
    }
}
