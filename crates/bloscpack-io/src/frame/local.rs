//! Frames in files and directories: one that is there and is changed in place, one that is new and appears as a whole.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bloscpack_format::frame::{FrameType, sframe};

use super::store::FrameStore;
use crate::Error;
use crate::atomic::{self, AtomicFile};
use crate::files::remove_if_there;
use crate::source::{ChunkFiles, ReadAt};

/// A frame on the disk that is changed in place.
#[derive(Debug)]
pub struct LocalFrame {
    file: File,
    /// The frame, or `chunks.b2frame`.
    path: PathBuf,
    directory: Option<PathBuf>,
}

impl LocalFrame {
    /// Opens a file, or `chunks.b2frame` in a directory, to be read and written.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn open(path: &Path) -> Result<LocalFrame, Error> {
        let directory = path.is_dir().then(|| path.to_owned());
        let path = directory.as_ref().map_or_else(|| path.to_owned(), |directory| directory.join(sframe::INDEX_FILE));
        let file = open_both_ways(&path).map_err(|error| Error::file("opening", &path, error))?;
        Ok(LocalFrame { file, path, directory })
    }

    fn chunk_file(&self, number: u32) -> io::Result<PathBuf> {
        let directory = self.directory.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        Ok(directory.join(sframe::chunk_file_name(number)))
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

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.directory.is_some().then_some(self)
    }
}

impl ChunkFiles for LocalFrame {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        Ok(Box::new(File::open(self.chunk_file(number)?)?))
    }
}

impl FrameStore for LocalFrame {
    fn frame_type(&self) -> FrameType {
        if self.directory.is_some() { FrameType::Sparse } else { FrameType::Contiguous }
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, at);
        #[cfg(not(unix))]
        {
            self.file.seek(SeekFrom::Start(at))?;
            self.file.write_all(bytes)
        }
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(self.chunk_file(number)?)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        remove_if_there(&self.chunk_file(number)?)
    }

    fn sync(&mut self) -> io::Result<()> {
        match &self.directory {
            // Chunk files were synced as they were made; their names are the directory's.
            Some(directory) => atomic::sync_directory(directory),
            None => self.file.sync_all(),
        }
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create(&self.path, true).map_err(io::Error::other)?;
        file.write_all(bytes)?;
        file.commit().map_err(io::Error::other)?;
        self.file = open_both_ways(&self.path)?;
        Ok(())
    }
}

/// A frame that is being made: [`NewFrame::commit`] puts it in its place; dropped without it, nothing is left.
#[derive(Debug)]
pub struct NewFrame(Kind);

#[derive(Debug)]
enum Kind {
    /// What was written can be read again, through the lock of a buffer; `at` is where the file stands.
    File {
        file: Mutex<AtomicFile>,
        at: u64,
    },
    Directory {
        directory: tempfile::TempDir,
        target: PathBuf,
        overwrite: bool,
    },
}

impl NewFrame {
    /// Starts a frame that is to become `target`, a file or a directory.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`].
    pub fn create(target: &Path, frame_type: FrameType, overwrite: bool) -> Result<NewFrame, Error> {
        if frame_type == FrameType::Contiguous {
            return Ok(NewFrame(Kind::File { file: Mutex::new(AtomicFile::create(target, overwrite)?), at: 0 }));
        }
        let refuse = |error| Error::file("creating", target, error);
        match fs::metadata(target) {
            Ok(_) if !overwrite => return Err(Error::OutputExists(target.to_owned())),
            // What is in a directory that is no frame, is not ours to throw away.
            Ok(found) if !found.is_dir() || !target.join(sframe::INDEX_FILE).is_file() => {
                return Err(refuse(io::ErrorKind::AlreadyExists.into()));
            }
            _ => {}
        }
        let directory = tempfile::Builder::new().prefix(".blpk-").suffix(".tmp").tempdir_in(atomic::directory(target));
        let (directory, target) = (directory.map_err(refuse)?, target.to_owned());
        Ok(NewFrame(Kind::Directory { directory, target, overwrite }))
    }

    /// Puts the frame in its place. An old sparse frame is moved away before, so for a moment there is none.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. What was at the place is still there then.
    pub fn commit(self) -> Result<(), Error> {
        let (directory, target, overwrite) = match self.0 {
            Kind::File { file, .. } => return file.into_inner().unwrap_or_else(PoisonError::into_inner).commit(),
            Kind::Directory { directory, target, overwrite } => (directory, target, overwrite),
        };
        let place = || -> io::Result<()> {
            atomic::sync_directory(directory.path())?;
            let parent = atomic::directory(&target);
            if overwrite && target.exists() {
                let old = tempfile::Builder::new().prefix(".blpk-").suffix(".old").tempdir_in(parent)?;
                fs::rename(&target, old.path().join("frame"))?;
                if let Err(error) = fs::rename(directory.path(), &target) {
                    fs::rename(old.path().join("frame"), &target)?;
                    return Err(error);
                }
            } else {
                fs::rename(directory.path(), &target)?;
            }
            // A temporary directory is its owner's alone, unlike one that was made in the usual way.
            #[cfg(unix)]
            fs::set_permissions(&target, usual_permissions(parent)?)?;
            atomic::sync_directory(parent)
        };
        let placed = place();
        match placed {
            Ok(()) => {
                // It has another name now.
                let _ = directory.keep();
                Ok(())
            }
            Err(error) => Err(Error::file("finishing", &target, error)),
        }
    }
}

/// The permissions that a new directory gets, less the umask: asked by making one.
#[cfg(unix)]
fn usual_permissions(parent: &Path) -> io::Result<fs::Permissions> {
    let holder = tempfile::Builder::new().prefix(".blpk-").suffix(".tmp").tempdir_in(parent)?;
    let probe = holder.path().join("new");
    fs::create_dir(&probe)?;
    Ok(fs::metadata(&probe)?.permissions())
}

impl ReadAt for NewFrame {
    fn len(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match &self.0 {
            Kind::File { file, .. } => file.lock().unwrap_or_else(PoisonError::into_inner).read_back(offset, buf),
            Kind::Directory { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        matches!(self.0, Kind::Directory { .. }).then_some(self)
    }
}

impl ChunkFiles for NewFrame {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        let Kind::Directory { directory, .. } = &self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        Ok(Box::new(File::open(directory.path().join(sframe::chunk_file_name(number)))?))
    }
}

impl FrameStore for NewFrame {
    fn frame_type(&self) -> FrameType {
        if matches!(self.0, Kind::File { .. }) { FrameType::Contiguous } else { FrameType::Sparse }
    }

    fn write_at(&mut self, to: u64, bytes: &[u8]) -> io::Result<()> {
        let Kind::File { file, at } = &mut self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Chunks follow each other: a seek would empty the buffer each time.
        if *at != to {
            file.seek(SeekFrom::Start(to))?;
        }
        *at = to + bytes.len() as u64;
        file.write_all(bytes)
    }

    fn set_len(&mut self, _: u64) -> io::Result<()> {
        // A new file has no other bytes than those that were written.
        Ok(())
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        let Kind::Directory { directory, .. } = &self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        let mut file = File::create(directory.path().join(sframe::chunk_file_name(number)))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        let Kind::Directory { directory, .. } = &self.0 else { return Ok(()) };
        remove_if_there(&directory.path().join(sframe::chunk_file_name(number)))
    }

    fn sync(&mut self) -> io::Result<()> {
        // There is nothing to fall back to before the commit, which syncs.
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Kind::File { .. } => self.write_at(0, bytes),
            Kind::Directory { directory, .. } => {
                let mut file = File::create(directory.path().join(sframe::INDEX_FILE))?;
                file.write_all(bytes)?;
                file.sync_all()
            }
        }
    }
}
