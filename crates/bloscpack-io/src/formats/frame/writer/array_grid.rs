//! The array in a frame: its metalayer, and its division into chunks.

use blosc_core::{ChunkFormat, Header};
use bloscpack_format::frame::{B2nd, Frame, FrameError, Grid, MAX_CHUNKS};

use crate::Error;

/// An array with at most [`MAX_CHUNKS`] chunks.
#[derive(Debug, Clone)]
pub(super) struct ArrayGrid {
    array: B2nd,
    grid: Grid,
}

impl ArrayGrid {
    /// Divides an array of items of `typesize` bytes into chunks.
    ///
    /// # Errors
    /// [`Error::Format`] if the shapes do not fit together or make too many chunks.
    pub(super) fn new(array: B2nd, typesize: u32) -> Result<Self, Error> {
        let grid = Grid::new(&array, typesize)?;
        match grid.nchunks() {
            found if found > MAX_CHUNKS => {
                Err(Error::Format(FrameError::TooMany { what: "chunks", found, max: MAX_CHUNKS }.into()))
            }
            _ => Ok(ArrayGrid { array, grid }),
        }
    }

    /// Returns the array in a frame, `None` if the frame is not an array.
    pub(super) fn of(frame: &Frame) -> Result<Option<Self>, Error> {
        Ok(Grid::of(frame)?.map(|(array, grid)| ArrayGrid { array, grid }))
    }

    /// Returns the same array with another shape.
    pub(super) fn resized(&self, shape: &[u64], typesize: u32) -> Result<Self, Error> {
        ArrayGrid::new(self.array.clone().with_shape(shape), typesize)
    }

    /// Returns the metalayer.
    pub(super) fn array(&self) -> &B2nd {
        &self.array
    }

    /// Returns the chunk arithmetic.
    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the size of a block in bytes, which is less than 2 GiB.
    pub(super) fn block_nbytes(&self) -> u32 {
        self.grid.block_nbytes() as u32
    }

    /// Returns why C-Blosc2 cannot read a chunk with this header in the array, if that is so. A special value has no
    /// blocks.
    pub(super) fn problem(&self, header: &Header) -> Option<&'static str> {
        if header.format() == ChunkFormat::Blosc1 {
            return Some("an array has chunks of Blosc2");
        }
        let is_fit = header.special_value().is_some() || header.blocksize() == self.grid.block_nbytes();
        (!is_fit).then_some("its block size is not that of the array's blocks")
    }

    /// Refuses a chunk whose size differs from that of the array's chunks.
    pub(super) fn check_chunk(&self, chunk: u64, nbytes: u32) -> Result<(), Error> {
        let (found, expected) = (nbytes.into(), self.grid.chunk_nbytes() as u64);
        if found == expected {
            return Ok(());
        }
        Err(Error::Format(FrameError::ChunkSize { chunk, found, expected }.into()))
    }
}
