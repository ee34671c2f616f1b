//! The shapes of an array, and the numbers that follow from them.

use bloscpack_format::frame::{B2nd, Grid};

use crate::blosc2::codes::{INVALID_PARAM, trace};

/// Maximum number of axes.
pub(crate) const MAX_DIM: usize = 16;

/// The shapes of an array, its chunks and its blocks. Numbers of other axes than the first `ndim` have no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shapes {
    pub(crate) ndim: usize,
    pub(crate) shape: [i64; MAX_DIM],
    pub(crate) chunkshape: [i32; MAX_DIM],
    pub(crate) blockshape: [i32; MAX_DIM],
}

/// The numbers of an array that programs read. Other axes than the first `ndim` have a length of 1, and strides of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) shapes: Shapes,
    /// The shape, rounded up to whole chunks.
    pub(crate) extshape: [i64; MAX_DIM],
    /// The shape of a chunk, rounded up to whole blocks.
    pub(crate) extchunkshape: [i64; MAX_DIM],
    pub(crate) counts: Counts,
    pub(crate) strides: Strides,
}

/// Numbers of items, as `b2nd_array_t` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Counts {
    pub(crate) nitems: i64,
    pub(crate) chunknitems: i32,
    pub(crate) extnitems: i64,
    pub(crate) blocknitems: i32,
    pub(crate) extchunknitems: i64,
}

/// Distances between neighbours along each axis, in items, blocks or chunks, as `b2nd_array_t` has them. `T` is an array
/// with all axes, or the number of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub(crate) struct Strides<T = [i64; MAX_DIM]> {
    pub(crate) item_array_strides: T,
    pub(crate) item_chunk_strides: T,
    pub(crate) item_extchunk_strides: T,
    pub(crate) item_block_strides: T,
    pub(crate) block_chunk_strides: T,
    pub(crate) chunk_array_strides: T,
}

impl Default for Shapes {
    fn default() -> Self {
        Shapes { ndim: 0, shape: [1; MAX_DIM], chunkshape: [1; MAX_DIM], blockshape: [1; MAX_DIM] }
    }
}

impl Shapes {
    /// Returns the shapes at the start of three lists. Other axes have a length of 1.
    ///
    /// # Errors
    /// The code of a negative length, or of a block without items in a chunk with items.
    pub(crate) fn new(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Result<Self, i32> {
        let shapes = Shapes::unchecked(shape, chunkshape, blockshape);
        shapes.check()?;
        Ok(shapes)
    }

    /// Returns the shapes of [`Shapes::new`] with any lengths.
    pub(crate) fn unchecked(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Self {
        let mut shapes = Shapes { ndim: shape.len().min(MAX_DIM), ..Shapes::default() };
        shapes.shape.iter_mut().zip(shape).for_each(|(to, len)| *to = *len);
        shapes.chunkshape.iter_mut().zip(chunkshape).for_each(|(to, len)| *to = *len);
        shapes.blockshape.iter_mut().zip(blockshape).for_each(|(to, len)| *to = *len);
        shapes
    }

    /// Returns the lengths of each axis: of the array, of a chunk and of a block.
    pub(crate) fn axes(&self) -> impl ExactSizeIterator<Item = (i64, i32, i32)> + DoubleEndedIterator + Clone + '_ {
        let lens = self.shape.iter().zip(&self.chunkshape).zip(&self.blockshape);
        lens.take(self.ndim).map(|((len, chunk), block)| (*len, *chunk, *block))
    }

    pub(crate) fn shape(&self) -> &[i64] {
        self.shape.get(..self.ndim).unwrap_or_default()
    }

    /// Refuses negative lengths, and a block without items in a chunk with items.
    ///
    /// # Errors
    /// The code for them.
    pub(crate) fn check(&self) -> Result<(), i32> {
        for (axis, (len, chunk, block)) in self.axes().enumerate() {
            if len < 0 || chunk < 0 || block < 0 || (block == 0 && chunk != 0) {
                let lens = format_args!("axis {axis} has {len} items, a chunk {chunk}, a block {block}");
                return Err(trace(INVALID_PARAM, lens));
            }
        }
        Ok(())
    }

    /// Refuses an axis with items, but without items in a chunk or a block.
    ///
    /// # Errors
    /// The code for it.
    pub(crate) fn check_stored(&self) -> Result<(), i32> {
        match self.axes().position(|(len, chunk, block)| len != 0 && (chunk == 0 || block == 0)) {
            Some(axis) => Err(trace(INVALID_PARAM, format_args!("axis {axis} has items, but its chunks have none"))),
            None => Ok(()),
        }
    }

    /// Returns these shapes with another shape of the array.
    pub(crate) fn resized(&self, shape: &[i64]) -> Result<Self, i32> {
        Shapes::new(shape, &self.chunkshape, &self.blockshape)
    }

    /// Returns the numbers that follow from the shapes.
    ///
    /// # Errors
    /// The code of a product that overflows.
    pub(crate) fn geometry(&self) -> Result<Geometry, i32> {
        self.check()?;
        let shapes = Shapes::new(self.shape(), &self.chunkshape, &self.blockshape)?;
        let mut shapes = Shapes { ndim: self.ndim, ..shapes };
        for axis in self.ndim..MAX_DIM {
            (shapes.chunkshape[axis], shapes.blockshape[axis]) = (1, 1);
        }
        let overflow = || trace(INVALID_PARAM, format_args!("the shapes have too many items"));
        let (mut extshape, mut extchunkshape) = ([1_i64; MAX_DIM], [1_i64; MAX_DIM]);
        for (axis, (len, chunk, block)) in self.axes().enumerate() {
            extshape[axis] = rounded(len, chunk.into()).ok_or_else(overflow)?;
            extchunkshape[axis] = rounded(chunk.into(), block.into()).ok_or_else(overflow)?;
        }
        let of_chunk = |lens: [i32; MAX_DIM]| product(lens.map(i64::from)).and_then(|items| i32::try_from(items).ok());
        Ok(Geometry {
            extshape,
            extchunkshape,
            counts: Counts {
                nitems: product(shapes.shape).ok_or_else(overflow)?,
                extnitems: product(extshape).ok_or_else(overflow)?,
                extchunknitems: product(extchunkshape).ok_or_else(overflow)?,
                chunknitems: of_chunk(shapes.chunkshape).ok_or_else(overflow)?,
                blocknitems: of_chunk(shapes.blockshape).ok_or_else(overflow)?,
            },
            strides: strides(&shapes, &extshape, &extchunkshape),
            shapes,
        })
    }

    /// Returns the chunks of the array with items of `typesize` bytes.
    ///
    /// # Errors
    /// The code of chunks that are too large, or of blocks that are longer than a chunk.
    pub(crate) fn grid(&self, typesize: i32) -> Result<Grid, i32> {
        let lens = |lens: &[i32]| lens.iter().take(self.ndim).map(|len| len.unsigned_abs()).collect::<Vec<_>>();
        let shape = self.shape().iter().map(|len| len.unsigned_abs()).collect::<Vec<_>>();
        self.check()?;
        let array = B2nd::new(shape, lens(&self.chunkshape), lens(&self.blockshape));
        let typesize = u32::try_from(typesize).ok().filter(|size| *size > 0).ok_or(INVALID_PARAM)?;
        Grid::new(&array, typesize).map_err(|error| trace(INVALID_PARAM, format_args!("{error}")))
    }
}

impl Geometry {
    /// Returns the number of chunks.
    pub(crate) fn nchunks(&self) -> i64 {
        self.counts.extnitems.checked_div(self.counts.chunknitems.into()).unwrap_or(0)
    }

    /// Returns the uncompressed size of a chunk. `None` if it is not that of an object.
    pub(crate) fn chunk_nbytes(&self, typesize: i32) -> Option<i64> {
        self.counts.extchunknitems.checked_mul(typesize.into()).filter(|nbytes| *nbytes >= 0)
    }

    /// Returns the number of chunks along each axis.
    pub(crate) fn chunks(&self) -> Vec<i64> {
        let axes = self.shapes.axes().zip(&self.extshape);
        axes.map(|((_, chunk, _), len)| len.checked_div(chunk.into()).unwrap_or(0)).collect()
    }
}

/// Returns the next multiple of `part` for numbers that are not negative; 0 without parts.
fn rounded(len: i64, part: i64) -> Option<i64> {
    if part == 0 {
        return Some(0);
    }
    len.unsigned_abs().checked_next_multiple_of(part.unsigned_abs()).and_then(|len| i64::try_from(len).ok())
}

/// Multiplies in order, as the original: a later 0 does not undo an overflow.
fn product(lens: [i64; MAX_DIM]) -> Option<i64> {
    lens.iter().try_fold(1_i64, |product, len| product.checked_mul(*len))
}

fn strides(shapes: &Shapes, extshape: &[i64; MAX_DIM], extchunkshape: &[i64; MAX_DIM]) -> Strides {
    let mut strides = Strides::default();
    let Some(last) = shapes.ndim.checked_sub(1) else { return strides };
    // The strides of an axis: 1 for the last one.
    let mut of = Strides::<i64> {
        item_array_strides: 1,
        item_chunk_strides: 1,
        item_extchunk_strides: 1,
        item_block_strides: 1,
        block_chunk_strides: 1,
        chunk_array_strides: 1,
    };
    for axis in (0..=last).rev() {
        strides.item_array_strides[axis] = of.item_array_strides;
        strides.item_chunk_strides[axis] = of.item_chunk_strides;
        strides.item_extchunk_strides[axis] = of.item_extchunk_strides;
        strides.item_block_strides[axis] = of.item_block_strides;
        strides.block_chunk_strides[axis] = of.block_chunk_strides;
        strides.chunk_array_strides[axis] = of.chunk_array_strides;
        let (len, chunk, block) = (shapes.shape[axis], shapes.chunkshape[axis], shapes.blockshape[axis]);
        if len == 0 || chunk == 0 || block == 0 {
            of = Strides::default();
        } else {
            of.item_array_strides = of.item_array_strides.wrapping_mul(len);
            of.item_chunk_strides = of.item_chunk_strides.wrapping_mul(chunk.into());
            of.item_extchunk_strides = of.item_extchunk_strides.wrapping_mul(extchunkshape[axis]);
            of.item_block_strides = of.item_block_strides.wrapping_mul(block.into());
            of.block_chunk_strides = of.block_chunk_strides.wrapping_mul(extchunkshape[axis] / i64::from(block));
            // As in the original, which multiplies by the length of a chunk.
            of.chunk_array_strides = of.chunk_array_strides.wrapping_mul(extshape[axis].wrapping_mul(chunk.into()));
        }
    }
    strides
}
