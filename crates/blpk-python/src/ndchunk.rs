//! Chunks of b2nd arrays: the items of one chunk, or of a box within it, in C order.
//!
//! The plain bytes of such a chunk are its blocks, each in C order, with padding where a block reaches out of the chunk.
//! The shapes of chunk and block are not in the chunk.

use bloscpack_io::blosc_core::{ChunkFormat, DecodeError, Encoder};
use bloscpack_io::bloscpack_format::FormatError;
use bloscpack_io::bloscpack_format::frame::{B2nd, ChunkPart, FrameError, Grid, Region};
use bloscpack_io::{Cancel, Limits};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffer::{Buffer, new_bytes};
use crate::chunk::Job;
use crate::error::OrRaise;
use crate::run::{count, detached};
use crate::settings::{Settings, in_range, limits};

/// A chunk as an array of its own, and a box of its items.
struct Piece {
    array: B2nd,
    grid: Grid,
    region: Region,
    part: ChunkPart,
    nbytes: usize,
}

impl Piece {
    fn new(py: Python<'_>, shapes: Shapes, itemsize: u32, start_stop: Option<(Vec<u64>, Vec<u64>)>) -> PyResult<Self> {
        let (chunkshape, blockshape) = shapes;
        let shape: Vec<u64> = chunkshape.iter().copied().map(u64::from).collect();
        let array = B2nd::new(shape, chunkshape, blockshape);
        let grid = Grid::new(&array, itemsize).or_refuse(py)?;
        let region = match start_stop {
            Some((start, stop)) => Region { start, stop },
            None => grid.all(),
        };
        let nbytes = usize::try_from(grid.nbytes_of(&region).or_refuse(py)?).unwrap_or(usize::MAX);
        let part = grid.parts(&region).or_refuse(py)?.next();
        let part = part.ok_or_else(|| PyValueError::new_err("the chunk or the box has no items"))?;
        Ok(Piece { array, grid, region, part, nbytes })
    }

    /// Returns whether the plain bytes of the chunk are its items in C order: only the first axis is cut into blocks,
    /// without padding.
    fn is_plain(&self) -> bool {
        let (chunk, block) = (&self.array.chunkshape, &self.array.blockshape);
        let rest = chunk.iter().zip(block).skip(1).all(|(chunk, block)| chunk == block);
        rest && chunk.first().zip(block.first()).is_none_or(|(chunk, block)| chunk.is_multiple_of(*block))
    }

    fn is_whole(&self) -> bool {
        self.grid.is_whole(&self.part)
    }
}

/// The shapes of a chunk and of its blocks.
type Shapes = (Vec<u32>, Vec<u32>);

/// Decodes the items of a b2nd chunk, or of the box from `start` to `stop`, in C order, to bytes or into a buffer. Only
/// the blocks that the box touches are decoded.
#[pyfunction(signature = (chunk, chunks, blocks, itemsize, out=None, *, r#box=None, threads=1, limits=Limits::new()))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub(crate) fn decode_ndchunk<'py>(
    py: Python<'py>,
    chunk: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = in_range)] chunks: Vec<u32>,
    #[pyo3(from_py_with = in_range)] blocks: Vec<u32>,
    #[pyo3(from_py_with = in_range)] itemsize: u32,
    out: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = in_range)] r#box: Option<(Vec<u64>, Vec<u64>)>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<Bound<'py, PyAny>> {
    let piece = Piece::new(py, (chunks, blocks), itemsize, r#box)?;
    let input = Buffer::read(chunk)?;
    let job = Job::new(py, &input, threads, limits)?;
    let (found, expected) = (job.nbytes() as u64, piece.grid.chunk_nbytes() as u64);
    if found != expected {
        return Err(FormatError::from(FrameError::ChunkSize { chunk: 0, found, expected })).or_raise(py);
    }
    if let Some(object) = out {
        let mut output = Buffer::write(&object)?;
        output.check_apart(&input)?;
        let output = output.as_mut_slice();
        let (needed, found) = (piece.nbytes, output.len());
        let output = output.get_mut(..needed).ok_or(DecodeError::Destination { needed, found }).or_raise(py)?;
        decode(py, &job, &piece, output)?;
        return Ok(object);
    }
    let items = new_bytes(py, piece.nbytes, |output| decode(py, &job, &piece, output).map(|()| piece.nbytes))?;
    Ok(items.into_any())
}

/// Decodes the items of a piece to `output`, which has their size. `output` is not read.
fn decode(py: Python<'_>, job: &Job<'_>, piece: &Piece, output: &mut [u8]) -> PyResult<()> {
    let Piece { array, grid, region, part, .. } = piece;
    let size = grid.block_nbytes();
    let copied = job.run(py, grid.chunk_nbytes(), |decoder, chunk| {
        let mut decoder = std::mem::take(decoder).blockshape(&array.block_axes());
        decoder = decoder.super_chunk_typesize(grid.itemsize() as usize);
        if piece.is_whole() && piece.is_plain() {
            return decoder.decompress_into(chunk, output).map(|_| Ok(()));
        }
        let blocks = if piece.is_whole() {
            decoder.decompress(chunk)?
        } else {
            let ranges: Vec<_> = grid.blocks(part).map(|nblock| nblock * size..(nblock + 1) * size).collect();
            let nbytes = (ranges.len() * size) as u64;
            decoder.get_limits().check_output(nbytes, chunk.bytes().len() as u64)?;
            let mut blocks = bloscpack_io::blosc_core::memory::zeroed(ranges.len() * size)?;
            decoder.decode_ranges(chunk, &ranges, &mut blocks)?;
            blocks
        };
        let mut blocks = grid.blocks(part).zip(blocks.chunks_exact(size));
        Ok(blocks.try_for_each(|(nblock, block)| grid.read_block(part, nblock, block, region, output)))
    })?;
    copied.or_raise(py)
}

/// Compresses the items of a chunk in C order to a b2nd chunk.
#[pyfunction(signature = (data, chunks, blocks, itemsize, *, threads=1, **kwargs))]
pub(crate) fn encode_ndchunk<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = in_range)] chunks: Vec<u32>,
    #[pyo3(from_py_with = in_range)] blocks: Vec<u32>,
    #[pyo3(from_py_with = in_range)] itemsize: u32,
    #[pyo3(from_py_with = count)] threads: usize,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let piece = Piece::new(py, (chunks, blocks), itemsize, None)?;
    let (mut settings, input, cancel) = (Settings::take(kwargs)?, Buffer::read_in_c_order(data)?, Cancel::new());
    let Piece { array, grid, region, part, .. } = &piece;
    settings.format = ChunkFormat::Blosc2;
    settings.typesize = Some(itemsize as usize);
    settings.blocksize = Some(grid.block_nbytes());
    let (items, nbytes) = (input.as_slice(), grid.chunk_nbytes());
    if items.len() != piece.nbytes {
        let (found, expected) = (items.len() as u64, piece.nbytes as u64);
        return Err(FormatError::from(FrameError::Buffer { found, expected })).or_raise(py);
    }
    let threads = crate::chunk::threads_for(threads, nbytes)?;
    let mut padded = Vec::new();
    if !piece.is_plain() {
        padded.try_reserve_exact(nbytes).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        padded.resize(nbytes, 0);
        grid.write(part, &mut padded, region, items).or_raise(py)?;
    }
    let plain = if piece.is_plain() { items } else { &padded };
    new_bytes(py, settings.format.max_cbytes(nbytes), |chunk| {
        let written = detached(py, nbytes, &cancel, || {
            let encoder = Encoder::new(settings.params(plain, itemsize as usize, &cancel)?)?.cancel(cancel.clone());
            let encoder = encoder.blockshape(&array.block_axes());
            crate::chunk::within(&threads, |parallelism| encoder.parallelism(parallelism).compress_into(plain, chunk))
        });
        written?.or_raise(py)
    })
}
