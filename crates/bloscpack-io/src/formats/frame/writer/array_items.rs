//! Items that are written to an array: all, those of a region, or those of a selection with steps.

use bloscpack_format::frame::{ChunkPart, FrameError, Grid, Region, SelectedChunk};
use bloscpack_format::numpy::Selection;

use crate::Error;
use crate::formats::frame::items::ArrayItems;

/// New items of an array, in parts that are in one chunk each.
pub(super) trait NewItems: Sync {
    /// Where the items of a chunk are.
    type Part: InChunk;

    /// Returns whether all items of the chunk are new.
    fn is_whole(&self, part: &Self::Part) -> bool;

    /// Writes the items of a part to the uncompressed bytes of its chunk.
    fn write(&self, part: &Self::Part, plain: &mut [u8]) -> Result<(), Error>;

    /// Returns the memory in bytes that [`write`](Self::write) needs besides the chunk.
    fn held(&self, _part: &Self::Part) -> u64 {
        0
    }
}

/// A part of the items that is in one chunk.
pub(super) trait InChunk: Send {
    /// Returns the number of the chunk.
    fn nchunk(&self) -> u64;
}

impl InChunk for ChunkPart {
    fn nchunk(&self) -> u64 {
        self.nchunk
    }
}

impl InChunk for SelectedChunk {
    fn nchunk(&self) -> u64 {
        self.nchunk
    }
}

/// All items of an array, which a source provides chunk by chunk.
pub(super) struct AllItems<'a, I> {
    pub(super) grid: &'a Grid,
    pub(super) items: &'a I,
}

impl<I: ArrayItems> NewItems for AllItems<'_, I> {
    type Part = ChunkPart;

    fn is_whole(&self, _: &ChunkPart) -> bool {
        true
    }

    fn write(&self, part: &ChunkPart, plain: &mut [u8]) -> Result<(), Error> {
        Ok(self.grid.write(part, plain, &part.region, &self.items.read(&part.region)?)?)
    }

    fn held(&self, part: &ChunkPart) -> u64 {
        self.items.held(&part.region)
    }
}

/// The items of a region, in memory.
pub(super) struct RegionItems<'a> {
    pub(super) grid: &'a Grid,
    pub(super) region: &'a Region,
    pub(super) items: &'a [u8],
}

impl NewItems for RegionItems<'_> {
    type Part = ChunkPart;

    fn is_whole(&self, part: &ChunkPart) -> bool {
        self.grid.is_whole(part)
    }

    fn write(&self, part: &ChunkPart, plain: &mut [u8]) -> Result<(), Error> {
        Ok(self.grid.write(part, plain, self.region, self.items)?)
    }
}

/// Items of a selection, in memory.
pub(super) struct SelectedItems<'a> {
    pub(super) grid: &'a Grid,
    pub(super) selection: &'a Selection,
    pub(super) items: &'a [u8],
}

impl NewItems for SelectedItems<'_> {
    type Part = SelectedChunk;

    fn is_whole(&self, _: &SelectedChunk) -> bool {
        // Selections with steps leave items out.
        false
    }

    fn write(&self, part: &SelectedChunk, plain: &mut [u8]) -> Result<(), Error> {
        let (size, found, expected) = (self.grid.block_nbytes(), plain.len() as u64, self.grid.chunk_nbytes() as u64);
        if found != expected {
            return Err(Error::Format(FrameError::ChunkSize { chunk: part.nchunk, found, expected }.into()));
        }
        for (nblock, copy) in self.grid.selected_blocks(self.selection, part) {
            for run in copy.runs() {
                // `from` is a place in the block, `to` one in the items. Both have at most 2^63 bytes, and are in memory.
                let (at, from, len) = (nblock * size + run.from as usize, run.to as usize, run.len as usize);
                let places = plain.get_mut(at..at + len).zip(self.items.get(from..from + len));
                if let Some((to, items)) = places {
                    to.copy_from_slice(items);
                }
            }
        }
        Ok(())
    }
}
