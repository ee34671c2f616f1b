//! Errors of the crates as the exceptions of `blpk._errors`.

use bloscpack_io::blosc_core::{DecodeError, EncodeError, NameError};
use bloscpack_io::bloscpack_format::FormatError;
use bloscpack_io::{DropReason, DroppedAttribute, Error, ErrorKind, OverLimit};
use pyo3::exceptions::{PyFileExistsError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// Shorthand for results whose error becomes an exception.
pub(crate) trait OrRaise<T> {
    /// Converts the error to an exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;

    /// [`or_raise`](Self::or_raise) for checks of arguments alone: `ValueError` in place of `DamagedError`.
    fn or_refuse(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.raise(py))
    }

    fn or_refuse(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.refuse(py))
    }
}

/// An error that has an exception.
pub(crate) trait Raise {
    /// Returns the exception.
    fn raise(&self, py: Python<'_>) -> PyErr;

    /// Returns the exception for a wrong argument.
    fn refuse(&self, py: Python<'_>) -> PyErr {
        let raised = self.raise(py);
        let damaged = py.import("blpk._errors").and_then(|module| module.getattr("DamagedError"));
        match damaged {
            Ok(damaged) if raised.is_instance(py, &damaged) => PyValueError::new_err(raised.value(py).to_string()),
            _ => raised,
        }
    }
}

impl Raise for DecodeError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        exception(py, self.kind(), self.report().to_string(), self.over_limit())
    }
}

impl Raise for EncodeError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        exception(py, self.kind(), self.report().to_string(), None)
    }
}

impl Raise for NameError {
    fn raise(&self, _: Python<'_>) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl Raise for FormatError {
    fn raise(&self, py: Python<'_>) -> PyErr {
        exception(py, self.kind(), self.to_string(), None)
    }
}

impl Raise for Error {
    fn raise(&self, py: Python<'_>) -> PyErr {
        if let Some(error) = self.system(py) {
            return error;
        }
        let raised = exception(py, self.kind(), self.report().to_string(), self.over_limit());
        match reason(self).map_or(Ok(()), |reason| raised.value(py).setattr("reason", reason)) {
            Ok(()) => raised,
            Err(other) => other,
        }
    }
}

/// Returns the value of the exception's attribute `reason`, for errors for which the package bloscpack has a class.
fn reason(error: &Error) -> Option<&'static str> {
    match error {
        Error::ChunkDigest(_) | Error::Format(FormatError::DigestMismatch(_)) => Some("digest"),
        Error::NotEnoughSpace { .. } => Some("space"),
        Error::NoMetadataFound => Some("no metadata"),
        Error::NoChangeInMetadata => Some("same metadata"),
        Error::Format(FormatError::MetadataSectionTooSmall { .. }) => Some("metadata size"),
        _ => None,
    }
}

/// Errors that Python raises itself.
trait System {
    /// Returns the `OSError` with its number and file name, or the exception that a Python file object raised.
    fn system(&self, py: Python<'_>) -> Option<PyErr>;
}

impl System for Error {
    fn system(&self, py: Python<'_>) -> Option<PyErr> {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(self);
        let path = match self {
            Error::File { path, .. } => Some(path.display().to_string()),
            Error::InFile { file, .. } => Some(file.clone()),
            Error::OutputExists(path) => {
                let path = path.display().to_string();
                return Some(PyOSError::new_err((EEXIST, "File exists", path)));
            }
            _ => None,
        };
        while let Some(error) = source {
            if let Some(raised) = error.downcast_ref::<PyErr>() {
                return Some(raised.clone_ref(py));
            }
            if let Some(error) = error.downcast_ref::<std::io::Error>() {
                if let Some(raised) = error.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>()) {
                    return Some(raised.clone_ref(py));
                }
                let number = error.raw_os_error().or_else(|| number_of(error.kind()))?;
                let text = match error.get_ref() {
                    Some(inner) => inner.to_string(),
                    None => std::io::Error::from_raw_os_error(number).to_string(),
                };
                let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                return Some(match path {
                    Some(path) => PyOSError::new_err((number, text, path)),
                    None => PyOSError::new_err((number, text)),
                });
            }
            source = error.source();
        }
        None
    }
}

const EEXIST: i32 = 17;

/// Returns the number that systems have for errors which this library finds itself. The numbers are the same on Linux,
/// macOS and Windows.
fn number_of(kind: std::io::ErrorKind) -> Option<i32> {
    match kind {
        std::io::ErrorKind::NotFound => Some(2),
        std::io::ErrorKind::AlreadyExists => Some(EEXIST),
        std::io::ErrorKind::NotADirectory => Some(20),
        std::io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    }
}

/// Returns the exception for an error of a kind. `limit` is the limit that was exceeded.
fn exception(py: Python<'_>, kind: ErrorKind, text: String, limit: Option<&OverLimit>) -> PyErr {
    let name = match kind {
        ErrorKind::Damaged => "DamagedError",
        ErrorKind::Truncated => "TruncatedError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::InvalidInput => return PyValueError::new_err(text),
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::Exists => return PyFileExistsError::new_err(text),
        ErrorKind::Locked => "LockedError",
        ErrorKind::Limit => "LimitError",
        ErrorKind::OutOfMemory => return PyMemoryError::new_err(text),
        ErrorKind::Cancelled => return PyKeyboardInterrupt::new_err(()),
        ErrorKind::Io => return PyOSError::new_err(text),
        _ => "Error",
    };
    let text = match limit {
        Some(limit) => with_argument(&text, limit),
        None => text,
    };
    let class = py.import("blpk._errors").and_then(|module| module.getattr(name));
    let made = class.and_then(|class| match limit {
        Some(limit) => class.call1((text, limit.raise, limit.needed, limit.limit)),
        None => class.call1((text,)),
    });
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Returns the exception for metadata that cannot be written, because readers with the same limits refuse them.
pub(crate) fn unwritable(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Limit(over) => exception(py, ErrorKind::Limit, format!("{over}; readers refuse more"), Some(over)),
        error => error.raise(py),
    }
}

/// Replaces advice for authors of programs in Rust by the argument of Python.
fn with_argument(text: &str, limit: &OverLimit) -> String {
    let argument = format!("pass limits={{\"{}\": {}}} if that is intended", limit.raise, limit.needed);
    text.replace(&limit.advice(), &argument)
}

/// Returns the exception for an attribute whose value cannot be read. `None` for one whose name is not UTF-8 or stands for
/// another attribute: a mapping has no place for it.
pub(crate) fn unreadable(py: Python<'_>, lost: &DroppedAttribute) -> Option<PyErr> {
    let (kind, limit) = match &lost.reason {
        DropReason::Limit(over) => (ErrorKind::Limit, Some(over)),
        DropReason::Unreadable(error) => (error.kind(), error.over_limit()),
        _ => return None,
    };
    Some(exception(py, kind, format!("attribute '{}': {}", lost.name, lost.reason), limit))
}

/// Returns an `UnsupportedError`.
pub(crate) fn unsupported(py: Python<'_>, text: String) -> PyErr {
    exception(py, ErrorKind::Unsupported, text, None)
}
