//! Sources, sinks and stores whose Nth call fails.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bloscpack_format::frame::FrameType;
use bloscpack_io::bcolz::Directory;
use bloscpack_io::frame::FrameStore;
use bloscpack_io::{ChunkFiles, Lock, ReadAt, ReadDirectory};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// With this error of the system.
    Error(i32),
    /// With this error of the system, after half of the bytes are written. Every later call that writes fails, too.
    Full(i32),
    /// Fewer bytes than requested.
    Short,
    /// By a signal, before anything was done.
    Interrupted,
    /// From now on the source has only half of its bytes.
    Shrunk,
}

pub(crate) const EIO: i32 = 5;
pub(crate) const EACCES: i32 = 13;
pub(crate) const ENOSPC: i32 = 28;

/// The message of a system error.
pub(crate) fn text_of(error: i32) -> String {
    io::Error::from_raw_os_error(error).to_string()
}

/// Determines the call that fails.
#[derive(Debug)]
pub(crate) struct Faults {
    calls: AtomicU64,
    at: u64,
    how: How,
}

impl Faults {
    pub(crate) fn new(at: u64, how: How) -> Arc<Faults> {
        Arc::new(Faults { calls: AtomicU64::new(0), at, how })
    }

    /// Whether the failing call was reached.
    pub(crate) fn met(&self) -> bool {
        self.calls.load(Ordering::Relaxed) >= self.at
    }

    /// Counts a call and returns how it fails, if it does.
    fn next(&self) -> Option<How> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let is_for_ever = matches!(self.how, How::Full(_) | How::Shrunk);
        (call == self.at || is_for_ever && call > self.at).then_some(self.how)
    }

    /// A call that is done completely or not at all.
    fn check(&self) -> io::Result<()> {
        match self.next() {
            Some(How::Error(error) | How::Full(error)) => Err(io::Error::from_raw_os_error(error)),
            _ => Ok(()),
        }
    }
}

/// A wrapper that counts the calls.
#[derive(Debug)]
pub(crate) struct Faulty<T> {
    pub(crate) inner: T,
    pub(crate) faults: Arc<Faults>,
}

impl<T> Faulty<T> {
    pub(crate) fn new(inner: T, faults: &Arc<Faults>) -> Self {
        Faulty { inner, faults: faults.clone() }
    }
}

impl<T: Read> Read for Faulty<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.faults.next() {
            Some(How::Error(error) | How::Full(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Interrupted) => Err(io::ErrorKind::Interrupted.into()),
            Some(How::Short) => self.inner.read(&mut buf[..1]),
            Some(How::Shrunk) => Ok(0),
            None => self.inner.read(buf),
        }
    }
}

impl<T: Write> Write for Faulty<T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self.faults.next() {
            Some(How::Error(error) | How::Full(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Interrupted) => Err(io::ErrorKind::Interrupted.into()),
            Some(How::Short) => self.inner.write(&buf[..buf.len().div_ceil(2)]),
            _ => self.inner.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.faults.check()?;
        self.inner.flush()
    }
}

impl<T: Seek> Seek for Faulty<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.faults.check()?;
        self.inner.seek(to)
    }
}

impl<T: ReadAt> ReadAt for Faulty<T> {
    fn len(&self) -> io::Result<u64> {
        let len = self.inner.len()?;
        match self.faults.next() {
            Some(How::Error(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Shrunk) => Ok(len / 2),
            _ => Ok(len),
        }
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match self.faults.next() {
            Some(How::Error(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Shrunk) => {
                // The same error as from a source of this length.
                let mut half = vec![0; self.inner.len()? as usize / 2];
                self.inner.read_exact_at(0, &mut half)?;
                half.read_exact_at(offset, buf)
            }
            _ => self.inner.read_exact_at(offset, buf),
        }
    }
}

impl<T: ChunkFiles> ChunkFiles for Faulty<T> {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        self.faults.check()?;
        Ok(Box::new(Faulty::new(self.inner.open_chunk(number)?, &self.faults)))
    }
}

impl<T: FrameStore + ChunkFiles> FrameStore for Faulty<T> {
    fn frame_type(&self) -> FrameType {
        self.inner.frame_type()
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.inner.chunk_files().is_some().then_some(self)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        match self.faults.next() {
            Some(How::Error(error)) => Err(io::Error::from_raw_os_error(error)),
            // Existing bytes can be overwritten.
            Some(How::Full(error)) if at + bytes.len() as u64 > self.inner.len()? => {
                self.inner.write_at(at, &bytes[..bytes.len() / 2])?;
                Err(io::Error::from_raw_os_error(error))
            }
            _ => self.inner.write_at(at, bytes),
        }
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        if matches!(self.faults.next(), Some(How::Error(_))) {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        self.inner.set_len(len)
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        match self.faults.next() {
            Some(How::Error(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Full(error)) => {
                self.inner.write_chunk_file(number, &bytes[..bytes.len() / 2])?;
                Err(io::Error::from_raw_os_error(error))
            }
            _ => self.inner.write_chunk_file(number, bytes),
        }
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        self.inner.remove_chunk_file(number)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.faults.check()?;
        self.inner.sync()
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.faults.check()?;
        self.inner.replace(bytes)
    }
}

/// On a full disk, only calls that need space fail.
impl<T: ReadDirectory> ReadDirectory for Faulty<T> {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        if let How::Full(_) = self.faults.how {
            return self.inner.open(path);
        }
        self.faults.check()?;
        Ok(Box::new(Faulty::new(self.inner.open(path)?, &self.faults)))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        if !matches!(self.faults.how, How::Full(_)) {
            self.faults.check()?;
        }
        self.inner.list(path)
    }
}

impl<T: Directory> Directory for Faulty<T> {
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        match self.faults.next() {
            Some(How::Error(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(How::Full(error)) => {
                self.inner.create(path, &bytes[..bytes.len() / 2])?;
                Err(io::Error::from_raw_os_error(error))
            }
            _ => self.inner.create(path, bytes),
        }
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.faults.check()?;
        self.inner.sync_file(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if !matches!(self.faults.how, How::Full(_)) {
            self.faults.check()?;
        }
        self.inner.rename(from, to)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        if !matches!(self.faults.how, How::Full(_)) {
            self.faults.check()?;
        }
        self.inner.remove_file(path)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.faults.check()?;
        self.inner.create_dir(path)
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        if !matches!(self.faults.how, How::Full(_)) {
            self.faults.check()?;
        }
        self.inner.remove_dir(path)
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        self.faults.check()?;
        self.inner.sync_dir(path)
    }

    fn lock(&self, path: &str) -> io::Result<Lock> {
        self.faults.check()?;
        self.inner.lock(path)
    }
}
