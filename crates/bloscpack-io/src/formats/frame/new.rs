//! A frame in files or a directory that is new, and appears as a whole.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use blosc_core::Limits;
use bloscpack_format::frame::{FrameType, sframe};

use super::chunk_directory::ChunkDirectory;
use super::container::{OpenFrame, SparseIndex};
use super::store::FrameStore;
use crate::fs::atomic::AtomicFile;
use crate::fs::files::{open_regular, write_anew};
use crate::fs::lock::{Locked, lock_directory};
use crate::fs::new_directory::NewDirectory;
use crate::source::{ChunkFiles, ReadAt};
use crate::{Archive, Error};

/// A frame that is being made: [`NewFrame::commit`] puts it in its place; dropped without it, nothing is left.
#[derive(Debug)]
pub struct NewFrame(Kind);

#[derive(Debug)]
enum Kind {
    /// What was written can be read again, through the lock of a buffer; `at` is where the file stands.
    File { file: Mutex<AtomicFile>, at: u64 },
    /// The last is the lock of an old directory, whose writer would go on in the new one.
    Directory(NewDirectory, ChunkDirectory, Option<Locked>),
}

impl NewFrame {
    /// Starts a frame that is to become `target`, a file or a directory.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]; [`Error::Locked`] if somebody is changing the directory that is there.
    pub fn create(target: impl AsRef<Path>, frame_type: FrameType, overwrite: bool) -> Result<NewFrame, Error> {
        fn inner(target: &Path, frame_type: FrameType, overwrite: bool) -> Result<NewFrame, Error> {
            if frame_type == FrameType::Contiguous {
                return Ok(NewFrame(Kind::File { file: Mutex::new(AtomicFile::create(target, overwrite)?), at: 0 }));
            }
            let is_ours = |target: &Path| Ok(target.join(sframe::INDEX_FILE).is_file());
            let new = NewDirectory::create(target, overwrite, is_ours)?;
            let lock = if target.is_dir() { lock_directory(target)? } else { None };
            let files = ChunkDirectory::new(new.path());
            Ok(NewFrame(Kind::Directory(new, files, lock)))
        }
        inner(target.as_ref(), frame_type, overwrite)
    }

    /// What was written, as it is on the disk, to be read before it has its place.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn reopen(&mut self) -> Result<Archive<'_>, Error> {
        let limits = Limits::new();
        let open = match &mut self.0 {
            Kind::File { file, .. } => {
                let file = file.get_mut().unwrap_or_else(PoisonError::into_inner).reopen()?;
                OpenFrame::contiguous(Box::new(file), &limits)?
            }
            Kind::Directory(directory, files, _) => {
                let index = directory.path().join(sframe::INDEX_FILE);
                let file = open_regular(&index).map_err(|error| Error::file("opening", &index, error))?;
                OpenFrame::sparse(SparseIndex::read(&file, &limits)?, Box::new(&*files))?
            }
        };
        Ok(Archive::new(Box::new(open)))
    }

    /// Puts the frame in its place, in one step. Where the system cannot let two directories change places (Linux can), an
    /// old sparse frame is moved away before, so that for a moment there is none.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`]. What was at the place is still there then.
    pub fn commit(self) -> Result<(), Error> {
        match self.0 {
            Kind::File { file, .. } => file.into_inner().unwrap_or_else(PoisonError::into_inner).commit(),
            Kind::Directory(directory, _, _lock) => directory.commit(),
        }
    }
}

impl ReadAt for NewFrame {
    fn len(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match &self.0 {
            Kind::File { file, .. } => file.lock().unwrap_or_else(PoisonError::into_inner).read_back(offset, buf),
            Kind::Directory(..) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl FrameStore for NewFrame {
    fn frame_type(&self) -> FrameType {
        if matches!(self.0, Kind::File { .. }) { FrameType::Contiguous } else { FrameType::Sparse }
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        if let Kind::Directory(_, files, _) = &self.0 { Some(files) } else { None }
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
        let Kind::Directory(_, files, _) = &self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
        files.write(number, bytes)
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        let Kind::Directory(_, files, _) = &self.0 else { return Ok(()) };
        files.remove(number)
    }

    fn sync(&mut self) -> io::Result<()> {
        // There is nothing to fall back to before the commit, which syncs.
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Kind::File { .. } => self.write_at(0, bytes),
            Kind::Directory(directory, ..) => write_anew(&directory.path().join(sframe::INDEX_FILE), bytes),
        }
    }
}
