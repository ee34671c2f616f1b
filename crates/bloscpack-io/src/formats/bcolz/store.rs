//! Where the files of a bcolz directory are: what reading and crash-safe writing need of such a place.
//!
//! Paths are those of the format, below the root and with `/` between names: `meta/sizes`, `data/__0.blp`, `close/meta/sizes`.
//! A name that was read from a file goes into a path only after [`check_name`](bloscpack_format::bcolz::check_name); an
//! implementation refuses what would lead out of the root all the same.

use std::io;
use std::sync::Arc;

use blosc_core::{Limits, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ATTRS_FILE, Attrs};

use crate::Error;
use crate::fs::lock::Lock;
use crate::source::{ReadAt, ReadDirectory};

/// The files and directories below a root. What survives a crash is what was synced, and any of what was done since: the
/// bytes of a file by [`sync_file`](Self::sync_file), the names in a directory by [`sync_dir`](Self::sync_dir).
///
/// Everything works through a shared reference, so that the columns of a table can share one place. Two writers are not
/// kept apart.
pub trait Directory: ReadDirectory {
    /// Makes a file of these bytes, or makes it anew: not in one step, and not durable.
    ///
    /// # Errors
    /// What the system says.
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the bytes of a file are on the disk. Its name may not be yet.
    ///
    /// # Errors
    /// What the system says.
    fn sync_file(&self, path: &str) -> io::Result<()>;

    /// Gives a file or directory another name, in one step; a file that has it goes, and leaves it its permissions, where
    /// there are any.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. It is no error if there is none.
    ///
    /// # Errors
    /// What the system says.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Makes a directory; of the root, its own parents have to be there. It is no error if it is there already.
    ///
    /// # Errors
    /// What the system says.
    fn create_dir(&self, path: &str) -> io::Result<()>;

    /// Removes a directory with all that is in it. It is no error if there is none.
    ///
    /// # Errors
    /// What the system says.
    fn remove_dir(&self, path: &str) -> io::Result<()>;

    /// Waits until the names in a directory are on the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync_dir(&self, path: &str) -> io::Result<()>;

    /// Keeps other writers away from a directory until what this returns is dropped. Places that only one writer can get
    /// at have no locks.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if somebody else has it; else what the system says.
    fn lock(&self, _path: &str) -> io::Result<Lock> {
        Ok(Lock::default())
    }
}

/// All of a small file: of metadata, or `times` as large as others are.
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
    // As many as there are, and the limits allow.
    let mut bytes = memory::zeroed(len as usize)?;
    file.read_exact_at(0, &mut bytes).map_err(&reading)?;
    Ok(bytes)
}

/// A file of metadata.
pub(crate) fn read_meta<T>(
    dir: &dyn ReadDirectory,
    path: &str,
    (limits, times): (&Limits, usize),
    parse: impl FnOnce(&[u8]) -> Result<T, FormatError>,
) -> Result<T, Error> {
    let bytes = read_small(dir, path, limits, times);
    bytes.and_then(|bytes| Ok(parse(&bytes)?)).map_err(|error| error.in_file(dir.name(path)))
}

/// The attributes in a directory: none if there is no such file.
pub(crate) fn read_attrs(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Attrs, Error> {
    match read_meta(dir, ATTRS_FILE, (limits, ATTRS_TIMES), Attrs::parse) {
        Err(error) if error.is_not_found() => Ok(Attrs::default()),
        attrs => attrs,
    }
}

/// Attributes may be so many times as large as other metadata.
pub(crate) const ATTRS_TIMES: usize = 4;
/// A change that is pending may say so many times as much.
pub(crate) const PENDING_TIMES: usize = 16;

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

/// A directory below another one as a root of its own: a column of a table.
#[derive(Debug, Clone)]
pub struct Below<D> {
    dir: D,
    at: String,
}

impl<D> Below<D> {
    /// What is in the directory `at` of `dir`.
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

    fn name(&self, path: &str) -> String {
        self.dir.name(&self.path(path))
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
