//! Files and directories whose bytes JavaScript holds.

use std::io;
use std::ops::Range;

use bloscpack_io::{ReadAt, ReadDirectory};

use crate::exports::host;

/// Number of bytes whose transfer takes as long as one more request.
const REQUEST_COST: usize = 64 << 10;

/// The outcome of a call of JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The bytes have not arrived. JavaScript has noted which, and repeats the call of this module later.
    Pending,
    Absent,
    Failed,
}

impl Outcome {
    pub(crate) fn of(code: u8) -> Outcome {
        match code {
            0 => Outcome::Done,
            1 => Outcome::Pending,
            2 => Outcome::Absent,
            _ => Outcome::Failed,
        }
    }

    fn check(self) -> io::Result<()> {
        match self {
            Outcome::Done => Ok(()),
            Outcome::Pending => Err(io::ErrorKind::WouldBlock.into()),
            Outcome::Absent => Err(io::ErrorKind::NotFound.into()),
            Outcome::Failed => Err(io::Error::other(host::reason())),
        }
    }
}

/// A file by its number in JavaScript's list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostFile {
    number: u32,
    len: u64,
}

impl HostFile {
    pub(crate) fn new(number: u32) -> HostFile {
        // JavaScript knows the size of every file that it lists. It is a number below 2^53.
        HostFile { number, len: host::size(number) as u64 }
    }
}

impl ReadAt for HostFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if buf.is_empty() {
            return Ok(());
        }
        host::read(self.number, offset as f64, buf).check()
    }

    fn request_cost(&self) -> Option<usize> {
        Some(REQUEST_COST)
    }

    fn prefetch(&self, ranges: &[Range<u64>]) {
        for range in ranges {
            let end = range.end.min(self.len);
            if range.start < end {
                host::want(self.number, range.start as f64, (end - range.start) as f64);
            }
        }
    }
}

/// A directory by its number in JavaScript's list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostDirectory {
    number: u32,
}

impl HostDirectory {
    pub(crate) fn new(number: u32) -> HostDirectory {
        HostDirectory { number }
    }
}

impl ReadDirectory for HostDirectory {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        let (outcome, number) = host::open(self.number, path);
        outcome.check()?;
        Ok(Box::new(HostFile::new(number)))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let (outcome, names) = host::list(self.number, path);
        outcome.check()?;
        Ok(names)
    }

    fn request_cost(&self) -> Option<usize> {
        Some(REQUEST_COST)
    }
}
