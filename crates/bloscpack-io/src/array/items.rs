//! The items of an array as the input for writing another array.

use bloscpack_format::frame::{FrameError, Region};
use bloscpack_format::numpy::Selection;

use super::{Array, View};
use crate::formats::frame::ArrayItems;
use crate::in_memory::room;
use crate::{Error, Threads, UnpackOptions};

impl ArrayItems for View<'_> {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        if self.is_grid() {
            return self.archive.read_slice(region);
        }
        let axes = region.start.iter().zip(&region.stop).zip(&self.meta.shape).enumerate();
        for (axis, ((&start, &stop), &len)) in axes {
            if start > stop || stop > len {
                return Err(Error::Format(FrameError::Slice { axis, start, stop, len }.into()));
            }
        }
        let part = Selection::all(&self.meta.shape).part(&region.start, &region.stop);
        let options = UnpackOptions::new().limits(*self.archive.get_limits()).threads(Threads::Serial);
        let mut items = room(self.strided(&part).nbytes())?;
        self.read_part(&part, &mut items, &options)?;
        Ok(items)
    }

    /// Returns an upper bound: the blocks of one chunk that the region touches, because one chunk is decoded at a time.
    fn held(&self, region: &Region) -> u64 {
        let (Some(array), Some(grid)) = (self.archive.array(), self.archive.grid()) else { return 0 };
        let (extents, axes) = (region.extents(), array.chunkshape.iter().zip(&array.blockshape));
        extents.iter().zip(axes).fold(grid.itemsize(), |held, (extent, (chunk, block))| {
            let (chunk, block) = (u64::from(*chunk), u64::from(*block).max(1));
            let blocks = extent.div_ceil(block).saturating_add(1).min(chunk.div_ceil(block));
            held.saturating_mul(blocks.saturating_mul(block))
        })
    }
}

impl ArrayItems for Array<'_> {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        self.view().read(region)
    }

    fn held(&self, region: &Region) -> u64 {
        self.view().held(region)
    }
}
