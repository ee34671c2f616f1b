//! Arrays in frames: made, written to in part, resized.

use std::path::Path;

use blosc_core::{Encoder, Special, max_cbytes, memory};
use bloscpack_format::FormatError;
use bloscpack_format::frame::{
    B2nd, ChunkPart, ChunkRef, DtypeText, FrameError, FrameType, Grid, MAX_CHUNKS, MAX_NDIM, Region, Slot,
};
use bloscpack_format::numpy::{Dtype, NumpyMeta};

use super::items::ArrayItems;
use super::new::NewFrame;
use super::params::FrameParams;
use super::store::{FrameStore, MemoryFrame};
use super::writer::FrameWriter;
use crate::run::pipeline::{self, Weight};
use crate::{Cancel, Error, Threads};

/// Bytes of a chunk, about, where nobody chooses: as much as a core's caches hold of it and its compressed bytes.
const CHUNK_NBYTES: u64 = 2 << 20;
/// Bytes of a block, about, where nobody chooses.
const BLOCK_NBYTES: u64 = 64 << 10;

/// How an array is cut.
#[derive(Debug, Clone, Default)]
pub struct ArrayOptions {
    chunkshape: Option<Vec<u32>>,
    blockshape: Option<Vec<u32>>,
}

impl ArrayOptions {
    /// Chunks of about 2 MiB in blocks of about 64 KiB.
    #[must_use]
    pub fn new() -> Self {
        ArrayOptions::default()
    }

    /// Sets the items of a chunk along each axis; best as you read them.
    #[must_use]
    pub fn chunkshape(self, chunkshape: Option<Vec<u32>>) -> Self {
        ArrayOptions { chunkshape, ..self }
    }

    /// Sets the items of a block along each axis: the least that is decompressed.
    #[must_use]
    pub fn blockshape(self, blockshape: Option<Vec<u32>>) -> Self {
        ArrayOptions { blockshape, ..self }
    }

    /// Items of a chunk along the first axis, if they were set.
    pub(crate) fn rows(&self) -> Option<u64> {
        self.chunkshape.as_ref()?.first().copied().map(u64::from)
    }

    /// The metalayer of an array so cut.
    ///
    /// # Errors
    /// [`Error::ArrayCut`] if the shapes do not go together; [`Error::NotANumpyArray`] for more than 16 axes.
    pub fn array(&self, meta: &NumpyMeta) -> Result<B2nd, Error> {
        if meta.shape.len() > MAX_NDIM {
            return Err(Error::not_an_array(format!("{} axes, expected at most {MAX_NDIM}", meta.shape.len())));
        }
        let itemsize = meta.dtype.itemsize();
        self.check_axes(meta.shape.len())?;
        let chunkshape = self.chunkshape.clone().unwrap_or_else(|| cut(&meta.shape, itemsize, CHUNK_NBYTES));
        let of_chunk: Vec<u64> = chunkshape.iter().copied().map(u64::from).collect();
        let blockshape = self.blockshape.clone().unwrap_or_else(|| cut(&of_chunk, itemsize, BLOCK_NBYTES));
        if let Some((block, chunk)) = blockshape.iter().zip(&chunkshape).find(|(block, chunk)| block > chunk) {
            let what = format!("blocks of {block} items along an axis do not fit into chunks of {chunk}");
            return Err(Error::ArrayCut { shape: "blockshape", what });
        }
        let text = match &meta.dtype {
            Dtype::Scalar(scalar) => scalar.to_string(),
            dtype => dtype.to_descr()?,
        };
        let dtype = Some(DtypeText { format: 0, text });
        let array = B2nd { version: 0, shape: meta.shape.clone(), chunkshape, blockshape, dtype };
        let cut_is_given = self.chunkshape.is_some() || self.blockshape.is_some();
        match Grid::new(&array, itemsize_of(meta)?) {
            Err(FormatError::Frame(FrameError::ShapeTooLarge { field, max })) if cut_is_given && field != "shape" => {
                Err(Error::ArrayCut { shape: field, what: format!("it takes more than {max} bytes") })
            }
            grid => grid.map(|_| array).map_err(Error::from),
        }
    }

    /// Refuses shapes that have not one length for each axis of the array.
    fn check_axes(&self, ndim: usize) -> Result<(), Error> {
        for (shape, given) in [("chunkshape", &self.chunkshape), ("blockshape", &self.blockshape)] {
            if let Some(given) = given.as_ref().filter(|given| given.len() != ndim) {
                let what = format!("it has {} axes, but the array has {ndim}", given.len());
                return Err(Error::ArrayCut { shape, what });
            }
        }
        Ok(())
    }
}

/// The shape halved along its longest axis until it takes no more than `nbytes`.
fn cut(shape: &[u64], itemsize: u64, nbytes: u64) -> Vec<u32> {
    let mut cut: Vec<u64> = shape.iter().map(|len| (*len).clamp(1, i32::MAX as u64)).collect();
    let size = |cut: &[u64]| cut.iter().fold(itemsize.max(1), |size, len| size.saturating_mul(*len));
    while size(&cut) > nbytes {
        match cut.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => break,
        }
    }
    cut.into_iter().map(|len| len as u32).collect()
}

/// Refuses an array of more chunks than a frame holds, before they are counted up.
fn few_chunks(grid: Grid) -> Result<Grid, Error> {
    match grid.nchunks() {
        found if found > MAX_CHUNKS => {
            Err(Error::Format(FrameError::TooMany { what: "chunks", found, max: MAX_CHUNKS }.into()))
        }
        _ => Ok(grid),
    }
}

/// Bytes of an item, as the frame's header counts them.
fn itemsize_of(meta: &NumpyMeta) -> Result<u32, Error> {
    let itemsize = meta.dtype.itemsize();
    let fits = u32::try_from(itemsize).ok().filter(|size| (1..=i32::MAX as u32).contains(size));
    fits.ok_or_else(|| Error::not_an_array(format!("items of {itemsize} bytes")))
}

impl FrameWriter<NewFrame> {
    /// [`FrameWriter::create`] for an array; the typesize of `params` has to be that of an item. All items are zero until
    /// they are written.
    ///
    /// # Errors
    /// As [`FrameWriter::create`]; [`Error::Format`] if the shapes do not go together.
    pub fn create_array(
        path: impl AsRef<Path>,
        frame_type: FrameType,
        overwrite: bool,
        array: B2nd,
        params: FrameParams,
    ) -> Result<Self, Error> {
        FrameWriter::start_array(NewFrame::create(path.as_ref(), frame_type, overwrite)?, array, params)
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
        let grid = few_chunks(Grid::new(&array, params.get_typesize())?)?;
        // A block has less than 2 GiB.
        let mut writer = FrameWriter::start(store, params.blocksize(grid.block_nbytes() as u32))?;
        writer.add_metalayer(B2nd::NAME, &array.to_bytes()?)?;
        // The header cannot grow once there are chunks.
        writer.add_metalayers(metalayers)?;
        if grid.nchunks() > 0 {
            let slots = (0..grid.nchunks()).map(|_| Slot::Special(Special::Zeros));
            writer.with(|edit| edit.remap(grid.chunk_nbytes() as u32, slots, 0))?;
        }
        writer.array = Some((array, grid));
        Ok(writer)
    }

    /// Shape, chunks and blocks of the array, if it is one.
    #[must_use]
    pub fn array(&self) -> Option<&B2nd> {
        self.array.as_ref().map(|(array, _)| array)
    }

    fn expect_array(&self) -> Result<(B2nd, Grid), Error> {
        self.array.clone().ok_or_else(|| Error::not_an_array("the frame is not a b2nd array"))
    }

    /// Writes all items of the array, chunk by chunk: read, compressed on all threads, written in order.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is no array; as [`FrameWriter::update`]; [`Error::Cancelled`].
    pub fn write_items(&mut self, items: &impl ArrayItems, threads: &Threads, cancel: &Cancel) -> Result<(), Error> {
        let (_, grid) = self.expect_array()?;
        let (params, blockshape, all) = (self.cparams()?, self.blockshape(), grid.all());
        let (mut parts, limits, nbytes) = (grid.parts(&all)?, self.limits, grid.chunk_nbytes() as u64);
        let weigh = |part: &ChunkPart| Weight::of_new_chunk(nbytes, items.held(&part.region), threads, &limits);
        self.all_or_none(|this| {
            pipeline::run_within(
                (&limits, &weigh),
                threads,
                cancel,
                || Ok(Encoder::new(params)?.blockshape(&blockshape).cancel(cancel.clone())),
                || Ok(parts.next()),
                |encoder: &mut Encoder, part: ChunkPart| {
                    let mut plain = memory::zeroed(grid.chunk_nbytes())?;
                    grid.write(&part, &mut plain, &part.region, &items.read(&part.region)?)?;
                    let mut chunk = memory::zeroed(max_cbytes(plain.len()))?;
                    let cbytes = encoder.compress_into(&plain, &mut chunk)?;
                    chunk.truncate(cbytes);
                    Ok((part.nchunk, chunk))
                },
                |(number, chunk): (u64, Vec<u8>)| this.update_chunk(number, &chunk),
            )
        })
    }

    /// Writes items to a region of the array; they are in C order.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is no array; [`Error::Format`] if it has no such region or `items` are not
    /// as many; as [`FrameWriter::update`].
    pub fn write_slice(&mut self, region: &Region, items: &[u8]) -> Result<(), Error> {
        let (_, grid) = self.expect_array()?;
        let (found, expected) = (items.len() as u64, grid.nbytes_of(region)?);
        if found != expected {
            return Err(Error::Format(FrameError::Buffer { found, expected }.into()));
        }
        let mut encoder = self.encoder()?;
        let mut parts = grid.parts(region)?;
        self.all_or_none(|this| {
            parts.try_for_each(|part| {
                let whole = grid.is_whole(&part);
                let mut plain = if whole { memory::zeroed(grid.chunk_nbytes())? } else { this.chunk(part.nchunk)? };
                grid.write(&part, &mut plain, region, items)?;
                this.update_chunk(part.nchunk, &encoder.compress(&plain)?)
            })
        })
    }

    /// Gives the array another shape, of as many axes. Items that are in both stay where they are, new ones are zero.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the frame is no array; [`Error::Format`] if the shape cannot be; as
    /// [`FrameWriter::update`].
    pub fn resize(&mut self, shape: &[u64]) -> Result<(), Error> {
        let (array, grid) = self.expect_array()?;
        let resized = B2nd { shape: shape.to_vec(), ..array };
        let new = few_chunks(Grid::new(&resized, self.params.get_typesize())?)?;
        let content = resized.to_bytes()?;
        let name = if self.frame()?.header.metalayers.get(B2nd::NAME).is_some() { B2nd::NAME } else { "caterva" };
        let mut dropped = 0;
        if self.frame()?.header.frame_type == FrameType::Sparse {
            for chunk in grid.dropped(&new) {
                dropped += self.old_info(chunk)?.map_or(0, |info| u64::from(info.cbytes));
            }
        }
        let mut encoder = self.encoder()?;
        self.all_or_none(|this| {
            this.with(|edit| edit.update_metalayer(name, &content))?;
            let size = grid.chunk_nbytes() as u32;
            if size > 0 && (grid.nchunks() > 0 || new.nchunks() > 0) {
                this.with(|edit| edit.remap(size, grid.resized(&new), dropped))?;
            }
            // What is cut off would show if the array grew again, and padding shows where it grows now.
            grid.changed(&new).try_for_each(|part| this.clear_padding(&new, &part, &mut encoder))
        })?;
        self.array = Some((resized, new));
        Ok(())
    }

    /// Writes a chunk anew with zeros in place of all but the items of `part`, unless it has them already.
    fn clear_padding(&mut self, grid: &Grid, part: &ChunkPart, encoder: &mut Encoder) -> Result<(), Error> {
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
