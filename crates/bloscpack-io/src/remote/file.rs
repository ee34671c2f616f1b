//! A file at a URL that is read in ranges.
//!
//! ```text
//! open      GET 0..16 KiB ──► length, validator, and the header of a container
//! read      near the end: the last 16 KiB, which hold a frame's trailer and mostly its index
//!           else: exactly the bytes, at least 2 KiB, if they are not in the cache
//! prefetch  ranges, close ones joined, several requests at once
//! ```

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ureq::Body;
use ureq::http::{HeaderMap, Response};

use super::RemoteUrl;
use super::cache::{Cache, Found};
use super::client::Client;
use super::failure::Failure;
use super::plan::{ENDS, LONGEST, MOST, joined, widened};
use super::request::{Request, Resolved};
use super::response::{self, Validator};
use super::several::several;
use super::spooled::Spooled;
use crate::source::ReadAt;

/// A file at a URL, from [`Remote::open`](super::Remote::open). Clones share what was read.
///
/// The file must not change while it is read. Each request names the state that the first one found, and another state
/// is an error. A server without ranges is read from the start on, to a temporary file.
#[derive(Clone)]
pub struct RemoteFile(Arc<Inner>);

struct Inner {
    client: Arc<Client>,
    url: RemoteUrl,
    resolved: Resolved,
    content: Content,
}

enum Content {
    Ranges { len: u64, validator: Validator, cache: Cache, failed: Mutex<Option<(io::ErrorKind, String)>> },
    Whole(Spooled),
}

impl RemoteFile {
    pub(super) fn open(client: &Arc<Client>, url: &RemoteUrl) -> io::Result<RemoteFile> {
        let resolved = Resolved::default();
        let content = client.attempts(|| open(client, url, &resolved))?;
        Ok(RemoteFile(Arc::new(Inner { client: Arc::clone(client), url: url.clone(), resolved, content })))
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &RemoteUrl {
        &self.0.url
    }

    /// Maximum number of requests in flight.
    pub(super) fn connections(&self) -> usize {
        if self.has_ranges() { self.0.client.options.connections } else { 1 }
    }

    /// Returns whether the server redirected to a name with a trailing slash, as servers do for directories.
    pub(crate) fn is_redirected_to_directory(&self) -> bool {
        self.0.resolved.is_directory()
    }

    /// Whether the server has ranges. If not, only one request can be in flight.
    fn has_ranges(&self) -> bool {
        matches!(self.0.content, Content::Ranges { .. })
    }

    /// Returns a part of the file, which must exist. It is not kept.
    pub(super) fn fetch(&self, range: Range<u64>, buf: &mut [u8]) -> io::Result<()> {
        let inner = &*self.0;
        let Content::Ranges { len, validator, failed, .. } = &inner.content else {
            return self.read_exact_at(range.start, buf);
        };
        // A file that failed fails again at once: otherwise each reader would repeat all attempts.
        if let Some((kind, text)) = failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(io::Error::new(kind, text));
        }
        let mut got = 0;
        let fetched = inner.client.attempts(|| {
            let _permit = inner.client.permits.acquire(&inner.client).map_err(Failure::Final)?;
            let asked = range.start + got as u64..range.end;
            let header = format!("bytes={}-{}", asked.start, asked.end - 1);
            let mut headers = vec![("range", header.as_str())];
            headers.extend(validator.condition());
            let response = inner.client.send(&Request::get(&inner.url, &headers), &inner.resolved)?;
            response::check_part(&response, &asked, *len, validator)?;
            let mut body = response::reader_of(response);
            response::fill(&inner.client, &mut body, buf, &mut got)?;
            response::expect_end(&inner.client, &mut body)
        });
        if let Err(error) = &fetched {
            inner.client.check()?;
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some((error.kind(), error.to_string()));
        }
        fetched
    }

    /// Fetches a range to the cache, in which it has a place.
    fn fetch_to(&self, cache: &Cache, range: Range<u64>) -> io::Result<()> {
        let held = &self.0.client.held;
        let read = || {
            let mut bytes = blosc_core::memory::zeroed((range.end - range.start) as usize)?;
            self.fetch(range.clone(), &mut bytes)?;
            Ok(bytes)
        };
        let read = read();
        let result =
            read.as_ref().map(|_| ()).map_err(|error: &io::Error| io::Error::new(error.kind(), error.to_string()));
        cache.fill(range.start, read.ok(), held, self.0.client.options.cache);
        self.0.client.check().and(result)
    }
}

/// Sends the first request.
fn open(client: &Arc<Client>, url: &RemoteUrl, resolved: &Resolved) -> Result<Content, Failure> {
    let range = format!("bytes=0-{}", ENDS - 1);
    let response = client.send(&Request::get(url, &[("range", &range)]), resolved)?;
    response::check_encoding(response.headers())?;
    let validator = Validator::of(response.headers());
    match (response.status().as_u16(), response::content_range(response.headers())) {
        (206, Some((Some(found), len))) if found == (0..len.min(ENDS)) => {
            response::check_length(response.headers(), found.end)?;
            let mut start =
                blosc_core::memory::zeroed(found.end as usize).map_err(|error| Failure::Final(error.into()))?;
            let mut body = response::reader_of(response);
            response::fill(client, &mut body, &mut start, &mut 0)?;
            response::expect_end(client, &mut body)?;
            Ok(Content::Ranges { len, validator, cache: Cache::new(start, &client.held), failed: Mutex::new(None) })
        }
        (416, Some((None, 0))) => Ok(Content::Ranges {
            len: 0,
            validator,
            cache: Cache::new(Vec::new(), &client.held),
            failed: Mutex::new(None),
        }),
        (200, _) => whole(client, response),
        (status, found) => {
            let found = match found {
                Some((Some(found), len)) => format!("bytes {found:?} of {len}"),
                _ => "no valid range".into(),
            };
            Err(Failure::wrong(format!("the server answered {status} with {found} to a request for the first bytes")))
        }
    }
}

/// Starts to read a file from a server without ranges.
fn whole(client: &Arc<Client>, response: Response<Body>) -> Result<Content, Failure> {
    let headers: &HeaderMap = response.headers();
    let len = response::content_length(headers);
    let body = response::reader_of(response);
    Spooled::new(client, len, Box::new(body)).map(Content::Whole).map_err(Failure::Final)
}

impl ReadAt for RemoteFile {
    fn len(&self) -> io::Result<u64> {
        match &self.0.content {
            Content::Ranges { len, .. } => Ok(*len),
            Content::Whole(spooled) => spooled.len(),
        }
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let (len, cache) = match &self.0.content {
            Content::Ranges { len, cache, .. } => (*len, cache),
            Content::Whole(spooled) => return spooled.read_exact_at(offset, buf),
        };
        let end = offset.saturating_add(buf.len() as u64);
        if end > len {
            let text = format!("it ends after {len} bytes, expected {end}");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        let mut at = offset;
        while at < end {
            let rest = buf.get_mut((at - offset) as usize..).unwrap_or_default();
            match cache.find(at, rest, &self.0.client)? {
                Found::Copied(read) => at += read as u64,
                Found::Missing { until } => {
                    let gap = at..end.min(until).min(at.saturating_add(MOST));
                    if let Some(range) = cache.reserve(widened(gap, until, len)) {
                        self.fetch_to(cache, range)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn request_cost(&self) -> Option<usize> {
        // Without ranges, there is one request.
        self.has_ranges().then_some(self.0.client.options.request_cost)
    }

    fn prefetch(&self, ranges: &[Range<u64>]) {
        let Content::Ranges { len, cache, .. } = &self.0.content else { return };
        let options = &self.0.client.options;
        let room = options.cache.saturating_sub(self.0.client.held.load(std::sync::atomic::Ordering::Relaxed)) as u64;
        let missing: Vec<Range<u64>> = joined(ranges, options.request_cost as u64, (*len).min(LONGEST))
            .scan(room, |room, range| {
                *room = room.checked_sub(range.end - range.start)?;
                Some(range)
            })
            .flat_map(|range| cache.reserve_all(range))
            .collect();
        // Later reads report failures.
        match missing.as_slice() {
            [] => {}
            [only] => _ = self.fetch_to(cache, only.clone()),
            many => {
                let next = Mutex::new(many.iter().cloned());
                let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
                several(many.len().min(options.connections), || {
                    while let Some(range) = take() {
                        let _ = self.fetch_to(cache, range);
                    }
                });
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Content::Ranges { cache, .. } = &self.content {
            self.client.held.fetch_sub(cache.held(), std::sync::atomic::Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteFile").field(&self.0.url).finish()
    }
}
