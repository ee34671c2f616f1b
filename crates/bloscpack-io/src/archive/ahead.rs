//! Fetches chunks that come through a network before they are needed, several at once.
//!
//! ```text
//! next() ──► jobs ahead ──► pipeline: fetch, decode, write
//!                └──► threads: fetch the same chunks, so that the source has read their bytes
//! ```
//!
//! The threads only wait for the network. What they fetch stays in the cache of the source, and failures are left to
//! the pipeline, which meets them again. Local sources never get here.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::decoding::{DecodeJob, Decoding, Ranges};
use crate::Error;

/// Maximum number of jobs ahead, and of their plain bytes. The cache of a source has room for more.
const MAX_JOBS: usize = 16;
const MAX_NBYTES: u64 = 32 << 20;
/// Maximum number of threads.
const MAX_THREADS: usize = 8;

/// Chunks to fetch.
#[derive(Default)]
struct Queue {
    state: Mutex<(VecDeque<(u64, Ranges)>, bool)>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, (VecDeque<(u64, Ranges)>, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, chunk: u64, ranges: Ranges) {
        self.lock().0.push_back((chunk, ranges));
        self.changed.notify_one();
    }

    /// Returns the next chunk, `None` at the end.
    fn pop(&self) -> Option<(u64, Ranges)> {
        let mut state = self.lock();
        loop {
            if state.1 {
                return None;
            }
            match state.0.pop_front() {
                Some(next) => return Some(next),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Ends the threads, also after a panic.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().1 = true;
        self.0.changed.notify_all();
    }
}

/// Calls `run` with a `next` that returns the same jobs, while their chunks are being fetched.
pub(super) fn fetch_ahead<T>(
    decoding: &Decoding<'_>,
    next: &mut dyn FnMut() -> Result<Option<DecodeJob<T>>, Error>,
    run: impl FnOnce(&mut dyn FnMut() -> Result<Option<DecodeJob<T>>, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    let queue = Queue::default();
    let (archive, limits) = (decoding.archive(), decoding.options().limits);
    let fetch = || {
        while let Some((chunk, ranges)) = queue.pop() {
            let _ = archive.container().fetch(chunk, ranges.as_slice(), &limits);
        }
    };
    std::thread::scope(|scope| {
        let _closing = Closing(&queue);
        let (mut ahead, mut held, mut threads) = (VecDeque::new(), 0, 0);
        let mut ended = None;
        run(&mut || {
            while ended.is_none() && (ahead.is_empty() || ahead.len() < MAX_JOBS && held < MAX_NBYTES) {
                match next() {
                    Ok(Some(job)) => {
                        let nbytes = nbytes_of(decoding, &job);
                        held += nbytes;
                        // The first job is fetched by the pipeline itself.
                        if !ahead.is_empty() || threads > 0 {
                            if threads < MAX_THREADS {
                                threads += usize::from(std::thread::Builder::new().spawn_scoped(scope, fetch).is_ok());
                            }
                            queue.push(job.chunk, job.ranges.clone());
                        }
                        ahead.push_back((job, nbytes));
                    }
                    Ok(None) => ended = Some(Ok(())),
                    Err(error) => ended = Some(Err(error)),
                }
            }
            match ahead.pop_front() {
                Some((job, nbytes)) => {
                    held -= nbytes;
                    Ok(Some(job))
                }
                // An error comes after the jobs before it, as without looking ahead.
                None => ended.replace(Ok(())).unwrap_or(Ok(())).map(|()| None),
            }
        })
    })
}

/// Returns the number of plain bytes of a job.
fn nbytes_of<T>(decoding: &Decoding<'_>, job: &DecodeJob<T>) -> u64 {
    match job.ranges.as_slice() {
        Some(ranges) => ranges.iter().map(|range: &Range<usize>| range.len() as u64).sum(),
        None => decoding.archive().chunk_range(0).map_or(0, |first| first.end - first.start),
    }
}
