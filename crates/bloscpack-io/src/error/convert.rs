//! Lossless conversions between [`Error`] and [`io::Error`].

use std::io::{self, ErrorKind};

use blosc_core::{OutOfMemory, OverLimit};

use crate::Error;

/// Wraps the error in an [`io::Error`]. [`io::Error::get_ref`] returns it, and `Error::from` extracts it. The message
/// and the chain of sources are preserved.
///
/// | kind | for |
/// |---|---|
/// | the kind of the system's error | [`Error::File`], [`Error::Io`], [`Error::ChunkFile`] |
/// | [`OutOfMemory`](ErrorKind::OutOfMemory) | memory that the system refused, wherever it was needed |
/// | [`UnexpectedEof`](ErrorKind::UnexpectedEof) | a truncated input, or one that became shorter |
/// | [`InvalidData`](ErrorKind::InvalidData) | damage, and data not in the expected format |
/// | [`Unsupported`](ErrorKind::Unsupported) | an unsupported format or codec, or one that the operation does not support |
/// | [`InvalidInput`](ErrorKind::InvalidInput) | invalid parameters and ranges |
/// | [`AlreadyExists`](ErrorKind::AlreadyExists) | an output that exists and must not be replaced |
/// | [`NotFound`](ErrorKind::NotFound) | a missing column, attribute or metadata section |
/// | [`ResourceBusy`](ErrorKind::ResourceBusy) | a locked file or directory |
/// | [`Other`](ErrorKind::Other) | [`Error::Cancelled`], limits, and the rest |
///
/// The kind is never [`Interrupted`](ErrorKind::Interrupted): `read_to_end`, `write_all` and `io::copy` would repeat
/// the call.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(kind_of(&error), error)
    }
}

/// Extracts an [`Error`] inside, or refused memory or an exceeded limit. Anything else becomes [`Error::Io`].
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let inner = match error.downcast::<Error>() {
            Ok(ours) => return ours,
            Err(error) => error,
        };
        if let Some(memory) = inner.get_ref().and_then(|inner| inner.downcast_ref::<OutOfMemory>()) {
            return Error::OutOfMemory(*memory);
        }
        if let Some(over) = inner.get_ref().and_then(|inner| inner.downcast_ref::<OverLimit>()) {
            return Error::Limit(*over);
        }
        Error::io("reading or writing")(inner)
    }
}

/// Returns the kind of the system's error if there is one, else the one closest to [`Error::kind`].
fn kind_of(error: &Error) -> ErrorKind {
    let kind = error.kind();
    match error.of_system().map(io::Error::kind) {
        // Readers and writers would repeat the call.
        Some(ErrorKind::Interrupted) => ErrorKind::Other,
        Some(system) if kind == blosc_core::ErrorKind::Io => system,
        _ => kind.into(),
    }
}

impl Error {
    /// Returns the underlying error of the system.
    fn of_system(&self) -> Option<&io::Error> {
        match self {
            Error::File { source, .. } | Error::Io { source, .. } | Error::ChunkFile { source, .. } => Some(source),
            Error::InFile { source, .. } => source.of_system(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::error::Error as _;

    use blosc_core::{DecodeError, Limits};

    use super::*;

    #[test]
    fn kinds_say_what_a_caller_may_do() {
        let io = |kind: ErrorKind| Error::reading(kind.into());
        let truncated = Error::Truncated { offset: 0, what: "chunk 3".into(), needed: 2, found: 1 };
        let over = Limits::new().max_memory(1).check_memory("x", 2).unwrap_err();
        for (error, kind) in [
            (io(ErrorKind::PermissionDenied), ErrorKind::PermissionDenied),
            (io(ErrorKind::Interrupted), ErrorKind::Other),
            (Error::Cancelled, ErrorKind::Other),
            (Error::Chunk { chunk: 0, offset: 0, source: DecodeError::Cancelled }, ErrorKind::Other),
            (Error::OutOfMemory(OutOfMemory::new(7)), ErrorKind::OutOfMemory),
            (Error::InFile { file: "f".into(), source: Box::new(OutOfMemory::new(7).into()) }, ErrorKind::OutOfMemory),
            (Error::Limit(over), ErrorKind::Other),
            (truncated, ErrorKind::UnexpectedEof),
            (Error::Unrecognised { found: vec![1] }, ErrorKind::InvalidData),
            (Error::InFile { file: "f".into(), source: Box::new(Error::NoChunks) }, ErrorKind::InvalidData),
            (Error::OutputExists("f".into()), ErrorKind::AlreadyExists),
        ] {
            let text = error.to_string();
            let error = io::Error::from(error);
            assert_eq!((error.kind(), error.to_string()), (kind, text));
        }
    }

    #[test]
    fn there_and_back_again() {
        let inner = Error::reading(ErrorKind::PermissionDenied.into());
        let error = io::Error::from(inner);
        // An `io::Error` is transparent: the error inside counts.
        assert!(error.source().unwrap().is::<io::Error>());
        assert!(matches!(Error::from(error), Error::Io { doing: crate::Activity::Reading, .. }));
        assert!(matches!(Error::from(io::Error::from(Error::NoChunks)), Error::NoChunks));
        assert!(matches!(Error::from(io::Error::from(OutOfMemory::new(7))), Error::OutOfMemory(_)));
        let over = Limits::new().max_memory(1).check_memory("x", 2).unwrap_err();
        assert!(matches!(Error::from(io::Error::other(over)), Error::Limit(_)));
        let plain = Error::from(io::Error::from(ErrorKind::NotFound));
        assert!(matches!(&plain, Error::Io { source, .. } if source.kind() == ErrorKind::NotFound));
    }

    /// `?` converts errors between the result types of both crates.
    #[test]
    fn question_mark_converts() {
        fn ours() -> Result<(), Error> {
            Err(io::Error::from(ErrorKind::BrokenPipe))?;
            Ok(())
        }
        fn theirs() -> io::Result<()> {
            Ok(ours()?)
        }
        assert_eq!(theirs().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
