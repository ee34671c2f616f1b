//! New carrays and ctables: a temporary directory that replaces its target when it is complete.

use std::path::Path;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::bcolz::{META_DIR, ROOTDIRS_FILE, STORAGE_FILE};

use super::contents::holds_only_bcolz;
use super::staging::{Staging, lock};
use crate::Error;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::store::Directory;
use crate::fs::lock::Lock;
use crate::fs::new_directory::NewDirectory;
use crate::source::ReadDirectory as _;

/// A carray or ctable under construction next to its target.
pub(crate) struct NewRoot {
    new: NewDirectory,
    /// The locks of the directory that is replaced, and of its columns.
    _locks: Vec<Lock>,
}

impl NewRoot {
    /// Creates a temporary directory next to its target. With `overwrite`, the target may be a carray or ctable, which
    /// is locked.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<(Self, LocalDirectory), Error> {
        let new = NewDirectory::create(path, overwrite, holds_only_bcolz)?;
        let locks = if path.is_dir() { lock_all(&LocalDirectory::new(path))? } else { Vec::new() };
        let dir = LocalDirectory::new(new.path());
        Ok((NewRoot { new, _locks: locks }, dir))
    }

    /// Replaces the target.
    pub(crate) fn commit(self) -> Result<(), Error> {
        self.new.commit()
    }
}

/// Locks a directory and every column in it. It looks for metadata directories instead of reading the list of columns,
/// so that a table with a damaged list can be replaced.
fn lock_all(old: &LocalDirectory) -> Result<Vec<Lock>, Error> {
    let mut locks = vec![lock(old, "")?];
    let names = old.list("").map_err(|error| Error::io("listing")(error).in_file(old.name("")))?;
    for name in names {
        if old.list(&format!("{name}/{META_DIR}")).is_ok() {
            locks.push(lock(old, &name)?);
        }
    }
    Ok(locks)
}

/// Opens a directory for a new carray or ctable, and creates it if it does not exist. It must contain neither.
pub(super) fn start<D: Directory>(dir: D) -> Result<Arc<Staging<D>>, Error> {
    dir.create_dir("").map_err(|error| Error::io("creating")(error).in_file(dir.name("")))?;
    let root = Staging::open(dir, Limits::new())?;
    if [ROOTDIRS_FILE, STORAGE_FILE].iter().any(|file| root.dir.open(file).is_ok()) {
        return Err(Error::NotWritable {
            directory: root.dir.name(""),
            what: "it already contains a carray or ctable",
        });
    }
    Ok(Arc::new(root))
}
