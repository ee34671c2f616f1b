//! The store that values are put into, and the local directory as one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use super::contents::holds_only_zarr;
use crate::Error;
use crate::fs::new_directory::NewDirectory;
use crate::fs::path::sync_directory;

/// A new store of keys and values, which readers see when it is finished. Keys are paths with `/` between names.
pub(crate) trait KeyStore: Sync {
    /// Stores a value. Several threads may put different keys at once.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), Error>;

    /// Stores the metadata, in this order, after all other values, and makes the store visible.
    fn finish(self, metadata: &[(String, Vec<u8>)]) -> Result<(), Error>;
}

/// A directory under construction next to its target.
pub(crate) struct NewStore {
    directory: NewDirectory,
}

impl NewStore {
    /// Creates a temporary directory that becomes `target`. With `overwrite`, it replaces a Zarr array or group.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`].
    pub(crate) fn create(target: &Path, overwrite: bool) -> Result<NewStore, Error> {
        Ok(NewStore { directory: NewDirectory::create(target, overwrite, holds_only_zarr)? })
    }
}

impl KeyStore for NewStore {
    fn put(&self, key: &str, value: &[u8]) -> Result<(), Error> {
        let path = self.directory.path().join(key);
        write(&path, value).map_err(|error| Error::file("writing", &path, error))
    }

    fn finish(self, metadata: &[(String, Vec<u8>)]) -> Result<(), Error> {
        metadata.iter().try_for_each(|(key, value)| self.put(key, value))?;
        sync(self.directory.path())?;
        self.directory.commit()
    }
}

/// Creates a file, and the directories that lead to it if they do not exist.
fn write(path: &Path, value: &[u8]) -> io::Result<()> {
    let mut file = match (File::create(path), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(parent)?;
            File::create(path)?
        }
        (created, _) => created?,
    };
    file.write_all(value)?;
    start_writing(&file);
    Ok(())
}

/// Waits until all files below a directory, and their names, are durable.
fn sync(directory: &Path) -> Result<(), Error> {
    let syncing = |error| Error::file("syncing", directory, error);
    for entry in fs::read_dir(directory).map_err(syncing)? {
        let entry = entry.map_err(syncing)?;
        let path = entry.path();
        if entry.file_type().map_err(syncing)?.is_dir() {
            sync(&path)?;
            continue;
        }
        // Windows syncs only files that are open for writing.
        let synced = File::options().write(true).open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| Error::file("syncing", &path, error))?;
    }
    sync_directory(directory).map_err(syncing)
}

/// Asks the system to start writing a file to the disk, so that syncing all files later waits less. Best effort.
fn start_writing(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Advice, fadvise};
        let _ = fadvise(file, 0, None, Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}
