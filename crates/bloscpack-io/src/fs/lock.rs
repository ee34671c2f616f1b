//! One writer at a time: what is changed in place, or replaced by what was made of it, is locked meanwhile.
//!
//! The lock is the system's (`flock`, `LockFileEx`), on the file itself or on the directory: nothing is left behind by a
//! process that is killed, and readers do not ask for it. Where a file system has no locks, there are none.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::fs::files::{is_same_file, open_regular_by, remove_if_there};

/// An open file with its lock, which goes when this is dropped. To close the file is not enough: a process that another
/// thread has just started has it open too, for a moment.
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
        // Where there was no lock, there is none to be lost.
        let _ = self.0.unlock();
    }
}

/// Opens what is at `path` by `open` and locks it until it is dropped.
///
/// # Errors
/// [`Error::Locked`] if somebody else has it; [`Error::File`].
pub(crate) fn open_locked(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> Result<Locked, Error> {
    let refuse = |error| Error::file("opening", path, error);
    loop {
        let file = Locked(open(path).map_err(refuse)?);
        match attempt(&file).map_err(|error| Error::file("locking", path, error))? {
            Attempt::Taken => return Err(Error::Locked(path.to_owned())),
            Attempt::Unavailable => return Ok(file),
            // Who had the lock may have put another file in its place, or removed it, before letting go.
            Attempt::Locked if is_same_file(&file, path).unwrap_or(false) => return Ok(file),
            Attempt::Locked => {}
        }
    }
}

/// What became of asking for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// It is held until the file is closed or unlocked.
    Locked,
    /// Somebody else has it.
    Taken,
    /// The file system has no locks, or none on what is open in this way.
    Unavailable,
}

/// Asks for the lock of a file, without waiting.
///
/// # Errors
/// What the system says, but for that there are no locks: to go on without one that there is, would be to risk the file.
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

/// File systems have many words for it: NFS says `EBADF` of what is not open to be written, and `ENOLCK` without its daemon.
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

/// Locks a directory until what this returns is dropped; nothing where directories cannot be opened.
///
/// # Errors
/// As [`open_locked`].
pub(crate) fn lock_directory(path: &Path) -> Result<Option<Locked>, Error> {
    if cfg!(unix) { open_locked(path, |path| File::open(path)).map(Some) } else { Ok(None) }
}

/// The lock of a directory, which lasts until this is dropped: on a file in it that is there only for that.
#[derive(Debug, Default)]
pub struct Lock(Option<(PathBuf, Locked)>);

impl Lock {
    /// Makes the file, if it is not there, and locks it. A process that is killed leaves it behind, without the lock.
    pub(crate) fn file(path: PathBuf) -> io::Result<Lock> {
        match open_locked(&path, open_lock_file) {
            Ok(file) => Ok(Lock(Some((path, file)))),
            Err(Error::File { source, .. }) => Err(source),
            Err(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// Opens the file of a lock, or makes it, in the directory that is to be locked and nowhere else: not where a link leads.
fn open_lock_file(path: &Path) -> io::Result<File> {
    open_regular_by(File::options().create(true).truncate(false).write(true), path)
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
