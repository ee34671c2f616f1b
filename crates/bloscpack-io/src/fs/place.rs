//! The directory that an output is in.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The directory of a file.
pub(crate) fn directory(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The path that an output gets: a link is followed, and its target is made or replaced. The directory of the target must
/// exist.
pub(crate) fn resolve(target: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut resolved = target.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = fs::canonicalize(&resolved) {
            return Ok(found);
        }
        let Ok(next) = fs::read_link(&resolved) else {
            let missing = "there is no such directory for it";
            let there = fs::metadata(directory(&resolved)).is_ok_and(|found| found.is_dir());
            return if there { Ok(resolved) } else { Err(io::Error::new(io::ErrorKind::NotFound, missing)) };
        };
        resolved = directory(&resolved).join(next);
    }
    Err(io::Error::other("too many links lead to it"))
}

/// Makes the new name itself durable.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
