//! Chunk and block shapes of a new array.

use bloscpack_format::FormatError;
use bloscpack_format::frame::{B2nd, DtypeText, FrameError, Grid, MAX_NDIM};
use bloscpack_format::numpy::{Dtype, NumpyMeta};

use crate::error::{ArrayRefusal, CutRefusal, Error};

/// Approximate default size of a chunk. A core's caches hold it together with its compressed bytes.
const CHUNK_NBYTES: u64 = 2 << 20;
/// Approximate default size of a block.
const BLOCK_NBYTES: u64 = 64 << 10;

/// Shapes of the chunks and blocks of a new array.
#[derive(Debug, Clone, Default)]
pub struct ArrayOptions {
    chunkshape: Option<Vec<u32>>,
    blockshape: Option<Vec<u32>>,
}

impl ArrayOptions {
    /// Returns the defaults: chunks of about 2 MiB in blocks of about 64 KiB.
    #[must_use]
    pub fn new() -> Self {
        ArrayOptions::default()
    }

    /// Sets the number of items of a chunk along each axis. The best shape is that of the regions to be read.
    #[must_use]
    pub fn chunkshape(self, chunkshape: Option<Vec<u32>>) -> Self {
        ArrayOptions { chunkshape, ..self }
    }

    /// Sets the number of items of a block along each axis. A block is the smallest unit that is decompressed.
    #[must_use]
    pub fn blockshape(self, blockshape: Option<Vec<u32>>) -> Self {
        ArrayOptions { blockshape, ..self }
    }

    /// Returns the number of items of a chunk along the first axis, if it was set.
    pub(crate) fn rows(&self) -> Option<u64> {
        self.chunkshape.as_ref()?.first().copied().map(u64::from)
    }

    /// Returns the metalayer of an array with these chunks and blocks.
    ///
    /// # Errors
    /// [`Error::ArrayCut`] if the shapes do not fit together; [`Error::NotANumpyArray`] for more than 16 axes.
    pub fn array(&self, meta: &NumpyMeta) -> Result<B2nd, Error> {
        if meta.shape.len() > MAX_NDIM {
            return Err(Error::not_an_array(ArrayRefusal::Axes { found: meta.shape.len(), max: MAX_NDIM }));
        }
        let itemsize = meta.dtype.itemsize();
        self.check_axes(meta.shape.len())?;
        let chunkshape = self.chunkshape.clone().unwrap_or_else(|| cut(&meta.shape, itemsize, CHUNK_NBYTES));
        let of_chunk: Vec<u64> = chunkshape.iter().copied().map(u64::from).collect();
        let blockshape = self.blockshape.clone().unwrap_or_else(|| cut(&of_chunk, itemsize, BLOCK_NBYTES));
        if let Some((block, chunk)) = blockshape.iter().zip(&chunkshape).find(|(block, chunk)| block > chunk) {
            let source = CutRefusal::Blocks { block: *block, chunk: *chunk };
            return Err(Error::ArrayCut { shape: "blockshape", source });
        }
        let text = match &meta.dtype {
            Dtype::Scalar(scalar) => scalar.to_string(),
            dtype => dtype.to_descr()?,
        };
        let dtype = DtypeText::numpy(text);
        let array = B2nd::new(meta.shape.clone(), chunkshape, blockshape).with_dtype(dtype);
        let cut_is_given = self.chunkshape.is_some() || self.blockshape.is_some();
        match Grid::new(&array, itemsize_of(meta)?) {
            Err(FormatError::Frame(FrameError::ShapeTooLarge { field, max })) if cut_is_given && field != "shape" => {
                Err(Error::ArrayCut { shape: field, source: CutRefusal::Size { max } })
            }
            grid => grid.map(|_| array).map_err(Error::argument),
        }
    }

    /// Refuses shapes whose number of axes differs from that of the array.
    fn check_axes(&self, ndim: usize) -> Result<(), Error> {
        for (shape, given) in [("chunkshape", &self.chunkshape), ("blockshape", &self.blockshape)] {
            if let Some(given) = given.as_ref().filter(|given| given.len() != ndim) {
                let source = CutRefusal::Axes { found: given.len(), expected: ndim };
                return Err(Error::ArrayCut { shape, source });
            }
        }
        Ok(())
    }
}

/// Returns the shape, halved along its longest axis until it takes at most `nbytes`. An axis without items is of any
/// length, because the array can only grow.
fn cut(shape: &[u64], itemsize: u64, nbytes: u64) -> Vec<u32> {
    let most = i32::MAX as u64;
    let mut cut: Vec<u64> = shape.iter().map(|len| if *len == 0 { most } else { (*len).min(most) }).collect();
    let size = |cut: &[u64]| cut.iter().fold(itemsize.max(1), |size, len| size.saturating_mul(*len));
    while size(&cut) > nbytes {
        match cut.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => break,
        }
    }
    cut.into_iter().map(|len| len as u32).collect()
}

/// Returns the size of an item in bytes, in the type of the frame's header.
fn itemsize_of(meta: &NumpyMeta) -> Result<u32, Error> {
    let itemsize = meta.dtype.itemsize();
    let fits = u32::try_from(itemsize).ok().filter(|size| (1..=i32::MAX as u32).contains(size));
    fits.ok_or_else(|| Error::not_an_array(ArrayRefusal::ItemSize { found: itemsize }))
}
