//! Positional reads: what random access needs of a source, and a sequential view of it.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// A source of bytes that can be read at any place through a shared reference, so that several chunks can be fetched at
/// once. Files and memory implement it; so may HTTP ranges and object stores.
pub trait ReadAt: Sync {
    /// Bytes in the source.
    ///
    /// # Errors
    /// What the system says.
    fn len(&self) -> io::Result<u64>;

    /// Whether there are none.
    ///
    /// # Errors
    /// What the system says.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the source ends before, else what the system says.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buf, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
        while !buf.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buf, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buf = &mut buf[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn len(&self) -> io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset).ok().and_then(|start| self.get(start..)?.get(..buf.len()));
        buf.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

macro_rules! forward_read_at {
    ($($source:ty),*) => {$(
        impl<R: ReadAt + Send + ?Sized> ReadAt for $source {
            fn len(&self) -> io::Result<u64> {
                (**self).len()
            }

            fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
                (**self).read_exact_at(offset, buf)
            }
        }
    )*};
}

forward_read_at!(&R, Box<R>, Arc<R>);

impl ReadAt for Vec<u8> {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(self.as_slice())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.as_slice().read_exact_at(offset, buf)
    }
}

/// A source read from front to back.
pub(crate) struct Sequential<'a, R: ?Sized> {
    source: &'a R,
    at: u64,
    end: u64,
}

impl<'a, R: ReadAt + ?Sized> Sequential<'a, R> {
    pub(crate) fn new(source: &'a R, at: u64) -> io::Result<Self> {
        Ok(Sequential { source, at, end: source.len()? })
    }
}

impl<R: ReadAt + ?Sized> Read for Sequential<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let len = buf.len().min(left);
        self.source.read_exact_at(self.at, &mut buf[..len])?;
        self.at += len as u64;
        Ok(len)
    }
}
