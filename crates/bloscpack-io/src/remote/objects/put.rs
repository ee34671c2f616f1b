//! Objects as outputs. A large one is written in parts, and appears when all are there.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use blosc_core::memory;
use ureq::http::Method;

use crate::remote::RemoteUrl;
use crate::remote::client::{Client, agent};
use crate::remote::failure::Failure;
use crate::remote::request::{Request, Resolved};
use crate::remote::response::{content_length, read_up_to, reader_of};
use crate::remote::s3::text_of;
use crate::remote::several::several;
use crate::source::ReadAt;
use crate::source::percent::encode;

/// Size of a part, and the largest object that is written by one request.
const PART: u64 = 8 << 20;
/// Maximum number of parts.
const MAX_PARTS: u64 = 10_000;
/// Maximum number of bytes of a response.
const MAX_DOCUMENT: usize = 64 << 10;
/// Time to remove the parts of a failed upload.
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);

/// The header that refuses to replace an object.
fn condition(overwrite: bool) -> &'static [(&'static str, &'static str)] {
    if overwrite { &[] } else { &[("if-none-match", "*")] }
}

fn exists_already() -> Failure {
    Failure::Final(io::Error::new(ErrorKind::AlreadyExists, "the object exists already"))
}

/// Returns the length of an object, `None` if there is none.
pub(in super::super) fn exists(client: &Client, url: &RemoteUrl) -> io::Result<Option<u64>> {
    let head = || {
        let response =
            client.send(&Request { method: Method::HEAD, ..Request::get(url, &[]) }, &Resolved::default())?;
        Ok(content_length(response.headers()).unwrap_or(0))
    };
    match client.attempts(head) {
        Ok(len) => Ok(Some(len)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes an object by one request.
pub(in super::super) fn put(client: &Client, url: &RemoteUrl, body: &[u8], overwrite: bool) -> io::Result<()> {
    client.attempts(|| {
        let _permit = client.permits.acquire(client).map_err(Failure::Final)?;
        let request = Request { method: Method::PUT, url, query: "", headers: condition(overwrite), body };
        match client.send(&request, &Resolved::default())?.status().as_u16() {
            412 => Err(exists_already()),
            _ => Ok(()),
        }
    })
}

/// Writes a file of any size.
pub(in super::super) fn put_file(
    client: &Client,
    url: &RemoteUrl,
    file: &dyn ReadAt,
    overwrite: bool,
) -> io::Result<()> {
    let len = file.len()?;
    if len <= PART {
        let mut bytes = memory::zeroed(len as usize)?;
        file.read_exact_at(0, &mut bytes)?;
        return put(client, url, &bytes, overwrite);
    }
    let mut upload = Upload::start(client, url)?;
    let tags = upload.parts(file, len)?;
    upload.complete(&tags, len, overwrite)?;
    upload.is_done = true;
    Ok(())
}

/// An upload in parts. Dropping it before it is done removes the parts.
struct Upload<'a> {
    client: &'a Client,
    url: &'a RemoteUrl,
    id: String,
    is_done: bool,
}

impl<'a> Upload<'a> {
    fn start(client: &'a Client, url: &'a RemoteUrl) -> io::Result<Self> {
        let id = client.attempts(|| {
            let xml = post(client, url, "uploads=", &[], &[])?;
            text_of(&xml, "UploadId")
                .filter(|id| !id.is_empty())
                .ok_or_else(|| Failure::wrong("the upload has no id".into()))
        })?;
        Ok(Upload { client, url, id, is_done: false })
    }

    /// Writes all parts, several at once. Returns their tags.
    fn parts(&self, file: &dyn ReadAt, len: u64) -> io::Result<Vec<String>> {
        let size = PART.max(len.div_ceil(MAX_PARTS));
        let count = len.div_ceil(size);
        let next = AtomicU64::new(0);
        let state = Mutex::new((Vec::<(u64, String)>::new(), None::<io::Error>));
        let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            while lock().1.is_none() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                let at = number * size;
                match self.part(file, number + 1, at, size.min(len - at)) {
                    Ok(tag) => lock().0.push((number, tag)),
                    Err(error) => lock().1 = Some(error),
                }
            }
        };
        several(count.min(self.client.options.connections as u64) as usize, work);
        let (mut tags, failed) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        tags.sort_unstable();
        Ok(tags.into_iter().map(|(_, tag)| tag).collect())
    }

    fn part(&self, file: &dyn ReadAt, number: u64, at: u64, len: u64) -> io::Result<String> {
        let mut body = memory::zeroed(len as usize)?;
        file.read_exact_at(at, &mut body)?;
        let query = format!("partNumber={number}&uploadId={}", encode(&self.id, false));
        self.client.attempts(|| {
            let _permit = self.client.permits.acquire(self.client).map_err(Failure::Final)?;
            let request = Request { method: Method::PUT, url: self.url, query: &query, headers: &[], body: &body };
            let response = self.client.send(&request, &Resolved::default())?;
            let tag = response.headers().get("etag").and_then(|tag| tag.to_str().ok()).map(str::to_owned);
            tag.ok_or_else(|| Failure::wrong("the server gave no tag for a part".into()))
        })
    }

    /// Makes the object appear.
    fn complete(&self, tags: &[String], len: u64, overwrite: bool) -> io::Result<()> {
        let parts = (1..).zip(tags).map(|(number, tag): (u64, _)| {
            let tag = tag.replace('&', "&amp;").replace('<', "&lt;");
            format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>")
        });
        let body = format!(
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{}</CompleteMultipartUpload>",
            parts.collect::<String>()
        );
        let mut is_repeated = false;
        self.client.attempts(|| {
            let first = !std::mem::replace(&mut is_repeated, true);
            let xml = post(self.client, self.url, &self.query(), condition(overwrite), body.as_bytes());
            match xml {
                // The response to an attempt before may have been lost.
                Err(Failure::Final(error)) if error.kind() == ErrorKind::NotFound && !first => {
                    match exists(self.client, self.url) {
                        Ok(Some(found)) if found == len => Ok(()),
                        _ => Err(Failure::Final(error)),
                    }
                }
                Err(failure) => Err(failure),
                // The status is sent before the parts are joined, so a failure is in the body.
                Ok(xml) => match (text_of(&xml, "ETag"), text_of(&xml, "Code")) {
                    (Some(_), None) => Ok(()),
                    (_, code) => {
                        let code = code.unwrap_or_else(|| "an unknown response".into());
                        let text: String = code.chars().filter(|char| !char.is_control()).take(100).collect();
                        Err(Failure::again(io::Error::other(format!("the upload was not completed: {text}"))))
                    }
                },
            }
        })
    }

    fn query(&self) -> String {
        format!("uploadId={}", encode(&self.id, false))
    }
}

/// Removes the parts, with connections of its own: those of the client may have been cancelled.
impl Drop for Upload<'_> {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let options = self.client.options.clone().stall_timeout(ABORT_TIMEOUT).connect_timeout(ABORT_TIMEOUT);
        let query = self.query();
        let request = Request { method: Method::DELETE, query: &query, ..Request::get(self.url, &[]) };
        // Best effort: the store removes unfinished uploads by its rules.
        if let Ok(agent) = agent(&options) {
            let _ = self.client.send_by(&agent, &request, &Resolved::default());
        }
    }
}

/// Sends a request whose response is a document.
fn post(
    client: &Client,
    url: &RemoteUrl,
    query: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<String, Failure> {
    let request = Request { method: Method::POST, url, query, headers, body };
    let response = client.send(&request, &Resolved::default())?;
    if response.status().as_u16() == 412 {
        return Err(exists_already());
    }
    let xml = read_up_to(client, &mut reader_of(response), MAX_DOCUMENT)?;
    String::from_utf8(xml).map_err(|_| Failure::wrong("the response is not text".into()))
}
