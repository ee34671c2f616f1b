//! Reads a file from start to end, with several requests in flight.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::thread::JoinHandle;

use super::RemoteFile;
use crate::source::ReadAt as _;

/// Number of bytes of each request.
const PIECE: u64 = 1 << 20;

/// A reader of a file from start to end, from [`RemoteFile::reader`].
pub struct RemoteReader {
    file: RemoteFile,
    /// Maximum number of requests in flight.
    ahead: usize,
    /// The offset of the next request.
    next: u64,
    len: Option<u64>,
    coming: VecDeque<JoinHandle<io::Result<Vec<u8>>>>,
    piece: Vec<u8>,
    read: usize,
}

impl RemoteFile {
    /// Returns a reader of the file from start to end, which has several requests in flight.
    #[must_use]
    pub fn reader(&self) -> RemoteReader {
        RemoteReader::new(self.clone())
    }
}

impl RemoteReader {
    fn new(file: RemoteFile) -> Self {
        RemoteReader {
            ahead: file.connections(),
            file,
            next: 0,
            len: None,
            coming: VecDeque::new(),
            piece: Vec::new(),
            read: 0,
        }
    }

    /// Starts requests until enough are in flight.
    fn request(&mut self) -> io::Result<()> {
        let len = match self.len {
            Some(len) => len,
            None => *self.len.insert(self.file.len()?),
        };
        while self.coming.len() < self.ahead && self.next < len {
            let range = self.next..len.min(self.next.saturating_add(PIECE));
            self.next = range.end;
            let file = self.file.clone();
            let fetch = move || {
                let mut bytes = blosc_core::memory::zeroed((range.end - range.start) as usize)?;
                // The start of the file is known already.
                match range.start {
                    0 => file.read_exact_at(0, &mut bytes)?,
                    _ => file.fetch(range, &mut bytes)?,
                }
                Ok(bytes)
            };
            self.coming.push_back(std::thread::Builder::new().spawn(fetch)?);
        }
        Ok(())
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.read >= self.piece.len() {
            self.request()?;
            let Some(next) = self.coming.pop_front() else { return Ok(0) };
            self.piece = next.join().map_err(|_| io::Error::other("a thread of the network panicked"))??;
            self.read = 0;
            self.request()?;
        }
        let rest = self.piece.get(self.read..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf.get_mut(..len).unwrap_or_default().copy_from_slice(rest.get(..len).unwrap_or_default());
        self.read += len;
        Ok(len)
    }
}

impl std::fmt::Debug for RemoteReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteReader").field("file", &self.file).finish_non_exhaustive()
    }
}
