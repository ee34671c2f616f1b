//! Directories that appear whole or not at all, as [`AtomicFile`](crate::AtomicFile) does for files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::fs::files::permissions_for_directory;
use crate::fs::place::{self, resolve, sync_directory};
use crate::fs::temporary::{self, TemporaryDirectory};

/// A directory that is being made beside its place; dropped without [`commit`](Self::commit), nothing is left.
#[derive(Debug)]
pub(crate) struct NewDirectory {
    directory: TemporaryDirectory,
    target: PathBuf,
    overwrite: bool,
}

impl NewDirectory {
    /// Starts a directory that will become `target`. With `overwrite` it replaces a directory that is empty or `is_ours`. No
    /// other directory is replaced, as its files would be lost.
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
                    "it is no directory; name another output",
                )));
            }
            Ok(_) if !is_empty(target).map_err(refuse)? && !is_ours(target).map_err(refuse)? => {
                let what = "in the directory there are things that were not made so, and it would be replaced; name another output";
                return Err(refuse(io::Error::new(io::ErrorKind::AlreadyExists, what)));
            }
            _ => {}
        }
        let resolved = resolve(target).map_err(refuse)?;
        temporary::remove_leftovers(&resolved);
        let directory = TemporaryDirectory::create(&resolved).map_err(refuse)?;
        Ok(NewDirectory { directory, target: resolved, overwrite })
    }

    /// Where it is being made.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Puts the directory in its place, in one step, with the permissions of an old one. Where the system cannot let two
    /// directories change places (Linux can), an old one is moved away before, so that for a moment there is none. What is in
    /// it has to be durable already.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. What was at the place is still there then.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let NewDirectory { directory, target, overwrite } = self;
        let refuse = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists if !overwrite => Error::OutputExists(target.clone()),
            _ => Error::file("finishing", &target, error),
        };
        let parent = place::directory(&target);
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
            // If it cannot be undone, it is whole all the same.
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

/// Whether there is nothing in a directory.
fn is_empty(directory: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(directory)?.next().is_none())
}

/// Gives a directory a name that nobody has. Without more ado an empty directory would be replaced.
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

/// Whether a file system does not know a way of renaming.
#[cfg(target_os = "linux")]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP].contains(&error)
}

/// Puts a directory in the place of another, which goes.
fn replace(new: TemporaryDirectory, target: &Path, parent: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        // It gets the temporary name, under which nobody is to take it for a leftover.
        let old = crate::fs::lock::lock_directory(target);
        let exchange = || renameat_with(CWD, new.path(), CWD, target, RenameFlags::EXCHANGE);
        match exchange() {
            Ok(()) => {
                // Before what was there is removed.
                let synced = sync_directory(parent);
                if synced.is_err() {
                    let _ = exchange();
                }
                // Before the lock.
                drop(new);
                drop(old);
                return synced;
            }
            Err(error) if is_unknown(error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let old = tempfile::Builder::new().prefix(".blpk-").suffix(".old").tempdir_in(parent)?;
    let aside = old.path().join("frame");
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(new.path(), target) {
        if fs::rename(&aside, target).is_err() {
            // Better under a strange name than gone.
            let _ = old.keep();
        }
        return Err(error);
    }
    new.keep();
    sync_directory(parent)
}
