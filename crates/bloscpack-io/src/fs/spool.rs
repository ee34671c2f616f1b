//! Room for bytes that have to wait: in a temporary file without a name, or in memory without the feature `write`.

use crate::Error;

/// The place where bytes wait.
#[cfg(feature = "write")]
pub(crate) type Spool = std::fs::File;
#[cfg(not(feature = "write"))]
pub(crate) type Spool = crate::in_memory::InMemoryFile;

/// An empty spool. `doing` is for the error.
#[cfg(feature = "write")]
pub(crate) fn create(doing: &'static str) -> Result<Spool, Error> {
    tempfile::tempfile().map_err(Error::io(doing))
}

#[cfg(not(feature = "write"))]
pub(crate) fn create(_: &'static str) -> Result<Spool, Error> {
    Ok(Spool::default())
}
