//! Advisory locks: one writer at a time for each file or directory.
//!
//! A file or directory is locked while it is changed in place, or while its replacement is made. The lock is the
//! system's (`flock`, `LockFileEx`), on the file itself or on the directory: a killed process leaves no lock, and
//! readers take none. File systems without locks are used unlocked.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::fs::files::{is_same_file, open_regular_by, remove_if_there};

/// An open file with its lock, which is released on drop. Closing the file is not enough: a process that another thread
/// has just started also has it open for a moment.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl From<File> for Locked {
    fn from(file: File) -> Locked {
        Locked(file)
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Without a lock, there is nothing to release.
        let _ = self.0.unlock();
    }
}

/// Opens `path` by `open` and locks it until the result is dropped.
///
/// # Errors
/// [`Error::Locked`] if another process or writer holds the lock; [`Error::File`].
pub(crate) fn open_locked(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> Result<Locked, Error> {
    let refuse = |error| Error::file("opening", path, error);
    loop {
        let file = Locked(open(path).map_err(refuse)?);
        match attempt(&file).map_err(|error| Error::file("locking", path, error))? {
            Attempt::Taken => return Err(Error::Locked(path.to_owned())),
            Attempt::Unavailable => return Ok(file),
            // The previous holder of the lock may have replaced or removed the file before releasing it.
            Attempt::Locked if is_same_file(&file, path).unwrap_or(false) => return Ok(file),
            Attempt::Locked => {}
        }
    }
}

/// The result of requesting a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The lock is held until the file is closed or unlocked.
    Locked,
    /// Another process or writer holds the lock.
    Taken,
    /// The file system has no locks, or none for files opened in this mode.
    Unavailable,
}

/// Requests the lock of a file without waiting.
///
/// # Errors
/// The error of the system, unless it means that locks are not supported. Ignoring other errors would risk the file.
pub(crate) fn attempt(file: &File) -> io::Result<Attempt> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Attempt::Locked),
            Err(TryLockError::WouldBlock) => return Ok(Attempt::Taken),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) if are_no_locks(&error) => return Ok(Attempt::Unavailable),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether an error means that locks are not supported. File systems use different errors for it: NFS returns `EBADF`
/// for a file that is not open for writing, and `ENOLCK` without its daemon.
#[cfg(all(unix, feature = "write"))]
fn are_no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let none = [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::INVAL, Errno::NOLCK, Errno::BADF];
    error.kind() == io::ErrorKind::Unsupported || Errno::from_io_error(error).is_some_and(|errno| none.contains(&errno))
}

#[cfg(not(all(unix, feature = "write")))]
fn are_no_locks(_: &io::Error) -> bool {
    true
}

/// Locks a directory until the result is dropped. Does nothing where directories cannot be opened.
///
/// # Errors
/// As [`open_locked`].
pub(crate) fn lock_directory(path: &Path) -> Result<Option<Locked>, Error> {
    if cfg!(unix) { open_locked(path, |path| File::open(path)).map(Some) } else { Ok(None) }
}

/// The lock of a directory, held until this is dropped. It is a lock on a file in the directory that exists only for
/// this purpose.
#[derive(Debug, Default)]
pub struct Lock(Option<(PathBuf, Locked)>);

impl Lock {
    /// Creates the lock file if necessary and locks it. A killed process leaves the file, but not the lock.
    pub(crate) fn file(path: PathBuf) -> io::Result<Lock> {
        match open_locked(&path, open_lock_file) {
            Ok(file) => Ok(Lock(Some((path, file)))),
            Err(Error::File { source, .. }) => Err(source),
            Err(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// Opens or creates the lock file, in the directory to lock and nowhere else: a link is not followed.
fn open_lock_file(path: &Path) -> io::Result<File> {
    open_regular_by(File::options().create(true).truncate(false).write(true), path)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed before the lock is released. Otherwise the path could already be another writer's lock
        // file, as it is if the directory was moved away. If the removal fails, an empty file stays.
        if let Some((path, file)) = &self.0
            && is_same_file(file, path).unwrap_or(false)
        {
            let _ = remove_if_there(path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_lock_is_a_file_of_its_directory_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (lock, outside) = (dir.path().join("__lock__"), dir.path().join("outside"));
        let refused = || Lock::file(lock.clone()).unwrap_err();
        std::os::unix::fs::symlink(&outside, &lock).unwrap();
        assert!(refused().to_string().starts_with("it is a symbolic link"), "{}", refused());
        assert!(!outside.exists());
        fs::write(&outside, "theirs").unwrap();
        assert_eq!(refused().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(fs::read(&outside).unwrap(), b"theirs");
        fs::remove_file(&lock).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &lock, rustix::fs::Mode::RWXU).unwrap();
        assert_eq!(refused().kind(), io::ErrorKind::InvalidInput);
        fs::remove_file(&lock).unwrap();
        drop(Lock::file(lock.clone()).unwrap());
        assert!(!lock.exists());
    }
}
