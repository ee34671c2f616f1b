//! What stands at a path: a file, or the directory of a sparse frame.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bloscpack_format::frame::sframe;

use crate::Error;
use crate::source::{ChunkFiles, ReadAt};

/// A file, or a directory with the files of a sparse frame, as a source.
///
/// ```no_run
/// use bloscpack_io::{Archive, LocalSource};
/// let archive = Archive::open(LocalSource::open("measurements.b2frame".as_ref())?)?;
/// println!("{} chunks", archive.nchunks());
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct LocalSource {
    /// The file, of a sparse frame that with header and index.
    file: File,
    directory: Option<PathBuf>,
}

impl LocalSource {
    /// Opens a file, or `chunks.b2frame` in a directory.
    ///
    /// # Errors
    /// [`Error::File`] for what the system says, also for a directory that is no sparse frame.
    pub fn open(path: &Path) -> Result<LocalSource, Error> {
        let refuse = |error| Error::file("opening", path, error);
        if !path.is_dir() {
            return Ok(LocalSource { file: File::open(path).map_err(refuse)?, directory: None });
        }
        let index = path.join(sframe::INDEX_FILE);
        if !index.is_file() {
            return Err(refuse(io::ErrorKind::IsADirectory.into()));
        }
        Ok(LocalSource { file: File::open(index).map_err(refuse)?, directory: Some(path.to_owned()) })
    }

    /// The file; of a sparse frame its `chunks.b2frame`.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file alone.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Refuses `output` if it is what is read here, or a file of the sparse frame that is: writing would destroy it.
    pub(crate) fn refuse_as_output(&self, output: &Path) -> Result<(), Error> {
        crate::files::refuse_same_file(&self.file, output)?;
        let Some(directory) = &self.directory else { return Ok(()) };
        let index = |place: &Path| place.join(sframe::INDEX_FILE);
        // An output that is a link counts as where it leads to.
        let resolved = output.canonicalize();
        let resolved = resolved.as_deref().unwrap_or(output);
        for place in [resolved, crate::atomic::directory(resolved)] {
            if crate::files::is_same_file(&self.file, &index(place)).unwrap_or(false) {
                return Err(Error::InputReplaced { input: directory.clone(), output: output.to_owned() });
            }
        }
        Ok(())
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.directory.is_some()
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
}

impl ChunkFiles for LocalSource {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        let directory = self.directory.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(File::open(directory.join(sframe::chunk_file_name(number)))?))
    }
}

/// An open file as a source, as of what came through a pipe.
impl From<File> for LocalSource {
    fn from(file: File) -> LocalSource {
        LocalSource { file, directory: None }
    }
}
