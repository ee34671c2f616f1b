//! The last chunk of a carray while it is not full: its rows stay in memory until a flush.

use blosc_core::OutOfMemory;
use blosc_core::memory;

use super::chunks::Chunks;
use super::default_rows::extend_repeated;
use super::meta::MetaEdit;
use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::store::Directory;

/// The uncompressed bytes of a last chunk that is not full.
#[derive(Debug, Default)]
pub(super) struct LastChunk {
    /// `None` until they are needed; empty if all chunks are full.
    plain: Option<Vec<u8>>,
    /// Whether they differ from those in the chunk's file.
    is_new: bool,
}

impl LastChunk {
    /// Reads the bytes from their file, unless they are in memory.
    pub(super) fn load<D: Directory>(
        &mut self,
        dir: &Subdirectory<D>,
        meta: &MetaEdit,
        chunks: &Chunks,
    ) -> Result<(), Error> {
        if self.plain.is_none() {
            let chunk = meta.rows().full_chunks();
            self.plain = Some(match meta.rows().rows_in(chunk) {
                0 => Vec::new(),
                rows => chunks.read(dir, meta, chunk, rows)?,
            });
        }
        Ok(())
    }

    /// Returns the number of bytes in memory.
    pub(super) fn nbytes(&self) -> usize {
        self.plain.as_ref().map_or(0, Vec::len)
    }

    /// Takes the loaded bytes. The caller must return them by [`put`](Self::put) or [`change`](Self::change), or write
    /// them as a full chunk.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.plain.get_or_insert_default())
    }

    /// Returns bytes to the tail without marking them as new.
    pub(super) fn put(&mut self, plain: Vec<u8>) {
        self.plain = Some(plain);
    }

    /// Replaces the bytes and marks them as new.
    pub(super) fn change(&mut self, plain: Vec<u8>) {
        (self.plain, self.is_new) = (Some(plain), true);
    }

    /// Notes that a stream has extended the bytes. An empty tail is not new: its rows are in a full chunk.
    pub(super) fn extended(&mut self) {
        self.is_new = self.nbytes() > 0;
    }

    /// Appends rows to the loaded bytes. Returns the chunk if that fills it up to `size` bytes; the tail is empty then.
    pub(super) fn append(&mut self, rows: &[u8], size: usize) -> Result<Option<Vec<u8>>, OutOfMemory> {
        memory::extend(self.plain.get_or_insert_default(), rows)?;
        Ok(self.take_full(size))
    }

    /// [`append`](Self::append) of `count` copies of one row.
    pub(super) fn append_repeated(
        &mut self,
        row: &[u8],
        count: usize,
        size: usize,
    ) -> Result<Option<Vec<u8>>, OutOfMemory> {
        extend_repeated(self.plain.get_or_insert_default(), row, count)?;
        Ok(self.take_full(size))
    }

    /// Drops all but the first `nbytes` bytes.
    pub(super) fn truncate(&mut self, nbytes: usize) {
        if let Some(plain) = &mut self.plain {
            plain.truncate(nbytes);
        }
    }

    /// Drops the bytes, because another chunk, which is in a file, is now the last one.
    pub(super) fn forget(&mut self) {
        *self = LastChunk::default();
    }

    /// Returns a copy of the bytes if they are new, to be written.
    pub(super) fn to_write(&self) -> Option<Vec<u8>> {
        self.is_new.then(|| self.plain.clone().unwrap_or_default())
    }

    /// Notes that the bytes were written to the chunk's file.
    pub(super) fn written(&mut self) {
        self.is_new = false;
    }

    fn take_full(&mut self, size: usize) -> Option<Vec<u8>> {
        let is_full = self.nbytes() == size;
        self.is_new = !is_full;
        is_full.then(|| self.take())
    }
}
