//! The parts of a file that were read, or are being read.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::client::{Client, TICK};

/// The parts, by their offsets. They do not overlap.
pub(super) struct Cache {
    parts: Mutex<BTreeMap<u64, Part>>,
    changed: Condvar,
    now: AtomicU64,
}

struct Part {
    len: u64,
    /// `None` while it is being read.
    bytes: Option<Vec<u8>>,
    /// When it was read or filled last, counted in such events.
    used: u64,
}

/// The content of a cache at an offset.
pub(super) enum Found {
    /// This number of bytes, which were copied.
    Copied(usize),
    /// Nothing before the offset `until`.
    Missing { until: u64 },
}

impl Cache {
    /// A cache that holds the start of the file, which stays.
    pub(super) fn new(start: Vec<u8>, held: &AtomicUsize) -> Cache {
        let cache = Cache { parts: Mutex::new(BTreeMap::new()), changed: Condvar::new(), now: AtomicU64::new(0) };
        if !start.is_empty() {
            held.fetch_add(start.len(), Ordering::Relaxed);
            cache.parts().insert(0, Part { len: start.len() as u64, bytes: Some(start), used: 0 });
        }
        cache
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<u64, Part>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the bytes at an offset. Waits if they are being read.
    pub(super) fn find(&self, at: u64, buf: &mut [u8], client: &Client) -> io::Result<Found> {
        let mut parts = self.parts();
        loop {
            let before = parts.range_mut(..=at).next_back().filter(|(start, part)| at - **start < part.len);
            let Some((start, part)) = before else {
                let until = parts.range(at..).next().map_or(u64::MAX, |(start, _)| *start);
                return Ok(Found::Missing { until });
            };
            if let Some(bytes) = &part.bytes {
                let bytes = bytes.get((at - start) as usize..).unwrap_or_default();
                let len = bytes.len().min(buf.len());
                if let (Some(to), Some(from)) = (buf.get_mut(..len), bytes.get(..len)) {
                    to.copy_from_slice(from);
                }
                part.used = self.now.fetch_add(1, Ordering::Relaxed);
                return Ok(Found::Copied(len));
            }
            client.check()?;
            parts = self.changed.wait_timeout(parts, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reserves the first part of a range that is not here. The caller must [`fill`](Self::fill) it.
    pub(super) fn reserve(&self, range: Range<u64>) -> Option<Range<u64>> {
        let mut parts = self.parts();
        let mut start = range.start;
        while let Some((at, part)) = parts.range(..=start).next_back()
            && start - at < part.len
        {
            start = at + part.len;
        }
        let end = parts.range(start..).next().map_or(range.end, |(next, _)| range.end.min(*next));
        if start >= end {
            return None;
        }
        parts.insert(start, Part { len: end - start, bytes: None, used: 0 });
        Some(start..end)
    }

    /// Reserves all parts of a range that are not here. The caller must [`fill`](Self::fill) them.
    pub(super) fn reserve_all(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut reserved = Vec::new();
        let mut rest = range;
        while let Some(part) = self.reserve(rest.clone()) {
            rest.start = part.end;
            reserved.push(part);
        }
        reserved
    }

    /// Fills a reserved part, or gives up the reservation. Drops other parts to stay within `limit`.
    pub(super) fn fill(&self, start: u64, bytes: Option<Vec<u8>>, held: &AtomicUsize, limit: usize) {
        let mut parts = self.parts();
        match bytes {
            Some(bytes) => {
                held.fetch_add(bytes.len(), Ordering::Relaxed);
                if let Some(part) = parts.get_mut(&start) {
                    part.bytes = Some(bytes);
                    part.used = self.now.fetch_add(1, Ordering::Relaxed);
                }
            }
            None => _ = parts.remove(&start),
        }
        while held.load(Ordering::Relaxed) > limit {
            // The start of the file stays.
            let is_idle = |(at, part): &(&u64, &Part)| **at != 0 && **at != start && part.bytes.is_some();
            let oldest = parts.iter().filter(is_idle).min_by_key(|(_, part)| part.used).map(|(at, _)| *at);
            let Some(part) = oldest.and_then(|at| parts.remove(&at)) else { break };
            held.fetch_sub(part.len as usize, Ordering::Relaxed);
        }
        drop(parts);
        self.changed.notify_all();
    }

    /// Number of bytes in memory.
    pub(super) fn held(&self) -> usize {
        self.parts().values().filter_map(|part| part.bytes.as_ref()).map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_around_those_of_others_are_reserved() {
        let cache = Cache::new(vec![0; 10], &AtomicUsize::new(0));
        assert_eq!(cache.reserve(30..40), Some(30..40));
        assert_eq!(cache.reserve(50..60), Some(50..60));
        assert_eq!(cache.reserve(0..70), Some(10..30));
        assert_eq!(cache.reserve_all(0..70), [40..50, 60..70]);
        assert_eq!(cache.reserve_all(0..70), []);
    }
}
