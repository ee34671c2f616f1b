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
use crate::reader::selection;
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

/// Start, step and count of the selected items along each axis.
type Axes = Vec<(u64, i64, u64)>;

/// Replaces items in parts: the axes of each, and its items. All parts are one change. A carray takes whole rows in rising
/// order, on one thread.
#[pyfunction(signature = (path, parts, *, threads=1, limits=Limits::new()))]
pub(crate) fn set_items(
    py: Python<'_>,
    path: PathBuf,
    parts: Vec<(Axes, Bound<'_, PyAny>)>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<()> {
    let (threads, cancel) = (self::threads(threads)?, Cancel::new());
    let read = |(axes, items)| Ok((axes, Buffer::read(&items)?));
    let parts: Vec<(Axes, Buffer)> = parts.into_iter().map(read).collect::<PyResult<_>>()?;
    let reach = |(axes, items): &(Axes, Buffer)| span(axes, items.as_slice().len());
    let nbytes = parts.iter().map(reach).fold(0, usize::saturating_add);
    let change = || match Editor::open(&path, threads, limits, &cancel)? {
        Editor::Frame(mut writer) => {
            for (axes, items) in &parts {
                write_items(&mut writer, axes, items.as_slice())?;
            }
            writer.commit()
        }
        Editor::Carray(mut writer) => {
            for (axes, items) in &parts {
                let (start, step, count) = axes.first().copied().unwrap_or((0, 1, 0));
                let step = NonZeroU64::new(step.unsigned_abs()).unwrap_or(NonZeroU64::MIN);
                let stop = start.saturating_add(count.saturating_sub(1).saturating_mul(step.get())).saturating_add(1);
                writer.assign(start..stop, step, items.as_slice())?;
            }
            writer.finish()
        }
        Editor::Bloscpack(archive) => Err(Editor::unsupported(&archive)),
    };
    detached(py, nbytes, &cancel, change)?.or_raise(py)
}

/// Writes items to a frame.
fn write_items(writer: &mut FrameWriter<LocalFrame>, axes: &[(u64, i64, u64)], items: &[u8]) -> Result<(), Error> {
    if let Some(region) = region(axes) {
        return writer.write_slice(&region, items);
    }
    let shape = writer.array().map_or(&[][..], |array| &array.shape);
    let selection = selection(axes, shape)?;
    writer.write_selection(&selection, items)
}

/// Returns the region of items without gaps, in rising order.
fn region(axes: &[(u64, i64, u64)]) -> Option<Region> {
    let is_dense = axes.iter().all(|&(_, step, count)| step == 1 || count == 1);
    let region = || {
        let (start, stop) = axes.iter().map(|&(start, _, count)| (start, start.saturating_add(count))).unzip();
        Region { start, stop }
    };
    is_dense.then(region)
}

/// Returns the bytes from the first selected item to the last, of which `nbytes` are selected: a chunk with a few of them
/// takes as long as others.
fn span(axes: &[(u64, i64, u64)], nbytes: usize) -> usize {
    let steps = axes.iter().map(|&(_, step, _)| usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX).max(1));
    steps.fold(nbytes, usize::saturating_mul)
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

/// Returns the options for changes of metadata. The limits are at least the default ones, so that attributes that are too
/// large for the caller can be deleted.
fn for_metadata(limits: Limits) -> OpenOptions {
    let least = Limits::new();
    let limits = limits.max_metadata(limits.max_metadata.max(least.max_metadata));
    OpenOptions::new().limits(limits.max_memory(limits.max_memory.max(least.max_memory)))
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
