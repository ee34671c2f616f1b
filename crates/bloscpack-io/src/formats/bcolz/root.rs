//! A directory that is a carray or a ctable.

use std::io;
use std::path::Path;

use bloscpack_format::Format;
use bloscpack_format::detect::detect_directory;

use super::carray::Carray;
use super::ctable::Ctable;
use super::local::LocalDirectory;
use crate::source::ReadDirectory;
use crate::{Error, OpenOptions};

/// A bcolz directory.
#[derive(Debug)]
pub enum Root<D> {
    /// An array.
    Carray(Carray<D>),
    /// A table.
    Ctable(Ctable<D>),
}

impl<D: ReadDirectory> Root<D> {
    /// Opens a directory: as a ctable if it has a file `__rootdirs__`, else as a carray.
    ///
    /// # Errors
    /// [`Error::NotBcolz`] if it is neither; else as [`Carray::open`] and [`Ctable::open`].
    pub fn open(dir: D) -> Result<Self, Error> {
        Root::open_with(dir, &OpenOptions::new())
    }

    /// [`Root::open`] with other options.
    ///
    /// # Errors
    /// As [`Root::open`].
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        match format_of(&dir).map_err(|error| Error::io("opening")(error).in_file(dir.name("")))? {
            Some(Format::Ctable) => Ctable::open_with(dir, options).map(Root::Ctable),
            Some(Format::Carray) => Carray::open_with(dir, options).map(Root::Carray),
            _ => Err(Error::NotBcolz { directory: dir.name("") }),
        }
    }
}

/// Detects whether a directory is a ctable or a carray.
///
/// # Errors
/// The error of the system if it is unknown whether a file exists.
pub(super) fn format_of(dir: &dyn ReadDirectory) -> io::Result<Option<Format>> {
    let mut refused = None;
    let is_file = |file: &str| match dir.open(file) {
        Ok(_) => true,
        Err(error) => {
            use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
            let is_told =
                [NotFound, NotADirectory, IsADirectory].contains(&error.kind()) || error.raw_os_error().is_none();
            refused = refused.take().or((!is_told).then_some(error));
            false
        }
    };
    let found = detect_directory(is_file);
    refused.map_or(Ok(found), Err)
}

/// Returns whether a directory on the file system is a carray or ctable.
pub(crate) fn is_bcolz(path: &Path) -> io::Result<bool> {
    format_of(&LocalDirectory::new(path)).map(|format| matches!(format, Some(Format::Ctable | Format::Carray)))
}
