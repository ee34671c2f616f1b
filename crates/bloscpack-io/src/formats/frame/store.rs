//! Where the bytes of a frame are kept while it is written, and a store in memory.

use blosc_core::memory;
use std::collections::BTreeMap;
use std::io;

use bloscpack_format::frame::FrameType;

use crate::source::{ChunkFiles, Input, ReadAt};

/// A place where a frame can be changed. What is read is what was written last; what survives a crash is what was there
/// at the last [`sync`](Self::sync), and any of what was written since, in part or in whole.
pub trait FrameStore: ReadAt {
    /// Which kind of frame it is a place for.
    fn frame_type(&self) -> FrameType;

    /// The chunk files, if it is a place for a sparse frame.
    fn chunk_files(&self) -> Option<&dyn ChunkFiles>;

    /// The frame in it, to be opened as an [`Archive`](crate::Archive).
    fn input(&self) -> Input<'_>
    where
        Self: Sized,
    {
        match self.chunk_files() {
            Some(files) => Input::sparse_frame(self, files),
            None => self.into(),
        }
    }

    /// Writes `bytes` at `at` of the file, which grows as needed. By one call of the system, if that takes as much.
    ///
    /// # Errors
    /// What the system says.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Lets the file end at `len`.
    ///
    /// # Errors
    /// What the system says.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Makes a chunk file, or makes it anew.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::Unsupported`] if the frame is contiguous.
    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()>;

    /// Removes a chunk file. It is no error if there is none.
    ///
    /// # Errors
    /// What the system says.
    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()>;

    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&mut self) -> io::Result<()>;

    /// Puts `bytes` in place of the file in one step, and waits until they are on the disk.
    ///
    /// # Errors
    /// What the system says. The file is as it was, or `bytes` are in its place and may not be on the disk.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A frame in memory: what C-Blosc2 calls a cframe, or the files of a sparse one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFrame {
    /// The frame; of a sparse one header, index and trailer.
    pub file: Vec<u8>,
    /// The chunk files of a sparse frame by their numbers; `None` if the frame is contiguous.
    pub files: Option<BTreeMap<u32, Vec<u8>>>,
}

impl MemoryFrame {
    /// No bytes yet.
    #[must_use]
    pub fn new(frame_type: FrameType) -> Self {
        let files = (frame_type == FrameType::Sparse).then(BTreeMap::new);
        MemoryFrame { file: Vec::new(), files }
    }
}

impl ReadAt for MemoryFrame {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.file)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buf)
    }
}

impl ChunkFiles for MemoryFrame {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        let bytes = self.files.as_ref().and_then(|files| files.get(&number));
        Ok(Box::new(bytes.ok_or(io::ErrorKind::NotFound)?))
    }
}

impl FrameStore for MemoryFrame {
    fn frame_type(&self) -> FrameType {
        if self.files.is_some() { FrameType::Sparse } else { FrameType::Contiguous }
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.files.is_some().then_some(self)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let start = usize::try_from(at).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        if self.file.len() < end {
            memory::resize(&mut self.file, end, 0)?;
        }
        self.file.get_mut(start..end).unwrap_or_default().copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        Ok(memory::resize(&mut self.file, len, 0)?)
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        let files = self.files.as_mut().ok_or(io::ErrorKind::Unsupported)?;
        files.insert(number, memory::copy_of(bytes)?);
        Ok(())
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        self.files.as_mut().map(|files| files.remove(&number));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes.clone_into(&mut self.file);
        Ok(())
    }
}
