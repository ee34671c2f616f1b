//! Sources on the file system: a file, or the directory of a sparse frame, a carray, a ctable, or of Zarr.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::bcolz::{ROOTDIRS_FILE, SIZES_FILE, STORAGE_FILE};
use bloscpack_format::detect::detect_directory;
use bloscpack_format::frame::sframe;

use crate::formats::bcolz::{self, ColumnDirectory, LocalDirectory};
use crate::formats::frame::ChunkDirectory;
use crate::formats::zarr::{LocalZarr, ZipDirectory};
use crate::fs::files::open_regular;
use crate::source::{AnyDirectory, ChunkFiles, Input, InputKind, ReadAt, ReadDirectory as _};
use crate::{Error, OpenOptions};

/// A file, or a directory with the files of a sparse frame, of a bcolz carray or ctable, or of a Zarr array or group,
/// as a source.
///
/// [`convert`](crate::convert) accepts all of them. [`Archive::open`](crate::Archive::open) refuses a ctable, because
/// only its columns are containers. It refuses a Zarr group for the same reason.
///
/// The path may be a link. The files of a sparse frame must be regular files, as every writer creates them. Others are
/// refused: a pipe may have no writer, a device may have no end, and a link can lead anywhere.
///
/// ```no_run
/// use bloscpack_io::{Archive, LocalSource};
/// let archive = Archive::open(LocalSource::open("measurements.b2frame")?)?;
/// println!("{} chunks", archive.nchunks());
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct LocalSource {
    /// The file itself; for a directory the file that identifies it. This is `chunks.b2frame` of a sparse frame,
    /// `meta/storage` of a carray (or else `meta/sizes`), `__rootdirs__` of a ctable, and `zarr.json`, `.zarray` or
    /// `.zgroup` of Zarr.
    file: File,
    kind: LocalKind,
}

#[derive(Debug)]
enum LocalKind {
    /// A file, and its path if it was opened by path.
    File(Option<PathBuf>),
    SparseFrame(ChunkDirectory),
    Carray(LocalDirectory),
    Table(LocalDirectory),
    /// A Zarr array or group in a directory, or an array in a group.
    Zarr(LocalZarr),
    /// A column, and the directory of its table.
    Column(ColumnDirectory<LocalDirectory>, PathBuf),
}

impl LocalSource {
    /// Opens a file, or a directory by the file that identifies it.
    ///
    /// # Errors
    /// [`Error::File`] for errors of the system, and for a directory that is none of these containers.
    pub fn open(path: impl AsRef<Path>) -> Result<LocalSource, Error> {
        Self::open_path(path.as_ref())
    }

    fn open_path(path: &Path) -> Result<LocalSource, Error> {
        let refuse = |error| Error::file("opening", path, error);
        if !path.is_dir() {
            let file = File::open(path).map_err(refuse)?;
            return Ok(LocalSource { file, kind: LocalKind::File(Some(path.to_owned())) });
        }
        let is_file = |name: &str| path.join(name).is_file();
        match detect_directory(is_file) {
            None => Err(refuse(io::ErrorKind::IsADirectory.into())),
            Some(Format::SparseFrame) => {
                let index = path.join(sframe::INDEX_FILE);
                let file = open_regular(&index).map_err(|error| Error::file("opening", &index, error))?;
                Ok(LocalSource { file, kind: LocalKind::SparseFrame(ChunkDirectory::new(path)) })
            }
            Some(Format::Carray) => {
                let name = [STORAGE_FILE, SIZES_FILE].into_iter().find(|name| is_file(name)).unwrap_or(STORAGE_FILE);
                let file = File::open(path.join(name)).map_err(refuse)?;
                Ok(LocalSource { file, kind: LocalKind::Carray(LocalDirectory::open(path)?) })
            }
            Some(Format::Ctable) => {
                let table = LocalDirectory::open(path)?;
                let refuse = |error| Error::io("reading")(error).in_file(table.name(ROOTDIRS_FILE));
                let file = File::open(path.join(ROOTDIRS_FILE)).map_err(refuse)?;
                Ok(LocalSource { file, kind: LocalKind::Table(table) })
            }
            Some(Format::ZarrArray | Format::ZarrGroup) => {
                let (file, zarr) = LocalZarr::open(path)?;
                Ok(LocalSource { file, kind: LocalKind::Zarr(zarr) })
            }
            Some(format) => Err(Error::Unsupported { format }),
        }
    }

    /// Opens a source like [`LocalSource::open`], with options. If they name a column of a ctable, the source is that
    /// column, with any interrupted change applied. Other columns are not examined. For a Zarr group, in a directory or
    /// a zip archive, the name is the path of an array in it.
    ///
    /// # Errors
    /// As [`LocalSource::open`]. With a column, also [`Error::NotBcolz`] if the path is not a ctable or Zarr,
    /// [`Error::NoSuchColumn`], and [`Error::InFile`] if the list of columns is damaged or over the limits.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<LocalSource, Error> {
        match &options.column {
            Some(column) => LocalSource::open_column(path.as_ref(), column, options),
            None => LocalSource::open_path(path.as_ref()),
        }
    }

    fn open_column(path: &Path, name: &str, options: &OpenOptions) -> Result<LocalSource, Error> {
        if !path.join(ROOTDIRS_FILE).is_file() {
            if let Some((file, zarr)) = LocalZarr::open_member(path, name, options)? {
                return Ok(LocalSource { file, kind: LocalKind::Zarr(zarr) });
            }
            return Err(Error::NotBcolz { directory: path.display().to_string() });
        }
        let table = LocalDirectory::open(path)?;
        let column = bcolz::column_directory(table, name, &options.limits)?;
        // Only used to check whether an output is the same file.
        let file = path.join(ROOTDIRS_FILE);
        let file = File::open(&file).map_err(|error| Error::file("opening", &file, error))?;
        Ok(LocalSource { file, kind: LocalKind::Column(column, path.to_owned()) })
    }

    /// The file; for a directory `chunks.b2frame` of a sparse frame, `meta/storage` of a carray, `__rootdirs__` of a
    /// ctable.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the file alone.
    pub fn into_file(self) -> File {
        self.file
    }

    /// The number of stored bytes of a frame, in the file and in the chunk files next to it.
    pub(crate) fn stored(&self) -> io::Result<u64> {
        let mut stored = self.file.len()?;
        let LocalKind::SparseFrame(directory) = &self.kind else { return Ok(stored) };
        for entry in std::fs::read_dir(directory.path())? {
            stored = stored.saturating_add(entry?.metadata()?.len());
        }
        Ok(stored)
    }

    /// Refuses `output` if it is this source, is inside it, or contains it: writing would destroy the source.
    #[cfg(feature = "write")]
    pub(crate) fn refuse_as_output(&self, output: &Path) -> Result<(), Error> {
        crate::fs::files::refuse_same_file(&self.file, output)?;
        self.path().map_or(Ok(()), |input| crate::fs::files::refuse_within(input, output))
    }

    /// Returns whether the source is a directory.
    pub fn is_directory(&self) -> bool {
        !matches!(self.kind, LocalKind::File(_))
    }

    /// The directory, if it is a ctable.
    pub(crate) fn table(&self) -> Option<&LocalDirectory> {
        if let LocalKind::Table(directory) = &self.kind { Some(directory) } else { None }
    }

    /// The directory, if it is a carray that is not a column of an opened table.
    pub(crate) fn carray(&self) -> Option<&LocalDirectory> {
        if let LocalKind::Carray(directory) = &self.kind { Some(directory) } else { None }
    }

    /// The store, if it is that of a Zarr array or group, or a zip archive. The content is not examined.
    pub(crate) fn zarr_store(&self, options: &OpenOptions) -> Result<Option<AnyDirectory>, Error> {
        match &self.kind {
            LocalKind::Zarr(LocalZarr::Directory(directory)) => Ok(Some(Arc::new(directory.clone()))),
            LocalKind::File(_) => {
                let opening = |error| Error::io("opening")(error);
                ZipDirectory::if_zip(self.file.try_clone().map_err(opening)?, options)
            }
            _ => Ok(None),
        }
    }

    /// Returns a column of the ctable, or an array of the Zarr group. Other sources have none.
    pub(crate) fn into_column(self, name: &str, limits: &Limits) -> Result<LocalSource, Error> {
        let options = OpenOptions { limits: *limits, ..OpenOptions::new() };
        match (&self.kind, self.path()) {
            (LocalKind::Table(table), _) => return LocalSource::open_column(table.root(), name, &options),
            (LocalKind::Zarr(_) | LocalKind::File(_), Some(path)) => {
                if let Some((file, zarr)) = LocalZarr::open_member(path, name, &options)? {
                    return Ok(LocalSource { file, kind: LocalKind::Zarr(zarr) });
                }
            }
            _ => {}
        }
        let directory = self.path().map_or("-".into(), |path| path.display().to_string());
        Err(Error::NotBcolz { directory })
    }

    /// The path, unless the caller opened the file.
    fn path(&self) -> Option<&Path> {
        match &self.kind {
            LocalKind::File(path) => path.as_deref(),
            LocalKind::SparseFrame(directory) => Some(directory.path()),
            LocalKind::Column(_, path) => Some(path),
            LocalKind::Zarr(zarr) => Some(zarr.path()),
            LocalKind::Carray(directory) | LocalKind::Table(directory) => Some(directory.root()),
        }
    }

    /// The chunk files, if it is a sparse frame.
    pub(crate) fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        if let LocalKind::SparseFrame(directory) = &self.kind { Some(directory) } else { None }
    }
}

/// An open file as a source, for example one that came through a pipe.
impl From<File> for LocalSource {
    fn from(file: File) -> LocalSource {
        LocalSource { file, kind: LocalKind::File(None) }
    }
}

impl From<LocalSource> for Input<'_> {
    fn from(LocalSource { file, kind }: LocalSource) -> Self {
        match kind {
            LocalKind::File(_) => file.into(),
            LocalKind::SparseFrame(directory) => Input::sparse_frame(file, directory),
            LocalKind::Carray(directory) => Input::directory(directory),
            LocalKind::Table(_) => Input(InputKind::Table),
            LocalKind::Zarr(zarr) => zarr.into_input(),
            LocalKind::Column(directory, _) => Input::directory(directory),
        }
    }
}

impl<'a> From<&'a LocalSource> for Input<'a> {
    fn from(LocalSource { file, kind }: &'a LocalSource) -> Self {
        match kind {
            LocalKind::File(_) => file.into(),
            LocalKind::SparseFrame(directory) => Input::sparse_frame(file, directory),
            LocalKind::Carray(directory) => Input::directory(directory),
            LocalKind::Table(_) => Input(InputKind::Table),
            LocalKind::Zarr(zarr) => zarr.input(),
            LocalKind::Column(directory, _) => Input::directory(directory),
        }
    }
}
