//! A reader that counts its bytes: sequential reading from a pipe, a file or memory, never past the end.

use std::io::{self, Read};

use blosc_core::memory;

use crate::Error;

/// Size of a new buffer whose content is not known to exist. Its pages are zeroed by the system at their first use.
const FIRST: usize = 4 << 20;

/// A full buffer grows by at least this many bytes, or by those that are missing.
const LEAST_GROWTH: u64 = 64 << 10;

/// The error of a reader that breaks the contract of [`Read::read`].
const TOO_MUCH: &str = "the reader says that it returned more bytes than the buffer holds";

/// A reader that counts the bytes read.
pub(crate) struct CountingReader<R> {
    inner: R,
    position: u64,
}

impl<R: Read> CountingReader<R> {
    pub(crate) fn new(inner: R) -> Self {
        CountingReader { inner, position: 0 }
    }

    pub(crate) fn starting_at(inner: R, position: u64) -> Self {
        CountingReader { inner, position }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Fills `buf` until it is full or the input ends. Returns the number of bytes.
    pub(crate) fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buf.len() {
            let room = buf.len() - filled;
            match self.inner.read(&mut buf[filled..]) {
                Ok(0) => break,
                Ok(read) if read > room => return Err(Error::reading(io::Error::other(TOO_MUCH))),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::reading(error)),
            }
        }
        self.position += filled as u64;
        Ok(filled)
    }

    /// Appends `len` bytes to `buf`, which grows only as they arrive. Returns the number of bytes read.
    ///
    /// [`Read::read_to_end`] may abort the process when it grows a full buffer, so it gets no more bytes than fit.
    pub(crate) fn append(&mut self, len: u64, buf: &mut Vec<u8>) -> Result<u64, Error> {
        let mut missing = len;
        while missing > 0 {
            memory::reserve(buf, missing.min(LEAST_GROWTH) as usize)?;
            let room = missing.min((buf.capacity() - buf.len()) as u64);
            let read = self.inner.by_ref().take(room).read_to_end(buf).map_err(Error::reading)? as u64;
            self.position += read;
            missing -= read;
            if read < room {
                break;
            }
        }
        Ok(len - missing)
    }

    /// Replaces the content of `buf` by `len` bytes, as [`append`](Self::append) does. The bytes of a reused buffer are
    /// overwritten, where appending would first fill its memory with zeros. A new one starts with up to [`FIRST`] bytes.
    pub(crate) fn replace(&mut self, len: u64, buf: &mut Vec<u8>) -> Result<u64, Error> {
        let len_in_memory = usize::try_from(len).unwrap_or(usize::MAX);
        let first = len_in_memory.min(FIRST);
        if buf.capacity() < first {
            memory::reuse(buf, first)?;
        }
        buf.truncate(len_in_memory);
        let filled = self.fill(buf)?;
        if filled < buf.len() {
            buf.truncate(filled);
            return Ok(filled as u64);
        }
        Ok(filled as u64 + self.append(len - filled as u64, buf)?)
    }

    /// Skips `len` bytes. Returns the number of bytes skipped.
    pub(crate) fn skip(&mut self, len: u64) -> Result<u64, Error> {
        let skipped = io::copy(&mut self.inner.by_ref().take(len), &mut io::sink());
        let skipped = skipped.map_err(Error::reading)?;
        self.position += skipped;
        Ok(skipped)
    }

    /// Reads exactly `len` bytes. Otherwise returns [`Error::Truncated`] for `what`, which starts at `start` and takes
    /// `needed` bytes.
    pub(crate) fn exactly(&mut self, len: u64, start: u64, needed: u64, what: &str) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        if self.append(len, &mut bytes)? < len {
            return Err(self.cut_off(start, needed, what));
        }
        Ok(bytes)
    }

    /// The error for an input that ends here, within `what`.
    pub(crate) fn cut_off(&self, start: u64, needed: u64, what: &str) -> Error {
        Error::Truncated { offset: start, what: what.to_owned(), needed, found: self.position - start }
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_replaced_whatever_it_held() {
        let source: Vec<u8> = (0..200).collect();
        for held in [0, 1, 99, 100, 101, 150] {
            for len in [0, 1, 100, 199, 200, 300] {
                let (mut reader, mut buf) = (CountingReader::new(&source[..]), vec![0xFF; held]);
                let expected = &source[..len.min(200)];
                assert_eq!(reader.replace(len as u64, &mut buf).unwrap(), expected.len() as u64);
                assert_eq!((&buf[..], reader.position()), (expected, expected.len() as u64), "{held} {len}");
            }
        }
    }
}
