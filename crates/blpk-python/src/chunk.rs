//! Chunks: compress, decompress, items, facts.

use bloscpack_io::blosc_core::{Chunk, ChunkFormat, DecodeError, Decoder, Encoder, Header, Parallelism, with_pool};
use bloscpack_io::{Cancel, Limits, Threads};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffer::{Buffer, new_bytes};
use crate::error::OrRaise;
use crate::run::{count, detached};
use crate::settings::{Settings, in_range, limits};

/// Smaller chunks are processed by the calling thread, as with [`Parallelism::Ambient`], so they need no others.
const MIN_PARALLEL: usize = 256 * 1024;

/// Returns the threads for a chunk of `nbytes` plain bytes.
pub(crate) fn threads_for(count: usize, nbytes: usize) -> PyResult<Threads> {
    crate::run::threads(if nbytes < MIN_PARALLEL { 1 } else { count })
}

/// Runs `work` in the pool of `threads`, with the matching parallelism.
pub(crate) fn within<T: Send>(threads: &Threads, work: impl FnOnce(Parallelism) -> T + Send) -> T {
    match threads {
        Threads::Pool(pool) => with_pool(pool, || work(Parallelism::Ambient)),
        _ => work(Parallelism::Serial),
    }
}

/// Compresses a buffer to a chunk.
#[pyfunction(signature = (data, *, threads=1, **kwargs))]
pub(crate) fn compress<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (settings, input) = (Settings::take(kwargs)?, Buffer::read(data)?);
    let (bytes, itemsize) = (input.as_slice(), input.itemsize());
    let (threads, cancel) = (threads_for(threads, bytes.len())?, Cancel::new());
    // The chunk is written into the object that is returned, and what remains is given back.
    new_bytes(py, settings.format.max_cbytes(bytes.len()), |chunk| {
        let written = detached(py, bytes.len(), &cancel, || {
            let encoder = Encoder::new(settings.params(bytes, itemsize, &cancel)?)?.cancel(cancel.clone());
            within(&threads, |parallelism| encoder.parallelism(parallelism).compress_into(bytes, chunk))
        });
        written?.or_raise(py)
    })
}

/// A chunk to decode, and how.
pub(crate) struct Job<'a> {
    chunk: Chunk<'a>,
    threads: Threads,
    limits: Limits,
    cancel: Cancel,
}

impl<'a> Job<'a> {
    /// Parses the header of the chunk in `input`.
    pub(crate) fn new(py: Python<'_>, input: &'a Buffer, threads: usize, limits: Limits) -> PyResult<Self> {
        let chunk = Chunk::parse(input.as_slice()).or_raise(py)?;
        let header = chunk.header();
        // Copying is faster than waking another thread up to 16 times that size.
        let effort = if header.is_memcpyed() { header.nbytes() / 16 } else { header.nbytes() };
        let threads = threads_for(threads, effort)?;
        Ok(Job { chunk, threads, limits, cancel: Cancel::new() })
    }

    /// Returns the uncompressed size of the chunk.
    pub(crate) fn nbytes(&self) -> usize {
        self.chunk.header().nbytes()
    }

    /// Runs `work` with a decoder, without the interpreter.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        nbytes: usize,
        work: impl FnOnce(&mut Decoder, &Chunk<'_>) -> Result<T, DecodeError> + Send,
    ) -> PyResult<T> {
        let decoder = Decoder::new().limits(self.limits).cancel(self.cancel.clone());
        let decode = || within(&self.threads, |parallelism| work(&mut decoder.parallelism(parallelism), &self.chunk));
        detached(py, nbytes, &self.cancel, decode)?.or_raise(py)
    }

    /// Returns whether the compressed bytes account for the plain ones, so that memory for them may be allocated before
    /// they are decoded.
    fn is_earned(&self) -> bool {
        let header = self.chunk.header();
        header.nbytes() <= self.limits.max_nbytes && header.nbytes() / Limits::EARNED <= header.cbytes()
    }
}

/// Decompresses a chunk, to bytes or into a buffer.
#[pyfunction(signature = (chunk, out=None, *, threads=1, limits=Limits::new()))]
pub(crate) fn decompress<'py>(
    py: Python<'py>,
    chunk: &Bound<'py, PyAny>,
    out: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Buffer::read(chunk)?;
    let job = Job::new(py, &input, threads, limits)?;
    let nbytes = job.nbytes();
    if let Some(object) = out {
        let mut output = Buffer::write(&object)?;
        output.check_apart(&input)?;
        let output = output.as_mut_slice();
        job.run(py, nbytes, |decoder, chunk| decoder.decompress_into(chunk, output))?;
        return Ok(object);
    }
    let plain = match job.is_earned() {
        true => new_bytes(py, nbytes, |output| {
            job.run(py, nbytes, |decoder, chunk| decoder.decompress_into(chunk, output))
        })?,
        false => PyBytes::new(py, &job.run(py, nbytes, Decoder::decompress)?),
    };
    Ok(plain.into_any())
}

/// Decompresses a range of items, to bytes or into a buffer.
#[pyfunction(signature = (chunk, start, nitems, out=None, *, limits=Limits::new()))]
pub(crate) fn getitem<'py>(
    py: Python<'py>,
    chunk: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = in_range)] start: usize,
    #[pyo3(from_py_with = in_range)] nitems: usize,
    out: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Buffer::read(chunk)?;
    let job = Job::new(py, &input, 1, limits)?;
    let nbytes = nitems.saturating_mul(job.chunk.header().typesize());
    if let Some(object) = out {
        let mut output = Buffer::write(&object)?;
        output.check_apart(&input)?;
        let (output, first) = (output.as_mut_slice(), start.saturating_mul(job.chunk.header().typesize()));
        let found = output.len();
        let output = output.get_mut(..nbytes).ok_or(DecodeError::Destination { needed: nbytes, found }).or_raise(py)?;
        let range = first..first.saturating_add(nbytes);
        job.run(py, nbytes, |decoder, chunk| decoder.decode_ranges(chunk, &[range], output))?;
        return Ok(object);
    }
    let items = start..start.saturating_add(nitems);
    Ok(PyBytes::new(py, &job.run(py, nbytes, |decoder, chunk| decoder.items(chunk, items))?).into_any())
}

/// Returns what the header of a chunk says, as a dictionary. Only the header is read.
#[pyfunction]
pub(crate) fn chunk_info<'py>(py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let input = Buffer::read(chunk)?;
    let header = Header::parse(input.as_slice()).or_raise(py)?;
    let info = PyDict::new(py);
    let format = match header.format() {
        ChunkFormat::Blosc1 => "blosc1",
        _ => "blosc2",
    };
    let filters: Vec<String> = header.filters().as_slice().iter().map(ToString::to_string).collect();
    info.set_item("format", format)?;
    info.set_item("nbytes", header.nbytes())?;
    info.set_item("cbytes", header.cbytes())?;
    info.set_item("blocksize", header.blocksize())?;
    info.set_item("nblocks", header.nblocks())?;
    info.set_item("typesize", header.typesize())?;
    info.set_item("codec", header.codec().map(|codec| codec.name()))?;
    info.set_item("filters", filters)?;
    info.set_item("is_split", header.is_split())?;
    info.set_item("is_memcpyed", header.is_memcpyed())?;
    info.set_item("has_dictionary", header.has_dictionary())?;
    info.set_item("special", header.special_value().map(|special| format!("{special:?}").to_lowercase()))?;
    Ok(info)
}
