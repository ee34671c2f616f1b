//! Fetches chunks that come through a network before they are needed, several at once.
//!
//! ```text
//! next() ──► jobs ahead ──► pipeline: fetch, decode, write
//!                └──► threads: fetch the same chunks, so that the source has read their bytes
//! ```
//!
//! The threads only wait for the network. Fetched bytes stay in the cache of the source. Failures are ignored here: the
//! pipeline fetches the same chunk and reports them. Local sources never get here.
//!
//! A system without threads fetches on the calling thread. There, a source that cannot wait notes what it is asked for
//! and fails, and its owner repeats the whole operation when the bytes have arrived.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use blosc_core::Limits;

use super::Archive;
use super::jobs::{DecodeJob, Ranges};
use crate::Error;
use crate::container::Wanted;
use crate::run::threads::HAS_THREADS;

/// Maximum number of jobs ahead, and of their plain bytes. The cache of a source has room for more.
const MAX_JOBS: usize = 512;
const MAX_NBYTES: u64 = 32 << 20;
/// Maximum number of jobs that a thread takes at once, and of their plain bytes. Small chunks share a request.
const BATCH: usize = 64;
const BATCH_NBYTES: u64 = 1 << 20;
/// Maximum number of threads.
const MAX_THREADS: usize = 8;

/// Chunks to fetch.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    coming: VecDeque<Coming>,
    ended: bool,
}

struct Coming {
    chunk: u64,
    ranges: Ranges,
    nbytes: u64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, coming: Coming) {
        self.lock().coming.push_back(coming);
        self.changed.notify_one();
    }

    /// Moves all chunks out of the queue.
    fn take(&self) -> Vec<Coming> {
        self.lock().coming.drain(..).collect()
    }

    /// Waits for the next chunks and moves them to `batch`. Returns `false` at the end.
    fn pop(&self, batch: &mut Vec<Coming>) -> bool {
        let mut state = self.lock();
        batch.clear();
        let mut nbytes = 0;
        while !state.ended {
            match state.coming.front() {
                Some(next) if batch.is_empty() || batch.len() < BATCH && nbytes + next.nbytes <= BATCH_NBYTES => {
                    nbytes += next.nbytes;
                    batch.extend(state.coming.pop_front());
                }
                None if batch.is_empty() => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                _ => return true,
            }
        }
        false
    }
}

/// Ends the threads, also after a panic.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

/// Calls `run` with a `next` that returns the same jobs, while their chunks are being fetched.
pub(super) fn fetch_ahead<T>(
    archive: &Archive<'_>,
    limits: &Limits,
    next: &mut dyn FnMut() -> Result<Option<DecodeJob<T>>, Error>,
    run: impl FnOnce(&mut dyn FnMut() -> Result<Option<DecodeJob<T>>, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    let queue = Queue::default();
    let fetch_batch = |batch: &[Coming]| {
        let wanted: Vec<Wanted<'_>> = batch.iter().map(|next| (next.chunk, next.ranges.as_slice())).collect();
        archive.container().prefetch(&wanted);
        for (chunk, ranges) in wanted {
            let _ = archive.container().fetch(chunk, ranges, limits);
        }
    };
    let fetch = || {
        let mut batch = Vec::new();
        while queue.pop(&mut batch) {
            fetch_batch(&batch);
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
                        let nbytes = nbytes_of(archive, &job);
                        held += nbytes;
                        // The first job is fetched by the pipeline itself.
                        if !ahead.is_empty() || threads > 0 {
                            if HAS_THREADS && threads < MAX_THREADS {
                                threads += usize::from(std::thread::Builder::new().spawn_scoped(scope, fetch).is_ok());
                            }
                            queue.push(Coming { chunk: job.chunk, ranges: job.ranges.clone(), nbytes });
                        }
                        ahead.push_back((job, nbytes));
                    }
                    Ok(None) => ended = Some(Ok(())),
                    Err(error) => ended = Some(Err(error)),
                }
            }
            let without_threads = if threads == 0 { queue.take() } else { Vec::new() };
            if !without_threads.is_empty() {
                fetch_batch(&without_threads);
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
fn nbytes_of<T>(archive: &Archive<'_>, job: &DecodeJob<T>) -> u64 {
    match job.ranges.as_slice() {
        Some(ranges) => ranges.iter().map(|range: &Range<usize>| range.len() as u64).sum(),
        None => archive.chunk_range(0).map_or(0, |first| first.end - first.start),
    }
}
