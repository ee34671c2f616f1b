//! The only concurrency of this crate: reader → workers → writer, bounded and in order.
//!
//! ```text
//!             ┌──────────────── workers (rayon pool) ────────────────┐
//! read(k) ──► │ work(k)   work(k+1)   work(k+2) …   at most DEPTH     │ ──► write(k), in the order of k
//!             └──────────────────────────────────────────────────────┘
//! ```
//!
//! The coordinator, which reads and writes, is the calling thread and never a pool job: a pool of one thread would
//! otherwise wait for itself. Memory is bounded by [`depth`] items, regardless of the speed of the three stages. It is
//! also bounded by the [`Limits`]: large items wait until those before them are written.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use blosc_core::Limits;

use super::threads::{HAS_THREADS, Threads, depth};
use crate::{Cancel, Error};

/// The resources that an item holds from when it is read until it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// All of its memory.
    bytes: u64,
    /// Uncompressed bytes beyond what its compressed bytes account for. [`Limits::max_unearned`] bounds them.
    unearned: u64,
}

impl Weight {
    /// Not charged here; the caller accounts for it.
    pub(crate) const NONE: Weight = Weight { bytes: 0, unearned: 0 };

    /// The weight of a chunk of `nbytes` uncompressed bytes. `cbytes` returns its compressed size. It is called only if
    /// the size matters, because it may have to read.
    pub(crate) fn of_chunk(nbytes: u64, threads: &Threads, limits: &Limits, cbytes: impl FnOnce() -> u64) -> Weight {
        let few = nbytes.saturating_mul(depth(threads.count())) <= limits.max_unearned as u64;
        let unearned = if few { 0 } else { Limits::unearned(nbytes, cbytes()) };
        Weight { bytes: Limits::chunk_memory(nbytes, nbytes), unearned }
    }

    /// The weight of a chunk of `nbytes` that is being created, plus uncompressed bytes that are `held` while they are
    /// fetched. It is unknown whether the chunk's uncompressed bytes are stored anywhere. The held bytes make other
    /// items wait, but never cause a refusal.
    pub(crate) fn of_new_chunk(nbytes: u64, held: u64, threads: &Threads, limits: &Limits) -> Weight {
        let chunk = Weight::of_chunk(nbytes, threads, limits, || 0);
        let most = chunk.bytes.max(limits.max_memory as u64);
        let held = Weight::of_chunk(held, threads, limits, || 0);
        Weight { bytes: chunk.bytes.saturating_add(held.bytes).min(most), ..chunk.plus(held) }
    }

    /// Adds compressed bytes that are in memory until the item is done. They make other items wait, but never cause a
    /// refusal.
    pub(crate) fn beside(self, cbytes: u64, limits: &Limits) -> Weight {
        let most = self.bytes.max(limits.max_memory as u64);
        Weight { bytes: self.bytes.saturating_add(cbytes).min(most), ..self }
    }

    fn plus(self, other: Weight) -> Weight {
        let Weight { bytes, unearned } = other;
        Weight { bytes: self.bytes.saturating_add(bytes), unearned: self.unearned.saturating_add(unearned) }
    }

    fn minus(self, other: Weight) -> Weight {
        let Weight { bytes, unearned } = other;
        Weight { bytes: self.bytes.saturating_sub(bytes), unearned: self.unearned.saturating_sub(unearned) }
    }

    fn fits(self, limits: &Limits) -> bool {
        self.bytes <= limits.max_memory as u64 && self.unearned <= limits.max_unearned as u64
    }
}

/// The limits for all items together, and a function for the weight of each.
pub(crate) type Within<'a, I> = (&'a Limits, &'a dyn Fn(&I) -> Weight);

/// [`run_within`] without limits, for the caller's own items.
pub(crate) fn run<I: Send, O: Send, S: Send>(
    threads: &Threads,
    cancel: &Cancel,
    state: impl Fn() -> Result<S, Error> + Sync,
    read: impl FnMut() -> Result<Option<I>, Error>,
    work: impl Fn(&mut S, I) -> Result<O, Error> + Sync,
    write: impl FnMut(O) -> Result<(), Error>,
) -> Result<(), Error> {
    run_within((&Limits::new(), &|_: &I| Weight::NONE), threads, cancel, state, read, work, write)
}

/// Runs items through `read`, `work` and `write` until `read` returns no more, or an error occurs.
///
/// `work` gets its own state (tables, scratch) from `state`, one for each worker that runs concurrently. The weights of
/// the items bound the number in flight by the limits, but one item is always allowed.
pub(crate) fn run_within<I: Send, O: Send, S: Send>(
    within: Within<'_, I>,
    threads: &Threads,
    cancel: &Cancel,
    state: impl Fn() -> Result<S, Error> + Sync,
    mut read: impl FnMut() -> Result<Option<I>, Error>,
    work: impl Fn(&mut S, I) -> Result<O, Error> + Sync,
    mut write: impl FnMut(O) -> Result<(), Error>,
) -> Result<(), Error> {
    let read = || cancel.check().map_err(Error::from).and_then(|()| read());
    let workers = Workers { state, work, idle: Mutex::new(Vec::new()) };
    let done = match threads {
        Threads::Serial => run_serial(within, &workers, read, &mut write),
        _ if !HAS_THREADS => run_serial(within, &workers, read, &mut write),
        Threads::Ambient => {
            let depth = depth(rayon::current_num_threads());
            rayon::in_place_scope(|scope| run_parallel(scope, within, depth, &workers, read, write))
        }
        Threads::Pool(pool) => {
            let depth = depth(pool.current_num_threads());
            pool.in_place_scope(|scope| run_parallel(scope, within, depth, &workers, read, write))
        }
    };
    done.map_err(Error::or_cancelled)
}

/// The data that the workers share: how to create a state, what to do with it, and the unused states.
struct Workers<S, State, Work> {
    state: State,
    work: Work,
    idle: Mutex<Vec<S>>,
}

impl<S, State: Fn() -> Result<S, Error>, Work> Workers<S, State, Work> {
    fn do_work<I, O>(&self, item: I) -> Result<O, Error>
    where
        Work: Fn(&mut S, I) -> Result<O, Error>,
    {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let reused = idle().pop();
        let mut state = reused.map_or_else(&self.state, Ok)?;
        let output = (self.work)(&mut state, item);
        idle().push(state);
        output
    }
}

fn run_serial<I, O, S>(
    (limits, weigh): Within<'_, I>,
    workers: &Workers<S, impl Fn() -> Result<S, Error>, impl Fn(&mut S, I) -> Result<O, Error>>,
    mut read: impl FnMut() -> Result<Option<I>, Error>,
    mut write: impl FnMut(O) -> Result<(), Error>,
) -> Result<(), Error> {
    while let Some(item) = read()? {
        limits.check_memory(CHUNK, weigh(&item).bytes)?;
        write(workers.do_work(item)?)?;
    }
    Ok(())
}

fn run_parallel<'scope, I, O, S, State, Work>(
    scope: &rayon::Scope<'scope>,
    (limits, weigh): Within<'_, I>,
    depth: u64,
    workers: &'scope Workers<S, State, Work>,
    mut read: impl FnMut() -> Result<Option<I>, Error>,
    mut write: impl FnMut(O) -> Result<(), Error>,
) -> Result<(), Error>
where
    I: Send + 'scope,
    O: Send + 'scope,
    S: Send,
    State: Fn() -> Result<S, Error> + Sync,
    Work: Fn(&mut S, I) -> Result<O, Error> + Sync,
{
    let (sender, results) = channel();
    let (mut count, mut written, mut ended) = (0, 0, false);
    let mut done: BTreeMap<u64, O> = BTreeMap::new();
    let (mut waiting, mut held, mut weights) = (None, Weight::NONE, VecDeque::new());
    loop {
        while !ended && count - written < depth {
            let next = match waiting.take() {
                Some(item) => Some(item),
                None => read()?,
            };
            match next {
                None => ended = true,
                Some(item) => {
                    let weight = weigh(&item);
                    if count > written && !held.plus(weight).fits(limits) {
                        waiting = Some(item);
                        break;
                    }
                    limits.check_memory(CHUNK, weight.bytes)?;
                    held = held.plus(weight);
                    weights.push_back(weight);
                    let mut reply = Reply { number: count, output: Err(Error::Cancelled), sender: sender.clone() };
                    scope.spawn(move |_| reply.set(workers.do_work(item)));
                    count += 1;
                }
            }
        }
        if count == written {
            return Ok(());
        }
        let (number, output) = receive(&results);
        done.insert(number, output?);
        while let Some(output) = done.remove(&written) {
            write(output)?;
            written += 1;
            held = held.minus(weights.pop_front().unwrap_or_default());
        }
    }
}

/// The name in the error for a single item that exceeds the limits.
const CHUNK: &str = "a chunk that is being worked on";

/// Sends its output when dropped, so that the coordinator does not wait for a job that panicked. The scope propagates
/// the panic when it ends.
struct Reply<O> {
    number: u64,
    output: Result<O, Error>,
    sender: Sender<(u64, Result<O, Error>)>,
}

impl<O> Reply<O> {
    fn set(&mut self, output: Result<O, Error>) {
        self.output = output;
    }
}

impl<O> Drop for Reply<O> {
    fn drop(&mut self) {
        let output = std::mem::replace(&mut self.output, Err(Error::Cancelled));
        // If the coordinator has given up, the output is dropped.
        drop(self.sender.send((self.number, output)));
    }
}

/// Returns the next result. A coordinator that is itself a worker of the pool executes the pool's jobs while it waits:
/// there may be no other worker.
fn receive<O>(results: &Receiver<(u64, Result<O, Error>)>) -> (u64, Result<O, Error>) {
    loop {
        if let Ok(result) = results.try_recv() {
            return result;
        }
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => {}
            Some(rayon::Yield::Idle) => std::thread::yield_now(),
            // The coordinator holds a sender itself, so this waits as long as a job runs.
            None => return results.recv().unwrap_or((0, Err(Error::Cancelled))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends the numbers 0..100 through the pipeline and returns the output.
    fn count_to_100(threads: &Threads) -> Vec<u64> {
        let (mut next, mut written) = (0, Vec::new());
        let read = || Ok((next < 100).then(|| (next, next += 1).0));
        let write = |number| {
            written.push(number);
            Ok(())
        };
        run(threads, &Cancel::new(), || Ok(()), read, |(), number| Ok(number * 2), write).unwrap();
        written
    }

    #[test]
    fn output_is_in_order_on_any_threads() {
        let expected: Vec<u64> = (0..100).map(|n| n * 2).collect();
        let pool = |threads| std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        for threads in [Threads::Serial, Threads::Ambient, Threads::Pool(pool(1)), Threads::Pool(pool(7))] {
            assert_eq!(count_to_100(&threads), expected);
        }
    }

    #[test]
    fn a_pool_of_one_thread_that_calls_from_within_does_not_wait_for_itself() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| count_to_100(&Threads::Ambient)).len(), 100);
    }

    #[test]
    fn the_first_error_ends_it_wherever_it_occurs() {
        let fail = |at: u64, number: u64| if number == at { Err(Error::NoMetadataFound) } else { Ok(number) };
        for (reading, working, writing) in [(50, 999, 999), (999, 50, 999), (999, 999, 50)] {
            let (mut next, mut written) = (0, 0);
            let read = || fail(reading, (next, next += 1).0).map(Some);
            let write = |number| fail(writing, number).map(|_| written += 1);
            let result = run(&Threads::Ambient, &Cancel::new(), || Ok(()), read, |(), n| fail(working, n), write);
            assert!(matches!(result, Err(Error::NoMetadataFound)));
            assert!(written <= 50);
        }
    }

    /// Bytes held besides a new chunk make other items wait. A single chunk is refused only for its own size.
    #[test]
    fn a_new_chunk_weighs_what_is_held_for_it() {
        let (limits, serial) = (Limits::new().max_memory(100_000).max_unearned(1000), Threads::Serial);
        let weight = |nbytes, held| Weight::of_new_chunk(nbytes, held, &serial, &limits);
        assert_eq!(weight(400, 0), Weight { bytes: Limits::chunk_memory(400, 400), unearned: 0 });
        assert_eq!(weight(600, 800), Weight { bytes: Limits::chunk_memory(1400, 1400), unearned: 1400 });
        assert_eq!(weight(600, 1 << 40).bytes, 100_000);
        assert!(weight(20_000, 0).bytes > 100_000);
    }

    /// Two items that each weigh half of the limit are in flight together. Larger items run one at a time. Items over
    /// the limit are refused.
    #[test]
    fn no_more_in_flight_than_the_limits_allow() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let limits = Limits::new().max_memory(100);
        for (bytes, most) in [(10, 8), (50, 2), (51, 1), (100, 1), (101, 0)] {
            let (held, peak, mut left) = (AtomicUsize::new(0), AtomicUsize::new(0), 50);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
            let read = || {
                left -= 1;
                Ok((left > 0).then_some(()))
            };
            let work = |(): &mut (), ()| {
                peak.fetch_max(held.fetch_add(1, SeqCst) + 1, SeqCst);
                std::thread::yield_now();
                Ok(())
            };
            let write = |()| {
                held.fetch_sub(1, SeqCst);
                Ok(())
            };
            let weigh = |(): &()| Weight { bytes, unearned: 0 };
            let threads = Threads::Pool(std::sync::Arc::new(pool));
            let done = run_within((&limits, &weigh), &threads, &Cancel::new(), || Ok(()), read, work, write);
            assert_eq!(done.is_ok(), most > 0);
            assert!(peak.into_inner() <= most, "{bytes}");
        }
    }

    #[test]
    fn calling_off_ends_it() {
        let cancel = Cancel::new();
        let mut written = 0;
        let write = |()| {
            written += 1;
            cancel.cancel();
            Ok(())
        };
        let result = run(&Threads::Serial, &cancel, || Ok(()), || Ok(Some(())), |(), ()| Ok(()), write);
        assert!(matches!(result, Err(Error::Cancelled)));
        assert_eq!(written, 1);
    }
}
