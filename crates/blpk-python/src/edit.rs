//! Changes of containers. Every function opens the container at a path, makes one crash-safe change, and closes it.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use bloscpack_io::bcolz::{CarrayWriter, LocalDirectory};
use bloscpack_io::bloscpack_format::frame::Region;
use bloscpack_io::bloscpack_format::{Format, Json};
use bloscpack_io::frame::{FrameWriter, LocalFrame};
use bloscpack_io::{
    AppendOptions, Archive, AttributeEdit, Cancel, Error, Limits, LocalSource, OpenOptions, Threads, append_rows,
    edit_attribute,
};
use pyo3::prelude::*;

use crate::buffer::Buffer;
use crate::error::{OrRaise, unwritable};
use crate::run::{count, detached, threads};
use crate::settings::{in_range, limits};

/// A container open for a change.
enum Editor {
    Frame(Box<FrameWriter<LocalFrame>>),
    Carray(Box<CarrayWriter<LocalDirectory>>),
    /// A bloscpack file, which grows but changes in no other way.
    Bloscpack(Box<Archive<'static>>),
}

impl Editor {
    /// Opens a container. `cancel` ends its change.
    fn open(path: &Path, threads: Threads, limits: Limits, cancel: &Cancel) -> Result<Editor, Error> {
        let options = OpenOptions::new().limits(limits);
        let archive = Archive::open_with(LocalSource::open_with(path, &options)?, &options)?;
        match archive.format() {
            Format::Carray => {
                let writer = CarrayWriter::open_with(path, &options)?;
                Ok(Editor::Carray(Box::new(writer.cancel(cancel.clone()))))
            }
            Format::Blosc2Frame | Format::SparseFrame => {
                let writer = FrameWriter::open_with(path, &options)?.threads(threads);
                Ok(Editor::Frame(Box::new(writer.cancel(cancel.clone()))))
            }
            Format::Bloscpack { .. } => Ok(Editor::Bloscpack(Box::new(archive))),
            format => Err(Error::Unsupported { format }),
        }
    }

    fn unsupported(archive: &Archive<'_>) -> Error {
        Error::Unsupported { format: archive.format() }
    }
}

/// Replaces the items of a region: `start` up to, but not including, `stop` along each axis. A carray takes whole rows,
/// on one thread.
#[pyfunction(signature = (path, start, stop, items, *, threads=1, limits=Limits::new()))]
pub(crate) fn set_items(
    path: PathBuf,
    start: Vec<u64>,
    stop: Vec<u64>,
    items: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let (py, input, threads) = (items.py(), Buffer::read(items)?, self::threads(threads)?);
    let (bytes, cancel) = (input.as_slice(), Cancel::new());
    let change = || match Editor::open(&path, threads, limits, &cancel)? {
        Editor::Frame(mut writer) => {
            writer.write_slice(&Region { start, stop }, bytes)?;
            writer.commit()
        }
        Editor::Carray(mut writer) => {
            let rows = start.first().copied().unwrap_or(0)..stop.first().copied().unwrap_or(0);
            writer.assign(rows, NonZeroU64::MIN, bytes)?;
            writer.finish()
        }
        Editor::Bloscpack(archive) => Err(Editor::unsupported(&archive)),
    };
    detached(py, bytes.len(), &cancel, change)?.or_raise(py)
}

/// Appends items of this shape along the first axis.
#[pyfunction(signature = (path, shape, items, *, threads=1, limits=Limits::new()))]
pub(crate) fn append(
    path: PathBuf,
    shape: Vec<u64>,
    items: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let (py, input, threads) = (items.py(), Buffer::read(items)?, self::threads(threads)?);
    let (bytes, cancel) = (input.as_slice(), Cancel::new());
    let change = || match Editor::open(&path, threads.clone(), limits, &cancel)? {
        Editor::Frame(mut writer) => {
            let rows = writer.array().and_then(|array| array.shape.first()).copied().unwrap_or(0);
            let (mut start, stop) = (vec![0; shape.len()], appended(rows, shape));
            start.iter_mut().take(1).for_each(|first| *first = rows);
            writer.resize(&stop)?;
            writer.write_slice(&Region { start, stop }, bytes)?;
            writer.commit()
        }
        Editor::Carray(mut writer) => {
            writer.append_stream(bytes, &threads, &cancel)?;
            writer.finish()
        }
        Editor::Bloscpack(archive) => {
            drop(archive);
            let options = AppendOptions::new().threads(threads).limits(limits).cancel(cancel.clone());
            append_rows(&path, shape.first().copied().unwrap_or(0), bytes, &options).map(drop)
        }
    };
    detached(py, bytes.len(), &cancel, change)?.or_raise(py)
}

/// Returns the shape of an array of `rows` rows, to which items of this shape are appended.
fn appended(rows: u64, mut shape: Vec<u64>) -> Vec<u64> {
    shape.iter_mut().take(1).for_each(|first| *first = first.saturating_add(rows));
    shape
}

/// Changes the shape. New items are zeros, or the default of a carray.
#[pyfunction(signature = (path, shape, *, limits=Limits::new()))]
pub(crate) fn resize(
    py: Python<'_>,
    path: PathBuf,
    #[pyo3(from_py_with = in_range)] shape: Vec<u64>,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let cancel = Cancel::new();
    let change = || match Editor::open(&path, Threads::Serial, limits, &cancel)? {
        Editor::Frame(mut writer) => {
            writer.resize(&shape)?;
            writer.commit()
        }
        Editor::Carray(mut writer) => {
            writer.resize(shape.first().copied().unwrap_or(0))?;
            writer.finish()
        }
        Editor::Bloscpack(archive) => Err(Editor::unsupported(&archive)),
    };
    // Chunks that the new shape cuts are compressed again.
    detached(py, usize::MAX, &cancel, change)?.or_raise(py)
}

/// Returns the options for changes of metadata. Smaller limits than the default ones are for reading: with them, too, what
/// is too much can be removed.
fn for_metadata(limits: Limits) -> OpenOptions {
    let max_metadata = limits.max_metadata.max(Limits::new().max_metadata);
    OpenOptions::new().limits(limits.max_metadata(max_metadata))
}

/// Sets an attribute to the value of a JSON text, or removes it.
#[pyfunction(signature = (path, name, value, *, limits=Limits::new()))]
pub(crate) fn set_attribute(
    py: Python<'_>,
    path: PathBuf,
    name: &str,
    value: Option<&str>,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let edit = match value {
        Some(text) => AttributeEdit::Set(Json::parse(text).or_refuse(py)?),
        None => AttributeEdit::Remove,
    };
    let options = for_metadata(limits);
    let edited = py.detach(|| edit_attribute(&path, name, edit, &options));
    edited.map_err(|error| unwritable(py, &error))
}

/// Sets a vlmetalayer of a frame to these bytes, or removes it.
#[pyfunction(signature = (path, name, content, *, limits=Limits::new()))]
pub(crate) fn set_vlmeta(
    py: Python<'_>,
    path: PathBuf,
    name: &str,
    content: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let content = content.map(Buffer::read).transpose()?;
    let options = for_metadata(limits);
    let change = || {
        let mut writer = FrameWriter::open_with(&path, &options)?;
        match &content {
            Some(content) => writer.set_vlmetalayer(name, content.as_slice())?,
            None => writer.remove_vlmetalayer(name)?,
        }
        writer.commit()
    };
    py.detach(change).map_err(|error| unwritable(py, &error))
}
