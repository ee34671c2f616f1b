//! Sequential inputs.

use super::standard::standard;
use crate::file_message::FileMessage;
use crate::path_or_stdio::PathOrStdio;
use crate::url;
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_io::{Cancel, OutOfMemory, known_size};
use std::fs::File;
use std::io::{self, Read, Seek as _};

/// An input that is read sequentially. Reads that have to wait for data stop waiting when the operation is cancelled.
pub(crate) struct Input {
    from: From,
    cancel: Cancel,
}

/// Where an input is read from.
enum From {
    File {
        file: File,
        regular: bool,
    },
    /// A file at a URL, and its size.
    Url(Box<dyn Read + Send>, u64),
}

impl Input {
    pub(crate) fn open(operand: &PathOrStdio, cancel: &Cancel) -> Result<Input> {
        let cancel = cancel.clone();
        let file = match operand {
            PathOrStdio::Url(url) => {
                let source = url::open(url, None)?;
                if source.is_directory() {
                    return Err(anyhow!(FileMessage::new(operand, format!("'{operand}' is a directory, not a file"))));
                }
                let opened = source.bytes().len().and_then(|len| Ok((source.reader()?, len)));
                let (reader, len) =
                    opened.with_context(|| FileMessage::new(operand, format!("opening '{operand}'")))?;
                return Ok(Input { from: From::Url(reader, len), cancel });
            }
            PathOrStdio::Standard => standard(io::stdin()).context("opening stdin")?,
            PathOrStdio::File(path) => {
                File::open(path).with_context(|| FileMessage::new(operand, format!("opening '{}'", path.display())))?
            }
        };
        let metadata = file.metadata().with_context(|| FileMessage::new(operand, format!("opening '{operand}'")))?;
        if metadata.is_dir() {
            return Err(anyhow!(FileMessage::new(operand, format!("'{operand}' is a directory, not a file"))));
        }
        Ok(Input { from: From::File { regular: metadata.is_file(), file }, cancel })
    }

    /// Returns the size of the input, if it is known before the input is read.
    pub(crate) fn known_size(&self) -> Option<u64> {
        match &self.from {
            From::File { file, .. } => known_size(file),
            From::Url(_, size) => Some(*size),
        }
    }

    /// Returns the size, if it is known before the input is read, and a reader of the bytes up to that size: those that
    /// another process appends meanwhile, as to a log, are left out.
    pub(crate) fn into_opened(self) -> (Option<u64>, impl Read) {
        let size = self.known_size();
        (size, self.take(size.unwrap_or(u64::MAX)))
    }

    /// Returns the underlying file if its size is known and the input is all of it, else the input. Offsets in a file
    /// are those in the input only if the input starts at position 0.
    pub(super) fn into_whole_file(self) -> Result<File, Input> {
        match self.from {
            From::File { file, .. } if known_size(&file).is_some() && is_at_start(&file) => Ok(file),
            from => Err(Input { from, ..self }),
        }
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
        if let From::File { file, regular: false } = &self.from {
            wait_for(file, &self.cancel)?;
        }
        if self.cancel.is_cancelled() {
            return Err(io::Error::other(Interrupted));
        }
        match &mut self.from {
            From::File { file, .. } => file.read(buf),
            From::Url(reader, _) => reader.read(buf),
        }
    }
}

/// Whether a file is read from its start.
fn is_at_start(mut file: &File) -> bool {
    file.stream_position().is_ok_and(|position| position == 0)
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
