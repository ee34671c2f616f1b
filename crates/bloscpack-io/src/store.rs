//! Stores of named objects: where the files of a directory go, one after the other or several at once.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A store of objects with names, such as a directory or a prefix in an object store. Names have `/` between their
/// parts, as in `c/0/1`.
pub trait Store: Send + Sync {
    /// Writes an object. A reader sees all of it or nothing.
    ///
    /// # Errors
    /// The error of the system or the network.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
}

/// A directory of the file system as a store. Objects replace files of the same name.
#[derive(Debug, Clone)]
pub struct LocalStore(PathBuf);

impl LocalStore {
    /// Returns the store in an existing directory.
    #[must_use]
    pub fn new(root: impl AsRef<Path>) -> Self {
        LocalStore(root.as_ref().to_owned())
    }
}

impl Store for LocalStore {
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', '\0']);
        if !name.split('/').all(is_name) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the name leads out of the directory"));
        }
        let path = self.0.join(name);
        let directory = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(directory)?;
        let (_, partial) =
            path.file_name().map_or_else(Default::default, |name| (name, name.to_string_lossy().into_owned()));
        let partial = directory.join(format!(".{partial}.partial"));
        let written = File::create(&partial).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        let placed = written.and_then(|()| fs::rename(&partial, &path));
        if placed.is_err() {
            let _ = fs::remove_file(&partial);
        }
        placed
    }
}
