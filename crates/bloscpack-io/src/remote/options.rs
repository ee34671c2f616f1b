//! Settings of a network client.

use std::time::Duration;

use super::s3::{Credentials, S3Options};
use crate::Cancel;

/// Settings of a [`Remote`](super::Remote): time-outs, retries, limits, certificates and credentials.
///
/// `new` reads nothing from the environment; [`RemoteOptions::from_env`] does.
///
/// ```
/// use bloscpack_io::RemoteOptions;
/// let options = RemoteOptions::new().attempts(3).connections(4);
/// ```
#[derive(Clone)]
pub struct RemoteOptions {
    pub(super) attempts: u32,
    pub(super) backoff: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) stall_timeout: Duration,
    pub(super) connections: usize,
    pub(super) cache: usize,
    pub(super) max_spool: u64,
    pub(super) request_cost: usize,
    pub(super) cancel: Cancel,
    /// Certificates in PEM. The built-in list if `None`.
    pub(super) certificates: Option<Vec<u8>>,
    pub(super) proxy: Option<ureq::Proxy>,
    pub(super) s3: S3Options,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        RemoteOptions {
            attempts: 5,
            backoff: Duration::from_millis(250),
            connect_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            connections: 8,
            cache: 64 << 20,
            max_spool: 16 << 30,
            request_cost: 32 << 10,
            cancel: Cancel::new(),
            certificates: None,
            proxy: None,
            s3: S3Options::default(),
        }
    }
}

impl RemoteOptions {
    /// Returns the defaults: 5 attempts, 10 s to connect, 30 s without a byte, 8 connections, 64 MiB of cache.
    #[must_use]
    pub fn new() -> Self {
        RemoteOptions::default()
    }

    /// The number of times that a request is sent if the server is busy or the connection breaks.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The wait before the second attempt. It doubles with each further one, up to 8 s, minus a random part.
    #[must_use]
    pub fn backoff(mut self, backoff: Duration) -> Self {
        self.backoff = backoff;
        self
    }

    /// The time to connect.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The time without any byte after which a connection counts as broken.
    #[must_use]
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.stall_timeout = timeout;
        self
    }

    /// The number of requests in flight.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.clamp(1, 64);
        self
    }

    /// The memory for bytes that were read ahead.
    #[must_use]
    pub fn cache(mut self, bytes: usize) -> Self {
        self.cache = bytes;
        self
    }

    /// The largest file of a server without ranges, which goes through a temporary file (through memory without the
    /// feature `write`).
    #[must_use]
    pub fn max_spool(mut self, bytes: u64) -> Self {
        self.max_spool = bytes;
        self
    }

    /// The number of bytes that take as long as one more request. Smaller gaps between ranges are read, too.
    #[must_use]
    pub fn request_cost(mut self, bytes: usize) -> Self {
        self.request_cost = bytes;
        self
    }

    /// The flag that ends all requests. It is checked every 50 ms.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The certificates of authorities, in PEM, that replace the built-in list of Mozilla.
    #[must_use]
    pub fn certificates(mut self, pem: Vec<u8>) -> Self {
        self.certificates = Some(pem);
        self
    }

    /// The keys that sign requests to S3, and the token of temporary keys. Without keys, requests are anonymous.
    #[must_use]
    pub fn s3_keys(mut self, key: &str, secret: &str, token: Option<&str>) -> Self {
        let token = token.map(str::to_owned);
        self.s3.credentials = Some(Credentials { key: key.into(), secret: secret.into(), token });
        self
    }

    /// The region of the buckets. `us-east-1` if it is not set.
    #[must_use]
    pub fn s3_region(mut self, region: &str) -> Self {
        self.s3.region = Some(region.into());
        self
    }

    /// The URL of a server other than Amazon's. The names of buckets are in the path.
    #[must_use]
    pub fn s3_endpoint(mut self, url: &str) -> Self {
        self.s3.endpoint = Some(url.into());
        self
    }
}

/// Without secrets.
impl std::fmt::Debug for RemoteOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteOptions")
            .field("attempts", &self.attempts)
            .field("connections", &self.connections)
            .field("is_signed", &self.s3.credentials.is_some())
            .finish_non_exhaustive()
    }
}
