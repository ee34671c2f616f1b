//! The client for users: it opens files, and counts.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::client::Client;
use super::file::RemoteFile;
use super::{RemoteOptions, RemoteUrl};
use crate::Error;

/// Maximum number of files that stay open.
const MAX_FILES: usize = 64;

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
    files: Arc<Mutex<VecDeque<(RemoteUrl, RemoteFile)>>>,
}

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
        Ok(Remote { client, files: Arc::new(Mutex::new(VecDeque::new())) })
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
        let files = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let found = files().iter().find(|(name, _)| name == url).map(|(_, file)| file.clone());
        if let Some(file) = found {
            return Ok(file);
        }
        let file = RemoteFile::open(&self.client, url)?;
        let mut files = files();
        let is_full = self.client.held.load(Ordering::Relaxed) > self.client.options.cache;
        let keep = if is_full { MAX_FILES / 8 } else { MAX_FILES };
        while files.len() >= keep {
            files.pop_front();
        }
        files.push_back((url.clone(), file.clone()));
        Ok(file)
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("options", &self.client.options).field("traffic", &self.traffic()).finish()
    }
}
