//! Sequential inputs.

use super::standard::standard;
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_io::{Cancel, OutOfMemory, known_size};
use std::fs::File;
use std::io::{self, Read};

/// An input that is read sequentially. Reads that have to wait for data stop waiting when the operation is cancelled.
#[derive(Debug)]
pub(crate) struct Input {
    file: File,
    regular: bool,
    cancel: Cancel,
}

impl Input {
    pub(crate) fn open(operand: &PathOrStdio, cancel: &Cancel) -> Result<Input> {
        let file = match operand {
            PathOrStdio::Standard => standard(io::stdin()).context("opening stdin")?,
            PathOrStdio::File(path) => {
                File::open(path).with_context(|| FileMessage::new(operand, format!("opening '{}'", path.display())))?
            }
        };
        let metadata = file.metadata().with_context(|| FileMessage::new(operand, format!("opening '{operand}'")))?;
        if metadata.is_dir() {
            return Err(anyhow!(FileMessage::new(operand, format!("'{operand}' is a directory, not a file"))));
        }
        Ok(Input { file, regular: metadata.is_file(), cancel: cancel.clone() })
    }

    /// Returns the size of a regular file, if it is known before the file is read.
    pub(crate) fn known_size(&self) -> Option<u64> {
        known_size(&self.file)
    }

    /// Returns the underlying file.
    pub(super) fn into_file(self) -> File {
        self.file
    }

    /// Reads the whole input, if it has at most `limit` bytes.
    pub(crate) fn read_all(self, limit: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        let read = read.map_err(|error| sized(error, 2 * bytes.capacity())).context("reading the input")?;
        if read as u64 > limit {
            bail!("the input exceeds {limit} bytes, the maximum of one chunk");
        }
        Ok(bytes)
    }
}

/// Adds the size to an I/O error, if the standard library could not allocate a buffer of `nbytes` bytes.
pub(crate) fn sized(error: io::Error, nbytes: usize) -> io::Error {
    match error.kind() {
        io::ErrorKind::OutOfMemory if error.get_ref().is_none() => OutOfMemory::new(nbytes).into(),
        _ => error,
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        if !self.regular {
            wait_for(&self.file, &self.cancel)?;
        }
        if self.cancel.is_cancelled() {
            return Err(io::Error::other(Interrupted));
        }
        self.file.read(buf)
    }
}

/// Waits until a read would not block, or the operation is cancelled.
#[cfg(unix)]
fn wait_for(file: &File, cancel: &Cancel) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const TENTH_OF_A_SECOND: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        let ready = match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&TENTH_OF_A_SECOND)) {
            Err(rustix::io::Errno::INTR) => 0,
            ready => ready?,
        };
        if ready > 0 || cancel.is_cancelled() {
            return Ok(());
        }
    }
}

/// The error that Ctrl-C was pressed while waiting for input.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;
