//! Connections, settings and counters.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use ureq::Agent;

use super::{RemoteOptions, tls};
use crate::Error;

/// How often the cancel flag is checked.
pub(super) const TICK: Duration = Duration::from_millis(50);
/// Maximum number of bytes in the headers of a response.
const MAX_HEADER: usize = 64 << 10;

pub(super) struct Client {
    pub(super) agent: Agent,
    pub(super) options: RemoteOptions,
    pub(super) requests: AtomicU64,
    pub(super) bytes: AtomicU64,
    /// Number of bytes in the caches of all files.
    pub(super) held: AtomicUsize,
    pub(super) permits: Permits,
}

impl Client {
    /// Creates a client. Nothing is sent.
    pub(super) fn new(options: RemoteOptions) -> io::Result<Arc<Client>> {
        let client = Arc::new(Client {
            agent: agent(&options)?,
            permits: Permits { free: Mutex::new(options.connections), returned: Condvar::new() },
            options,
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            held: AtomicUsize::new(0),
        });
        let watched = Arc::downgrade(&client);
        std::thread::Builder::new().name("network".into()).spawn(move || watch(&watched))?;
        Ok(client)
    }

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
