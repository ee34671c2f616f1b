//! Locks of frames that several programs change. The lock is on a file beside the frame, as in C-Blosc2.
//!
//! Readers share the lock, writers have it alone. The file has a number that each writer increases. So a handle notices
//! a change that leaves the length and the time of the frame as they were.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::blosc2::codes::{LOCK, trace};

/// The end of the name of a lock file.
const SUFFIX: &str = ".b2lock";
/// The offset of the number that writers increase.
const COUNTER_AT: u64 = 8;

/// Whether the holder of a lock reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The lock of a frame, of one handle. It can be held several times at once, and is released with the last hold.
#[derive(Debug)]
pub(crate) struct FrameLock {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The lock file, kept open.
    file: Option<File>,
    held: Option<(Access, usize)>,
    /// The number in the lock file when this handle last held the lock.
    counter: Option<u64>,
    /// Whether another handle has written since [`FrameLock::take_changed`].
    is_changed: bool,
}

/// Holds a lock until this is dropped. Without a lock there is nothing to hold.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct Held(Option<Arc<FrameLock>>);

impl Held {
    /// Waits for a lock.
    ///
    /// # Errors
    /// As [`FrameLock::acquire`].
    pub(super) fn wait(lock: Option<&Arc<FrameLock>>, access: Access) -> Result<Held, i32> {
        let lock = lock.cloned();
        lock.as_ref().map_or(Ok(()), |lock| lock.acquire(access))?;
        Ok(Held(lock))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The reason of a failure was printed, and the work under the lock is done.
        let _ = self.0.as_ref().map(|lock| lock.release());
    }
}

impl FrameLock {
    /// Returns the lock of a frame: in its directory, or next to its file.
    pub(crate) fn new(frame: &Path, is_directory: bool) -> Arc<Self> {
        let path = if is_directory { frame.join(SUFFIX) } else { lock_path(frame) };
        Arc::new(FrameLock { path, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &io::Error) -> i32 {
        trace(LOCK, format_args!("{}: {error}", self.path.display()))
    }

    /// Waits until no other handle excludes this one, and holds the lock once more.
    ///
    /// # Errors
    /// The code of a file that cannot be locked, or of a writer within a reader.
    pub(crate) fn acquire(&self, access: Access) -> Result<(), i32> {
        let mut state = self.state();
        match &mut state.held {
            Some((Access::Read, _)) if access == Access::Write => {
                Err(self.failed(&io::Error::other("the frame is changed while it is read")))
            }
            Some((_, count)) => {
                *count += 1;
                Ok(())
            }
            None => {
                state.lock(&self.path, access).map_err(|error| self.failed(&error))?;
                state.held = Some((access, 1));
                Ok(())
            }
        }
    }

    /// Ends one hold. Nothing is done if there is none.
    ///
    /// # Errors
    /// The code of a file that cannot be unlocked.
    pub(crate) fn release(&self) -> Result<(), i32> {
        let mut state = self.state();
        match &mut state.held {
            None => Ok(()),
            Some((_, count)) if *count > 1 => {
                *count -= 1;
                Ok(())
            }
            Some(_) => {
                state.held = None;
                state.file.as_ref().map_or(Ok(()), File::unlock).map_err(|error| self.failed(&error))
            }
        }
    }

    /// Returns whether another handle has written since the last call.
    pub(super) fn take_changed(&self) -> bool {
        std::mem::take(&mut self.state().is_changed)
    }
}

impl Drop for FrameLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process may have it open too.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(file), Some(_)) = (&state.file, state.held) {
            let _ = file.unlock();
        }
    }
}

impl State {
    /// Locks the file, and notes whether another handle has written.
    fn lock(&mut self, path: &Path, access: Access) -> io::Result<()> {
        let file = loop {
            let file = match self.file.take() {
                Some(file) => file,
                None => open(path)?,
            };
            wait(&file, access)?;
            // The file may have been removed with its frame since it was opened.
            if is_at(&file, path)? {
                break self.file.insert(file);
            }
        };
        let noted = counter(file).and_then(|found| {
            let next = if access == Access::Write { found.wrapping_add(1) } else { found };
            if next != found {
                file.write_all_at(&next.to_ne_bytes(), COUNTER_AT)?;
            }
            Ok((found, next))
        });
        match noted {
            Ok((found, next)) => {
                self.is_changed |= self.counter.is_some_and(|seen| seen != found);
                self.counter = Some(next);
                Ok(())
            }
            Err(error) => {
                let _ = file.unlock();
                Err(error)
            }
        }
    }
}

/// Returns the path of the lock of a frame in one file.
pub(crate) fn lock_path(frame: &Path) -> PathBuf {
    let mut path = OsString::from(frame);
    path.push(SUFFIX);
    path.into()
}

/// Opens or creates a lock file. A link is not followed, because the number is written to the file.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Waits for the lock of the system.
fn wait(file: &File, access: Access) -> io::Result<()> {
    loop {
        let locked = match access {
            Access::Read => file.lock_shared(),
            Access::Write => file.lock(),
        };
        match locked {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

/// Returns whether a path leads to an open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let opened = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the number in a lock file; 0 if it has none.
fn counter(file: &File) -> io::Result<u64> {
    let mut bytes = [0; 8];
    match file.read_exact_at(&mut bytes, COUNTER_AT) {
        Ok(()) => Ok(u64::from_ne_bytes(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    }
}
