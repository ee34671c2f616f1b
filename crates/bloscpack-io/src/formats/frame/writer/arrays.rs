//! Arrays in frames: creating them, writing all or some items, and resizing them.

use std::path::Path;

use blosc_core::{Encoder, Special, memory};
use bloscpack_format::FormatError;
use bloscpack_format::frame::{B2nd, ChunkPart, ChunkRef, FrameError, FrameType, Grid, NewOrder, Region};
use bloscpack_format::numpy::Selection;

use super::FrameWriter;
use super::array_grid::ArrayGrid;
use super::array_items::{AllItems, RegionItems, SelectedItems};
use crate::error::ArrayRefusal;
use crate::formats::frame::items::ArrayItems;
use crate::formats::frame::new::NewFrame;
use crate::formats::frame::params::FrameParams;
use crate::formats::frame::store::{FrameStore, MemoryFrame};
use crate::{Cancel, Error, Threads};

impl FrameWriter<NewFrame> {
    /// [`FrameWriter::create`] for an array. The typesize of `params` must be that of an item. All items are zero until
    /// they are written.
    ///
    /// # Errors
    /// As [`FrameWriter::create`]; [`Error::Argument`] or [`Error::Format`] if the shapes do not fit
    /// together.
    pub fn create_array(
        path: impl AsRef<Path>,
        frame_type: FrameType,
        overwrite: bool,
        array: B2nd,
        params: FrameParams,
    ) -> Result<Self, Error> {
        FrameWriter::create_array_with(path.as_ref(), frame_type, overwrite, array, params, &[])
    }

    /// [`FrameWriter::create_array`] with other metalayers besides that of the array.
    pub(crate) fn create_array_with(
        path: &Path,
        frame_type: FrameType,
        overwrite: bool,
        array: B2nd,
        params: FrameParams,
        metalayers: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<Self, Error> {
        FrameWriter::start_array_with(NewFrame::create(path, frame_type, overwrite)?, array, params, metalayers)
    }
}

impl FrameWriter<MemoryFrame> {
    /// [`FrameWriter::create_array`] in memory.
    ///
    /// # Errors
    /// As [`FrameWriter::create_array`].
    pub fn array_in_memory(array: B2nd, params: FrameParams) -> Result<Self, Error> {
        FrameWriter::start_array(MemoryFrame::new(FrameType::Contiguous), array, params)
    }
}

impl<S: FrameStore> FrameWriter<S> {
    /// [`FrameWriter::create_array`] in a store.
    ///
    /// # Errors
    /// As [`FrameWriter::create_array`].
    pub fn start_array(store: S, array: B2nd, params: FrameParams) -> Result<Self, Error> {
        FrameWriter::start_array_with(store, array, params, &[])
    }

    fn start_array_with(
        store: S,
        array: B2nd,
        params: FrameParams,
        metalayers: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<Self, Error> {
        let array = ArrayGrid::new(array, params.get_typesize()).map_err(Error::argument)?;
        let mut writer = FrameWriter::start(store, params.blocksize(array.block_nbytes()))?;
        writer.add_metalayer(B2nd::NAME, &array.array().to_bytes()?)?;
        // The header cannot grow once there are chunks.
        writer.add_metalayers(metalayers)?;
        let grid = array.grid();
        if grid.chunk_nbytes() > 0 {
            // C-Blosc2 resizes an empty array only if the header has the size of its chunks.
            let slots = (0..grid.nchunks()).map(|_| NewOrder::Special(Special::Zeros));
            writer.transaction.change(|edit| edit.remap(grid.chunk_nbytes() as u32, slots, 0))?;
        }
        Ok(FrameWriter { compression: writer.compression.of_array(&array), array: Some(array), ..writer })
    }

    /// Returns the shape, chunks and blocks of the array, `None` if the frame is not an array.
    #[must_use]
    pub fn array(&self) -> Option<&B2nd> {
        self.array.as_ref().map(ArrayGrid::array)
    }

    fn expect_array(&self) -> Result<ArrayGrid, Error> {
        self.array.clone().ok_or_else(|| Error::not_an_array(ArrayRefusal::NotB2nd { what: "frame" }))
    }

    /// Writes all items of the array chunk by chunk: reads and compresses them in parallel, and writes them in order.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is not an array; as [`FrameWriter::update`]; [`Error::Cancelled`].
    pub fn write_items(&mut self, items: &impl ArrayItems, threads: &Threads, cancel: &Cancel) -> Result<(), Error> {
        let array = self.expect_array()?;
        let grid = array.grid();
        let all = grid.all();
        self.write_parts(grid.chunk_nbytes(), &AllItems { grid, items }, grid.parts(&all)?, threads, cancel)
    }

    /// Writes items, given in C order, to a region of the array, on the threads of [`threads`](Self::threads).
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is not an array; [`Error::Format`] if it has no such region, or if
    /// `items` has another size; [`Error::FrameParams`]; [`Error::Chunk`] if an old chunk is damaged; [`Error::Limit`];
    /// [`Error::Cancelled`]; as [`FrameWriter::update`].
    pub fn write_slice(&mut self, region: &Region, items: &[u8]) -> Result<(), Error> {
        let array = self.expect_array()?;
        let grid = array.grid();
        let (found, expected) = (items.len() as u64, grid.nbytes_of(region)?);
        if found != expected {
            return Err(Error::Format(FrameError::Buffer { found, expected }.into()));
        }
        if found == 0 {
            return Ok(());
        }
        let (threads, cancel) = (self.threads.clone(), self.cancel.clone());
        let parts = grid.parts(region)?;
        self.write_parts(grid.chunk_nbytes(), &RegionItems { grid, region, items }, parts, &threads, &cancel)
    }

    /// Writes items, given in C order of the selection, to the selected places of the array, on the threads of
    /// [`threads`](Self::threads). Only the chunks with selected items are rewritten.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is not an array; [`Error::Format`] if the selection is not within its
    /// shape, or if `items` has another size; otherwise as [`FrameWriter::write_slice`].
    pub fn write_selection(&mut self, selection: &Selection, items: &[u8]) -> Result<(), Error> {
        let array = self.expect_array()?;
        let grid = array.grid();
        selection.check(&array.array().shape).map_err(FormatError::from)?;
        let counts = selection.counts().into_iter();
        let (found, expected) = (items.len() as u64, counts.fold(grid.itemsize(), u64::saturating_mul));
        if found != expected {
            return Err(Error::Format(FrameError::Buffer { found, expected }.into()));
        }
        if found == 0 {
            return Ok(());
        }
        let (threads, cancel) = (self.threads.clone(), self.cancel.clone());
        let parts = grid.selected(selection);
        self.write_parts(grid.chunk_nbytes(), &SelectedItems { grid, selection, items }, parts, &threads, &cancel)
    }

    /// Changes the shape of the array, but not its number of axes. Items inside both shapes keep their position, new
    /// ones are zero.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is not an array; [`Error::Argument`] or [`Error::Format`] if the shape is
    /// not possible; as
    /// [`FrameWriter::update`].
    pub fn resize(&mut self, shape: &[u64]) -> Result<(), Error> {
        let old = self.expect_array()?;
        let resized = old.resized(shape, self.compression.typesize()).map_err(Error::argument)?;
        let (grid, new) = (old.grid(), resized.grid());
        let content = resized.array().to_bytes()?;
        let header = &self.frame()?.header;
        let name = if header.metalayers.get(B2nd::NAME).is_some() { B2nd::NAME } else { "caterva" };
        let mut dropped = 0;
        if header.frame_type == FrameType::Sparse {
            let chunks = self.transaction.chunks()?;
            for chunk in grid.dropped(new) {
                dropped += chunks.old_info(chunk)?.map_or(0, |info| u64::from(info.cbytes));
            }
        }
        let mut encoder = self.compression.encoder()?.cancel(self.cancel.clone());
        self.all_or_none(|this| {
            this.transaction.change(|edit| edit.update_metalayer(name, &content))?;
            let size = grid.chunk_nbytes() as u32;
            if size > 0 {
                this.transaction.change(|edit| edit.remap(size, grid.resized(new), dropped))?;
            }
            // Items that are cut off would reappear if the array grew again, and so would padding where it grows now.
            grid.changed(new).try_for_each(|part| this.clear_padding(new, &part, &mut encoder))
        })?;
        self.array = Some(resized);
        Ok(())
    }

    /// Rewrites a chunk with zeros outside `part`, unless they are zero already.
    fn clear_padding(&mut self, grid: &Grid, part: &ChunkPart, encoder: &mut Encoder) -> Result<(), Error> {
        self.cancel.check()?;
        if matches!(self.frame()?.chunk(part.nchunk)?, ChunkRef::Special { special, .. } if special != Special::Nan) {
            return Ok(());
        }
        let old = self.chunk(part.nchunk)?;
        let mut items = memory::zeroed(grid.nbytes_of(&part.region)? as usize)?;
        grid.read(part, &old, &part.region, &mut items)?;
        let mut plain = memory::zeroed(grid.chunk_nbytes())?;
        grid.write(part, &mut plain, &part.region, &items)?;
        if plain == old { Ok(()) } else { self.update_chunk(part.nchunk, &encoder.compress(&plain)?) }
    }
}
