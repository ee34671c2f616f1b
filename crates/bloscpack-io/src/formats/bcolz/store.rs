//! The storage of a bcolz directory: the operations for reading and for crash-safe writing.
//!
//! Paths are those of the format, relative to the root and with `/` between names: `meta/sizes`, `data/__0.blp`,
//! `close/meta/sizes`. A name that was read from a file is used in a path only after
//! [`check_name`](bloscpack_format::bcolz::check_name). Implementations must still refuse paths that lead out of the
//! root.

use std::io;
use std::sync::Arc;

use blosc_core::{Limits, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ATTRS_FILE, Attrs};

use crate::Error;
use crate::fs::lock::Lock;
use crate::source::{ReadAt, ReadDirectory};

/// The files and directories below a root. After a crash, synced data remain, and any later operations may be lost or
/// present. [`sync_file`](Self::sync_file) makes the bytes of a file durable, [`sync_dir`](Self::sync_dir) the names in
/// a directory.
///
/// All methods take a shared reference, so that the columns of a table can share one directory. They do not synchronise
/// concurrent writers.
pub trait Directory: ReadDirectory {
    /// Creates or replaces a file with these bytes. Neither atomic nor durable.
    ///
    /// # Errors
    /// The error of the system.
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the bytes of a file are durable. Its name may not be durable yet.
    ///
    /// # Errors
    /// The error of the system.
    fn sync_file(&self, path: &str) -> io::Result<()>;

    /// Renames a file or directory atomically. An existing file of the new name is replaced. The renamed file takes
    /// over its permissions, if the storage has permissions.
    ///
    /// # Errors
    /// The error of the system.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. A missing file is not an error.
    ///
    /// # Errors
    /// The error of the system.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Creates a directory. For the root, its parent directories must exist. An existing directory is not an error.
    ///
    /// # Errors
    /// The error of the system.
    fn create_dir(&self, path: &str) -> io::Result<()>;

    /// Removes a directory with its content. A missing directory is not an error.
    ///
    /// # Errors
    /// The error of the system.
    fn remove_dir(&self, path: &str) -> io::Result<()>;

    /// Waits until the names in a directory are durable.
    ///
    /// # Errors
    /// The error of the system.
    fn sync_dir(&self, path: &str) -> io::Result<()>;

    /// Locks a directory against other writers until the returned lock is dropped. Storage that only one writer can
    /// access needs no locks.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if another writer holds the lock; else the error of the system.
    fn lock(&self, _path: &str) -> io::Result<Lock> {
        Ok(Lock::default())
    }
}

/// Reads a small file completely: a metadata file, or one that may be `times` as large.
///
/// # Errors
/// [`Error::Limit`]; else [`Error::Io`] as [`Directory::open`].
pub(crate) fn read_small(
    dir: &(impl ReadDirectory + ?Sized),
    path: &str,
    limits: &Limits,
    times: usize,
) -> Result<Vec<u8>, Error> {
    let reading = Error::io("reading");
    let file = dir.open(path).map_err(&reading)?;
    let len = file.len().map_err(&reading)?;
    limits.check_metadata(len, times)?;
    // The allocation is bounded by the size of the file and by the limits.
    let mut bytes = memory::zeroed(len as usize)?;
    file.read_exact_at(0, &mut bytes).map_err(&reading)?;
    Ok(bytes)
}

/// Reads and parses a metadata file.
pub(crate) fn read_meta<T>(
    dir: &dyn ReadDirectory,
    path: &str,
    (limits, times): (&Limits, usize),
    parse: impl FnOnce(&[u8]) -> Result<T, FormatError>,
) -> Result<T, Error> {
    let bytes = read_small(dir, path, limits, times);
    bytes.and_then(|bytes| Ok(parse(&bytes)?)).map_err(|error| error.in_file(dir.name(path)))
}

/// Reads the attributes in a directory. Empty if there is no such file.
pub(crate) fn read_attrs(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Attrs, Error> {
    match read_meta(dir, ATTRS_FILE, (limits, ATTRS_TIMES), Attrs::parse) {
        Err(error) if error.is_not_found() => Ok(Attrs::default()),
        attrs => attrs,
    }
}

/// Size limit of attributes, as a multiple of that of other metadata.
pub(crate) const ATTRS_TIMES: usize = 4;
/// Size limit of a journal, as a multiple of that of other metadata.
pub(crate) const JOURNAL_TIMES: usize = 16;

macro_rules! forward {
    ($($directory:ty),*; $(fn $method:ident(&self, $($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        forward!(@ [$($directory),*] { $(fn $method(&self, $($argument: $type),*) -> $result {
            (**self).$method($($argument),*)
        })* });
    };
    (@ [$($directory:ty),*] $methods:tt) => { $(forward!(! $directory, $methods);)* };
    (! $directory:ty, { $($method:item)* }) => {
        impl<D: Directory + ?Sized> Directory for $directory { $($method)* }
    };
}

forward! {
    &D, Arc<D>, Box<D>;
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
    fn sync_file(&self, path: &str) -> io::Result<()>;
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    fn remove_file(&self, path: &str) -> io::Result<()>;
    fn create_dir(&self, path: &str) -> io::Result<()>;
    fn remove_dir(&self, path: &str) -> io::Result<()>;
    fn sync_dir(&self, path: &str) -> io::Result<()>;
    fn lock(&self, path: &str) -> io::Result<Lock>;
}

/// A subdirectory as a root of its own: a column of a table.
#[derive(Debug, Clone)]
pub struct Below<D> {
    dir: D,
    at: String,
}

impl<D> Below<D> {
    /// Returns the subdirectory `at` of `dir`.
    pub fn new(dir: D, at: &str) -> Self {
        Below { dir, at: at.into() }
    }

    fn path(&self, path: &str) -> String {
        if path.is_empty() { self.at.clone() } else { format!("{}/{path}", self.at) }
    }
}

impl<D: ReadDirectory> ReadDirectory for Below<D> {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        self.dir.open(&self.path(path))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.dir.list(&self.path(path))
    }

    fn list_sizes(&self, path: &str) -> io::Result<Vec<(String, Option<u64>)>> {
        self.dir.list_sizes(&self.path(path))
    }

    fn name(&self, path: &str) -> String {
        self.dir.name(&self.path(path))
    }

    fn request_cost(&self) -> Option<usize> {
        self.dir.request_cost()
    }

    fn offset_in_archive(&self, path: &str) -> io::Result<Option<u64>> {
        self.dir.offset_in_archive(&self.path(path))
    }
}

impl<D: Directory> Directory for Below<D> {
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.dir.create(&self.path(path), bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.dir.sync_file(&self.path(path))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.dir.rename(&self.path(from), &self.path(to))
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.dir.remove_file(&self.path(path))
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.dir.create_dir(&self.path(path))
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.dir.remove_dir(&self.path(path))
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        self.dir.sync_dir(&self.path(path))
    }

    fn lock(&self, path: &str) -> io::Result<Lock> {
        self.dir.lock(&self.path(path))
    }
}
