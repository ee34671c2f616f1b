//! The threads of one call: a rayon pool that the calling thread takes part in, or an executor of the program.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::executor::Executor;

// A value without a destructor stays usable while the thread ends: the C library is called by functions of `atexit` and
// by destructors, after the values with destructors are gone. `Restore` drops what it takes out.
thread_local!(static THREADS: RefCell<ManuallyDrop<Option<Threads>>> = const { RefCell::new(ManuallyDrop::new(None)) });

#[derive(Clone)]
enum Threads {
    Pool(Arc<ThreadPool>),
    Executor(Arc<dyn Executor>),
}

/// Calls `work` on this thread. Its chunks with [`Parallelism::Ambient`](super::Parallelism::Ambient) are distributed
/// over this thread and the others of `pool`, as many as the pool has threads.
///
/// `ThreadPool::install` moves the call to a thread of the pool and waits. That takes two wake-ups more, which is half
/// of the time of a chunk of 1 MiB.
///
/// ```
/// use blosc_core::{Encoder, CParams, Parallelism, decompress, with_pool};
/// use std::sync::Arc;
///
/// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?);
/// let (plain, mut chunk) = (vec![7; 1 << 20], vec![0; 2 << 20]);
/// let mut encoder = Encoder::new(CParams::new())?.parallelism(Parallelism::Ambient);
/// let len = with_pool(&pool, || encoder.compress_into(&plain, &mut chunk))?;
/// assert_eq!(decompress(&chunk[..len])?, plain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_pool<R>(pool: &Arc<ThreadPool>, work: impl FnOnce() -> R) -> R {
    with_threads(Threads::Pool(Arc::clone(pool)), work)
}

/// Calls `work` on this thread, like [`with_pool`]. Its chunks with
/// [`Parallelism::Ambient`](super::Parallelism::Ambient) are distributed over the jobs of `executor`.
pub fn with_executor<R>(executor: &Arc<dyn Executor>, work: impl FnOnce() -> R) -> R {
    with_threads(Threads::Executor(Arc::clone(executor)), work)
}

fn with_threads<R>(threads: Threads, work: impl FnOnce() -> R) -> R {
    let _restore = Restore(replace(Some(threads)));
    work()
}

/// Sets the threads back, also after a panic.
struct Restore(Option<Threads>);

impl Drop for Restore {
    fn drop(&mut self) {
        drop(replace(self.0.take()));
    }
}

fn replace(threads: Option<Threads>) -> Option<Threads> {
    ManuallyDrop::into_inner(THREADS.replace(ManuallyDrop::new(threads)))
}

/// Returns the number of threads, `None` outside of [`with_pool`] and [`with_executor`].
pub(super) fn threads() -> Option<usize> {
    THREADS.with_borrow(|threads| match threads.as_ref()? {
        Threads::Pool(pool) => Some(pool.current_num_threads()),
        Threads::Executor(executor) => Some(executor.threads()),
    })
}

/// Calls `work` for each worker at once. Returns one of the errors.
pub(super) fn each<W: Send, E: Send>(
    workers: &mut [W],
    work: impl Fn(&mut W) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Some(threads) = THREADS.with_borrow(|threads| Option::clone(threads)) else {
        return workers.par_iter_mut().with_max_len(1).try_for_each(&work);
    };
    let (work, failed) = (&work, &Mutex::new(Ok(())));
    let run = move |worker: &mut W| {
        if let Err(error) = work(worker) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
        }
    };
    match threads {
        Threads::Pool(pool) => in_pool(&pool, workers, run),
        Threads::Executor(executor) => in_executor(&*executor, workers, run),
    }
    std::mem::replace(&mut *failed.lock().unwrap_or_else(PoisonError::into_inner), Ok(()))
}

fn in_pool<W: Send>(pool: &ThreadPool, workers: &mut [W], run: impl Fn(&mut W) + Sync + Send + Copy) {
    let Some((first, others)) = workers.split_first_mut() else { return };
    pool.in_place_scope(|scope| {
        for worker in others {
            scope.spawn(move |_| run(worker));
        }
        run(first);
    });
}

fn in_executor<W: Send>(executor: &dyn Executor, workers: &mut [W], run: impl Fn(&mut W) + Sync + Send + Copy) {
    let waiting = Mutex::new(workers.iter_mut());
    let job = || {
        let worker = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        worker.into_iter().for_each(run);
    };
    executor.run(&job);
    // An executor that made no call leaves all blocks to this thread.
    job();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::{CParams, Encoder, Parallelism, decompress};

    struct Serial {
        calls: usize,
        made: AtomicUsize,
    }

    impl Executor for Serial {
        fn threads(&self) -> usize {
            3
        }

        fn run(&self, job: &(dyn Fn() + Sync)) {
            for _ in 0..self.calls {
                self.made.fetch_add(1, Relaxed);
                job();
            }
        }
    }

    #[test]
    fn any_number_of_calls_encodes_all_blocks() {
        let plain: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let params = CParams::blosc2().typesize(4);
        let expected = crate::compress(&plain, &params).unwrap();
        for calls in [0, 1, 3, 5] {
            let serial = Arc::new(Serial { calls, made: AtomicUsize::new(0) });
            let executor: Arc<dyn Executor> = serial.clone();
            let mut encoder = Encoder::new(params).unwrap().parallelism(Parallelism::Ambient);
            let chunk = with_executor(&executor, || encoder.compress(&plain)).unwrap();
            assert!(chunk == expected && decompress(&chunk).unwrap() == plain);
            assert!(serial.made.load(Relaxed) >= calls);
        }
    }
}
