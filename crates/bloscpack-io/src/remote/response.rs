//! Checks of responses that hold a part of a file.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use blosc_core::memory;
use ureq::http::{HeaderMap, Response};
use ureq::{Body, BodyReader};

use super::client::Client;
use super::failure::{Failure, of_transport};

/// Number of bytes read at a time. Memory grows as bytes arrive.
const PIECE: usize = 64 << 10;

/// The identity of one state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Validator {
    etag: Option<String>,
    modified: Option<String>,
}

impl Validator {
    /// Returns the validator in a response.
    pub(super) fn of(headers: &HeaderMap) -> Validator {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Validator { etag: text("etag"), modified: text("last-modified") }
    }

    /// The header that makes the server refuse to send another state. A weak tag does not identify bytes.
    pub(super) fn condition(&self) -> Option<(&'static str, &str)> {
        let etag = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        let by_etag = etag.map(|etag| ("if-match", etag));
        by_etag.or(self.modified.as_deref().map(|modified| ("if-unmodified-since", modified)))
    }

    /// Refuses a response with another validator: not all servers obey the header.
    fn check(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let found = Validator::of(headers);
        let differ = |a: &Option<String>, b: &Option<String>| matches!((a, b), (Some(a), Some(b)) if a != b);
        match differ(&self.etag, &found.etag) || self.etag.is_none() && differ(&self.modified, &found.modified) {
            true => Err(changed()),
            false => Ok(()),
        }
    }
}

/// The failure for a file that another process has replaced.
fn changed() -> Failure {
    Failure::Final(io::Error::other("the file changed while it was being read; read it again"))
}

/// Refuses a transfer that is not the bytes of the file.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    match headers.get("content-encoding").map(|value| value.to_str().unwrap_or("?")) {
        None | Some("" | "identity") => Ok(()),
        Some(found) => {
            let found: String = found.chars().filter(|char| !char.is_control()).take(40).collect();
            Err(Failure::wrong(format!(
                "the server sends the file in the encoding {found:?}, expected its bytes as they are; store it without this encoding"
            )))
        }
    }
}

/// Returns the range and the length in a header such as `bytes 0-9/100`, and `bytes */100`.
pub(super) fn content_range(headers: &HeaderMap) -> Option<(Option<Range<u64>>, u64)> {
    let value = headers.get("content-range")?.to_str().ok()?;
    let (range, len) = value.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
    let len = number(len)?;
    if range.trim() == "*" {
        return Some((None, len));
    }
    let (first, last) = range.split_once('-')?;
    let (first, last) = (number(first)?, number(last)?);
    (first <= last && last < len).then(|| (Some(first..last + 1), len))
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Returns the length that a response states for its body.
pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    number(headers.get("content-length")?.to_str().ok()?)
}

/// Checks a response to a request for `asked` of a file of `len` bytes.
pub(super) fn check_part(
    response: &Response<Body>,
    asked: &Range<u64>,
    len: u64,
    validator: &Validator,
) -> Result<(), Failure> {
    let headers = response.headers();
    match response.status().as_u16() {
        206 => {}
        412 => return Err(changed()),
        416 => return Err(changed()),
        status => {
            return Err(Failure::wrong(format!("the server answered {status} to a request for a range, expected 206")));
        }
    }
    check_encoding(headers)?;
    validator.check(headers)?;
    match content_range(headers) {
        Some((Some(found), total)) if found == *asked && total == len => {}
        Some((_, total)) if total != len => return Err(changed()),
        Some((Some(found), _)) => {
            return Err(Failure::wrong(format!("the server sends bytes {found:?}, expected {asked:?}")));
        }
        _ => return Err(Failure::wrong(format!("the server does not say which bytes it sends, expected {asked:?}"))),
    }
    check_length(headers, asked.end - asked.start)
}

/// Refuses a body of another length than `expected`.
pub(super) fn check_length(headers: &HeaderMap, expected: u64) -> Result<(), Failure> {
    match content_length(headers).filter(|found| *found != expected) {
        Some(found) => Err(Failure::wrong(format!("the server sends {found} bytes, expected {expected}"))),
        None => Ok(()),
    }
}

/// Returns a reader of a body. The caller bounds it.
pub(super) fn reader_of(response: Response<Body>) -> BodyReader<'static> {
    response.into_body().into_with_config().limit(u64::MAX).reader()
}

/// Fills `buf` from `got` on. Returns a failure that may pass if the body ends before, with `got` advanced.
pub(super) fn fill(client: &Client, body: &mut impl Read, buf: &mut [u8], got: &mut usize) -> Result<(), Failure> {
    let wanted = buf.len();
    while let Some(rest) = buf.get_mut(*got..).filter(|rest| !rest.is_empty()) {
        client.check().map_err(Failure::Final)?;
        let piece = rest.len().min(PIECE);
        match body.read(rest.get_mut(..piece).unwrap_or_default()) {
            Ok(0) => return Err(cut(*got, wanted)),
            Ok(read) => {
                client.count(read);
                *got += read;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(of_body(error)),
        }
    }
    Ok(())
}

/// The failure of a body that ends too early.
fn cut(found: usize, expected: usize) -> Failure {
    let text = format!("the connection ended after {found} of {expected} bytes");
    Failure::again(io::Error::new(ErrorKind::UnexpectedEof, text))
}

/// The failure of reading a body.
pub(super) fn of_body(error: io::Error) -> Failure {
    match error.downcast::<ureq::Error>() {
        Ok(error) => of_transport(error),
        Err(error) => of_transport(ureq::Error::Io(error)),
    }
}

/// Refuses a body that has more bytes than were asked for.
pub(super) fn expect_end(client: &Client, body: &mut impl Read) -> Result<(), Failure> {
    let mut more = [0];
    match body.read(&mut more) {
        Ok(0) | Err(_) => Ok(()),
        Ok(read) => {
            client.count(read);
            Err(Failure::wrong("the server sends more bytes than were asked for".into()))
        }
    }
}

/// Reads at most `max` bytes of a body, as they arrive.
pub(super) fn read_up_to(client: &Client, body: &mut impl Read, max: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while bytes.len() < max {
        client.check().map_err(Failure::Final)?;
        let got = bytes.len();
        memory::resize(&mut bytes, max.min(got + PIECE), 0).map_err(|error| Failure::Final(error.into()))?;
        let read = body.read(bytes.get_mut(got..).unwrap_or_default());
        bytes.truncate(got + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => break,
            Ok(read) => client.count(read),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(of_body(error)),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ranges_are_parsed() {
        for (value, parsed) in [
            ("bytes 0-9/100", Some((Some(0..10), 100))),
            ("bytes */100", Some((None, 100))),
            ("bytes 0-9/*", None),
            ("bytes 5-4/100", None),
            ("bytes 0-100/100", None),
            ("bytes 0-18446744073709551615/18446744073709551615", None),
            ("bytes +0-9/100", None),
            ("items 0-9/100", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("content-range", value.parse().unwrap());
            assert_eq!(content_range(&headers), parsed, "{value}");
        }
    }
}
