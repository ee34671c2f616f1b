//! One request: signed, redirected, and sent again if it failed for a reason that may pass.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ureq::http::{Method, Response, Uri};
use ureq::{Agent, Body};

use super::client::Client;
use super::failure::{Failure, of_status, of_transport};
use super::redirect::next_hop;
use super::s3::{self, Signed};
use super::url::Kind;
use super::{RemoteUrl, tls};

/// Maximum number of redirects, and the longest wait between two attempts that doubling leads to.
const MAX_REDIRECTS: usize = 5;
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// A request.
pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) url: &'a RemoteUrl,
    /// The query of an operation of S3, encoded and sorted.
    pub(super) query: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a [u8],
}

impl<'a> Request<'a> {
    pub(super) fn get(url: &'a RemoteUrl, headers: &'a [(&'a str, &'a str)]) -> Self {
        Request { method: Method::GET, url, query: "", headers, body: &[] }
    }
}

/// The URI that redirects of a file led to. Later requests go there directly.
#[derive(Default)]
pub(super) struct Resolved(Mutex<Option<Uri>>);

impl Resolved {
    fn get(&self) -> Option<Uri> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a redirect led to a name with a trailing slash.
    pub(super) fn is_directory(&self) -> bool {
        self.get().is_some_and(|uri| uri.path().ends_with('/'))
    }

    fn set(&self, uri: Option<Uri>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = uri;
    }
}

impl Client {
    /// Repeats `attempt` until it succeeds or fails for good, with growing waits.
    pub(super) fn attempts<T>(&self, mut attempt: impl FnMut() -> Result<T, Failure>) -> io::Result<T> {
        let mut backoff = self.options.backoff;
        for number in 1.. {
            self.check()?;
            let (error, after) = match attempt() {
                Ok(done) => return Ok(done),
                // A cancelled request fails somehow.
                Err(Failure::Final(error)) => return self.check().and(Err(error)),
                Err(Failure::Again { error, after }) => (error, after),
            };
            self.check()?;
            if number >= self.options.attempts {
                let text = format!("{error}; gave up after {number} attempts");
                return Err(io::Error::new(error.kind(), text));
            }
            self.wait(after.unwrap_or_else(|| jittered(backoff)))?;
            backoff = backoff.saturating_mul(2).min(MAX_BACKOFF);
        }
        self.check().and_then(|()| Err(io::Error::other("there were too many attempts")))
    }

    /// Sends a request once and follows redirects. Any status but success, 206, 412 and 416 is a failure.
    pub(super) fn send(&self, request: &Request<'_>, resolved: &Resolved) -> Result<Response<Body>, Failure> {
        self.send_by(&self.agent, request, resolved)
    }

    /// [`send`](Self::send) with other connections, for clean-up after a cancelled operation.
    pub(super) fn send_by(
        &self,
        agent: &Agent,
        request: &Request<'_>,
        resolved: &Resolved,
    ) -> Result<Response<Body>, Failure> {
        let direct = resolved.get();
        let (mut uri, mut signature, is_s3) = self.address(request, direct.as_ref())?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_to(agent, &uri, request, &signature)?;
            let status = response.status();
            if status.is_redirection() && status.as_u16() != 304 && !is_s3 {
                let next = next_hop(&uri, &response).map_err(Failure::Final)?;
                if next.authority() != uri.authority() || next.scheme() != uri.scheme() {
                    // Credentials are for the host of the URL alone.
                    signature.clear();
                }
                uri = next;
                continue;
            }
            let is_moved = matches!(status.as_u16(), 401 | 403 | 404 | 410);
            if is_moved && direct.is_some() {
                // The address that a redirect gave may have expired.
                resolved.set(None);
                return Err(Failure::again(io::Error::other(format!("a redirect led to status {status}"))));
            }
            if !(status.is_success() || matches!(status.as_u16(), 412 | 416)) {
                return Err(of_status(response, is_s3, |bytes| self.count(bytes)));
            }
            if let (Kind::Http { uri: original, .. }, None) = (&request.url.0, &direct)
                && *original != uri
            {
                resolved.set(Some(uri));
            }
            return Ok(response);
        }
        Err(Failure::Final(io::Error::other(format!("there are more than {MAX_REDIRECTS} redirects"))))
    }

    /// Returns the URI of a request, the headers with credentials, and whether it goes to S3.
    fn address(&self, request: &Request<'_>, direct: Option<&Uri>) -> Result<(Uri, Headers, bool), Failure> {
        let (bucket, key) = match &request.url.0 {
            Kind::S3 { bucket, key } => (bucket, if request.query.contains("list-type=2") { "" } else { key }),
            Kind::Http { uri, user } => {
                let is_direct = direct.is_some_and(|direct| direct.authority() != uri.authority());
                let user = user.as_ref().filter(|_| !is_direct);
                let value = user.map(|user| ("authorization", format!("Basic {}", base64(user.as_bytes()))));
                return Ok((direct.unwrap_or(uri).clone(), value.into_iter().collect(), false));
            }
        };
        let s3 = &self.options.s3;
        let uri = s3::object_uri(s3, bucket, key, request.query).map_err(Failure::Final)?;
        let Some(keys) = &s3.credentials else { return Ok((uri, Vec::new(), true)) };
        let signed = Signed {
            method: request.method.as_str(),
            host: uri.authority().map_or("", |host| host.as_str()),
            path: uri.path(),
            query: request.query,
            body: request.body,
        };
        let headers = s3::sign(&signed, keys, s3::region(s3), SystemTime::now());
        Ok((uri, headers, true))
    }

    fn send_to(
        &self,
        agent: &Agent,
        uri: &Uri,
        request: &Request<'_>,
        signature: &Headers,
    ) -> Result<Response<Body>, Failure> {
        if uri.scheme_str() == Some("https") {
            tls::check().map_err(Failure::Final)?;
        }
        let mut builder = ureq::http::Request::builder().method(&request.method).uri(uri);
        // A compressed transfer would be other bytes than those of the file.
        builder = builder.header("accept-encoding", "identity");
        let signature = signature.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in request.headers.iter().copied().chain(signature) {
            builder = builder.header(name, value);
        }
        self.requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let invalid =
            |_| Failure::Final(io::Error::new(io::ErrorKind::InvalidInput, "a header of the request is invalid"));
        let sent = match request.method {
            Method::PUT | Method::POST => {
                self.count(request.body.len());
                agent.run(builder.body(request.body).map_err(invalid)?)
            }
            _ => agent.run(builder.body(()).map_err(invalid)?),
        };
        sent.map_err(of_transport)
    }
}

type Headers = Vec<(&'static str, String)>;

/// Returns between half of a time and all of it, so that clients that failed together do not return together.
fn jittered(time: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish() >> 32;
    time.mul_f64(0.5 + random as f64 / f64::from(u32::MAX) / 2.0)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let number =
            part.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)) << (8 * (3 - part.len()));
        for digit in 0..4 {
            let value = number >> (18 - 6 * digit) & 63;
            let char = DIGITS.get(value).copied().map_or('=', char::from);
            text.push(if digit > part.len() { '=' } else { char });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648.
    #[test]
    fn users_are_encoded() {
        for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
    }

    #[test]
    fn waits_are_never_longer() {
        let time = Duration::from_millis(100);
        assert!((0..100).all(|_| (time / 2..=time).contains(&jittered(time))));
    }
}
