//! The client: connections, settings, counters, and the files that are open.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use ureq::Agent;

use super::file::RemoteFile;
use super::{RemoteOptions, RemoteUrl, tls};
use crate::Error;

/// How often the cancel flag is checked.
pub(super) const TICK: Duration = Duration::from_millis(50);
/// Maximum number of files that stay open, and of bytes in headers of a response.
const MAX_FILES: usize = 64;
const MAX_HEADER: usize = 64 << 10;

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
pub struct Remote(pub(super) Arc<Client>);

/// What was sent and received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Traffic {
    /// Number of requests, with repeated and redirected ones.
    pub requests: u64,
    /// Number of bytes in the bodies of requests and responses.
    pub bytes: u64,
}

pub(super) struct Client {
    pub(super) agent: Agent,
    pub(super) options: RemoteOptions,
    pub(super) requests: AtomicU64,
    pub(super) bytes: AtomicU64,
    /// Number of bytes in the caches of all files.
    pub(super) held: AtomicUsize,
    pub(super) permits: Permits,
    /// The files opened last, so that opening one again needs no request.
    files: Mutex<VecDeque<(RemoteUrl, RemoteFile)>>,
}

impl Remote {
    /// Creates a client. Nothing is sent.
    ///
    /// # Errors
    /// [`Error::Io`] if the certificates are invalid, or if the system refuses a thread.
    pub fn new(options: RemoteOptions) -> Result<Remote, Error> {
        let creating = Error::io("preparing for the network");
        let agent = agent(&options).map_err(&creating)?;
        let permits = Permits { free: Mutex::new(options.connections), returned: Condvar::new() };
        let client = Arc::new(Client {
            agent,
            options,
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            permits,
            files: Mutex::new(VecDeque::new()),
        });
        let watched = Arc::downgrade(&client);
        std::thread::Builder::new().name("network".into()).spawn(move || watch(&watched)).map_err(creating)?;
        Ok(Remote(client))
    }

    /// Returns what was sent and received so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        Traffic { requests: self.0.requests.load(Ordering::Relaxed), bytes: self.0.bytes.load(Ordering::Relaxed) }
    }

    /// Opens a file. One request fetches its length and its first bytes. A file that was opened before needs none.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; otherwise the error of the network or the server.
    pub fn open(&self, url: &RemoteUrl) -> io::Result<RemoteFile> {
        let files = || self.0.files.lock().unwrap_or_else(PoisonError::into_inner);
        let found = files().iter().find(|(name, _)| name == url).map(|(_, file)| file.clone());
        if let Some(file) = found {
            return Ok(file);
        }
        let file = RemoteFile::open(&self.0, url)?;
        let mut files = files();
        let is_full = self.0.held.load(Ordering::Relaxed) > self.0.options.cache;
        let keep = if is_full { MAX_FILES / 8 } else { MAX_FILES };
        while files.len() >= keep {
            files.pop_front();
        }
        files.push_back((url.clone(), file.clone()));
        Ok(file)
    }
}

impl Client {
    /// Adds to the number of bytes.
    pub(super) fn count(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Refuses to go on if the cancel flag is set.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.options.cancel.is_cancelled() { Err(Error::Cancelled.into()) } else { Ok(()) }
    }

    /// Waits, unless the cancel flag is set meanwhile.
    pub(super) fn wait(&self, mut time: Duration) -> io::Result<()> {
        while !time.is_zero() {
            self.check()?;
            let part = time.min(TICK);
            std::thread::sleep(part);
            time -= part;
        }
        self.check()
    }
}

/// Permits for requests, which bound the number in flight.
pub(super) struct Permits {
    free: Mutex<usize>,
    returned: Condvar,
}

/// A permit, returned when it is dropped.
pub(super) struct Permit<'a>(&'a Permits);

impl Permits {
    /// Waits for a permit, unless the cancel flag is set meanwhile.
    pub(super) fn acquire(&self, client: &Client) -> io::Result<Permit<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            client.check()?;
            if let Some(left) = free.checked_sub(1) {
                *free = left;
                return Ok(Permit(self));
            }
            free = self.returned.wait_timeout(free, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}

/// Ends all requests when the cancel flag is set, and itself when the client is gone.
fn watch(client: &Weak<Client>) {
    while let Some(client) = client.upgrade() {
        if client.options.cancel.is_cancelled() {
            return client.agent.clone().shutdown();
        }
        drop(client);
        std::thread::sleep(TICK);
    }
}

/// Returns connections with these settings. Redirects and statuses are for the caller.
pub(super) fn agent(options: &RemoteOptions) -> io::Result<Agent> {
    let stall = Some(options.stall_timeout);
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("bloscpack-io/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(options.connect_timeout))
        .timeout_resolve(Some(options.connect_timeout))
        .timeout_per_read(stall)
        .timeout_per_write(stall)
        .timeout_recv_response(Some(options.stall_timeout.saturating_mul(2)))
        .max_response_header_size(MAX_HEADER)
        .max_idle_connections(options.connections)
        .max_idle_connections_per_host(options.connections)
        .proxy(options.proxy.clone());
    Ok(tls::configure(config, options)?.build().new_agent())
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("options", &self.0.options).field("traffic", &self.traffic()).finish()
    }
}
