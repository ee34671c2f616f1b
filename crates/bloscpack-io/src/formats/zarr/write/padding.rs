//! A chunk at the edge of an array, filled up to its full shape.

use blosc_core::{OutOfMemory, memory};

/// Returns a chunk of the shape `chunk` with the items of its region, which has the lengths `extents`. All other items
/// are `fill`, or zero if that is empty. An item has `itemsize` bytes.
pub(super) fn padded(
    items: Vec<u8>,
    extents: &[u64],
    chunk: &[u64],
    (itemsize, fill): (u64, &[u8]),
    nbytes: u64,
) -> Result<Vec<u8>, OutOfMemory> {
    if extents == chunk {
        return Ok(items);
    }
    let nbytes = usize::try_from(nbytes).map_err(|_| OutOfMemory::new(usize::MAX))?;
    let mut plain = memory::zeroed(nbytes)?;
    if !fill.is_empty() {
        plain.chunks_exact_mut(fill.len()).for_each(|item| item.copy_from_slice(fill));
    }
    let run = extents.last().copied().unwrap_or(1).saturating_mul(itemsize) as usize;
    for (number, run) in items.chunks_exact(run.max(1)).enumerate() {
        let at = offset(number as u64, extents, chunk, itemsize);
        if let Some(place) = plain.get_mut(at..at.saturating_add(run.len())) {
            place.copy_from_slice(run);
        }
    }
    Ok(plain)
}

/// Returns the offset in the chunk of run `number` along the last axis.
fn offset(mut number: u64, extents: &[u64], chunk: &[u64], itemsize: u64) -> usize {
    let mut stride = chunk.last().copied().unwrap_or(1).saturating_mul(itemsize);
    let mut offset = 0_u64;
    for (extent, len) in extents.iter().zip(chunk).rev().skip(1) {
        let index = number.checked_rem(*extent).unwrap_or(0);
        number = number.checked_div(*extent).unwrap_or(0);
        offset = offset.saturating_add(index.saturating_mul(stride));
        stride = stride.saturating_mul(*len);
    }
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn items_keep_their_index() {
        let padded = |items: &[u8], extents: &[u64], chunk: &[u64], itemsize| {
            let nbytes = chunk.iter().product::<u64>() * itemsize;
            super::padded(items.to_vec(), extents, chunk, (itemsize, &[]), nbytes).unwrap()
        };
        assert_eq!(padded(&[1, 2, 3, 4, 5, 6], &[2, 3], &[2, 3], 1), [1, 2, 3, 4, 5, 6]);
        assert_eq!(padded(&[1, 2, 3, 4], &[2, 2], &[3, 3], 1), [1, 2, 0, 3, 4, 0, 0, 0, 0]);
        assert_eq!(padded(&[1, 2, 3, 4], &[1, 2], &[2, 3], 2), [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(padded(&[1, 2], &[2], &[4], 1), [1, 2, 0, 0]);
        assert_eq!(padded(&[1, 2, 3, 4], &[2, 1, 2], &[2, 2, 2], 1), [1, 2, 0, 0, 3, 4, 0, 0]);
        assert_eq!(padded(&[7], &[], &[], 1), [7]);
        let filled = super::padded(vec![1, 2], &[1], &[3], (2, &[8, 9]), 6).unwrap();
        assert_eq!(filled, [1, 2, 8, 9, 8, 9]);
    }
}
