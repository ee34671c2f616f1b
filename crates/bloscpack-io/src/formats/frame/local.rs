//! A frame in an existing file or directory that is changed in place.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bloscpack_format::frame::{FrameType, sframe};

use super::chunk_directory::ChunkDirectory;
use super::store::FrameStore;
use crate::Error;
use crate::fs::atomic::AtomicFile;
use crate::fs::files::{clear_special_bits, expect_regular, is_same_file, open_regular, open_regular_by};
use crate::fs::lock::{Locked, lock_directory, open_locked};
use crate::fs::path::sync_directory;
use crate::source::{ChunkFiles, ReadAt};

/// A frame on disk that is changed in place. Its path may be a link. Inside the directory of a sparse frame, links are
/// not followed and only regular files are opened.
#[derive(Debug)]
pub struct LocalFrame {
    file: Locked,
    /// Path of the frame, or of `chunks.b2frame`.
    path: PathBuf,
    directory: Option<Directory>,
}

#[derive(Debug)]
struct Directory {
    files: ChunkDirectory,
    /// The lock is on the directory, because each commit replaces the file of the index and would drop a lock on it.
    _lock: Option<Locked>,
}

impl LocalFrame {
    /// Opens and locks a file, or `chunks.b2frame` in a directory, for reading and writing.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::Locked`] if another writer has it open.
    pub fn open(path: impl AsRef<Path>) -> Result<LocalFrame, Error> {
        fn inner(path: &Path) -> Result<LocalFrame, Error> {
            if !path.is_dir() {
                return Ok(LocalFrame {
                    file: open_locked(path, open_both_ways)?,
                    path: path.to_owned(),
                    directory: None,
                });
            }
            let directory = Directory { _lock: lock_directory(path)?, files: ChunkDirectory::new(path) };
            let path = path.join(sframe::INDEX_FILE);
            let file = open_regular_by(File::options().read(true).write(true), &path);
            let file = file.map_err(|error| Error::file("opening", &path, error))?.into();
            Ok(LocalFrame { file, path, directory: Some(directory) })
        }
        inner(path.as_ref())
    }

    /// Opens a frame for reading only, without a lock: writers may change it meanwhile.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn open_for_reading(path: impl AsRef<Path>) -> Result<LocalFrame, Error> {
        fn inner(path: &Path) -> Result<LocalFrame, Error> {
            let is_directory = path.is_dir();
            let file = if is_directory { path.join(sframe::INDEX_FILE) } else { path.to_owned() };
            let opened = if is_directory { open_regular(&file) } else { File::open(&file) };
            let opened = opened.map_err(|error| Error::file("opening", &file, error))?;
            let directory = is_directory.then(|| Directory { files: ChunkDirectory::new(path), _lock: None });
            Ok(LocalFrame { file: opened.into(), path: file, directory })
        }
        inner(path.as_ref())
    }

    fn directory(&self) -> io::Result<&ChunkDirectory> {
        Ok(&self.directory.as_ref().ok_or(io::ErrorKind::Unsupported)?.files)
    }
}

fn open_both_ways(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).open(path)
}

impl ReadAt for LocalFrame {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buf)
    }
}

impl FrameStore for LocalFrame {
    fn frame_type(&self) -> FrameType {
        if self.directory.is_some() { FrameType::Sparse } else { FrameType::Contiguous }
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.directory.as_ref().map(|directory| &directory.files as &dyn ChunkFiles)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        clear_special_bits(&self.file);
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::write_all_at(&*self.file, bytes, at);
        #[cfg(not(unix))]
        {
            let mut file = &*self.file;
            io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
            file.write_all(bytes)
        }
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        clear_special_bits(&self.file);
        self.file.set_len(len)
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        self.directory()?.write(number, bytes)
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        self.directory()?.remove(number)
    }

    fn sync(&mut self) -> io::Result<()> {
        match &self.directory {
            // Chunk files were synced when they were written. Syncing the directory makes their names durable.
            Some(directory) => sync_directory(directory.files.path()),
            None => self.file.sync_all(),
        }
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.directory.is_some() {
            // `AtomicFile` follows links. It must do so only for a path from the user.
            expect_regular(&fs::symlink_metadata(&self.path)?)?;
        }
        let mut file = AtomicFile::create(&self.path, true).map_err(io::Error::other)?;
        // The new file cannot be locked by another process yet. For a sparse frame, the directory is locked instead.
        let new = match self.directory {
            None => Locked::from(file.locked()?),
            Some(_) => file.writer().get_ref().try_clone()?.into(),
        };
        file.write_all(bytes)?;
        let committed = file.commit().map_err(io::Error::other);
        // After a failed commit the file may still have been replaced, though not durably.
        if committed.is_ok() || is_same_file(&new, &self.path).unwrap_or(false) {
            self.file = new;
        }
        committed
    }
}
