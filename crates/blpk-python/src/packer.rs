//! A bloscpack file that is written piece by piece.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bloscpack_io::{AtomicFile, Cancel, Error, Limits, PackWriter};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffer::Buffer;
use crate::error::OrRaise;
use crate::pack::pack_options;
use crate::run::{count, detached};
use crate::settings::limits;

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
}

/// Why there is no state.
const CLOSED: &str = "the file is closed";
const FAILED: &str = "an earlier write failed";

/// Packs all bytes written to it. The file appears at `finish`; without it, nothing remains. Threads that share it write
/// one after the other.
#[pyclass(module = "blpk._core")]
pub(crate) struct Packer {
    /// Only locked without the interpreter. The thread that holds the lock never needs the interpreter.
    state: Mutex<Result<State, &'static str>>,
    /// Number of bytes written so far.
    written: AtomicU64,
    cancel: Cancel,
    /// The process that started it. In a child of it the threads do not exist, and the lock may be held forever.
    process: u32,
}

#[pymethods]
impl Packer {
    /// Starts a file. `target` is a path, or an object with a method `write`.
    #[new]
    #[pyo3(signature = (target, *, overwrite=true, threads=1, limits=Limits::new(), **kwargs))]
    fn new(
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        overwrite: bool,
        #[pyo3(from_py_with = count)] threads: usize,
        #[pyo3(from_py_with = limits)] limits: Limits,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        // Checked when it was extracted. Nothing is read here.
        let _ = limits;
        let options = pack_options(kwargs)?.threads(crate::run::threads(threads)?).cancel(cancel.clone());
        let target = match target.extract::<PathBuf>() {
            Ok(path) => {
                let file = AtomicFile::create(path, overwrite).or_raise(py)?;
                Target::File(Arc::new(Mutex::new(Some(file))))
            }
            Err(_) => Target::Object(Arc::new(target.clone().unbind())),
        };
        let writer = PackWriter::new(target.clone(), None, &options).or_raise(py)?;
        let state = Mutex::new(Ok(State { writer, target }));
        Ok(Packer { state, written: AtomicU64::new(0), cancel, process: std::process::id() })
    }

    /// Writes all bytes of a buffer, in C order.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.check_process()?;
        let input = Buffer::read_in_c_order(data)?;
        let bytes = input.as_slice();
        let written = detached(py, bytes.len(), &self.cancel, || self.write_all(bytes));
        if written.is_err() {
            // Ctrl-C. Some of the bytes may have been written.
            py.detach(|| drop(self.take(FAILED)));
        }
        written?.map_err(PyValueError::new_err)?.or_raise(py)?;
        Ok(bytes.len())
    }

    /// The number of bytes written so far.
    #[getter]
    fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Completes the file. Returns the sizes of the data and of the file.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.check_process()?;
        // The lock is released before the work, in which a file object may use this packer.
        let work = || {
            self.take(CLOSED)
                .map(|State { writer, target }| writer.finish().and_then(|report| target.commit().map(|()| report)))
        };
        let report = detached(py, usize::MAX, &self.cancel, work)?.map_err(PyValueError::new_err)?.or_raise(py)?;
        Ok((report.nbytes, report.cbytes))
    }

    /// Drops all written bytes.
    fn abort(&self, py: Python<'_>) {
        if self.check_process().is_ok() {
            // An error means that there is nothing to drop.
            py.detach(|| drop(self.take(CLOSED)));
        }
    }
}

impl Packer {
    /// Writes all bytes. The outer error is the reason why there is no state.
    fn write_all(&self, bytes: &[u8]) -> Result<Result<(), Error>, &'static str> {
        let mut guard = self.lock();
        // After an error or a panic it is not put back, so that later calls fail.
        let mut state = replace(&mut guard, FAILED)?;
        let written = state.writer.write_all(bytes);
        if written.is_ok() {
            *guard = Ok(state);
            self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        Ok(written.map_err(Error::from))
    }

    /// Takes the state out. Later calls fail for the reason `then`.
    fn take(&self, then: &'static str) -> Result<State, &'static str> {
        replace(&mut self.lock(), then)
    }

    fn lock(&self) -> MutexGuard<'_, Result<State, &'static str>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_process(&self) -> PyResult<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(PyRuntimeError::new_err("the file was started by another process")),
        }
    }
}

/// Replaces a state with the reason `then`. A reason stays.
fn replace(state: &mut Result<State, &'static str>, then: &'static str) -> Result<State, &'static str> {
    match state {
        Ok(_) => std::mem::replace(state, Err(then)),
        Err(why) => Err(why),
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Dropping the state would wait for its threads, and remove the file of the parent.
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(state, Err(CLOSED)));
        }
    }
}
