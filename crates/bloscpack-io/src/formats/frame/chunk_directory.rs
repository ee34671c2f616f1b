//! The chunk files of a sparse frame in a file system directory.

use std::io;
use std::path::{Path, PathBuf};

use bloscpack_format::frame::sframe;

use crate::fs::files::{open_regular, remove_if_there, write_anew};
use crate::source::{ChunkFiles, ReadAt};

/// The directory of a sparse frame. Only regular files in it are opened: a pipe may have no writer, a device may be
/// endless, and a link may lead anywhere.
#[derive(Debug)]
pub(crate) struct ChunkDirectory(PathBuf);

impl ChunkDirectory {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        ChunkDirectory(path.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn file(&self, number: u32) -> PathBuf {
        self.0.join(sframe::chunk_file_name(number))
    }

    /// Writes a chunk file that the index on disk does not refer to. An existing file of this name is a leftover of an
    /// edit that was never committed.
    pub(super) fn write(&self, number: u32, bytes: &[u8]) -> io::Result<()> {
        write_anew(&self.file(number), bytes)
    }

    /// Removes a chunk file. A missing file is not an error.
    pub(super) fn remove(&self, number: u32) -> io::Result<()> {
        remove_if_there(&self.file(number))
    }
}

impl ChunkFiles for ChunkDirectory {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        Ok(Box::new(open_regular(&self.file(number))?))
    }
}
