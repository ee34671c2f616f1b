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
//! and fails, and its owner repeats the whole operation when the bytes have arrived. Each repetition decodes from the
//! start, so few of them must be enough: such a system looks further ahead.

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
const MAX_JOBS: usize = if HAS_THREADS { 512 } else { 16 << 10 };
const MAX_NBYTES: u64 = if HAS_THREADS { 32 << 20 } else { 512 << 20 };
/// Maximum number of jobs that a thread takes at once, and of their plain bytes. Small chunks share a request. Many such
/// batches fit into what is fetched ahead, so that waiting for one to be whole delays nothing.
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
    /// Whether all chunks have come.
    complete: bool,
    ended: bool,
}

struct Coming {
    chunk: u64,
    ranges: Ranges,
    nbytes: u64,
}

impl State {
    /// Returns the length of the next batch, or `None` while chunks that belong to it may still come. If batches were
    /// shorter when chunks are taken fast, the number of requests would depend on the time that decoding takes.
    fn batch_len(&self) -> Option<usize> {
        let mut nbytes = 0;
        let fits = |next: &&Coming| {
            nbytes += next.nbytes;
            nbytes <= BATCH_NBYTES
        };
        let len = self.coming.iter().take(BATCH).take_while(fits).count().max(1);
        let is_whole = len == BATCH || len < self.coming.len() || nbytes >= BATCH_NBYTES || self.complete;
        (is_whole && !self.coming.is_empty()).then_some(len)
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, coming: Coming) {
        let mut state = self.lock();
        state.coming.push_back(coming);
        if state.batch_len().is_some() {
            self.changed.notify_one();
        }
    }

    /// Says that no more chunks will come.
    fn complete(&self) {
        self.lock().complete = true;
        self.changed.notify_all();
    }

    /// Moves all chunks out of the queue.
    fn take(&self) -> Vec<Coming> {
        self.lock().coming.drain(..).collect()
    }

    /// Waits for a batch of chunks and moves them to `batch`. Returns `false` at the end.
    fn pop(&self, batch: &mut Vec<Coming>) -> bool {
        let mut state = self.lock();
        batch.clear();
        while !state.ended {
            if let Some(len) = state.batch_len() {
                batch.extend(state.coming.drain(..len));
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
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
                if ended.is_some() {
                    queue.complete();
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
