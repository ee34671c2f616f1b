//! Directories that appear whole or not at all, as [`AtomicFile`](crate::AtomicFile) does for files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::atomic;

/// A directory that is being made beside its place; dropped without [`commit`](Self::commit), nothing is left.
#[derive(Debug)]
pub(crate) struct NewDirectory {
    directory: tempfile::TempDir,
    target: PathBuf,
    overwrite: bool,
}

impl NewDirectory {
    /// Starts a directory that is to become `target`. With `overwrite` it takes the place of one that `is_ours`: what is in
    /// another one is not ours to throw away.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`].
    pub(crate) fn create(target: &Path, overwrite: bool, is_ours: impl Fn(&Path) -> bool) -> Result<Self, Error> {
        let refuse = |error| Error::file("creating", target, error);
        match fs::metadata(target) {
            Ok(_) if !overwrite => return Err(Error::OutputExists(target.to_owned())),
            Ok(found) if !found.is_dir() || !is_ours(target) => {
                return Err(refuse(io::ErrorKind::AlreadyExists.into()));
            }
            _ => {}
        }
        // A link stays what it is: its destination is replaced.
        let resolved = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let parent = atomic::directory(&resolved);
        let directory = tempfile::Builder::new().prefix(".blpk-").suffix(".tmp").tempdir_in(parent);
        Ok(NewDirectory { directory: directory.map_err(refuse)?, target: resolved, overwrite })
    }

    /// Where it is being made.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Puts the directory in its place, in one step. Where the system cannot let two directories change places (Linux can),
    /// an old one is moved away before, so that for a moment there is none. What is in it has to be durable already.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. What was at the place is still there then.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let NewDirectory { directory, target, overwrite } = self;
        let place = || -> io::Result<()> {
            let parent = atomic::directory(&target);
            // A temporary directory is its owner's alone, unlike one that was made in the usual way.
            #[cfg(unix)]
            fs::set_permissions(directory.path(), usual_permissions(parent)?)?;
            atomic::sync_directory(directory.path())?;
            if overwrite && target.exists() {
                replace_directory(directory, &target, parent)?;
            } else {
                fs::rename(directory.path(), &target)?;
                // It has another name now.
                let _ = directory.keep();
            }
            atomic::sync_directory(parent)
        };
        place().map_err(|error| Error::file("finishing", &target, error))
    }
}

/// Puts a directory in the place of another, which goes.
fn replace_directory(new: tempfile::TempDir, target: &Path, parent: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new.path(), CWD, target, RenameFlags::EXCHANGE).is_ok() {
            // What is at the new one's old name now is the old one, and is removed.
            return new.close();
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
    let _ = new.keep();
    Ok(())
}

/// The permissions that a new directory gets, less the umask: asked by making one.
#[cfg(unix)]
fn usual_permissions(parent: &Path) -> io::Result<fs::Permissions> {
    let holder = tempfile::Builder::new().prefix(".blpk-").suffix(".tmp").tempdir_in(parent)?;
    let probe = holder.path().join("new");
    fs::create_dir(&probe)?;
    Ok(fs::metadata(&probe)?.permissions())
}
