//! Failures of requests: which of them may pass, and their texts.

use std::io::{self, ErrorKind, Read as _};
use std::time::Duration;

use ureq::Body;
use ureq::http::{HeaderMap, Response, StatusCode};

use super::s3::text_of;

/// The longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Maximum number of bytes of an error document.
const MAX_DOCUMENT: u64 = 64 << 10;
/// Maximum number of characters of a server's message in an error.
const MAX_MESSAGE: usize = 200;

/// Why a request failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another attempt may succeed, at once or `after` a time that the server named.
    Again { error: io::Error, after: Option<Duration> },
    /// No attempt will succeed.
    Final(io::Error),
}

impl Failure {
    pub(super) fn again(error: io::Error) -> Failure {
        Failure::Again { error, after: None }
    }

    /// A response that contradicts the request or itself.
    pub(super) fn wrong(text: String) -> Failure {
        Failure::Final(io::Error::new(ErrorKind::InvalidData, text))
    }
}

/// The failure of a connection.
pub(super) fn of_transport(error: ureq::Error) -> Failure {
    use ureq::Error as E;
    let failed = |kind: ErrorKind, text: String| io::Error::new(kind, text);
    match error {
        // An invalid certificate.
        E::Io(error) if error.kind() == ErrorKind::InvalidData => {
            Failure::Final(failed(ErrorKind::InvalidData, format!("the connection failed: {error}")))
        }
        // The standard library has no kind for it.
        E::Io(error) if is_unknown_host(&error.to_string()) => {
            Failure::Final(failed(ErrorKind::HostUnreachable, format!("the host is unknown: {error}")))
        }
        E::Io(error) => Failure::again(failed(error.kind(), format!("the connection failed: {error}"))),
        E::Timeout(what) => {
            Failure::again(failed(ErrorKind::TimedOut, format!("the server did not answer in time ({what})")))
        }
        E::ConnectionFailed => Failure::again(failed(ErrorKind::NotConnected, "the connection failed".into())),
        E::Protocol(error) => {
            Failure::again(failed(ErrorKind::InvalidData, format!("the response is not HTTP: {error}")))
        }
        E::HostNotFound => Failure::Final(failed(ErrorKind::HostUnreachable, "the name of the host is unknown".into())),
        error => Failure::Final(io::Error::other(format!("the request failed: {error}"))),
    }
}

/// Returns whether an error says that no host has the name, for good.
fn is_unknown_host(text: &str) -> bool {
    text.contains("failed to lookup address") && !text.contains("Temporary")
}

/// The failure of a response with such a status.
pub(super) fn of_status(mut response: Response<Body>, is_s3: bool, count: impl FnOnce(usize)) -> Failure {
    let status = response.status();
    let after = retry_after(response.headers());
    let region = response.headers().get("x-amz-bucket-region").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut document = String::new();
    if is_s3 {
        let reader = response.body_mut().with_config().limit(u64::MAX).reader();
        // Best effort: the status says enough.
        let _ = reader.take(MAX_DOCUMENT).read_to_string(&mut document);
        count(document.len());
    }
    let code = text_of(&document, "Code");
    let message = text_of(&document, "Message").map(|message| format!(": {message}"));
    let mut text = format!("the server answered {}", described(status));
    if let Some(code) = &code {
        let found = format!(", {code}{}", message.unwrap_or_default());
        text.extend(found.chars().filter(|char| !char.is_control()).take(MAX_MESSAGE));
    }
    if let (true, Some(region)) = (status.is_redirection(), region) {
        let region: String = region.chars().filter(|char| !char.is_control()).take(MAX_MESSAGE).collect();
        text.push_str(&format!("; the bucket is in region {region}, set AWS_REGION to it"));
    }
    let is_slow = code.is_some_and(|code| ["SlowDown", "RequestTimeout", "InternalError"].contains(&code.as_str()));
    let error = io::Error::new(kind(status), text);
    match is_slow || matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504) {
        true => Failure::Again { error, after },
        false => Failure::Final(error),
    }
}

/// A status with its usual reason.
pub(super) fn described(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} ({reason})", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn kind(status: StatusCode) -> ErrorKind {
    match status.as_u16() {
        404 | 410 => ErrorKind::NotFound,
        401 | 403 | 407 => ErrorKind::PermissionDenied,
        409 | 412 => ErrorKind::AlreadyExists,
        _ => ErrorKind::Other,
    }
}

/// Returns the wait that the server asks for, in seconds. Dates are not supported.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}
