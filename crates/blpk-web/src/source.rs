//! Files and directories whose bytes JavaScript holds.

use std::io;
use std::ops::Range;

use bloscpack_io::{ReadAt, ReadDirectory};

use crate::imports::{self, Outcome};

/// Number of bytes whose transfer takes as long as one more request.
const REQUEST_COST: usize = 64 << 10;

/// Returns the error of a call that was not done.
fn check(outcome: Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Done => Ok(()),
        Outcome::Pending => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Unsupported => Err(io::Error::new(io::ErrorKind::Unsupported, imports::reason())),
        Outcome::Absent => Err(io::ErrorKind::NotFound.into()),
        Outcome::Failed => Err(io::Error::other(imports::reason())),
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
        HostFile { number, len: imports::size(number) as u64 }
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
        check(imports::read(self.number, offset as f64, buf))
    }

    fn request_cost(&self) -> Option<usize> {
        Some(REQUEST_COST)
    }

    fn prefetch(&self, ranges: &[Range<u64>]) {
        for range in ranges {
            let end = range.end.min(self.len);
            if range.start < end {
                imports::want(self.number, range.start as f64, (end - range.start) as f64);
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
        let (outcome, number) = imports::open(self.number, path);
        check(outcome)?;
        Ok(Box::new(HostFile::new(number)))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let (outcome, names) = imports::list(self.number, path);
        check(outcome)?;
        Ok(names)
    }

    fn request_cost(&self) -> Option<usize> {
        Some(REQUEST_COST)
    }
}
