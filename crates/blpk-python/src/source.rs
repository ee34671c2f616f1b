//! Inputs: a path, a buffer, or a Python file object.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bloscpack_io::{Error, Input, LocalSource, OpenOptions, ReadAt};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::buffer::Buffer;

/// An object that a Python caller opens.
pub(crate) enum Opened {
    /// A file, or the directory of a container.
    Path(PathBuf),
    /// Memory.
    Buffer(Buffer),
    /// An object with `read` and `seek`.
    File(PyFile),
}

impl Opened {
    /// Tells the kinds apart.
    ///
    /// # Errors
    /// `TypeError` for an object that is none of them; the errors of seeking to the end of a file object.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.hasattr("read")? && object.hasattr("seek")? {
            return PyFile::new(object).map(Opened::File);
        }
        if let Ok(path) = object.extract::<PathBuf>() {
            // `extract` takes str and os.PathLike. Bytes are contents, not a path.
            return Ok(Opened::Path(path));
        }
        match Buffer::read(object) {
            Ok(buffer) => Ok(Opened::Buffer(buffer)),
            Err(_) => {
                let kind = object.get_type().name()?;
                Err(PyTypeError::new_err(format!("expected a path, a file object or bytes, not {kind}")))
            }
        }
    }

    /// Returns the input of a container.
    ///
    /// # Errors
    /// As [`LocalSource::open_with`].
    pub(crate) fn input(self, options: &OpenOptions) -> Result<Input<'static>, Error> {
        Ok(match self {
            Opened::Path(path) => LocalSource::open_with(path, options)?.into(),
            Opened::Buffer(buffer) => buffer.into(),
            Opened::File(file) => file.into(),
        })
    }
}

/// A Python file object. It must only be read while the thread does not hold the interpreter: a thread that holds it
/// and waits for the lock would wait for a thread that holds the lock and waits for the interpreter.
pub(crate) struct PyFile {
    object: Py<PyAny>,
    len: u64,
    /// Held from seeking to the end of reading.
    position: Mutex<()>,
}

impl PyFile {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // os.SEEK_END. Some objects, such as mmap before Python 3.13, return nothing.
        let at = object.call_method1("seek", (0, 2))?;
        let len = if at.is_none() { object.call_method0("tell")? } else { at }.extract()?;
        Ok(PyFile { object: object.clone().unbind(), len, position: Mutex::new(()) })
    }

    fn read(&self, py: Python<'_>, offset: u64, buf: &mut [u8]) -> PyResult<usize> {
        let file = self.object.bind(py);
        file.call_method1("seek", (offset,))?;
        let mut filled = 0;
        while filled < buf.len() {
            let bytes = Buffer::read(&file.call_method1("read", (buf.len() - filled,))?)?;
            let bytes = bytes.as_slice();
            let len = bytes.len().min(buf.len() - filled);
            if len == 0 {
                break;
            }
            buf[filled..filled + len].copy_from_slice(&bytes[..len]);
            filled += len;
        }
        Ok(filled)
    }
}

impl ReadAt for PyFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let _position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        match Python::attach(|py| self.read(py, offset, buf)) {
            Ok(filled) if filled == buf.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(raised) => Err(io::Error::other(raised)),
        }
    }
}
