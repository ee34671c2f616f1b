//! A rayon pool that the calling thread takes part in.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

thread_local!(static POOL: RefCell<Option<Arc<ThreadPool>>> = const { RefCell::new(None) });

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
    let _restore = Restore(POOL.replace(Some(Arc::clone(pool))));
    work()
}

/// Sets the pool back, also after a panic.
struct Restore(Option<Arc<ThreadPool>>);

impl Drop for Restore {
    fn drop(&mut self) {
        POOL.set(self.0.take());
    }
}

/// Returns the number of threads of the pool, `None` outside of [`with_pool`].
pub(super) fn threads() -> Option<usize> {
    POOL.with_borrow(|pool| pool.as_ref().map(|pool| pool.current_num_threads()))
}

/// Calls `work` for each worker at once. Returns one of the errors.
pub(super) fn each<W: Send, E: Send>(
    workers: &mut [W],
    work: impl Fn(&mut W) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Some(pool) = POOL.with_borrow(Option::clone) else {
        return workers.par_iter_mut().with_max_len(1).try_for_each(&work);
    };
    let Some((first, others)) = workers.split_first_mut() else { return Ok(()) };
    let (work, failed) = (&work, &Mutex::new(Ok(())));
    let run = move |worker: &mut W| {
        if let Err(error) = work(worker) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
        }
    };
    pool.in_place_scope(|scope| {
        for worker in others {
            scope.spawn(move |_| run(worker));
        }
        run(first);
    });
    std::mem::replace(&mut *failed.lock().unwrap_or_else(PoisonError::into_inner), Ok(()))
}
