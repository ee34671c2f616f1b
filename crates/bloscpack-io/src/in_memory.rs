//! An output in memory, which may have no more bytes than the limits allow.

use std::io::{self, Write};

use blosc_core::{Limits, OverLimit};

use crate::Error;

/// Zeros in place of bytes that are going to be read: of a machine of 32 bits a file may have more than it can hold.
pub(crate) fn room(nbytes: u64) -> Result<Vec<u8>, Error> {
    let no_memory = || Error::io("making room in memory")(io::ErrorKind::OutOfMemory.into());
    let len = usize::try_from(nbytes).map_err(|_| no_memory())?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| no_memory())?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// Bytes that are put together in memory, from so many compressed ones.
pub(crate) struct InMemory<'a> {
    pub(crate) bytes: Vec<u8>,
    limits: &'a Limits,
    stored: u64,
    over: Option<OverLimit>,
}

impl<'a> InMemory<'a> {
    pub(crate) fn new(limits: &'a Limits, stored: u64) -> Self {
        InMemory { bytes: Vec::new(), limits, stored, over: None }
    }

    /// Why writing failed, if it was for the limits.
    pub(crate) fn explain(&self, error: Error) -> Error {
        self.over.map_or(error, Error::Limit)
    }
}

impl Write for InMemory<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let len = self.bytes.len().saturating_add(buf.len()) as u64;
        if let Err(over) = self.limits.check_output(len, self.stored) {
            self.over = Some(over);
            return Err(io::Error::other(over));
        }
        self.bytes.try_reserve(buf.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.bytes.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
