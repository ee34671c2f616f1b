//! The items of an array that lie somewhere: in a `.npy` file, in memory, in another frame.

use blosc_core::memory;
use bloscpack_format::frame::{FrameError, Region};
use bloscpack_format::numpy::{NumpyMeta, Order};

use crate::source::ReadAt;
use crate::{Archive, Error};

/// Somewhere that items of an array can be read from, by several threads at once.
pub trait ArrayItems: Sync {
    /// The items of a region, in C order.
    ///
    /// # Errors
    /// What reading answers.
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error>;

    /// Bytes that are held besides while a region is read, about: fewer regions are read at once where these are many.
    fn held(&self, _region: &Region) -> u64 {
        0
    }
}

/// The items of an array in a frame.
#[derive(Debug)]
pub struct ArchiveItems<'a, R>(pub &'a Archive<R>);

impl<R: ReadAt> ArrayItems for ArchiveItems<'_, R> {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        self.0.read_slice(region)
    }

    /// The blocks of a chunk that the region touches at most: one chunk is decoded at a time.
    fn held(&self, region: &Region) -> u64 {
        let (Some(array), Some(grid)) = (self.0.array(), self.0.grid()) else { return 0 };
        let (extents, axes) = (region.extents(), array.chunkshape.iter().zip(&array.blockshape));
        extents.iter().zip(axes).fold(grid.itemsize(), |held, (extent, (chunk, block))| {
            let (chunk, block) = (u64::from(*chunk), u64::from(*block).max(1));
            let blocks = extent.div_ceil(block).saturating_add(1).min(chunk.div_ceil(block));
            held.saturating_mul(blocks.saturating_mul(block))
        })
    }
}

/// Items that lie as they are in a source, in C or in Fortran order.
#[derive(Debug)]
pub struct PlainItems<R> {
    source: R,
    /// Where the first one starts.
    at: u64,
    itemsize: u64,
    shape: Vec<u64>,
    order: Order,
}

impl<R: ReadAt> PlainItems<R> {
    /// The items from `at` on.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the source has less bytes than they take.
    pub fn new(source: R, at: u64, meta: &NumpyMeta) -> Result<Self, Error> {
        let len = source.len().map_err(Error::io("reading the input"))?.saturating_sub(at);
        match meta.nbytes() {
            Some(nbytes) if nbytes <= len => {}
            nbytes => {
                let nbytes = nbytes.map_or("more than fit a file".into(), |nbytes| nbytes.to_string());
                return Err(Error::NotANumpyArray {
                    what: format!("{len} bytes, but its dtype and shape make {nbytes}"),
                });
            }
        }
        let (itemsize, shape, order) = (meta.dtype.itemsize(), meta.shape.clone(), meta.order);
        Ok(PlainItems { source, at, itemsize, shape, order })
    }

    /// The items of a region of an array of `shape` in C order.
    fn read_c(&self, shape: &[u64], region: &Region) -> Result<Vec<u8>, Error> {
        let extents = region.extents();
        if region.is_empty() {
            return Ok(Vec::new());
        }
        // The last axes run on where the region has all of them.
        let mut run = self.itemsize;
        let mut outer = shape.len();
        while let Some(axis) = outer.checked_sub(1) {
            let (extent, len) = (extents.get(axis).copied().unwrap_or(1), shape.get(axis).copied().unwrap_or(1));
            run *= extent;
            outer = axis;
            if extent != len {
                break;
            }
        }
        let runs: u64 = extents.iter().take(outer).product();
        // Within the source, which is at least as long.
        let mut items = memory::zeroed((runs * run) as usize)?;
        let mut at = region.start.clone();
        for bytes in items.chunks_exact_mut((run as usize).max(1)) {
            let place = at.iter().zip(shape).fold(0, |place, (at, len)| place * len + at);
            let offset = self.at + place * self.itemsize;
            self.source.read_exact_at(offset, bytes).map_err(Error::io("reading the input"))?;
            advance(at.get_mut(..outer).unwrap_or_default(), &region.start, &region.stop);
        }
        Ok(items)
    }
}

/// Goes to the next place in C order.
fn advance(at: &mut [u64], start: &[u64], stop: &[u64]) {
    for ((at, start), stop) in at.iter_mut().zip(start).zip(stop).rev() {
        *at += 1;
        if *at < *stop {
            return;
        }
        *at = *start;
    }
}

impl<R: ReadAt> ArrayItems for PlainItems<R> {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        let axes = region.start.iter().zip(&region.stop).zip(&self.shape).enumerate();
        for (axis, ((&start, &stop), &len)) in axes {
            if start > stop || stop > len {
                return Err(Error::Format(FrameError::Slice { axis, start, stop, len }.into()));
            }
        }
        if self.order == Order::C {
            return self.read_c(&self.shape, region);
        }
        // Fortran order is C order of the axes turned round.
        let turned = |axes: &[u64]| axes.iter().rev().copied().collect::<Vec<_>>();
        let reversed = Region { start: turned(&region.start), stop: turned(&region.stop) };
        let items = self.read_c(&turned(&self.shape), &reversed)?;
        transposed(&items, &region.extents(), self.itemsize as usize)
    }
}

/// Items in Fortran order, put into C order.
fn transposed(items: &[u8], extents: &[u64], itemsize: usize) -> Result<Vec<u8>, Error> {
    // Without bytes there is nothing to turn round; and the product of the other axes may be any number.
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut strides = Vec::with_capacity(extents.len());
    let mut stride = 1;
    for extent in extents {
        strides.push(stride);
        stride *= extent;
    }
    let mut out = memory::with_capacity(items.len())?;
    let mut at = vec![0; extents.len()];
    let start = at.clone();
    for _ in 0..stride {
        let place: u64 = at.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        let place = place as usize * itemsize;
        out.extend_from_slice(items.get(place..place + itemsize).unwrap_or_default());
        advance(&mut at, &start, extents);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn turned_round() {
        assert_eq!(super::transposed(&[1, 2, 3, 4, 5, 6], &[2, 3], 1).unwrap(), [1, 3, 5, 2, 4, 6]);
        for extents in [[2, 1 << 40, 1 << 40, 0].as_slice(), &[0, 1 << 40, 1 << 40], &[1 << 62, 4]] {
            assert_eq!(super::transposed(&[], extents, 0).unwrap(), [0; 0], "{extents:?}");
        }
    }
}
