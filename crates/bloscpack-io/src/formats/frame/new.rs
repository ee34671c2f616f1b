//! A frame in a new file or directory, which appears atomically.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use blosc_core::Limits;
use bloscpack_format::frame::{FrameType, sframe};

use super::chunk_directory::ChunkDirectory;
use super::container::{OpenFrame, SparseIndex};
use super::store::FrameStore;
use crate::fs::atomic::AtomicFile;
use crate::fs::contents::holds_only_files;
use crate::fs::files::{open_regular, write_anew};
use crate::fs::lock::{Locked, lock_directory};
use crate::fs::new_directory::NewDirectory;
use crate::source::{ChunkFiles, ReadAt};
use crate::{Archive, Error};

/// A frame that is being created. [`NewFrame::commit`] moves it to its target. If it is dropped before that, nothing is
/// left on disk.
#[derive(Debug)]
pub struct NewFrame(NewFrameKind);

#[derive(Debug)]
enum NewFrameKind {
    /// Written data can be read back, which locks the buffer. `at` is the position in the file.
    File { file: Mutex<AtomicFile>, at: u64 },
    /// The last field is the lock of an old directory: its writer would otherwise continue in the new one.
    Directory(NewDirectory, ChunkDirectory, Option<Locked>),
}

/// Returns whether a directory holds a sparse frame and nothing else.
fn holds_only_frame(path: &Path) -> io::Result<bool> {
    let is_file = |name: &str| name == sframe::INDEX_FILE || sframe::chunk_file_number(name).is_some();
    Ok(path.join(sframe::INDEX_FILE).is_file() && holds_only_files(path, &is_file)?)
}

impl NewFrame {
    /// Starts a frame that will become `target`, a file or a directory.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]; [`Error::Locked`] if another writer is changing the existing
    /// directory.
    pub fn create(target: impl AsRef<Path>, frame_type: FrameType, overwrite: bool) -> Result<NewFrame, Error> {
        fn inner(target: &Path, frame_type: FrameType, overwrite: bool) -> Result<NewFrame, Error> {
            if frame_type == FrameType::Contiguous {
                return Ok(NewFrame(NewFrameKind::File {
                    file: Mutex::new(AtomicFile::create(target, overwrite)?),
                    at: 0,
                }));
            }
            let new = NewDirectory::create(target, overwrite, holds_only_frame)?;
            let lock = if target.is_dir() { lock_directory(target)? } else { None };
            let files = ChunkDirectory::new(new.path());
            Ok(NewFrame(NewFrameKind::Directory(new, files, lock)))
        }
        inner(target.as_ref(), frame_type, overwrite)
    }

    /// Opens the written data as it is on disk, before the commit.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn reopen(&mut self) -> Result<Archive<'_>, Error> {
        let limits = Limits::new();
        let open = match &mut self.0 {
            NewFrameKind::File { file, .. } => {
                let file = file.get_mut().unwrap_or_else(PoisonError::into_inner).reopen()?;
                OpenFrame::contiguous(Box::new(file), &limits)?
            }
            NewFrameKind::Directory(directory, files, _) => {
                let index = directory.path().join(sframe::INDEX_FILE);
                let file = open_regular(&index).map_err(|error| Error::file("opening", &index, error))?;
                OpenFrame::sparse(SparseIndex::read(&file, &limits)?, Box::new(&*files))?
            }
        };
        Ok(Archive::new(Box::new(open)))
    }

    /// Moves the frame to its target atomically. On systems that cannot exchange two directories (Linux can), an old
    /// sparse frame is moved away first, so that for a moment the target does not exist.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. The target is then unchanged.
    pub fn commit(self) -> Result<(), Error> {
        match self.0 {
            NewFrameKind::File { file, .. } => file.into_inner().unwrap_or_else(PoisonError::into_inner).commit(),
            NewFrameKind::Directory(directory, _, _lock) => directory.commit(),
        }
    }
}

impl ReadAt for NewFrame {
    fn len(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match &self.0 {
            NewFrameKind::File { file, .. } => {
                file.lock().unwrap_or_else(PoisonError::into_inner).read_back(offset, buf)
            }
            NewFrameKind::Directory(..) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl FrameStore for NewFrame {
    fn frame_type(&self) -> FrameType {
        if matches!(self.0, NewFrameKind::File { .. }) { FrameType::Contiguous } else { FrameType::Sparse }
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        if let NewFrameKind::Directory(_, files, _) = &self.0 { Some(files) } else { None }
    }

    fn write_at(&mut self, to: u64, bytes: &[u8]) -> io::Result<()> {
        let NewFrameKind::File { file, at } = &mut self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Chunks are usually consecutive. A seek would flush the buffer each time.
        if *at != to {
            file.seek(SeekFrom::Start(to))?;
        }
        *at = to + bytes.len() as u64;
        file.write_all(bytes)
    }

    fn set_len(&mut self, _: u64) -> io::Result<()> {
        // A new file contains only the written bytes.
        Ok(())
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        let NewFrameKind::Directory(_, files, _) = &self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        files.write(number, bytes)
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        let NewFrameKind::Directory(_, files, _) = &self.0 else { return Ok(()) };
        files.remove(number)
    }

    fn sync(&mut self) -> io::Result<()> {
        // Before the commit there is no earlier state to preserve. The commit itself syncs.
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            NewFrameKind::File { .. } => self.write_at(0, bytes),
            NewFrameKind::Directory(directory, ..) => write_anew(&directory.path().join(sframe::INDEX_FILE), bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_other_files_is_not_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("x");
        let create = || NewFrame::create(&target, FrameType::Sparse, true);
        std::fs::create_dir(&target).unwrap();
        for name in [sframe::INDEX_FILE, "0000000A.chunk", "00000000.chunk"] {
            std::fs::write(target.join(name), "").unwrap();
        }
        create().unwrap();
        for name in ["notes", "0000000A.chunk.bak", "1.chunk", "chunks"] {
            std::fs::write(target.join(name), "").unwrap();
            assert!(matches!(create(), Err(Error::File { .. })), "{name}");
            std::fs::remove_file(target.join(name)).unwrap();
        }
        std::fs::create_dir(target.join("results")).unwrap();
        assert!(create().is_err());
        std::fs::remove_dir(target.join("results")).unwrap();
        create().unwrap();
        std::fs::remove_file(target.join(sframe::INDEX_FILE)).unwrap();
        assert!(create().is_err());
    }
}
