//! Directories of files that can be read: those of bcolz, and sparse frames.

use std::sync::Arc;
use std::{fmt, io};

use super::ReadAt;

/// The files below a root. Paths are relative to it, with `/` between names: `meta/sizes`, `data/__0.blp`.
///
/// A name that was read from a file becomes part of a path only after a check. An implementation must still refuse
/// paths that lead out of the root.
pub trait ReadDirectory: Send + Sync {
    /// Opens a regular file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; otherwise the error of the system.
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>>;

    /// Lists the names in a directory, in any order. The root is the empty path.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; otherwise the error of the system.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;

    /// Lists the names in a directory as [`list`](Self::list), with the sizes of files if the list has them.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn list_sizes(&self, path: &str) -> io::Result<Vec<(String, Option<u64>)>> {
        Ok(self.list(path)?.into_iter().map(|name| (name, None)).collect())
    }

    /// The name of a file in messages.
    fn name(&self, path: &str) -> String {
        shown(path)
    }

    /// As [`ReadAt::request_cost`]. `None` for local directories.
    fn request_cost(&self) -> Option<usize> {
        None
    }

    /// Returns the offset of the bytes of a file in the archive that this directory is. `None` for a directory whose
    /// files are separate files.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the archive does not hold the bytes as they are; as [`open`](Self::open).
    fn offset_in_archive(&self, _path: &str) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// A directory of any kind.
pub type AnyDirectory = Arc<dyn ReadDirectory>;

impl fmt::Debug for dyn ReadDirectory + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "directory {:?}", self.name(""))
    }
}

/// A path as it appears in messages. The name of a column may contain control characters, which a terminal would obey.
pub(crate) fn shown(path: &str) -> String {
    let quoted = format!("{path:?}");
    quoted.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(&quoted).into()
}

macro_rules! forward {
    ($($directory:ty),*) => {$(
        impl<D: ReadDirectory + ?Sized> ReadDirectory for $directory {
            fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
                (**self).open(path)
            }

            fn list(&self, path: &str) -> io::Result<Vec<String>> {
                (**self).list(path)
            }

            fn list_sizes(&self, path: &str) -> io::Result<Vec<(String, Option<u64>)>> {
                (**self).list_sizes(path)
            }

            fn name(&self, path: &str) -> String {
                (**self).name(path)
            }

            fn request_cost(&self) -> Option<usize> {
                (**self).request_cost()
            }

            fn offset_in_archive(&self, path: &str) -> io::Result<Option<u64>> {
                (**self).offset_in_archive(path)
            }
        }
    )*};
}

forward!(&D, Arc<D>, Box<D>);
