//! Directories that appear whole or not at all, as [`AtomicFile`](crate::AtomicFile) does for files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::fs::files::permissions_for_directory;
use crate::fs::path::{self, OLD_SUFFIX, PREFIX, resolve, sync_directory};
use crate::fs::temporary::{self, TemporaryDirectory};

/// A directory under construction next to its target. Dropping it without [`commit`](Self::commit) removes it.
#[derive(Debug)]
pub(crate) struct NewDirectory {
    directory: TemporaryDirectory,
    target: PathBuf,
    overwrite: bool,
}

impl NewDirectory {
    /// Starts a directory that will become `target`. With `overwrite` it replaces a directory that is empty or
    /// `is_ours`. Other directories are not replaced, because their files would be lost.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`].
    pub(crate) fn create(
        target: &Path,
        overwrite: bool,
        is_ours: impl Fn(&Path) -> io::Result<bool>,
    ) -> Result<Self, Error> {
        let refuse = |error| Error::file("creating", target, error);
        match fs::metadata(target) {
            Ok(_) if !overwrite => return Err(Error::OutputExists(target.to_owned())),
            Ok(found) if !found.is_dir() => {
                return Err(refuse(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it is not a directory; name another output",
                )));
            }
            Ok(_) if !is_empty(target).map_err(refuse)? && !is_ours(target).map_err(refuse)? => {
                let what = "the directory would be replaced, but contains files that do not belong to a container; name another output";
                return Err(refuse(io::Error::new(io::ErrorKind::AlreadyExists, what)));
            }
            _ => {}
        }
        let resolved = resolve(target).map_err(refuse)?;
        temporary::remove_leftovers(&resolved);
        let directory = TemporaryDirectory::create(&resolved).map_err(refuse)?;
        Ok(NewDirectory { directory, target: resolved, overwrite })
    }

    /// The temporary path of the directory.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Puts the directory in place in one step, with the permissions of an old one. Linux can exchange two directories
    /// atomically. Elsewhere an old directory is moved away first, so that for a moment there is none. The contents
    /// must already be durable.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. After a failed exchange an old directory is still in place. Where
    /// directories cannot be exchanged, the new one is in place if only syncing the parent directory failed.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let NewDirectory { directory, target, overwrite } = self;
        let refuse = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists if !overwrite => Error::OutputExists(target.clone()),
            _ => Error::file("finishing", &target, error),
        };
        let parent = path::directory(&target);
        let old = fs::metadata(&target).ok().filter(|_| overwrite);
        if let Some(old) = &old {
            fs::set_permissions(directory.path(), permissions_for_directory(old)).map_err(refuse)?;
        }
        sync_directory(directory.path()).map_err(refuse)?;
        if old.is_some() {
            return replace(directory, &target, parent).map_err(refuse);
        }
        rename_to_new(directory.path(), &target).map_err(refuse)?;
        if let Err(error) = sync_directory(parent) {
            // If the rename cannot be undone, the new directory stays: it is complete.
            let undone = fs::rename(&target, directory.path());
            if undone.is_err() {
                directory.keep();
            }
            return Err(Error::file("syncing the directory of", &target, error));
        }
        directory.keep();
        Ok(())
    }
}

/// Whether a directory is empty.
fn is_empty(directory: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(directory)?.next().is_none())
}

/// Gives a directory an unused name. A plain rename would replace an empty directory.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(error) if is_unknown(error) => {}
            renamed => return renamed.map_err(io::Error::from),
        }
    }
    fs::rename(from, to)
}

/// Whether the error means that the file system does not support this kind of rename.
#[cfg(target_os = "linux")]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP].contains(&error)
}

/// Replaces a directory by a new one and removes the old one.
fn replace(new: TemporaryDirectory, target: &Path, parent: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        // The old directory gets the temporary name. The lock keeps other processes from deleting it as a leftover.
        let old = crate::fs::lock::lock_directory(target);
        let exchange = || renameat_with(CWD, new.path(), CWD, target, RenameFlags::EXCHANGE);
        match exchange() {
            Ok(()) => {
                // The exchange must be durable before the old directory is removed.
                let synced = sync_directory(parent);
                if synced.is_err() {
                    let _ = exchange();
                }
                // The old directory is removed before its lock is released.
                drop(new);
                drop(old);
                return synced;
            }
            Err(error) if is_unknown(error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let old = tempfile::Builder::new().prefix(PREFIX).suffix(OLD_SUFFIX).tempdir_in(parent)?;
    let aside = old.path().join("frame");
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(new.path(), target) {
        if fs::rename(&aside, target).is_err() {
            // Keep the old directory under its temporary name rather than delete it.
            let _ = old.keep();
        }
        return Err(error);
    }
    new.keep();
    sync_directory(parent)
}
