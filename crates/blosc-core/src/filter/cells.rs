//! ndcell and ndmean: reorder the items of a block of a b2nd array by small cells, in which items are similar.
//!
//! A cell is a cube with an edge of `cell` items, cut off at the end of the block. Cells are stored in C order of their
//! positions in the block, and items in C order of their positions in the cell. A block of 3 x 5 items with cells of 2:
//!
//! ```text
//!   a b | c d | e
//!   f g | h i | j        ->   a b f g   c d h i   e j   k l   m n   o
//!   ----+-----+--
//!   k l | m n | o
//! ```
//!
//! ndmean also replaces every item by the mean of its cell. That is lossy: decoding restores the order only.

use std::ops::Range;

/// C-Blosc2 supports these filters for arrays of up to 8 dimensions.
const MAX_NDIM: usize = 8;

/// One value per dimension. Unused dimensions are one item long.
type Dims = [usize; MAX_NDIM];

/// One of the two filters, prepared for the blocks of one array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NdCells {
    ndim: usize,
    blockshape: Dims,
    /// Bytes from one item to the next along each dimension.
    strides: Dims,
    cell: usize,
    /// Bytes of a block.
    len: usize,
    mean: Option<Mean>,
}

/// The type of the items that ndmean averages.
#[derive(Debug, Clone, Copy)]
enum Mean {
    F32,
    F64,
}

impl NdCells {
    /// Creates ndcell (filter 32) with the meta byte `cell` for blocks of `len` bytes.
    ///
    /// # Errors
    /// If the block shape does not match a block of `len` bytes. Also for parameters that C-Blosc2 refuses to write and
    /// to read: an edge of 0 or over 127, more than 8 dimensions, and blocks of fewer items than a cell.
    pub(crate) fn new(blockshape: &[usize], cell: u8, typesize: usize, len: usize) -> Result<Self, &'static str> {
        let cells = Self::any(blockshape, cell, typesize, len)?;
        let items_per_cell = cells.cell.checked_pow(cells.ndim as u32); // at most 8
        if items_per_cell.is_none_or(|items| items > len / typesize) {
            return Err("a cell has more items than the block");
        }
        Ok(cells)
    }

    /// Creates ndmean (filter 33) with the same parameters.
    ///
    /// # Errors
    /// As [`NdCells::new`], but a cell may be larger than the block. For typesizes other than 4 (treated as `f32`) and
    /// 8 (`f64`). If the block has fewer than `cell` items along its first dimension but more along another: C-Blosc2
    /// writes that order wrongly and then refuses to read it.
    pub(crate) fn new_mean(blockshape: &[usize], cell: u8, typesize: usize, len: usize) -> Result<Self, &'static str> {
        let mean = match typesize {
            4 => Mean::F32,
            8 => Mean::F64,
            _ => return Err("ndmean needs a typesize of 4 or 8"),
        };
        let cells = Self::any(blockshape, cell, typesize, len)?;
        let cut = |items: &usize| *items < cells.cell;
        if blockshape.first().is_some_and(cut) && blockshape.iter().any(|items| *items > cells.cell) {
            return Err("ndmean with cells cut in the first dimension but whole in another");
        }
        Ok(NdCells { mean: Some(mean), ..cells })
    }

    fn any(blockshape: &[usize], cell: u8, typesize: usize, len: usize) -> Result<Self, &'static str> {
        let ndim = blockshape.len();
        if !(1..=MAX_NDIM).contains(&ndim) {
            return Err("cells need 1 to 8 dimensions");
        }
        // C-Blosc2 reads the byte as signed.
        if !(1..=127).contains(&cell) {
            return Err("the edge of a cell is not 1 to 127");
        }
        let mut cells = NdCells {
            ndim,
            blockshape: [1; MAX_NDIM],
            strides: [0; MAX_NDIM],
            cell: usize::from(cell),
            len,
            mean: None,
        };
        cells.blockshape[..ndim].copy_from_slice(blockshape);
        let mut bytes = Some(typesize);
        for (items, stride) in blockshape.iter().zip(&mut cells.strides).rev() {
            *stride = bytes.unwrap_or(0);
            bytes = bytes.and_then(|bytes| bytes.checked_mul(*items));
        }
        if len == 0 || bytes != Some(len) {
            return Err("the block shape does not match the block");
        }
        Ok(cells)
    }

    /// Runs the filter on a block.
    ///
    /// # Panics
    /// If `src` or `dst` does not have the length given at construction.
    pub(crate) fn forward(&self, src: &[u8], dst: &mut [u8]) {
        assert_eq!((src.len(), dst.len()), (self.len, self.len), "a block has the length of its shape");
        let mut rest = dst;
        for cell in self.cells() {
            let mut filled = 0;
            for row in cell.clone() {
                let to = &mut rest[filled..][..row.len()];
                filled += row.len();
                to.copy_from_slice(&src[row]);
            }
            let (cell, after) = std::mem::take(&mut rest).split_at_mut(filled);
            match self.mean {
                Some(Mean::F32) => fill(cell, mean_f32(cell)),
                Some(Mean::F64) => fill(cell, mean_f64(cell)),
                None => {}
            }
            rest = after;
        }
    }

    /// Restores the order of the items of a block.
    ///
    /// # Panics
    /// As [`NdCells::forward`].
    pub(crate) fn backward(&self, src: &[u8], dst: &mut [u8]) {
        assert_eq!((src.len(), dst.len()), (self.len, self.len), "a block has the length of its shape");
        let mut rest = src;
        for row in self.cells().flatten() {
            let (from, after) = rest.split_at(row.len());
            dst[row].copy_from_slice(from);
            rest = after;
        }
    }

    /// Returns the cells of a block in order, each as the byte ranges of its rows.
    fn cells(&self) -> impl Iterator<Item = impl Iterator<Item = Range<usize>> + Clone> {
        let NdCells { ndim, blockshape, strides, cell, .. } = *self;
        // No edge is longer than the block, so no value below reaches twice the block's length.
        let edges: Dims = blockshape.map(|items| items.min(cell));
        let counts = std::array::from_fn(|dim| blockshape[dim].div_ceil(edges[dim]));
        let steps = std::array::from_fn(|dim| edges[dim] * strides[dim]);
        Counter::new(ndim, counts, steps).map(move |(place, start)| {
            let extents: Dims = std::array::from_fn(|dim| edges[dim].min(blockshape[dim] - edges[dim] * place[dim]));
            let row = extents[ndim - 1] * strides[ndim - 1];
            Counter::new(ndim - 1, extents, strides).map(move |(_, at)| start + at..start + at + row)
        })
    }
}

/// Iterates over all positions of a grid in C order, with their offsets in bytes.
#[derive(Clone)]
struct Counter {
    ndim: usize,
    counts: Dims,
    steps: Dims,
    place: Dims,
    offset: usize,
    left: usize,
}

impl Counter {
    fn new(ndim: usize, counts: Dims, steps: Dims) -> Self {
        let left = counts[..ndim].iter().product();
        Counter { ndim, counts, steps, place: [0; MAX_NDIM], offset: 0, left }
    }
}

impl Iterator for Counter {
    type Item = (Dims, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let now = (self.place, self.offset);
        self.left = self.left.checked_sub(1)?;
        for dim in (0..self.ndim).rev() {
            self.place[dim] += 1;
            self.offset += self.steps[dim];
            if self.place[dim] < self.counts[dim] {
                break;
            }
            self.place[dim] = 0;
            self.offset -= self.counts[dim] * self.steps[dim];
        }
        Some(now)
    }
}

fn fill<const N: usize>(cell: &mut [u8], item: [u8; N]) {
    cell.as_chunks_mut::<N>().0.fill(item);
}

/// Adds up in C order in the items' own type, like C-Blosc2: the sum depends on both.
fn mean_f32(cell: &[u8]) -> [u8; 4] {
    let (items, _) = cell.as_chunks::<4>();
    let sum = items.iter().fold(0.0, |sum, item| sum + f32::from_le_bytes(*item));
    (sum / items.len() as f32).to_le_bytes()
}

fn mean_f64(cell: &[u8]) -> [u8; 8] {
    let (items, _) = cell.as_chunks::<8>();
    let sum = items.iter().fold(0.0, |sum, item| sum + f64::from_le_bytes(*item));
    (sum / items.len() as f64).to_le_bytes()
}

#[cfg(test)]
mod tests;
