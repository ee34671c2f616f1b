//! The storage of a frame that is being changed, and an implementation in memory.

use blosc_core::memory;
use std::collections::BTreeMap;
use std::io;

use bloscpack_format::frame::FrameType;

use crate::source::{ChunkFiles, Input, ReadAt};

/// Storage in which a frame can be changed. Reads return the last written data. After a crash, the data of the last
/// [`sync`](Self::sync) remain, and any later writes may be present, in part or completely.
pub trait FrameStore: ReadAt {
    /// Returns the type of the frame.
    fn frame_type(&self) -> FrameType;

    /// Returns the chunk files of a sparse frame, `None` if the frame is contiguous.
    fn chunk_files(&self) -> Option<&dyn ChunkFiles>;

    /// Returns the frame as an input, to open it as an [`Archive`](crate::Archive).
    fn input(&self) -> Input<'_>
    where
        Self: Sized,
    {
        match self.chunk_files() {
            Some(files) => Input::sparse_frame(self, files),
            None => self.into(),
        }
    }

    /// Writes `bytes` at offset `at` of the file, which grows as needed. Uses one system call if the system writes that
    /// many bytes at once.
    ///
    /// # Errors
    /// The error of the system.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Sets the length of the file to `len`.
    ///
    /// # Errors
    /// The error of the system.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Creates or replaces a chunk file.
    ///
    /// # Errors
    /// The error of the system; [`io::ErrorKind::Unsupported`] if the frame is contiguous.
    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()>;

    /// Removes a chunk file. A missing file is not an error.
    ///
    /// # Errors
    /// The error of the system.
    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()>;

    /// Waits until all written data is durable.
    ///
    /// # Errors
    /// The error of the system.
    fn sync(&mut self) -> io::Result<()>;

    /// Replaces the content of the file by `bytes` atomically, and waits until they are durable.
    ///
    /// # Errors
    /// The error of the system. The file is unchanged, or it has been replaced by `bytes`, which may not be durable.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A frame in memory: a contiguous frame, which C-Blosc2 calls a cframe, or the files of a sparse one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFrame {
    /// The frame. For a sparse frame, its header, index and trailer.
    pub file: Vec<u8>,
    /// The chunk files of a sparse frame by their numbers, `None` if the frame is contiguous.
    pub files: Option<BTreeMap<u32, Vec<u8>>>,
}

impl MemoryFrame {
    /// Returns an empty store.
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
