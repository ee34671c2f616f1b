//! The blocks of a chunk with several axes.

use blosc_core::{CParams, Encoder};

use crate::error::Error;
use crate::values::Values;

/// Returns the items of a block along each axis: about as many as a block of the same data without axes has.
///
/// # Errors
/// For a level or codec that does not exist.
pub(crate) fn blockshape(values: Values<'_>, typesize: u32, shape: &[u32]) -> Result<Vec<u32>, Error> {
    let nbytes = match values.or(1, 0) {
        0 => automatic(values, typesize)?,
        nbytes => nbytes as usize,
    };
    Ok(grown(nbytes as u64 / u64::from(typesize.max(1)), shape))
}

/// Returns the size of a block that the encoder chooses for a chunk of this size.
fn automatic(values: Values<'_>, typesize: u32) -> Result<usize, Error> {
    let params = CParams::blosc2().codec(values.codec()?).clevel(values.clevel()?).typesize(typesize as usize);
    Ok(Encoder::new(params)?.blocksize_of(values.chunk_nbytes()))
}

/// Returns a shape of at most `nitems`, but at least 2 along each axis that has them. It grows from the last axis, where
/// neighbours are adjacent, to the first, by factors of two up to the shape of the chunk.
fn grown(nitems: u64, shape: &[u32]) -> Vec<u32> {
    let mut block: Vec<u32> = shape.iter().map(|len| (*len).min(2)).collect();
    let size = |block: &[u32]| block.iter().fold(1_u64, |size, len| size.saturating_mul((*len).into()));
    let mut grows = true;
    while grows {
        grows = false;
        for axis in (0..shape.len()).rev() {
            let mut larger = block.clone();
            if let (Some(len), Some(max)) = (larger.get_mut(axis), shape.get(axis)) {
                *len = len.saturating_mul(2).min(*max);
            }
            if larger != block && size(&larger) <= nitems {
                block = larger;
                grows = true;
            }
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::grown;

    #[test]
    fn blocks_grow_from_the_last_axis() {
        assert_eq!(grown(1000, &[100, 10]), [100, 10]);
        assert_eq!(grown(999, &[100, 10]), [64, 10]);
        assert_eq!(grown(0, &[100, 1, 7]), [2, 1, 2]);
        assert_eq!(grown(u64::MAX, &[100, 1, 7]), [100, 1, 7]);
        assert_eq!(grown(64, &[1 << 20, 1 << 20]), [8, 8]);
    }
}
