//! Output files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the target's directory; [`AtomicFile::commit`] makes them durable and puts them
//! in the target's place in one step. Dropped without it, nothing remains and an old target is as it was. On Linux the
//! temporary file has no name until then, so that even a killed process leaves nothing behind; where it has one, the next run
//! for the same target removes it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::Error;
use crate::fs::files::{forget_cached, is_same_file, permissions_for_file};
use crate::fs::place::{directory, resolve, sync_directory};
use crate::fs::temporary;
use crate::source::ReadAt as _;

/// Chunks may be small; larger writes pass the buffer by.
const BUFFER_LEN: usize = 1 << 16;

/// Where Linux shows open files under names, through which one without a name can be given one.
#[cfg(target_os = "linux")]
const SELF_FDS: &str = "/proc/self/fd";

/// A file that is being written.
#[derive(Debug)]
pub struct AtomicFile {
    /// `None`: the file has no name yet. It goes before the file, whose lock says that it is somebody's.
    named: Option<TempPath>,
    file: BufWriter<File>,
    target: PathBuf,
    overwrite: bool,
    /// Whether somebody else goes on with it.
    keeps_lock: bool,
}

/// Where output goes.
pub(crate) enum Output {
    /// To a regular file, atomically.
    File(AtomicFile),
    /// To something that is there already and is no regular file: a device, a pipe. It cannot be replaced, only
    /// written to.
    Stream(File),
}

impl Output {
    /// Opens `target` for output. What exists is refused unless `overwrite` is set; a link is followed.
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
    /// but not setuid, setgid and sticky bits; without, [`AtomicFile::commit`] refuses to replace one.
    ///
    /// # Errors
    /// [`Error::OutputExists`], or [`Error::File`] if the directory cannot be written to, or if the target is a device or
    /// a pipe, which a file must not take the place of.
    pub fn create(target: impl AsRef<Path>, overwrite: bool) -> Result<AtomicFile, Error> {
        Self::create_path(target.as_ref(), overwrite)
    }

    fn create_path(target: &Path, overwrite: bool) -> Result<AtomicFile, Error> {
        let refuse = |error| Error::file("creating", target, error);
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

    /// The writer itself, which [`std::io::copy`] can hand over to the system.
    pub(crate) fn writer(&mut self) -> &mut BufWriter<File> {
        &mut self.file
    }

    /// Locks the file for whoever goes on with it when it is in its place, by the file that this returns. Where there are no
    /// locks, there was none on the old file either.
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

    /// The file as it is on the disk, to be read before it has its name.
    ///
    /// # Errors
    /// [`Error::File`] for what the system says.
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

    /// Makes the bytes durable and puts the file in its place.
    ///
    /// # Errors
    /// [`Error::OutputExists`] if the target has come into being in the meantime and is not to be replaced;
    /// [`Error::File`] for what the system says. The target is then as it was, but for one case: where an old file was
    /// replaced, and only then the directory could not be synced, the new one is in its place, and a power cut may bring
    /// back the old one.
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
            // To close it is not enough: a process that another thread has just started holds it too, for a moment.
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

/// Gives a file that is to replace another one the same owner and group, where one may.
fn keep_owner(file: &File, old: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let differs = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid()));
        if differs {
            let _ = fchown(file, Some(old.uid()), Some(old.gid())); // only root may, and needs it
        }
    }
    #[cfg(not(unix))]
    let _ = (file, old);
}

/// A temporary file beside `target`: without a name where the system has that, else with one.
fn create_temporary(target: &Path) -> io::Result<(Option<TempPath>, File)> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // 0o666 less the umask, as for any new file. Not every file system can do this: then it gets a name.
        if Path::new(SELF_FDS).exists()
            && let Ok(file) = rustix::fs::open(directory(target), flags, Mode::from_raw_mode(0o666))
        {
            return Ok((None, File::from(file)));
        }
    }
    temporary::file(target).map(|(path, file)| (Some(path), file))
}

/// Gives a file without a name the name `target`. A name cannot be linked over another one, so to replace a file this
/// takes a temporary name first.
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
