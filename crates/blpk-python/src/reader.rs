//! Containers open for reading: arrays, and plain bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bloscpack_io::blosc_core::Header;
use bloscpack_io::bloscpack_format::FormatError;
use bloscpack_io::bloscpack_format::numpy::{AxisSelection, Dtype, Order, Selection};
use bloscpack_io::{
    Archive, Array, Attributes, Cancel, Error, Event, Limits, OpenOptions, Threads, Typing, UnpackOptions,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::Buffer;
use crate::error::{OrRaise, unreadable};
use crate::run::{count, detached, threads};
use crate::settings::{in_range, limits};
use crate::source::Opened;

/// An open container of any kind, or a `.npy` file. It never changes: after a change of the file, open it again.
#[pyclass(frozen, module = "blpk._core")]
pub(crate) struct Reader {
    array: Array<'static>,
    threads: usize,
    limits: Limits,
    /// The plain bytes of all blocks decoded so far.
    decoded: Arc<AtomicU64>,
}

/// Returns the selection of a start, a step and a count for each axis of an array of this shape.
pub(crate) fn selection(axes: &[(u64, i64, u64)], shape: &[u64]) -> Result<Selection, Error> {
    let axis = |&(start, step, count): &_| AxisSelection { start, step, count, is_index: false };
    Ok(Selection::new(axes.iter().map(axis).collect(), shape).map_err(FormatError::from)?)
}

impl Reader {
    fn options(&self, threads: Threads, cancel: &Cancel) -> UnpackOptions {
        let decoded = Arc::clone(&self.decoded);
        let options = UnpackOptions::new().limits(self.limits).threads(threads).cancel(cancel.clone());
        options.observe(move |event| {
            if let Event::Decoded { nbytes, .. } = event {
                decoded.fetch_add(nbytes, Ordering::Relaxed);
            }
        })
    }

    /// Runs `work` on `nbytes` plain bytes without the interpreter.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        nbytes: usize,
        work: impl FnOnce(&Array<'static>, &UnpackOptions) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (threads, cancel) = (threads(self.threads)?, Cancel::new());
        let options = self.options(threads, &cancel);
        detached(py, nbytes, &cancel, || work(&self.array, &options))?.or_raise(py)
    }

    fn archive(&self) -> &Archive<'static> {
        self.array.archive()
    }
}

#[pymethods]
impl Reader {
    /// Opens a container.
    #[staticmethod]
    #[pyo3(signature = (source, *, dtype=None, shape=None, column=None, threads=1, limits=Limits::new()))]
    fn open(
        source: &Bound<'_, PyAny>,
        dtype: Option<&str>,
        #[pyo3(from_py_with = in_range)] shape: Option<Vec<u64>>,
        column: Option<&str>,
        #[pyo3(from_py_with = count)] threads: usize,
        #[pyo3(from_py_with = limits)] limits: Limits,
    ) -> PyResult<Self> {
        let py = source.py();
        let dtype = dtype.map(Dtype::parse).transpose().or_refuse(py)?;
        let typing = Typing::new().dtype(dtype).shape(shape.map(|shape| shape.into_iter().map(Some).collect()));
        let options = OpenOptions::new().limits(limits).typing(typing).column(column);
        let opened = Opened::new(source)?;
        let array = py.detach(|| Array::open_with(opened.input(&options)?, &options)).or_raise(py)?;
        Ok(Reader { array, threads, limits, decoded: Arc::default() })
    }

    /// Name of the format: `bloscpack`, `b2nd`, `frame`, `carray`, `zarr`, `chunk`, `npy`.
    #[getter]
    fn format(&self) -> String {
        use bloscpack_io::bloscpack_format::Format;
        let archive = self.archive();
        match archive.format() {
            _ if !archive.is_compressed() => "npy",
            Format::ZarrArray => "zarr",
            _ if archive.array().is_some() => "b2nd",
            Format::Bloscpack { .. } => "bloscpack",
            Format::Blosc2Frame | Format::SparseFrame => "frame",
            Format::Carray => "carray",
            _ => "chunk",
        }
        .to_owned()
    }

    /// Whether the container describes an array.
    #[getter]
    fn is_array(&self) -> bool {
        self.archive().numpy().is_some() || self.archive().array().is_some()
    }

    /// The dtype in the notation of `.npy` headers.
    #[getter]
    fn descr(&self, py: Python<'_>) -> PyResult<String> {
        self.array.meta().dtype.to_descr().map_err(Error::from).or_raise(py)
    }

    #[getter]
    fn shape(&self) -> Vec<u64> {
        self.array.meta().shape.clone()
    }

    /// `C` or `F`: the order in which items are stored.
    #[getter]
    fn order(&self) -> &'static str {
        if self.array.meta().order == Order::F { "F" } else { "C" }
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.archive().nbytes()
    }

    #[getter]
    fn cbytes(&self) -> u64 {
        self.archive().cbytes()
    }

    #[getter]
    fn nchunks(&self) -> u64 {
        self.archive().nchunks()
    }

    #[getter]
    fn typesize(&self) -> usize {
        self.archive().typesize()
    }

    /// The shapes of chunks and blocks of a b2nd array.
    #[getter]
    fn grid(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        self.archive().array().map(|array| (array.chunkshape.clone(), array.blockshape.clone()))
    }

    /// The plain bytes of the first chunk, 0 if there is none.
    #[getter]
    fn chunk_nbytes(&self) -> u64 {
        let archive = self.archive();
        let first = (archive.nchunks() > 0).then(|| archive.chunk_range(0).ok()).flatten();
        first.map_or(0, |range| range.end - range.start)
    }

    /// The plain bytes of a block of the first chunk, 0 if there is none. Reads that chunk.
    fn block_nbytes(&self) -> u64 {
        let chunk = self.archive().compressed_chunk(0).ok();
        let header = chunk.and_then(|chunk| Header::parse(&chunk).ok());
        header.map_or(0, |header| header.blocksize() as u64)
    }

    /// The plain bytes of all blocks decoded so far.
    #[getter]
    fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Refuses `nbytes` plain bytes in memory if they exceed the limits.
    fn check_output(&self, py: Python<'_>, nbytes: u64) -> PyResult<()> {
        self.archive().check_output(nbytes, &self.limits).or_raise(py)
    }

    /// Reads items into `out`: for each axis a start, a step and a count.
    fn read_items(&self, py: Python<'_>, axes: Vec<(u64, i64, u64)>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        // A few of many items take as long as all.
        let reach = |&(_, step, count): &(u64, i64, u64)| count.saturating_mul(step.unsigned_abs().max(1));
        let itemsize = self.array.meta().dtype.itemsize();
        let span = axes.iter().map(reach).fold(itemsize, u64::saturating_mul);
        let span = usize::try_from(span).unwrap_or(usize::MAX);
        let selection = selection(&axes, &self.array.meta().shape).or_refuse(py)?;
        let mut out = Buffer::write(out)?;
        let items = out.as_mut_slice();
        self.run(py, span, |array, options| array.read_into(&selection, items, options))
    }

    /// Reads plain bytes from `start` on into `out`.
    fn read_bytes(&self, py: Python<'_>, start: u64, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut out = Buffer::write(out)?;
        let bytes = out.as_mut_slice();
        let range = start..start.saturating_add(bytes.len() as u64);
        self.run(py, bytes.len(), |array, options| array.copy_bytes(range, &mut &mut *bytes, options))
    }

    /// Verifies all chunks.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, usize::MAX, |array, options| array.archive().verify(options))
    }

    /// The attributes as the text of a JSON object: all, or the one of this name. Raises the error of an attribute that
    /// cannot be read.
    #[pyo3(signature = (name=None))]
    fn attributes(&self, py: Python<'_>, name: Option<&str>) -> PyResult<String> {
        let wanted = |found: &[u8]| name.is_none_or(|name| name.as_bytes() == found);
        let attributes = py.detach(|| Attributes::of_names(self.archive(), &wanted)).or_raise(py)?;
        if let Some(raised) = attributes.unreadable.iter().find_map(|lost| unreadable(py, lost)) {
            return Err(raised);
        }
        let text = attributes.values.to_json().and_then(|json| json.try_dumps());
        text.map_err(Error::from).or_raise(py)
    }

    /// The names of the vlmetalayers of a frame.
    fn vlmeta_names(&self) -> Vec<String> {
        let frame = self.archive().frame();
        let names = frame.into_iter().flat_map(|frame| frame.trailer.vlmetalayers.iter());
        names.map(|layer| String::from_utf8_lossy(layer.name).into_owned()).collect()
    }

    /// The content of a vlmetalayer, `None` if there is none of this name.
    fn vlmeta<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let content = self.archive().vlmetalayer(name).or_raise(py)?;
        Ok(content.map(|content| PyBytes::new(py, &content)))
    }
}
