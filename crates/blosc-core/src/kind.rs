//! Categories of errors, shared by all crates.

/// The category of an error, which decides what a caller can do about it.
///
/// All error types of this crate, of `bloscpack-format` and of `bloscpack-io` use these categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are damaged, or not in the expected format.
    Damaged,
    /// The bytes end too early.
    Truncated,
    /// The format, codec, filter or operation is not supported.
    Unsupported,
    /// An argument of the call is refused.
    InvalidInput,
    /// A file, column, chunk or attribute does not exist.
    NotFound,
    /// The output, or an entry of this name, exists already.
    Exists,
    /// Another process is changing the file or directory.
    Locked,
    /// More than the caller's [`Limits`](crate::Limits) allow.
    Limit,
    /// The system refused memory.
    OutOfMemory,
    /// The operation was cancelled.
    Cancelled,
    /// A codec, filter, prefilter or postfilter provided by the caller failed.
    Plugin,
    /// An earlier change failed midway: open the container again.
    Stale,
    /// The system refused to read or write.
    Io,
}

impl From<ErrorKind> for std::io::ErrorKind {
    /// Returns the closest kind of [`std::io`]. Never [`Interrupted`](std::io::ErrorKind::Interrupted), after which
    /// readers and writers retry.
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Damaged => Self::InvalidData,
            ErrorKind::Truncated => Self::UnexpectedEof,
            ErrorKind::Unsupported => Self::Unsupported,
            ErrorKind::InvalidInput => Self::InvalidInput,
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Exists => Self::AlreadyExists,
            ErrorKind::Locked => Self::ResourceBusy,
            ErrorKind::OutOfMemory => Self::OutOfMemory,
            ErrorKind::Limit | ErrorKind::Cancelled | ErrorKind::Plugin | ErrorKind::Stale | ErrorKind::Io => {
                Self::Other
            }
        }
    }
}
