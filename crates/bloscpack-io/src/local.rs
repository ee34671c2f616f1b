//! What stands at a path: a file, or the directory of a sparse frame or a carray.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::bcolz::{ROOTDIRS_FILE, SIZES_FILE, STORAGE_FILE};
use bloscpack_format::detect::detect_directory;
use bloscpack_format::frame::sframe;

use crate::Error;
use crate::bcolz::{self, Directory, LocalDirectory};
use crate::fs::files::open_regular;
use crate::source::{ChunkFiles, ReadAt};

/// A file, or a directory with the files of a sparse frame or of a bcolz carray, as a source.
///
/// The path may be a link. The files of a sparse frame may not: they are regular files, as every writer makes them, and
/// anything else in their place is refused, for a pipe may have no writer, a device no end, and a link leads anywhere.
///
/// ```no_run
/// use bloscpack_io::{Archive, LocalSource};
/// let archive = Archive::open(LocalSource::open("measurements.b2frame")?)?;
/// println!("{} chunks", archive.nchunks());
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct LocalSource {
    /// The file; of a sparse frame that with header and index, of a carray `meta/storage`, or else `meta/sizes`.
    file: File,
    /// The directory of a sparse frame.
    directory: Option<PathBuf>,
    carray: Option<Carray>,
    /// Where a file is, if it was opened by its name.
    path: Option<PathBuf>,
}

/// The directory of a carray, and that of the table that it is a column of.
#[derive(Debug)]
enum Carray {
    Alone(LocalDirectory),
    Column(bcolz::ColumnDirectory<LocalDirectory>, PathBuf),
}

impl LocalSource {
    /// Opens a file, or what a directory is told by.
    ///
    /// # Errors
    /// [`Error::File`] for what the system says, also for a directory that is neither; [`Error::Unsupported`] for a ctable,
    /// of which [`LocalSource::open_column`] opens the columns.
    pub fn open(path: impl AsRef<Path>) -> Result<LocalSource, Error> {
        Self::open_path(path.as_ref())
    }

    fn open_path(path: &Path) -> Result<LocalSource, Error> {
        let refuse = |error| Error::file("opening", path, error);
        if !path.is_dir() {
            let file = File::open(path).map_err(refuse)?;
            return Ok(LocalSource { path: Some(path.to_owned()), ..LocalSource::from(file) });
        }
        let is_file = |name: &str| path.join(name).is_file();
        match detect_directory(is_file) {
            None => Err(refuse(io::ErrorKind::IsADirectory.into())),
            Some(Format::SparseFrame) => {
                let index = path.join(sframe::INDEX_FILE);
                let file = open_regular(&index).map_err(|error| Error::file("opening", &index, error))?;
                Ok(LocalSource { directory: Some(path.to_owned()), ..LocalSource::from(file) })
            }
            Some(Format::Carray) => {
                let name = [STORAGE_FILE, SIZES_FILE].into_iter().find(|name| is_file(name)).unwrap_or(STORAGE_FILE);
                let file = File::open(path.join(name)).map_err(refuse)?;
                let carray = Carray::Alone(LocalDirectory::open(path)?);
                Ok(LocalSource { carray: Some(carray), ..LocalSource::from(file) })
            }
            Some(format) => Err(Error::Unsupported { format }),
        }
    }

    /// Opens a column of the ctable in a directory, as it is when a change is done that was interrupted. No other column is
    /// looked at.
    ///
    /// # Errors
    /// [`Error::NotBcolz`] if there is no ctable; [`Error::NoSuchColumn`]; [`Error::InFile`] if the list of its columns is
    /// damaged; [`Error::File`].
    pub fn open_column(path: impl AsRef<Path>, name: &str) -> Result<LocalSource, Error> {
        LocalSource::open_column_with_limits(path.as_ref(), name, &Limits::new())
    }

    /// [`LocalSource::open_column`] within other limits of what is read to find the column.
    ///
    /// # Errors
    /// As [`LocalSource::open_column`]; [`Error::Limit`] within.
    pub fn open_column_with_limits(path: impl AsRef<Path>, name: &str, limits: &Limits) -> Result<LocalSource, Error> {
        fn inner(path: &Path, name: &str, limits: &Limits) -> Result<LocalSource, Error> {
            let table = LocalDirectory::open(path)?;
            if !path.join(ROOTDIRS_FILE).is_file() {
                return Err(Error::NotBcolz { directory: path.display().to_string() });
            }
            let column = bcolz::column_directory(table, name, limits)?;
            // Only to tell whether an output is the same file.
            let file = path.join(ROOTDIRS_FILE);
            let file = File::open(&file).map_err(|error| Error::file("opening", &file, error))?;
            Ok(LocalSource { carray: Some(Carray::Column(column, path.to_owned())), ..LocalSource::from(file) })
        }
        inner(path.as_ref(), name, limits)
    }

    /// The file; of a sparse frame its `chunks.b2frame`, of a carray its `meta/storage`.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file alone.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Bytes that are stored: of the file, and of the chunk files beside it.
    pub(crate) fn stored(&self) -> io::Result<u64> {
        let mut stored = self.file.len()?;
        let Some(directory) = &self.directory else { return Ok(stored) };
        for entry in std::fs::read_dir(directory)? {
            stored = stored.saturating_add(entry?.metadata()?.len());
        }
        Ok(stored)
    }

    /// Refuses `output` if it is what is read here, in it, or a directory that it is in: writing would destroy it.
    pub(crate) fn refuse_as_output(&self, output: &Path) -> Result<(), Error> {
        crate::fs::files::refuse_same_file(&self.file, output)?;
        let carray = self.carray.as_ref().map(|carray| match carray {
            Carray::Alone(directory) => directory.root(),
            Carray::Column(_, table) => table,
        });
        let input = self.directory.as_deref().or(carray).or(self.path.as_deref());
        input.map_or(Ok(()), |input| crate::fs::files::refuse_within(input, output))
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.directory.is_some() || self.carray.is_some()
    }
}

impl ReadAt for LocalSource {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buf)
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.directory.is_some().then_some(self)
    }

    fn directory(&self) -> Option<&dyn Directory> {
        Some(match self.carray.as_ref()? {
            Carray::Alone(directory) => directory as &dyn Directory,
            Carray::Column(directory, _) => directory,
        })
    }
}

impl ChunkFiles for LocalSource {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        let directory = self.directory.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(open_regular(&directory.join(sframe::chunk_file_name(number)))?))
    }
}

/// An open file as a source, as of what came through a pipe.
impl From<File> for LocalSource {
    fn from(file: File) -> LocalSource {
        LocalSource { file, directory: None, carray: None, path: None }
    }
}
