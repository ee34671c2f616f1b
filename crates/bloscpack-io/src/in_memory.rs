//! Outputs in memory, bounded by the limits.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom, Write};

use blosc_core::{Limits, OutOfMemory, OverLimit, memory};

use crate::Error;
use crate::source::ReadAt;

/// A zeroed buffer for `nbytes` bytes that will be read. On 32-bit systems a file may be larger than memory can hold.
pub(crate) fn room(nbytes: u64) -> Result<Vec<u8>, Error> {
    let len = usize::try_from(nbytes).map_err(|_| OutOfMemory::new(usize::MAX))?;
    Ok(memory::zeroed(len)?)
}

/// The number of compressed bytes of a source: its size if that is known, and at least the number of bytes read.
#[derive(Debug, Default)]
pub(crate) struct Stored(Cell<u64>);

impl Stored {
    pub(crate) fn new(stored: u64) -> Self {
        Stored(Cell::new(stored))
    }

    /// Raises the number to `stored`, if it is less.
    pub(crate) fn at_least(&self, stored: u64) {
        self.0.set(self.0.get().max(stored));
    }
}

/// A reader of compressed bytes, which count as stored when they have been read.
pub(crate) struct StoredReader<'a, R> {
    pub(crate) inner: R,
    pub(crate) read: u64,
    pub(crate) stored: &'a Stored,
}

impl<R: Read> Read for StoredReader<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.read += read as u64;
        self.stored.at_least(self.read);
        Ok(read)
    }
}

/// Bytes assembled in memory from `stored` compressed bytes, within the limits.
pub(crate) struct InMemory<'a> {
    pub(crate) bytes: Vec<u8>,
    limits: &'a Limits,
    stored: &'a Stored,
    over: Option<OverLimit>,
}

impl<'a> InMemory<'a> {
    pub(crate) fn new(limits: &'a Limits, stored: &'a Stored) -> Self {
        InMemory { bytes: Vec::new(), limits, stored, over: None }
    }

    /// Returns the exceeded limit if that is why writing failed, and otherwise `error`.
    pub(crate) fn explain(&self, error: Error) -> Error {
        self.over.map_or(error, Error::Limit)
    }
}

impl Write for InMemory<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let len = self.bytes.len().saturating_add(buf.len()) as u64;
        if let Err(over) = self.limits.check_output(len, self.stored.0.get()) {
            self.over = Some(over);
            return Err(io::Error::other(over));
        }
        memory::extend(&mut self.bytes, buf)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A seekable file in memory. A failed allocation is an error, which [`io::Cursor`] does not report.
#[derive(Debug, Default)]
pub(crate) struct InMemoryFile(io::Cursor<Vec<u8>>);

impl InMemoryFile {
    /// An empty file that reuses the memory of a vector. Its content is dropped.
    pub(crate) fn reusing(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        InMemoryFile(io::Cursor::new(bytes))
    }

    pub(crate) fn into_inner(self) -> Vec<u8> {
        self.0.into_inner()
    }
}

impl Write for InMemoryFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let end = usize::try_from(self.0.position()).ok().and_then(|at| at.checked_add(buf.len()));
        let end = end.ok_or(OutOfMemory::new(usize::MAX))?;
        let bytes = self.0.get_mut();
        memory::reserve(bytes, end.saturating_sub(bytes.len()))?;
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for InMemoryFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl ReadAt for InMemoryFile {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(offset, buf)
    }
}

impl Seek for InMemoryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
