//! Constructors of errors, and methods that add context to an error.

use std::error::Error as StdError;
use std::io;
use std::path::Path;

use blosc_core::{Cancelled, EncodeError, ErrorKind, OutOfMemory};
use bloscpack_format::Part;

use super::{Activity, Error, NoText};

/// The operation in the error of a full directory of temporary files.
#[cfg(feature = "write")]
const WRITING_SPOOL: &str = "writing a temporary file (TMPDIR) in";

/// Returns the error of this crate that an I/O error wraps.
fn ours(source: &io::Error) -> Option<&Error> {
    source.get_ref()?.downcast_ref()
}

#[cfg(feature = "write")]
fn is_of_spool(source: &io::Error) -> bool {
    matches!(ours(source), Some(Error::File { doing: WRITING_SPOOL, .. }))
}

/// Spools are in memory.
#[cfg(not(feature = "write"))]
fn is_of_spool(_: &io::Error) -> bool {
    false
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::Cancelled => Error::Cancelled,
            error => Error::Encode(error),
        }
    }
}

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Self {
        Error::Cancelled
    }
}

impl Error {
    /// The error that Zarr cannot read an input in place.
    pub(crate) fn reference(input: &str, source: super::ReferenceRefusal) -> Error {
        Error::Reference { input: input.to_owned(), source: Box::new(source) }
    }

    /// Replaces the error of a chunk whose decoding was cancelled by [`Error::Cancelled`].
    pub(crate) fn or_cancelled(self) -> Error {
        if self.is_cancelled() { Error::Cancelled } else { self }
    }

    /// Returns `Ok` with the error. If the system refused memory, which says nothing about the input, returns `Err`
    /// with it.
    pub(crate) fn unless_out_of_memory(self) -> Result<Error, Error> {
        match self.out_of_memory() {
            Some(_) => Err(self),
            None => Ok(self),
        }
    }

    pub(crate) fn file(doing: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { doing, path: path.to_owned(), source }
    }

    /// Adds the name of the file in a directory to the error, unless it has no name, or the error shows it already.
    pub(crate) fn in_file(self, file: String) -> Error {
        let source = match self {
            Error::Format(error) if is_part(&file, error.part()) => Error::FileFormat(error),
            error if file.is_empty() || error.starts_with_file() == Some(&file) => return error,
            error => error,
        };
        Error::InFile { file, source: Box::new(source) }
    }

    /// Returns the file or directory at the start of the message.
    fn starts_with_file(&self) -> Option<&String> {
        match self {
            Error::InFile { file, .. } | Error::Pending { file, .. } | Error::MissingChunks { file, .. } => Some(file),
            Error::NotWritable { directory, .. } | Error::NotBcolz { directory } => Some(directory),
            Error::ColumnLength { column, .. } => Some(column),
            _ => None,
        }
    }

    /// Adds the names of the input and the output to the error, if they have names.
    pub(crate) fn with_names(self, input: Option<&Path>, output: Option<&Path>) -> Error {
        match (self, input, output) {
            (Error::Io { doing: Activity::Reading, source }, Some(path), _) => Error::file("reading", path, source),
            (Error::Io { doing: Activity::Writing, source }, _, Some(path)) => Error::file("writing", path, source),
            (error, ..) => error,
        }
    }

    /// Converts an I/O error of the input. For use with `map_err`.
    pub(crate) fn reading(source: io::Error) -> Error {
        Error::of_activity(Activity::Reading, source)
    }

    /// Converts an I/O error of the output. For use with `map_err`. An error of this crate, such as that of a damaged chunk
    /// whose bytes are being written, is none of the output, and stays as it is.
    pub(crate) fn writing(source: io::Error) -> Error {
        if ours(&source).is_some() { source.into() } else { Error::of_activity(Activity::Writing, source) }
    }

    /// Converts an I/O error of the operation `doing`. For use with `map_err`.
    pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::of_activity(Activity::Other(doing), source)
    }

    /// The error of writing a temporary file in `directory`: neither the input nor the output failed.
    #[cfg(feature = "write")]
    pub(crate) fn writing_spool(directory: &Path, source: io::Error) -> Error {
        Error::file(WRITING_SPOOL, directory, source)
    }

    /// Returns the I/O error of an operation, and an error of a temporary file as it is.
    fn of_activity(doing: Activity, source: io::Error) -> Error {
        if is_of_spool(&source) { source.into() } else { Error::Io { doing, source } }
    }

    /// Converts an error of values that the caller gave: what would be damage in a file is [`Error::Argument`]. For use
    /// with `map_err`.
    pub(crate) fn argument(error: impl Into<Error>) -> Error {
        match error.into() {
            error if error.kind() == ErrorKind::Damaged => Error::Argument(Box::new(error)),
            error => error,
        }
    }

    /// Returns [`Error::NotANumpyArray`] with a text or an error as its source.
    pub(crate) fn not_an_array(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        Error::NotANumpyArray { source: source.into() }
    }
}

impl From<Result<NoText, OutOfMemory>> for Error {
    fn from(reason: Result<NoText, OutOfMemory>) -> Self {
        reason.map_or_else(Error::OutOfMemory, Error::NoText)
    }
}

/// Returns whether a file of a bcolz directory is this part of it.
fn is_part(file: &str, part: Option<Part>) -> bool {
    part.and_then(Part::file_name).is_some_and(|name| file.ends_with(name))
}
