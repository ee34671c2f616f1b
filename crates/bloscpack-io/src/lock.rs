//! One writer at a time: what is changed in place, or replaced by what was made of it, is locked meanwhile.
//!
//! The lock is the system's (`flock`, `LockFileEx`), on the file itself or on the directory: nothing is left behind by a
//! process that is killed, and readers do not ask for it. Where a file system has no locks, there are none.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::files::{is_same_file, remove_if_there};

/// Opens what is at `path` by `open` and locks it until the file is closed.
///
/// # Errors
/// [`Error::Locked`] if somebody else has it; [`Error::File`].
pub(crate) fn open_locked(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> Result<File, Error> {
    let refuse = |error| Error::file("opening", path, error);
    loop {
        let file = open(path).map_err(refuse)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Error::Locked(path.to_owned())),
            Err(TryLockError::Error(_)) => return Ok(file),
            // Who had the lock may have put another file in its place, or removed it, before letting go.
            Ok(()) if is_same_file(&file, path).unwrap_or(false) => return Ok(file),
            Ok(()) => {}
        }
    }
}

/// Locks a directory until what this returns is dropped; nothing where directories cannot be opened.
///
/// # Errors
/// As [`open_locked`].
pub(crate) fn lock_directory(path: &Path) -> Result<Option<File>, Error> {
    if cfg!(unix) { open_locked(path, |path| File::open(path)).map(Some) } else { Ok(None) }
}

/// The lock of a directory, which lasts until this is dropped: on a file in it that is there only for that.
#[derive(Debug, Default)]
pub struct Lock(Option<(PathBuf, File)>);

impl Lock {
    /// Makes the file, if it is not there, and locks it. A process that is killed leaves it behind, without the lock.
    pub(crate) fn file(path: PathBuf) -> io::Result<Lock> {
        let open = |path: &Path| File::options().create(true).truncate(false).write(true).open(path);
        match open_locked(&path, open) {
            Ok(file) => Ok(Lock(Some((path, file)))),
            Err(Error::File { source, .. }) => Err(source),
            Err(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the lock goes: else it could be the file of the next one, as it is where the directory was moved away. If
        // that fails, an empty file stays.
        if let Some((path, file)) = &self.0
            && is_same_file(file, path).unwrap_or(false)
        {
            let _ = remove_if_there(path);
        }
    }
}
