//! A source that was named by a path or by a URL.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::Format;

use crate::formats::zarr;
use crate::fs::files::known_size;
use crate::source::{AnyDirectory, Input, ReadAt, Sequential};
use crate::{Error, LocalSource, OpenOptions, peek};

/// A file, or a directory with the files of a container, on this machine or at a URL.
///
/// ```no_run
/// use bloscpack_io::{AnySource, Archive, LocalSource};
/// let source = AnySource::from(LocalSource::open("measurements.b2nd")?);
/// let archive = Archive::open(source)?;
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct AnySource(Kind);

#[derive(Debug)]
enum Kind {
    Local(LocalSource),
    #[cfg(feature = "remote")]
    Remote(crate::remote_source::RemoteSource),
}

/// Calls the same method of either kind.
macro_rules! either {
    ($source:expr, $found:ident => $call:expr) => {
        match $source {
            Kind::Local($found) => $call,
            #[cfg(feature = "remote")]
            Kind::Remote($found) => $call,
        }
    };
}

impl AnySource {
    /// Returns the bytes of the file; for a directory those of the file that identifies it.
    pub fn bytes(&self) -> &dyn ReadAt {
        match &self.0 {
            Kind::Local(local) => local.file(),
            #[cfg(feature = "remote")]
            Kind::Remote(remote) => remote.file(),
        }
    }

    /// Returns whether the source is a directory.
    pub fn is_directory(&self) -> bool {
        either!(&self.0, found => found.is_directory())
    }

    /// Returns the directory, if it is a ctable or a carray that is not a column of an opened table.
    pub fn bcolz(&self) -> Option<AnyDirectory> {
        either!(&self.0, found => found.table().or(found.carray()).map(|found| Arc::new(found.clone()) as AnyDirectory))
    }

    /// Returns the directory, if it is a ctable.
    pub fn table(&self) -> Option<AnyDirectory> {
        either!(&self.0, found => found.table().map(|found| Arc::new(found.clone()) as AnyDirectory))
    }

    /// Returns the directory, if it is a carray.
    #[cfg(feature = "csv")]
    pub(crate) fn carray(&self) -> Option<AnyDirectory> {
        self.bcolz().filter(|_| self.table().is_none())
    }

    /// Returns the store of a Zarr array or group in a directory or a zip archive, and whether it is a group.
    ///
    /// # Errors
    /// [`Error::InFile`] if its metadata cannot be read.
    pub fn zarr(&self, options: &OpenOptions) -> Result<Option<(AnyDirectory, bool)>, Error> {
        let Some(store) = either!(&self.0, found => found.zarr_store(options))? else { return Ok(None) };
        let format = zarr::format_of(&store, &options.limits)?;
        Ok(format.map(|format| (store, format == Format::ZarrGroup)))
    }

    /// Returns the format, `None` for an unknown one.
    ///
    /// # Errors
    /// The error of reading the first bytes, or the metadata of Zarr.
    pub fn format(&self) -> Result<Option<Format>, Error> {
        if let Some((_, is_group)) = self.zarr(&OpenOptions::new())? {
            return Ok(Some(if is_group { Format::ZarrGroup } else { Format::ZarrArray }));
        }
        Ok(match (self.is_directory(), self.bcolz().is_some()) {
            (false, _) => peek::format_of(self.bytes()).map_err(Error::reading)?,
            (true, true) if self.table().is_some() => Some(Format::Ctable),
            (true, true) => Some(Format::Carray),
            (true, false) => Some(Format::SparseFrame),
        })
    }

    /// Returns a column of the ctable, or an array of the Zarr group. Other sources have none.
    pub(crate) fn into_column(self, name: &str, limits: &Limits) -> Result<AnySource, Error> {
        either!(self.0, found => found.into_column(name, limits).map(AnySource::from))
    }

    /// Refuses `output` if writing it would destroy the source.
    #[cfg(feature = "write")]
    pub(crate) fn refuse_as_output(&self, output: &Path) -> Result<(), Error> {
        match &self.0 {
            Kind::Local(local) => local.refuse_as_output(output),
            #[cfg(feature = "remote")]
            Kind::Remote(_) => Ok(()),
        }
    }

    /// Returns a reader of the file from start to end. Each reader has a position of its own, except those of a file
    /// whose size is unknown, such as a pipe. A file that is read over a network has several requests in flight.
    ///
    /// # Errors
    /// The error of the system.
    pub fn reader(&self) -> io::Result<Box<dyn io::Read + Send>> {
        match &self.0 {
            Kind::Local(local) => {
                let file = local.file().try_clone()?;
                let Some(_) = known_size(&file) else { return Ok(Box::new(file)) };
                // All handles of a file share one position, so the reader keeps its own.
                let len = file.len()?;
                Ok(Box::new(Sequential::within(file, 0, len)))
            }
            #[cfg(feature = "remote")]
            Kind::Remote(remote) => Ok(Box::new(remote.file().reader())),
        }
    }
}

#[cfg(feature = "remote")]
impl crate::Remote {
    /// Opens a file or a directory, or a column of a ctable that the options name. A URL that ends with `/`, or that
    /// is no file, is tried as a directory.
    ///
    /// # Errors
    /// [`Error::InFile`] with the URL, and for columns as [`LocalSource::open_with`](crate::LocalSource::open_with).
    pub fn open_source(&self, url: &crate::RemoteUrl, options: &crate::OpenOptions) -> Result<AnySource, Error> {
        let source = crate::remote_source::RemoteSource::open(self, url)?;
        match &options.column {
            Some(column) => source.into_column(column, &options.limits).map(AnySource::from),
            None => Ok(source.into()),
        }
    }
}

impl From<LocalSource> for AnySource {
    fn from(source: LocalSource) -> Self {
        AnySource(Kind::Local(source))
    }
}

impl From<File> for AnySource {
    fn from(file: File) -> Self {
        LocalSource::from(file).into()
    }
}

#[cfg(feature = "remote")]
impl From<crate::remote_source::RemoteSource> for AnySource {
    fn from(source: crate::remote_source::RemoteSource) -> Self {
        AnySource(Kind::Remote(source))
    }
}

impl From<AnySource> for Input<'_> {
    fn from(source: AnySource) -> Self {
        either!(source.0, found => found.into())
    }
}

impl<'a> From<&'a AnySource> for Input<'a> {
    fn from(source: &'a AnySource) -> Self {
        either!(&source.0, found => found.into())
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use std::io::{Read as _, Seek as _, Write as _};

    use super::*;

    #[test]
    fn readers_have_positions_of_their_own() {
        let content: Vec<u8> = (0..150_000_u32).map(|at| (at % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        file.seek(io::SeekFrom::Start(7)).unwrap();
        let source = AnySource::from(file);
        let (mut first, mut second) = (source.reader().unwrap(), source.reader().unwrap());
        let (mut start, mut found) = (vec![0; 1000], Vec::new());
        first.read_exact(&mut start).unwrap();
        second.read_to_end(&mut found).unwrap();
        first.read_to_end(&mut start).unwrap();
        assert!(found == content && start == content);
    }

    /// A pipe has no other position than its own.
    #[test]
    #[cfg(unix)]
    fn a_pipe_is_read_once() {
        let (pipe, mut end) = io::pipe().unwrap();
        end.write_all(b"content").unwrap();
        drop(end);
        let source = AnySource::from(File::from(std::os::fd::OwnedFd::from(pipe)));
        let mut found = Vec::new();
        source.reader().unwrap().read_to_end(&mut found).unwrap();
        assert_eq!(found, b"content");
    }
}
