//! ndcell and ndmean: the items of a block of a b2nd array in the order of small cells, where they are alike.
//!
//! A cell is a cube of `cell` items an edge, cut off where the block ends. Cells follow each other in C order of their
//! places in the block, items in C order of their places in the cell. A block of 3 x 5 items with cells of 2:
//!
//! ```text
//!   a b | c d | e
//!   f g | h i | j        ->   a b f g   c d h i   e j   k l   m n   o
//!   ----+-----+--
//!   k l | m n | o
//! ```
//!
//! ndmean also puts the mean of its cell in place of every item. That is lossy; only the order is undone.

use std::ops::Range;

/// C-Blosc2 has these filters for arrays of up to 8 dimensions.
const MAX_NDIM: usize = 8;

/// Per dimension. Those that a block does not have are one item long.
type Dims = [usize; MAX_NDIM];

/// One of the two filters for the blocks of one array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NdCells {
    ndim: usize,
    blockshape: Dims,
    /// Bytes from one item to the next along each dimension.
    strides: Dims,
    cell: usize,
    /// Of a block, in bytes.
    len: usize,
    mean: Option<Mean>,
}

/// The type of the items that ndmean adds up.
#[derive(Debug, Clone, Copy)]
enum Mean {
    F32,
    F64,
}

impl NdCells {
    /// ndcell (filter 32) with the meta byte `cell` for blocks of `len` bytes.
    ///
    /// # Errors
    /// If the block shape is not that of a block of `len` bytes, and for what C-Blosc2 refuses to write and to read: an edge
    /// of 0 or over 127, more than 8 dimensions, and blocks of fewer items than a cell.
    pub(crate) fn new(blockshape: &[usize], cell: u8, typesize: usize, len: usize) -> Result<Self, &'static str> {
        let cells = Self::any(blockshape, cell, typesize, len)?;
        let items_per_cell = cells.cell.checked_pow(cells.ndim as u32); // at most 8
        if items_per_cell.is_none_or(|items| items > len / typesize) {
            return Err("a cell has more items than the block");
        }
        Ok(cells)
    }

    /// ndmean (filter 33), likewise.
    ///
    /// # Errors
    /// As [`NdCells::new`], but a cell may be larger than the block; for other typesizes than 4 (taken for `f32`) and 8
    /// (`f64`); and if the block has fewer than `cell` items along its first dimension but more along another: that order
    /// C-Blosc2 gets wrong when writing, and then refuses to read.
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
        // C-Blosc2 takes the byte as signed.
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
            return Err("the block shape is not that of the block");
        }
        Ok(cells)
    }

    /// Runs the filter on a block.
    ///
    /// # Panics
    /// If `src` and `dst` are not as long as this was made for.
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
            let (cell, behind) = std::mem::take(&mut rest).split_at_mut(filled);
            match self.mean {
                Some(Mean::F32) => fill(cell, mean_f32(cell)),
                Some(Mean::F64) => fill(cell, mean_f64(cell)),
                None => {}
            }
            rest = behind;
        }
    }

    /// Puts the items of a block back in their places.
    ///
    /// # Panics
    /// As [`NdCells::forward`].
    pub(crate) fn backward(&self, src: &[u8], dst: &mut [u8]) {
        assert_eq!((src.len(), dst.len()), (self.len, self.len), "a block has the length of its shape");
        let mut rest = src;
        for row in self.cells().flatten() {
            let (from, behind) = rest.split_at(row.len());
            dst[row].copy_from_slice(from);
            rest = behind;
        }
    }

    /// The cells of a block in their order, each by the places of its rows.
    fn cells(&self) -> impl Iterator<Item = impl Iterator<Item = Range<usize>> + Clone> {
        let NdCells { ndim, blockshape, strides, cell, .. } = *self;
        // No edge is longer than the block, so nothing below comes to twice a block's length.
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

/// Counts through all places of a grid in C order. Gives each place and its offset in bytes.
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

/// Added up in C order in the items' own type, as C-Blosc2 does: the sum depends on both.
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
mod tests {
    use super::super::golden::hex;
    use super::*;
    use proptest::prelude::*;

    fn run(filter: impl Fn(&[u8], &mut [u8]), src: &[u8]) -> Vec<u8> {
        let mut dst = vec![0xA5; src.len()];
        filter(src, &mut dst);
        dst
    }

    /// Shape, typesize, cell, and what C-Blosc2 3.3.5 made of items that count from 0 on.
    const NDCELL: [(&[usize], usize, u8, &str); 7] = [
        (&[13], 1, 4, "000102030405060708090a0b0c"),
        (&[3, 5], 1, 2, "000105060203070804090a0b0c0d0e"),
        (&[5, 7], 1, 3, "0001020708090e0f100304050a0b0c111213060d141516171c1d1e18191a1f20211b22"),
        (
            &[3, 4, 5],
            1,
            2,
            "000105061415191a0203070816171b1c0409181d0a0b0f101e1f23240c0d1112202125260e13222728292d2e2a2b2f302c31323337383435393a363b",
        ),
        (&[2, 3, 2, 3], 1, 2, "000103040607090a1213151618191b1c0205080b14171a1d0c0d0f101e1f21220e112023"),
        (&[4, 5], 2, 2, "00000100050006000200030007000800040009000a000b000f0010000c000d00110012000e001300"),
        (
            &[5, 3],
            4,
            2,
            "0000000001000000030000000400000002000000050000000600000007000000090000000a000000080000000b0000000c0000000d0000000e000000",
        ),
    ];

    /// Shape, typesize, cell, numbers, what C-Blosc2 3.3.5 made of them, and what it read back.
    const NDMEAN: [(&[usize], usize, u8, &str, &str, &str); 6] = [
        (
            &[7],
            4,
            3,
            "78fd503e2e5cd1bca70cd14341f10dc48f51edb9344b0dbb5199a1c1",
            "016d0b43016d0b43016d0b43e4413dc3e4413dc3e4413dc35199a1c1",
            "016d0b43016d0b43016d0b43e4413dc3e4413dc3e4413dc35199a1c1",
        ),
        (
            &[3, 5],
            4,
            2,
            "068cb4be3f6ee6bc5bc6d5c039e02cbc8666c3c3f7389a403f247ab92426c43d58cd47c3ff6a783e75ddc53f75465f3d547104ba6c4592c1c6355842",
            "d4078e3fd4078e3fd4078e3fd4078e3fba654ec2ba654ec2ba654ec2ba654ec2794743c3794743c3a9d74c3fa9d74c3f754612c1754612c1c6355842",
            "d4078e3fd4078e3fba654ec2ba654ec2794743c3d4078e3fd4078e3fba654ec2ba654ec2794743c3a9d74c3fa9d74c3f754612c1754612c1c6355842",
        ),
        (
            &[3, 4],
            8,
            2,
            "0af71159de8bf540dbe749d5cc228240e1bc1b661cbe823ffdfafa250b2dba401a643d8f13a006c03a9157d8abbb503ff6d776f9b9fd57c0235005b38c4bd0c0b20efaed02a53b4018957e1bdd6ae63f9601b2db97b7e5c0a320a9a9328725c0",
            "5557c4b6f6afd5405557c4b6f6afd5405557c4b6f6afd5405557c4b6f6afd540164a1e1b8eb0a3c0164a1e1b8eb0a3c0164a1e1b8eb0a3c0164a1e1b8eb0a3c05b03d6d659582c405b03d6d659582c40289cdc4ef0b8d5c0289cdc4ef0b8d5c0",
            "5557c4b6f6afd5405557c4b6f6afd540164a1e1b8eb0a3c0164a1e1b8eb0a3c05557c4b6f6afd5405557c4b6f6afd540164a1e1b8eb0a3c0164a1e1b8eb0a3c05b03d6d659582c405b03d6d659582c40289cdc4ef0b8d5c0289cdc4ef0b8d5c0",
        ),
        (
            &[3, 2],
            4,
            5,
            "2a65d047d6724bc628827abf9c194dbf3cdf8d3b5a1ccd40",
            "d5f67346d5f67346d5f67346d5f67346d5f67346d5f67346",
            "d5f67346d5f67346d5f67346d5f67346d5f67346d5f67346",
        ),
        (
            &[5, 2],
            4,
            3,
            "23ab78411dfe2f430ffe3d3f05d65546f888d7c247f9fbba1da9a6bd1292763cd57ed73b1cb73ec5",
            "08700f4508700f4508700f4508700f4508700f4508700f4511b83ec411b83ec411b83ec411b83ec4",
            "08700f4508700f4508700f4508700f4508700f4508700f4511b83ec411b83ec411b83ec411b83ec4",
        ),
        (
            &[1, 3],
            8,
            3,
            "a6d62ca049110e41270c94e64d81cfbf8c29af08a7c9e1bf",
            "6179c923820bf4406179c923820bf4406179c923820bf440",
            "6179c923820bf4406179c923820bf4406179c923820bf440",
        ),
    ];

    #[test]
    fn ndcell_as_c_blosc2() {
        for (shape, typesize, cell, stored) in NDCELL {
            let stored = hex(stored);
            let items = 0..(stored.len() / typesize) as u64;
            let plain: Vec<u8> = items.flat_map(|item| item.to_le_bytes()[..typesize].to_vec()).collect();
            let cells = NdCells::new(shape, cell, typesize, stored.len()).unwrap();
            assert_eq!(run(|src, dst| cells.forward(src, dst), &plain), stored, "{shape:?} {cell}");
            assert_eq!(run(|src, dst| cells.backward(src, dst), &stored), plain, "{shape:?} {cell}");
        }
    }

    #[test]
    fn ndmean_as_c_blosc2() {
        for (shape, typesize, cell, plain, stored, back) in NDMEAN {
            let (plain, stored, back) = (hex(plain), hex(stored), hex(back));
            let cells = NdCells::new_mean(shape, cell, typesize, plain.len()).unwrap();
            assert_eq!(run(|src, dst| cells.forward(src, dst), &plain), stored, "{shape:?} {cell}");
            assert_eq!(run(|src, dst| cells.backward(src, dst), &stored), back, "{shape:?} {cell}");
        }
    }

    /// C-Blosc2 3.3.5 refused to write the first ones, or to read what it wrote, and took the others. Edges over 127 it could
    /// not even be asked for: its meta bytes are signed there.
    #[test]
    fn refuses_what_c_blosc2_refuses() {
        let ndcell = |shape: &[usize], cell| NdCells::new(shape, cell, 4, 4 * shape.iter().product::<usize>());
        let ndmean = |shape: &[usize], cell| NdCells::new_mean(shape, cell, 4, 4 * shape.iter().product::<usize>());
        for (shape, cell) in [(&[3, 3][..], 4), (&[70, 70], 127), (&[200, 200], 128), (&[9, 9], 0), (&[64], 65)] {
            assert!(ndcell(shape, cell).is_err(), "ndcell {shape:?} {cell}");
        }
        for (shape, cell) in [(&[2, 64][..], 4), (&[2, 8, 64], 4), (&[2, 3, 64], 3), (&[1, 64], 4), (&[200, 200], 200)]
        {
            assert!(ndmean(shape, cell).is_err(), "ndmean {shape:?} {cell}");
        }
        for (shape, cell) in [(&[2, 64][..], 4), (&[64, 2], 4), (&[2, 8, 64], 4), (&[64], 64), (&[3; 8], 2)] {
            assert!(ndcell(shape, cell).is_ok(), "ndcell {shape:?} {cell}");
        }
        for (shape, cell) in [(&[64, 2][..], 4), (&[64, 2, 8], 4), (&[3, 3], 4), (&[64], 65), (&[2; 8], 2)] {
            assert!(ndmean(shape, cell).is_ok(), "ndmean {shape:?} {cell}");
        }
        assert!(ndcell(&[2; 9], 2).is_err() && ndmean(&[2; 9], 2).is_err());
        assert!(NdCells::new_mean(&[17, 15], 4, 2, 17 * 15 * 2).is_err());
    }

    #[test]
    fn hostile_shapes_are_errors() {
        const HALF: usize = 1 << (usize::BITS / 2);
        for shape in [&[][..], &[0], &[usize::MAX], &[HALF, HALF], &[HALF, HALF, 1], &[0, HALF, HALF], &[3, 3], &[8, 0]]
        {
            for typesize in [0, 1, 4, 8, 255, usize::MAX] {
                for len in [0, 16, usize::MAX] {
                    assert!(NdCells::new(shape, 2, typesize, len).is_err() || shape == [len / typesize]);
                    assert!(NdCells::new_mean(shape, 2, typesize, len).is_err());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn round_trip(
            shape in prop::collection::vec(1..9usize, 1..=4),
            cell in 1..5u8,
            typesize in 1..=20usize,
            seed in any::<u64>(),
        ) {
            let len = typesize * shape.iter().product::<usize>();
            let plain = testdata::noise(len, seed);
            if let Ok(cells) = NdCells::new(&shape, cell, typesize, len) {
                let filtered = run(|src, dst| cells.forward(src, dst), &plain);
                prop_assert_eq!(run(|src, dst| cells.backward(src, dst), &filtered), plain);
            }
        }
    }
}
