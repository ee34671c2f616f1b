//! Output files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the target's directory. [`AtomicFile::commit`] makes them durable and atomically
//! creates or replaces the target. If the file is dropped without a commit, nothing remains and an old target is
//! unchanged. On Linux the temporary file has no name until the commit, so even a killed process leaves no file. Where
//! it has a name, the next run for the same target removes a leftover file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::Error;
use crate::fs::files::{forget_cached, is_same_file, permissions_for_file};
use crate::fs::path::{directory, resolve, sync_directory};
use crate::fs::temporary;
use crate::source::ReadAt as _;

/// Size of the write buffer: chunks may be small. Larger writes bypass the buffer.
const BUFFER_LEN: usize = 1 << 16;

/// The directory in which Linux lists open files, for giving a name to an unnamed file.
#[cfg(target_os = "linux")]
const SELF_FDS: &str = "/proc/self/fd";

/// A file that is being written.
#[derive(Debug)]
pub struct AtomicFile {
    /// The temporary name; `None` while the file is unnamed. Declared before `file`, so that the name is removed while
    /// the file's lock still marks it as in use.
    named: Option<TempPath>,
    file: BufWriter<File>,
    target: PathBuf,
    overwrite: bool,
    /// Whether the caller keeps the lock after the commit.
    keeps_lock: bool,
}

/// The destination of an output.
pub(crate) enum Output {
    /// A regular file, written atomically.
    File(AtomicFile),
    /// An existing target that is not a regular file: a device or a pipe. It cannot be replaced, only written to.
    Stream(File),
}

impl Output {
    /// Opens `target` for output. An existing target is refused unless `overwrite` is set. A link is followed.
    pub(crate) fn create(target: &Path, overwrite: bool) -> Result<Output, Error> {
        match fs::metadata(target) {
            Ok(_) if !overwrite => Err(Error::OutputExists(target.to_owned())),
            Ok(found) if !found.is_file() && !found.is_dir() => {
                let file = File::options().write(true).open(target);
                file.map(Output::Stream).map_err(|error| Error::file("opening", target, error))
            }
            _ => AtomicFile::create(target, overwrite).map(Output::File),
        }
    }
}

impl AtomicFile {
    /// Starts a file that will become `target`. With `overwrite`, it keeps the permissions of the file it replaces,
    /// except for the setuid, setgid and sticky bits. Without it, [`AtomicFile::commit`] refuses to replace a file.
    ///
    /// # Errors
    /// [`Error::OutputExists`]. [`Error::File`] if the name is empty, if the directory cannot be written to, or if the
    /// target is a device or a pipe, which a file must not replace.
    pub fn create(target: impl AsRef<Path>, overwrite: bool) -> Result<AtomicFile, Error> {
        Self::create_path(target.as_ref(), overwrite)
    }

    fn create_path(target: &Path, overwrite: bool) -> Result<AtomicFile, Error> {
        let refuse = |error| Error::file("creating", target, error);
        if target.as_os_str().is_empty() {
            return Err(refuse(io::Error::new(io::ErrorKind::NotFound, "the name is empty")));
        }
        if !overwrite && fs::symlink_metadata(target).is_ok() {
            return Err(Error::OutputExists(target.to_owned()));
        }
        let resolved = resolve(target).map_err(refuse)?;
        if resolved.is_dir() {
            return Err(refuse(io::ErrorKind::IsADirectory.into()));
        }
        let old = fs::metadata(&resolved);
        if old.as_ref().is_ok_and(|old| !old.is_file()) {
            return Err(refuse(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        temporary::remove_leftovers(&resolved);
        let (named, file) = create_temporary(&resolved).map_err(refuse)?;
        if let Ok(old) = old {
            keep_owner(&file, &old);
            file.set_permissions(permissions_for_file(&old)).map_err(refuse)?;
        }
        let file = BufWriter::with_capacity(BUFFER_LEN, file);
        Ok(AtomicFile { named, file, target: resolved, overwrite, keeps_lock: false })
    }

    /// The underlying writer. [`std::io::copy`] into it can use the system's copy.
    pub(crate) fn writer(&mut self) -> &mut BufWriter<File> {
        &mut self.file
    }

    /// Locks the file for a caller that continues to use it after the commit, and returns the locked file. If the file
    /// system has no locks, the old file had none either.
    pub(crate) fn locked(&mut self) -> io::Result<File> {
        self.keeps_lock = true;
        let file = self.file.get_ref().try_clone()?;
        let _ = file.try_lock();
        Ok(file)
    }

    /// Fills `buf` with the bytes that were written at `offset`.
    pub(crate) fn read_back(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().read_exact_at(offset, buf)
    }

    /// Returns the file as it is on the disk, for reading it back before it has its name.
    ///
    /// # Errors
    /// [`Error::File`] for errors of the system.
    pub(crate) fn reopen(&mut self) -> Result<File, Error> {
        let mut reopen = || -> io::Result<File> {
            self.file.flush()?;
            let file = self.file.get_ref();
            file.sync_all()?;
            forget_cached(file);
            file.try_clone()
        };
        reopen().map_err(|error| Error::file("finishing", &self.target, error))
    }

    /// Makes the bytes durable and atomically creates or replaces the target.
    ///
    /// # Errors
    /// [`Error::OutputExists`] if the target was created in the meantime and must not be replaced; [`Error::File`] for
    /// errors of the system. The target is then unchanged, with one exception: if an old file was replaced and then the
    /// directory could not be synced, the new file is in place, and a power failure may bring back the old one.
    pub fn commit(self) -> Result<(), Error> {
        let AtomicFile { named, file, target, overwrite, keeps_lock } = self;
        let place = || -> io::Result<File> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            match named {
                None => link_unnamed(&file, &target, overwrite)?,
                Some(named) if overwrite => named.persist(&target).map_err(|error| error.error)?,
                Some(named) => named.persist_noclobber(&target).map_err(|error| error.error)?,
            }
            Ok(file)
        };
        let file = place().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if !overwrite => Error::OutputExists(target.clone()),
            _ => Error::file("finishing", &target, error),
        })?;
        if !keeps_lock {
            // Closing is not enough: a process that another thread has just started also holds the file for a moment.
            let _ = file.unlock();
        }
        sync_directory(directory(&target)).map_err(|error| {
            if !overwrite && is_same_file(&file, &target).unwrap_or(false) {
                let _ = fs::remove_file(&target);
            }
            Error::file("syncing the directory of", &target, error)
        })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Gives a replacement file the owner and group of the old file. Best effort.
fn keep_owner(file: &File, old: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let differs = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid()));
        if differs {
            let _ = fchown(file, Some(old.uid()), Some(old.gid())); // only root may do this, and only root needs it
        }
    }
    #[cfg(not(unix))]
    let _ = (file, old);
}

/// Creates a temporary file next to `target`: unnamed if the system supports it, otherwise named.
fn create_temporary(target: &Path) -> io::Result<(Option<TempPath>, File)> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // 0o666 minus the umask, as for any new file. Not every file system supports unnamed files; the fallback is a
        // named one.
        if Path::new(SELF_FDS).exists()
            && let Ok(file) = rustix::fs::open(directory(target), flags, Mode::from_raw_mode(0o666))
        {
            return Ok((None, File::from(file)));
        }
    }
    temporary::file(target).map(|(path, file)| (Some(path), file))
}

/// Gives an unnamed file the name `target`. A link cannot replace an existing name, so replacing a file goes through a
/// temporary name.
#[cfg(target_os = "linux")]
fn link_unnamed(file: &File, target: &Path, overwrite: bool) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;

    let unnamed = Path::new(SELF_FDS).join(file.as_raw_fd().to_string());
    let link = |name: &Path| linkat(CWD, &unnamed, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
    match link(target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && overwrite => {}
        linked => return linked,
    }
    temporary::name(file, target, link)?.persist(target).map_err(|error| error.error)
}

#[cfg(not(target_os = "linux"))]
fn link_unnamed(_: &File, _: &Path, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
