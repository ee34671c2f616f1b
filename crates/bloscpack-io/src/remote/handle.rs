//! The client for users: it opens files, and counts.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bloscpack_format::Format;

use super::client::Client;
use super::file::RemoteFile;
use super::{RemoteOptions, RemoteUrl};
use crate::Error;

/// Maximum number of files that stay open: the small chunks that are read ahead, each a file with its first 16 KiB.
const MAX_FILES: usize = 2048;

/// Maximum number of files that stay open if the last one has no ranges, which takes a temporary file for each.
const MAX_SPOOLED: usize = 64;

/// Number of files that stay open when the memory for what was read ahead is full.
const MIN_FILES: usize = 8;

/// Number of directories whose format is remembered.
const MAX_DIRECTORIES: usize = 64;

/// A client for files at URLs. Clones share connections, counters and what was read ahead.
///
/// ```no_run
/// use bloscpack_io::{Archive, Remote, RemoteOptions};
/// let remote = Remote::new(RemoteOptions::from_env()?)?;
/// let archive = Archive::open(remote.open(&"https://example.org/measurements.b2nd".parse()?)?)?;
/// let bytes = archive.read_range(0..100)?;
/// println!("{} requests", remote.traffic().requests);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Remote {
    pub(super) client: Arc<Client>,
    /// The files opened last, so that opening one again needs no request.
    files: Arc<Mutex<VecDeque<(RemoteUrl, Slot)>>>,
    /// The directories recognised last, with the files that identify them.
    directories: Arc<Mutex<VecDeque<(RemoteUrl, Format, String)>>>,
}

/// A file that is open, or is being opened by one thread, while others wait for it.
type Slot = Arc<Mutex<Option<RemoteFile>>>;

/// Numbers of requests and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Traffic {
    /// Number of requests, with repeated and redirected ones.
    pub requests: u64,
    /// Number of bytes in the bodies of requests and responses.
    pub bytes: u64,
}

impl Remote {
    /// Creates a client. Nothing is sent.
    ///
    /// # Errors
    /// [`Error::Io`] if the certificates are invalid, or if the system refuses a thread.
    pub fn new(options: RemoteOptions) -> Result<Remote, Error> {
        let client = Client::new(options).map_err(Error::io("preparing for the network"))?;
        Ok(Remote { client, files: Arc::default(), directories: Arc::default() })
    }

    /// Returns the format of a directory that was recognised before, and the file that identifies it.
    pub(crate) fn recognised(&self, url: &RemoteUrl) -> Option<(Format, String)> {
        let directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        let found = directories.iter().find(|(other, ..)| other == url);
        found.map(|(_, format, name)| (*format, name.clone()))
    }

    /// Remembers the format of a directory.
    pub(crate) fn remember(&self, url: &RemoteUrl, format: Format, name: &str) {
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        directories.retain(|(other, ..)| other != url);
        if directories.len() >= MAX_DIRECTORIES {
            directories.pop_front();
        }
        directories.push_back((url.clone(), format, name.to_owned()));
    }

    /// Returns what was sent and received so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        Traffic {
            requests: self.client.requests.load(Ordering::Relaxed),
            bytes: self.client.bytes.load(Ordering::Relaxed),
        }
    }

    /// Opens a file. One request fetches its length and its first bytes. A file that was opened before needs none.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; otherwise the error of the network or the server.
    pub fn open(&self, url: &RemoteUrl) -> io::Result<RemoteFile> {
        let slot = self.slot(url);
        // A panic leaves a slot empty.
        let mut opened = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*opened {
            return Ok(file.clone());
        }
        let file = RemoteFile::open(&self.client, url);
        match &file {
            Ok(file) => {
                *opened = Some(file.clone());
                if file.connections() == 1 {
                    self.keep(MAX_SPOOLED);
                }
            }
            Err(_) => self.files().retain(|(_, other)| !Arc::ptr_eq(other, &slot)),
        }
        file
    }

    fn files(&self) -> MutexGuard<'_, VecDeque<(RemoteUrl, Slot)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the place of a file among those opened last.
    fn slot(&self, url: &RemoteUrl) -> Slot {
        let is_full = self.client.held.load(Ordering::Relaxed) > self.client.options.cache;
        self.keep(if is_full { MIN_FILES } else { MAX_FILES });
        let mut files = self.files();
        // The files opened last are at the end.
        let found = files.iter().rposition(|(other, _)| other == url).and_then(|at| files.remove(at));
        let (url, slot) = found.unwrap_or_else(|| (url.clone(), Slot::default()));
        files.push_back((url, slot.clone()));
        slot
    }

    /// Drops all but the `most` files opened last.
    fn keep(&self, most: usize) {
        let mut files = self.files();
        let old = files.len().saturating_sub(most);
        let old: Vec<_> = files.drain(..old).collect();
        // Their memory is freed without the lock.
        drop(files);
        drop(old);
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("options", &self.client.options).field("traffic", &self.traffic()).finish()
    }
}
