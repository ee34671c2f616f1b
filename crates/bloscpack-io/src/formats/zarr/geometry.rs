//! The chunks and blocks of an array, and which shard holds which chunk.
//!
//! Blocks are whole rows of a chunk, `1, …, 1, k, full, …`, so that all blocks one after the other are the items of the
//! chunk in C order. A slice then needs ranges of the plain bytes, as in an n-dimensional array of Blosc2.

use bloscpack_format::FormatError;
use bloscpack_format::frame::{B2nd, DtypeText, Grid};
use bloscpack_format::numpy::Dtype;
use bloscpack_format::zarr::ArrayMeta;

use crate::Error;

/// Size in bytes that blocks have at most, unless a smaller one would divide the chunk into tiny ones.
const BLOCK: u64 = 32 << 10;
/// Size in bytes that blocks have at least, if the chunk is not smaller.
const MIN_BLOCK: u64 = 2 << 10;

/// Where a chunk is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// Position of the shard, or else of the chunk, on the grid of keys.
    pub(super) position: Vec<u64>,
    /// The number of the chunk in its shard. 0 without sharding.
    pub(super) within: u64,
}

/// The grid of chunks.
#[derive(Debug)]
pub(super) struct Geometry {
    pub(super) array: B2nd,
    pub(super) grid: Grid,
    /// Chunks along each axis.
    chunks: Vec<u64>,
    /// Chunks of a shard along each axis.
    in_shard: Vec<u64>,
}

impl Geometry {
    pub(super) fn new(meta: &ArrayMeta) -> Result<Self, Error> {
        let itemsize = meta.dtype.itemsize();
        // Checked to fit by the metadata.
        let chunkshape: Vec<u32> = meta.chunkshape.iter().map(|len| *len as u32).collect();
        let blockshape = blockshape(&chunkshape, itemsize);
        let text = match &meta.dtype {
            Dtype::Scalar(scalar) => scalar.to_string(),
            dtype => dtype.to_descr()?,
        };
        let array = B2nd::new(meta.shape.as_slice(), chunkshape, blockshape).with_dtype(DtypeText::numpy(text));
        let itemsize =
            u32::try_from(itemsize).map_err(|_| FormatError::from(bloscpack_format::zarr::ZarrError::ItemSize))?;
        let grid = Grid::new(&array, itemsize)?;
        let lens = meta.shape.iter().zip(&meta.chunkshape);
        let chunks = lens.map(|(len, chunk)| if *len == 0 { 0 } else { len.div_ceil((*chunk).max(1)) }).collect();
        let in_shard = meta.chunks_in_shard().into_iter().map(|chunks| chunks.max(1)).collect();
        Ok(Geometry { array, grid, chunks, in_shard })
    }

    /// Returns where chunk `number` is stored.
    pub(super) fn locate(&self, number: u64) -> Location {
        let mut rest = number;
        let (mut position, mut within, mut unit) = (vec![0; self.chunks.len()], 0_u64, 1_u64);
        for (axis, place) in position.iter_mut().enumerate().rev() {
            let (chunks, shard) = (at(&self.chunks, axis), at(&self.in_shard, axis));
            let on_axis = rest % chunks;
            rest /= chunks;
            *place = on_axis / shard;
            within = within.saturating_add((on_axis % shard).saturating_mul(unit));
            unit = unit.saturating_mul(shard);
        }
        Location { position, within }
    }

    /// Returns the number of shards, or else of chunks, along each axis.
    pub(super) fn shards(&self) -> Vec<u64> {
        self.chunks.iter().zip(&self.in_shard).map(|(chunks, shard)| chunks.div_ceil(*shard)).collect()
    }

    /// Returns the number of chunks of a shard, 1 without sharding.
    pub(super) fn nchunks_in_shard(&self) -> u64 {
        self.in_shard.iter().fold(1, |product, chunks| product.saturating_mul(*chunks))
    }

    /// Returns the number of the chunk at `within` of the shard at a position. `None` if it is outside the array.
    pub(super) fn number(&self, position: &[u64], within: u64) -> Option<u64> {
        let (mut rest, mut on_axes) = (within, vec![0; position.len()]);
        for (axis, place) in on_axes.iter_mut().enumerate().rev() {
            let shard = at(&self.in_shard, axis);
            *place = position.get(axis)?.checked_mul(shard)?.checked_add(rest % shard)?;
            rest /= shard;
        }
        on_axes.iter().zip(&self.chunks).try_fold(0_u64, |number, (place, chunks)| {
            if place < chunks { number.checked_mul(*chunks)?.checked_add(*place) } else { None }
        })
    }
}

/// Returns a length by which numbers are divided.
fn at(axes: &[u64], axis: usize) -> u64 {
    axes.get(axis).copied().unwrap_or(1).max(1)
}

/// Returns the blocks of a chunk: rows of it, whose number along the cut axis divides the chunk's.
fn blockshape(chunkshape: &[u32], itemsize: u64) -> Vec<u32> {
    let mut block = chunkshape.to_vec();
    // Bytes of a block with the axes after the current one.
    let mut nbytes = itemsize.max(1);
    for axis in (0..block.len()).rev() {
        let Some(place) = block.get_mut(axis) else { break };
        let len = u64::from(*place);
        if nbytes.saturating_mul(len) <= BLOCK {
            nbytes = nbytes.saturating_mul(len.max(1));
            continue;
        }
        *place = divisor(len, nbytes) as u32;
        block.iter_mut().take(axis).for_each(|len| *len = (*len).min(1));
        break;
    }
    block
}

/// Returns the number of rows of `nbytes` bytes in a block: a divisor of `len`.
fn divisor(len: u64, nbytes: u64) -> u64 {
    let divisors = || (1..).take_while(|small| small * small <= len).filter(|small| len.is_multiple_of(*small));
    let all = || divisors().flat_map(|small| [small, len / small]);
    let most = all().filter(|rows| rows.saturating_mul(nbytes) <= BLOCK).max();
    match most {
        Some(rows) if rows.saturating_mul(nbytes) >= MIN_BLOCK => rows,
        _ => all().filter(|rows| rows.saturating_mul(nbytes) >= MIN_BLOCK).min().unwrap_or(len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bloscpack_format::zarr::{Sharding, Version};

    #[test]
    fn blocks_divide_chunks() {
        for (chunk, itemsize, block) in [
            (vec![1000, 1000], 8, vec![4, 1000]),
            (vec![100, 100, 100], 4, vec![1, 50, 100]),
            (vec![1_000_003], 8, vec![1_000_003]),
            (vec![1 << 20], 8, vec![1 << 12]),
            (vec![3, 5], 4, vec![3, 5]),
            (vec![2, 3, 1 << 20], 1, vec![1, 1, 1 << 15]),
            (vec![4, 4], 1 << 20, vec![1, 1]),
            (vec![], 8, vec![]),
            (vec![0, 5], 8, vec![0, 5]),
        ] {
            assert_eq!(blockshape(&chunk, itemsize), block, "{chunk:?} {itemsize}");
        }
    }

    #[test]
    fn every_chunk_is_in_its_shard() {
        let mut meta = ArrayMeta::new(Version::V3, vec![10, 7], vec![2, 2], Dtype::parse("'<i4'").unwrap());
        meta.codecs.sharding = Some(Sharding::new(vec![4, 6]));
        let geometry = Geometry::new(&meta).unwrap();
        assert_eq!((geometry.grid.nchunks(), geometry.shards(), geometry.nchunks_in_shard()), (20, vec![3, 2], 6));
        for number in 0..20 {
            let Location { position, within } = geometry.locate(number);
            assert_eq!(geometry.number(&position, within), Some(number));
            let (row, column) = (number / 4, number % 4);
            assert_eq!(position, [row / 2, column / 3]);
            assert_eq!(within, (row % 2) * 3 + column % 3);
        }
        assert_eq!(geometry.number(&[2, 1], 1), None);
        assert_eq!(geometry.number(&[2, 0], 3), None);
    }
}
