//! Buffers for bytes that are written now and read later: an unnamed temporary file, or memory without the feature
//! `write`.

use crate::Error;

/// The storage of a spool.
#[cfg(feature = "write")]
pub(crate) type Spool = std::fs::File;
#[cfg(not(feature = "write"))]
pub(crate) type Spool = crate::in_memory::InMemoryFile;

/// Creates an empty spool. `doing` describes the operation in the error.
#[cfg(feature = "write")]
pub(crate) fn create(doing: &'static str) -> Result<Spool, Error> {
    tempfile::tempfile().map_err(Error::io(doing))
}

#[cfg(not(feature = "write"))]
pub(crate) fn create(_: &'static str) -> Result<Spool, Error> {
    Ok(Spool::default())
}
