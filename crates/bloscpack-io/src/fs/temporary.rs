//! Temporary output files: naming, locking, and cleanup after a crash.
//!
//! The name is derived from the target's name, so that the next run for the same target finds the leftovers of a killed
//! process. A live process holds an advisory lock on its temporary file. A temporary file that can be locked is stale
//! and is deleted. On file systems without locks it is unknown whether a file is stale, and it stays.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

#[cfg(unix)]
use crate::fs::files::is_same_file;
#[cfg(unix)]
use crate::fs::lock::{Attempt, attempt};
use crate::fs::path::{PREFIX, SUFFIX, directory};

/// The number of processes that can write the same target at a time under predictable names. Further ones use random
/// names.
#[cfg(unix)]
const SLOTS: u32 = 8;

/// Creates a temporary file next to `target`. The file must be dropped after its name.
pub(crate) fn file(target: &Path) -> io::Result<(TempPath, File)> {
    #[cfg(unix)]
    {
        let create = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        let remove = |path: &Path| fs::remove_file(path);
        if let Some((path, file)) = claim(target, create, remove)? {
            return Ok((TempPath::try_from_path(path)?, file));
        }
    }
    let builder = by_chance();
    #[cfg(unix)]
    let builder = {
        let mut builder = builder;
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder
    };
    let (file, path) = builder.tempfile_in(directory(target))?.into_parts();
    Ok((path, file))
}

/// Gives an open file a temporary name next to `target`, by `link`.
#[cfg(target_os = "linux")]
pub(crate) fn name(file: &File, target: &Path, link: impl Fn(&Path) -> io::Result<()>) -> io::Result<TempPath> {
    // The file must be locked before it becomes visible.
    let is_locked = attempt(file)? == Attempt::Locked;
    for slot in (0..SLOTS).filter(|_| is_locked) {
        let path = slot_of(target, slot);
        match link(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked.and_then(|()| TempPath::try_from_path(path)),
        }
    }
    Ok(by_chance().make_in(directory(target), link)?.into_temp_path())
}

/// A temporary directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct TemporaryDirectory {
    path: PathBuf,
    /// Whether the caller has taken over the directory.
    kept: bool,
    /// The lock, if the system has locks.
    lock: Option<File>,
}

impl TemporaryDirectory {
    /// Creates a directory next to `target`.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        {
            let create = |path: &Path| {
                fs::create_dir(path)?;
                File::open(path).inspect_err(|_| drop(fs::remove_dir(path)))
            };
            let remove = |path: &Path| fs::remove_dir(path);
            if let Some((path, lock)) = claim(target, create, remove)? {
                return Ok(TemporaryDirectory { path, kept: false, lock: Some(lock) });
            }
        }
        let made = by_chance().make_in(directory(target), |path| fs::create_dir(path))?;
        let path = made.into_temp_path().keep().map_err(|error| error.error)?;
        Ok(TemporaryDirectory { path, kept: false, lock: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the directory, which has been given another name.
    pub(crate) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if !self.kept && fs::remove_dir_all(&self.path).is_err() {
            // A second attempt may succeed. If it fails, the next run finds the directory.
            let _ = fs::remove_dir_all(&self.path);
        }
        // Closing is not enough: a process that another thread has just started also holds the file until it runs its
        // program.
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

/// Removes the leftovers of killed processes next to `target`.
pub(crate) fn remove_leftovers(target: &Path) {
    #[cfg(unix)]
    for slot in 0..SLOTS {
        remove_if_dead(&slot_of(target, slot));
    }
    #[cfg(not(unix))]
    let _ = target;
}

fn by_chance() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    builder
}

/// Returns a temporary name that predictably belongs to the target. It contains a digest of the target's name, because
/// the name itself may be too long for anything to be added.
#[cfg(unix)]
fn slot_of(target: &Path, slot: u32) -> PathBuf {
    use bloscpack_format::checksum::Checksum;
    let name = target.file_name().unwrap_or_default();
    let digest = Checksum::Crc32.digest(name.as_encoded_bytes());
    let digest: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    directory(target).join(format!("{PREFIX}{digest}-{slot}{SUFFIX}"))
}

/// Creates a file or directory under the first free name and locks it. Returns `None` if no name is free or there are
/// no locks.
#[cfg(unix)]
fn claim(
    target: &Path,
    create: impl Fn(&Path) -> io::Result<File>,
    remove: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<Option<(PathBuf, File)>> {
    for slot in 0..SLOTS {
        let path = slot_of(target, slot);
        let made = match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        };
        match attempt(&made) {
            // Before the lock was taken, another process may have taken this file for a leftover and removed it, or be
            // about to.
            Ok(Attempt::Locked) if is_same_file(&made, &path).unwrap_or(false) => {
                return Ok(Some((path, made)));
            }
            Ok(Attempt::Locked | Attempt::Taken) => {}
            Ok(Attempt::Unavailable) => {
                remove(&path)?;
                return Ok(None);
            }
            Err(error) => {
                let _ = remove(&path);
                return Err(error);
            }
        }
    }
    Ok(None)
}

/// Removes a file or directory that no process has locked.
#[cfg(unix)]
fn remove_if_dead(path: &Path) {
    use rustix::fs::{Mode, OFlags};
    // Only this crate creates such names, unless it is a link or a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()).map(File::from) else { return };
    let Ok(found) = file.metadata() else { return };
    let is_dead = matches!(attempt(&file), Ok(Attempt::Locked));
    if is_dead && is_same_file(&file, path).unwrap_or(false) {
        // If it cannot be removed, another name is used.
        let _ = match found.is_dir() {
            true => fs::remove_dir_all(path),
            false if found.is_file() => fs::remove_file(path),
            false => Ok(()),
        };
    }
}
