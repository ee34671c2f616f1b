//! The directory that an output is in, and temporary names in it.

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

/// Resolves the path of an output. A link is followed, and its target is created or replaced. The directory of the
/// target must exist.
pub(crate) fn resolve(target: &Path) -> io::Result<PathBuf> {
    /// The number of links that Linux follows.
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

/// Makes the new directory entry durable.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// The start of all temporary names.
pub(crate) const PREFIX: &str = ".blpk-";
/// The end of the name of a new file or directory, and of a replaced directory.
pub(crate) const SUFFIX: &str = ".tmp";
pub(crate) const OLD_SUFFIX: &str = ".old";

/// Returns whether a name is that of a temporary file or directory.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && [SUFFIX, OLD_SUFFIX].iter().any(|suffix| name.ends_with(suffix))
}
