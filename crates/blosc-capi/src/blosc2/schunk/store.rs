//! The bytes of a frame: in memory, or in a file from an offset on.

use std::io;

use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameStore, FrameWriter};
use bloscpack_io::{ChunkFiles, ReadAt};

/// A frame of any store.
pub(crate) type Writer = FrameWriter<AnyStore>;

/// Any store, from an offset on.
pub(crate) struct AnyStore {
    store: Box<dyn FrameStore>,
    start: u64,
}

impl AnyStore {
    pub(super) fn new(store: Box<dyn FrameStore>, start: u64) -> Self {
        AnyStore { store, start }
    }

    /// Returns an offset in the store.
    fn at(&self, offset: u64) -> io::Result<u64> {
        self.start.checked_add(offset).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl ReadAt for AnyStore {
    fn len(&self) -> io::Result<u64> {
        Ok(self.store.len()?.saturating_sub(self.start))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.store.read_exact_at(self.at(offset)?, buf)
    }
}

impl FrameStore for AnyStore {
    fn frame_type(&self) -> FrameType {
        self.store.frame_type()
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.store.chunk_files()
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.store.write_at(self.at(at)?, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.store.set_len(self.at(len)?)
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        self.store.write_chunk_file(number, bytes)
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        self.store.remove_chunk_file(number)
    }

    /// Leaves a file to [`FileFrame::sync`](super::file::FileFrame::sync): the end of this process loses no write.
    fn sync(&mut self) -> io::Result<()> {
        match self.frame_type() {
            FrameType::Contiguous => Ok(()),
            FrameType::Sparse => self.store.sync(),
        }
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.start {
            0 => self.store.replace(bytes),
            // The bytes before the frame belong to others.
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
