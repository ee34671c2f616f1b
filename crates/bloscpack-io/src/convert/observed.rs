//! Reports the progress of a conversion from the plain bytes that pass through it.

use std::io::{self, Read, Write};

use bloscpack_format::frame::Region;

use crate::Error;
use crate::formats::frame::ArrayItems;
use crate::options::{Event, Observer};

/// Wraps a reader, a writer or the items of an array. Bytes that pass through are reported as [`Event::Plain`].
pub(super) struct Observed<'a, T> {
    inner: T,
    observer: &'a Observer,
    /// Number of times that each byte passes through. It is reported once in total.
    passes: u64,
}

impl<'a, T> Observed<'a, T> {
    pub(super) fn new(inner: T, observer: &'a Observer) -> Self {
        Observed { inner, observer, passes: 1 }
    }

    /// Creates one of two passes: into a temporary file, or out of it.
    pub(super) fn half(inner: T, observer: &'a Observer) -> Self {
        Observed { inner, observer, passes: 2 }
    }

    /// Returns the inner reader or writer.
    #[cfg(feature = "csv")]
    pub(super) fn into_inner(self) -> T {
        self.inner
    }

    fn tell(&self, nbytes: usize) {
        self.observer.tell(Event::Plain(nbytes as u64 / self.passes));
    }
}

impl<T: Read> Read for Observed<'_, T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.tell(read);
        Ok(read)
    }
}

impl<T: Write> Write for Observed<'_, T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buf)?;
        self.tell(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: ArrayItems> ArrayItems for Observed<'_, T> {
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error> {
        let items = self.inner.read(region)?;
        self.tell(items.len());
        Ok(items)
    }

    fn held(&self, region: &Region) -> u64 {
        self.inner.held(region)
    }
}
