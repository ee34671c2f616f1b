//! Reads a random-access source from start to end.

use std::io::{self, Read};

use blosc_core::memory;
use bloscpack_format::FormatError;

use super::ReadAt;
use crate::Error;

/// Parses the start of a source. `parse` gets `first` bytes, then the number of bytes that it asks for.
pub(crate) fn parse_start<T>(
    source: &(impl ReadAt + ?Sized),
    first: u64,
    parse: impl Fn(&[u8]) -> Result<T, FormatError>,
) -> Result<T, Error> {
    let reading = Error::reading;
    let len = source.len().map_err(&reading)?;
    let mut needed = len.min(first);
    loop {
        // Never more bytes than the source has; parsers have their own limit.
        let mut bytes = memory::zeroed(needed as usize)?;
        source.read_exact_at(0, &mut bytes).map_err(&reading)?;
        match parse(&bytes) {
            Ok(parsed) => return Ok(parsed),
            Err(error) => match error.bytes_needed().filter(|more| *more > needed && *more <= len) {
                Some(more) => needed = more,
                None => return Err(error.into()),
            },
        }
    }
}

/// A random-access source, read from start to end.
pub(crate) struct Sequential<R> {
    source: R,
    at: u64,
    end: u64,
}

impl<R: ReadAt> Sequential<R> {
    /// The bytes of `source` from `at` to `end`.
    pub(crate) fn within(source: R, at: u64, end: u64) -> Self {
        Sequential { source, at, end }
    }
}

impl<R: ReadAt> Read for Sequential<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let len = buf.len().min(left);
        self.source.read_exact_at(self.at, &mut buf[..len])?;
        self.at += len as u64;
        Ok(len)
    }
}
