//! A bloscpack file that is written piece by piece.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bloscpack_io::{AtomicFile, Cancel, Error, PackWriter};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffer::Buffer;
use crate::error::OrRaise;
use crate::pack::pack_options;
use crate::run::detached;

/// Where the file goes: a path, or a Python file object.
#[derive(Clone)]
enum Target {
    /// Shared, because the writer ends before the commit.
    File(Arc<Mutex<Option<AtomicFile>>>),
    Object(Arc<Py<PyAny>>),
}

impl Target {
    /// Gives the file its name.
    fn commit(&self) -> Result<(), Error> {
        match self {
            Target::File(file) => {
                let file = file.lock().unwrap_or_else(PoisonError::into_inner).take();
                file.map_or(Ok(()), AtomicFile::commit)
            }
            Target::Object(_) => Ok(()),
        }
    }
}

impl Write for Target {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => match &mut *file.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(file) => file.write(buf),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            Target::Object(object) => Python::attach(|py| {
                let written = object.call_method1(py, "write", (PyBytes::new(py, buf),)).map_err(io::Error::other)?;
                // Some file objects return nothing.
                Ok(written.extract::<usize>(py).unwrap_or(buf.len()).min(buf.len()))
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state between two calls.
struct State {
    writer: PackWriter<Target>,
    target: Target,
    cancel: Cancel,
    /// The process that started it. In a child of it the threads do not exist.
    process: u32,
}

/// Packs all bytes written to it. The file appears at `finish`; without it, nothing remains.
#[pyclass(module = "blpk._core")]
pub(crate) struct Packer(Mutex<Option<State>>);

#[pymethods]
impl Packer {
    /// Starts a file. `target` is a path, or an object with a method `write`.
    #[new]
    #[pyo3(signature = (target, *, overwrite=true, threads=Some(1), **kwargs))]
    fn new(
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        overwrite: bool,
        threads: Option<isize>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        let options = pack_options(kwargs)?.threads(crate::run::threads(threads)?).cancel(cancel.clone());
        let target = match target.extract::<PathBuf>() {
            Ok(path) => {
                let file = AtomicFile::create(path, overwrite).or_raise(py)?;
                Target::File(Arc::new(Mutex::new(Some(file))))
            }
            Err(_) => Target::Object(Arc::new(target.clone().unbind())),
        };
        let writer = PackWriter::new(target.clone(), None, &options).or_raise(py)?;
        Ok(Packer(Mutex::new(Some(State { writer, target, cancel, process: std::process::id() }))))
    }

    /// Writes all bytes of a buffer.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let input = Buffer::read(data)?;
        let bytes = input.as_slice();
        let mut state = self.take(py)?;
        let cancel = state.cancel.clone();
        let written = detached(py, bytes.len(), &cancel, || {
            let written = state.writer.write_all(bytes);
            (state, written)
        })?;
        let (state, written) = written;
        written.map_err(Error::from).or_raise(py)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        Ok(bytes.len())
    }

    /// Completes the file. Returns the sizes of the data and of the file.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let State { writer, target, cancel, .. } = self.take(py)?;
        let work = || writer.finish().and_then(|report| target.commit().map(|()| report));
        let report = detached(py, usize::MAX, &cancel, work)?.or_raise(py)?;
        Ok((report.nbytes, report.cbytes))
    }

    /// Drops all written bytes.
    fn abort(&self, py: Python<'_>) {
        // An error means that there is nothing to drop.
        let state = self.take(py);
        py.detach(|| drop(state));
    }
}

impl Packer {
    /// Takes the state out. After an error it is not put back, so that later calls fail.
    fn take(&self, py: Python<'_>) -> PyResult<State> {
        let taken = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        match taken {
            Some(state) if state.process == std::process::id() => Ok(state),
            Some(state) => {
                // Dropping it would wait for its threads, and remove the file of the parent.
                std::mem::forget(state);
                Err(PyRuntimeError::new_err("the file was started by another process"))
            }
            None => Err(PyValueError::new_err("the file is closed, or an earlier write failed")),
        }
    }
}
