//! The directory of a carray or ctable below the root that is being changed.

use std::sync::Arc;

use super::staging::{Staging, complete, lock};
use crate::Error;
use crate::formats::bcolz::store::{Below, Directory};
use crate::fs::lock::Lock;
use crate::source::ReadDirectory;

/// The root itself, or the directory of a column below it. It translates paths of the format to paths below the root,
/// and holds the lock of a column.
pub(super) struct Subdirectory<D: Directory> {
    root: Arc<Staging<D>>,
    /// The prefix of all paths: empty for the root, else the name of the directory with a trailing `/`.
    prefix: String,
    /// The lock of a column. The root's own lock is in its [`Staging`].
    lock: Option<Lock>,
}

impl<D: Directory> Subdirectory<D> {
    /// Returns the directory `name` of `root` without locking it, or the root itself for an empty name.
    pub(super) fn new(root: Arc<Staging<D>>, name: &str) -> Self {
        let prefix = if name.is_empty() { String::new() } else { format!("{name}/") };
        Subdirectory { root, prefix, lock: None }
    }

    /// Locks the directory `name` of `root` and replays its journal. The root itself is locked already.
    pub(super) fn open(root: Arc<Staging<D>>, name: &str) -> Result<Self, Error> {
        let mut dir = Subdirectory::new(root, name);
        if !name.is_empty() {
            dir.lock = Some(lock(&dir.root.dir, name)?);
            complete(&Below::new(&dir.root.dir, name), &dir.root.limits)?;
        }
        Ok(dir)
    }

    /// Returns the root, in which all files are staged.
    pub(super) fn root(&self) -> &Staging<D> {
        &self.root
    }

    /// Returns the path of a file, relative to the root.
    pub(super) fn path(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }

    /// Returns the path of a directory, relative to the root. An empty name means this directory.
    pub(super) fn dir(&self, dir: &str) -> String {
        let path = self.path(dir);
        path.strip_suffix('/').unwrap_or(&path).into()
    }

    /// Returns the parent directory, `None` for the root.
    pub(super) fn parent(&self) -> Option<String> {
        let name = self.prefix.strip_suffix('/')?;
        Some(name.rsplit_once('/').map_or("", |(parent, _)| parent).into())
    }

    /// Calls `read` with a view of this directory that uses the paths of the format.
    pub(super) fn read<T>(&self, read: impl FnOnce(&dyn ReadDirectory) -> T) -> T {
        match self.dir("").as_str() {
            "" => read(&self.root.dir),
            name => read(&Below::new(&self.root.dir, name)),
        }
    }

    /// Releases the lock before the directory is renamed, because the lock file moves with the directory.
    pub(super) fn unlock(&mut self) {
        self.lock = None;
    }

    /// Follows the directory to its new name and locks it there.
    pub(super) fn moved_to(&mut self, name: &str) -> Result<(), Error> {
        self.lock = Some(lock(&self.root.dir, name)?);
        self.prefix = format!("{name}/");
        Ok(())
    }
}
