//! Whole bloscpack files: pack, unpack, append. Chunks are compressed on all requested threads, files appear complete
//! or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bloscpack_io::bloscpack_format::bloscpack::{MAX_CHUNK_SIZE, MaxAppChunks, MetaCodec, MetadataArgs, Prealloc};
use bloscpack_io::bloscpack_format::checksum::Checksum;
use bloscpack_io::bloscpack_format::json::Json;
use bloscpack_io::{AppendOptions, Cancel, Limits, PackOptions, PackReport, Sink, Source, UnpackOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::buffer::Buffer;
use crate::error::OrRaise;
use crate::run::{count, detached, threads};
use crate::settings::{Settings, limits, number};

/// A file by its path, or the memory of an object.
enum Input {
    File(PathBuf),
    Memory(Buffer),
}

impl Input {
    fn take(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(path) => Ok(Input::File(path.extract()?)),
            Err(_) => Ok(Input::Memory(Buffer::read(object)?)),
        }
    }

    fn source(&self) -> Source<'_> {
        match self {
            Input::File(path) => Source::file(path),
            Input::Memory(buffer) => Source::bytes(buffer.as_slice()),
        }
    }

    /// Returns the size in bytes, the largest one if it is unknown, as for a pipe.
    fn nbytes(&self) -> usize {
        match self {
            Input::File(path) => size_of_file(path).unwrap_or(usize::MAX),
            Input::Memory(buffer) => buffer.as_slice().len(),
        }
    }
}

fn size_of_file(path: &Path) -> Option<usize> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    usize::try_from(found.len()).ok()
}

/// Takes the options of a new file from keyword arguments. Names of compression parameters are those of
/// [`Settings::take`].
///
/// # Errors
/// As [`Settings::take`].
pub(crate) fn pack_options(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<PackOptions> {
    let (mut options, mut arguments) = (PackOptions::new().overwrite(true), MetadataArgs::new());
    let Some(kwargs) = kwargs else { return Ok(options) };
    let settings = PyDict::new(kwargs.py());
    for (key, value) in kwargs {
        if value.is_none() {
            continue;
        }
        match key.extract::<String>()?.as_str() {
            "chunk_size" => options = options.chunk_size(number("chunk_size", &value, 1..=u64::from(MAX_CHUNK_SIZE))?),
            "offsets" => options = options.offsets(value.is_truthy()?),
            "checksum" => options = options.checksum(checksum(&value)?),
            "max_app_chunks" => {
                options = options.max_app_chunks(MaxAppChunks::Exact(number("max_app_chunks", &value, 0..=u64::MAX)?))
            }
            "metadata" => options = options.metadata(Some(json(&value)?)),
            "meta_checksum" => arguments = arguments.meta_checksum(checksum(&value)?),
            "meta_codec" => arguments = arguments.meta_codec(meta_codec(&value)?),
            "meta_level" => arguments = arguments.meta_level(number("meta_level", &value, 0..=9)?),
            "max_meta_size" => {
                arguments = arguments.max_meta_size(Prealloc::Exact(number("max_meta_size", &value, 0..=u32::MAX)?))
            }
            _ => settings.set_item(key, value)?,
        }
    }
    let settings = Settings::take(Some(&settings))?;
    if let Some(typesize) = settings.typesize.filter(|typesize| !(1..=255).contains(typesize)) {
        return Err(PyValueError::new_err(format!("typesize is {typesize}, expected 1 to 255")));
    }
    let (auto, fixed) = (settings.choice(1), Settings { auto: None, ..settings });
    let params = fixed.params(&[], 1, &Cancel::new()).or_raise(kwargs.py())?;
    Ok(options.params(params).auto(auto).metadata_args(arguments))
}

fn checksum(value: &Bound<'_, PyAny>) -> PyResult<Checksum> {
    let name = value.extract::<String>()?;
    Checksum::from_name(&name).ok_or_else(|| PyValueError::new_err(format!("checksum '{name}' does not exist")))
}

fn meta_codec(value: &Bound<'_, PyAny>) -> PyResult<MetaCodec> {
    match value.extract::<String>()?.as_str() {
        "None" => Ok(MetaCodec::None),
        "zlib" => Ok(MetaCodec::Zlib),
        other => Err(PyValueError::new_err(format!("codec '{other}' does not exist"))),
    }
}

fn json(value: &Bound<'_, PyAny>) -> PyResult<Json> {
    Json::parse(value.extract::<String>()?).or_refuse(value.py())
}

/// Where the result goes: a file, or memory.
enum Output<'a> {
    File(PathBuf),
    Vector(&'a mut Vec<u8>),
    Writer(&'a mut (dyn Write + Send)),
}

impl<'a> Output<'a> {
    fn sink(self) -> Sink<'a> {
        match self {
            Output::File(path) => Sink::file(path),
            Output::Vector(bytes) => Sink::memory(bytes),
            Output::Writer(writer) => Sink::writer(writer),
        }
    }
}

/// Memory of fixed size that is written from its start.
struct Fill<'a> {
    out: &'a mut [u8],
    filled: usize,
    is_over: bool,
}

impl Write for Fill<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let end = self.filled.saturating_add(buf.len());
        let Some(room) = self.out.get_mut(self.filled..end) else {
            self.is_over = true;
            return Err(io::ErrorKind::WriteZero.into());
        };
        room.copy_from_slice(buf);
        self.filled = end;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pack(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    output: Output<'_>,
    threads: usize,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<PackReport> {
    let (input, cancel) = (Input::take(source)?, Cancel::new());
    let options = pack_options(kwargs)?.threads(self::threads(threads)?).cancel(cancel.clone());
    let packed = detached(py, input.nbytes(), &cancel, || bloscpack_io::pack(input.source(), output.sink(), &options))?;
    packed.or_raise(py)
}

fn unpack(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    output: Output<'_>,
    threads: usize,
    limits: Limits,
) -> PyResult<u64> {
    let (input, cancel) = (Input::take(source)?, Cancel::new());
    let options = UnpackOptions::new().overwrite(true).limits(limits).threads(self::threads(threads)?);
    let options = options.cancel(cancel.clone());
    let work = || bloscpack_io::unpack(input.source(), output.sink(), &options);
    // A few compressed bytes may expand to many.
    let unpacked = detached(py, input.nbytes().saturating_mul(64), &cancel, work)?;
    Ok(unpacked.or_raise(py)?.nbytes)
}

/// Packs a file or a buffer to a file. Returns the sizes of the data and of the file.
#[pyfunction(signature = (source, path, *, threads=1, **kwargs))]
pub(crate) fn pack_to_file(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    path: PathBuf,
    #[pyo3(from_py_with = count)] threads: usize,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<(u64, u64)> {
    let report = pack(py, source, Output::File(path), threads, kwargs)?;
    Ok((report.nbytes, report.cbytes))
}

/// Packs a file or a buffer to bytes.
#[pyfunction(signature = (source, *, threads=1, **kwargs))]
pub(crate) fn pack_to_bytes<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut packed = Vec::new();
    pack(py, source, Output::Vector(&mut packed), threads, kwargs)?;
    Ok(PyBytes::new(py, &packed))
}

/// Unpacks a file or a buffer to a file. Returns the number of plain bytes.
#[pyfunction(signature = (source, path, *, threads=1, limits=Limits::new()))]
pub(crate) fn unpack_to_file(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    path: PathBuf,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<u64> {
    unpack(py, source, Output::File(path), threads, limits)
}

/// Unpacks a file or a buffer to bytes.
#[pyfunction(signature = (source, *, threads=1, limits=Limits::new()))]
pub(crate) fn unpack_to_bytes<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut plain = Vec::new();
    unpack(py, source, Output::Vector(&mut plain), threads, limits)?;
    Ok(PyBytes::new(py, &plain))
}

/// Unpacks a file or a buffer into a writable buffer, which must have the size of the plain bytes.
#[pyfunction(signature = (source, out, *, threads=1, limits=Limits::new()))]
pub(crate) fn unpack_into(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let mut output = Buffer::write(out)?;
    if source.cast::<PyString>().is_err() {
        output.check_apart(&Buffer::read(source)?)?;
    }
    let out = output.as_mut_slice();
    let expected = out.len();
    let mut fill = Fill { out, filled: 0, is_over: false };
    let unpacked = unpack(py, source, Output::Writer(&mut fill), threads, limits);
    match fill {
        Fill { is_over: true, .. } => Err(PyValueError::new_err(format!("more than {expected} bytes of data"))),
        Fill { filled, .. } if unpacked.is_ok() && filled < expected => {
            Err(PyValueError::new_err(format!("{filled} bytes of data, expected {expected}")))
        }
        _ => unpacked.map(drop),
    }
}

/// Appends a file or a buffer to a file. Returns the size of the file before and after, and of the appended data.
#[pyfunction(signature = (path, source, *, threads=1, limits=Limits::new(), **kwargs))]
pub(crate) fn append_to_file(
    py: Python<'_>,
    path: PathBuf,
    source: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<(u64, u64, u64)> {
    let (input, cancel) = (Input::take(source)?, Cancel::new());
    let options = AppendOptions::new().threads(self::threads(threads)?).limits(limits);
    let mut options = options.cancel(cancel.clone());
    let settings = PyDict::new(py);
    for (key, value) in kwargs.into_iter().flatten() {
        match key.extract::<String>()?.as_str() {
            "metadata" => options = options.metadata((!value.is_none()).then(|| json(&value)).transpose()?),
            _ => settings.set_item(key, value)?,
        }
    }
    let settings = Settings::take(Some(&settings))?;
    options = options.typesize(settings.typesize);
    if let Some(codec) = settings.codec {
        options = options.codec(codec);
    }
    if let Some(clevel) = settings.clevel {
        options = options.clevel(clevel);
    }
    if let Some(filters) = settings.filters {
        options = options.filters(filters);
    }
    let nbytes = input.nbytes().saturating_add(size_of_file(&path).unwrap_or(0));
    let work = || bloscpack_io::append(&path, input.source(), &options);
    let report = detached(py, nbytes, &cancel, work)?.or_raise(py)?;
    Ok((report.before, report.after, report.new_size))
}
