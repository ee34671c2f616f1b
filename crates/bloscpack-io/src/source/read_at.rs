//! Positional reads without a shared position, so that several chunks can be read at once.

use std::fs::File;
use std::io::{self, Cursor};
use std::ops::Range;
use std::sync::Arc;

/// A source of bytes that can be read at any offset through a shared reference, so that several chunks can be fetched
/// at once. Files and memory implement it; HTTP ranges and object stores can, too.
///
/// In memory, `[u8]`, `Vec<u8>`, [`Cursor`], and `&`, `Box` and `Arc` of these implement it. The position of a
/// [`Cursor`] is ignored: offsets count from its first byte. An array `[u8; N]` is a source as a slice, or in a
/// [`Cursor`]. It does not implement the trait itself, because `array.len()` would then mean [`ReadAt::len`] wherever
/// the trait is imported.
pub trait ReadAt: Send + Sync {
    /// Returns the number of bytes in the source.
    ///
    /// # Errors
    /// The error of the system.
    fn len(&self) -> io::Result<u64>;

    /// Returns whether the source is empty.
    ///
    /// # Errors
    /// The error of the system.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Fills `buf` with the bytes starting at `offset`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the source ends before; otherwise the error of the system.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// For a source on a network, the number of bytes whose transfer takes as long as one more request. Readers
    /// then read larger gaps, and fetch chunks before they are needed. `None` for local sources.
    fn request_cost(&self) -> Option<usize> {
        None
    }

    /// Reads ranges before they are needed, several at once. A hint: the reads that follow report failures. Does
    /// nothing for local sources.
    fn prefetch(&self, _ranges: &[Range<u64>]) {}
}

impl ReadAt for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let read = std::os::unix::fs::FileExt::read_exact_at(self, buf, offset);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ended(self.metadata().map_or(0, |found| found.len()), offset, buf.len()),
            _ => error,
        })
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
        while !buf.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buf, offset) {
                Ok(0) => return Err(ended(offset, offset, buf.len())),
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

    /// Other systems have no positional reads.
    #[cfg(not(any(unix, windows)))]
    fn read_exact_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl ReadAt for [u8] {
    fn len(&self) -> io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset).ok().and_then(|start| self.get(start..)?.get(..buf.len()));
        buf.copy_from_slice(bytes.ok_or_else(|| ended(<[u8]>::len(self) as u64, offset, buf.len()))?);
        Ok(())
    }
}

/// The error for a source that ends after `found` bytes, within the bytes to read. Readers never ask for bytes past the
/// end that the source had when it was opened, so the source has become shorter.
fn ended(found: u64, offset: u64, len: usize) -> io::Error {
    let end = offset.saturating_add(len as u64);
    let text = format!("it ends after {found} bytes, expected {end}: it became shorter while it was read");
    io::Error::new(io::ErrorKind::UnexpectedEof, text)
}

macro_rules! forward_read_at {
    ($($source:ty),*) => {$(
        impl<R: ReadAt + ?Sized> ReadAt for $source {
            fn len(&self) -> io::Result<u64> {
                (**self).len()
            }

            fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
                (**self).read_exact_at(offset, buf)
            }

            fn request_cost(&self) -> Option<usize> {
                (**self).request_cost()
            }

            fn prefetch(&self, ranges: &[Range<u64>]) {
                (**self).prefetch(ranges);
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

impl<T: AsRef<[u8]> + Send + Sync> ReadAt for Cursor<T> {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(self.get_ref().as_ref())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.get_ref().as_ref().read_exact_at(offset, buf)
    }
}
