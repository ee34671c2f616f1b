//! Thread pools of the process, kept between calls. They survive a fork: a child starts its own.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use blosc_core::{Executor, Parallelism};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Maximum number of idle pools that are kept.
const MAX_KEPT: usize = 4;

/// Pools for later calls. Each is used by one call at a time.
static KEPT: Mutex<Kept> = Mutex::new(Kept { process: 0, idle: Vec::new() });

struct Kept {
    /// The process that started the threads. A child by fork has the pools, but not their threads.
    process: u32,
    idle: Vec<Arc<ThreadPool>>,
}

/// Returns an executor with a number of threads.
pub(crate) type Backend = dyn Fn(usize) -> Arc<dyn Executor> + Send + Sync;

/// The threads of the program, which replace the pools.
static BACKEND: RwLock<Option<Arc<Backend>>> = RwLock::new(None);

/// Sets the threads of the program; `None` for the pools.
#[cfg(feature = "blosc2")]
pub(crate) fn set_backend(backend: Option<Arc<Backend>>) {
    *BACKEND.write().unwrap_or_else(PoisonError::into_inner) = backend;
}

/// Runs `work` with its blocks on `count` threads, or on this one if `count` is 1 or no threads can be started.
pub(crate) fn run<R: Send>(count: usize, work: impl FnOnce(Parallelism) -> R + Send) -> R {
    if count <= 1 {
        return work(Parallelism::Serial);
    }
    let backend = BACKEND.read().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(backend) = backend {
        return blosc_core::with_executor(&backend(count), || work(Parallelism::Ambient));
    }
    let Some(pool) = take(count) else { return work(Parallelism::Serial) };
    let result = blosc_core::with_pool(&pool, || work(Parallelism::Ambient));
    put_back(pool);
    result
}

/// Ends all idle threads.
pub(crate) fn release() {
    let idle = with_kept(|kept| std::mem::take(&mut kept.idle));
    drop(idle);
}

fn take(count: usize) -> Option<Arc<ThreadPool>> {
    let kept = with_kept(|kept| {
        let fit = kept.idle.iter().position(|pool| pool.current_num_threads() == count)?;
        Some(kept.idle.swap_remove(fit))
    });
    kept.flatten().or_else(|| ThreadPoolBuilder::new().num_threads(count).build().ok().map(Arc::new))
}

fn put_back(pool: Arc<ThreadPool>) {
    let dropped = with_kept(|kept| {
        kept.idle.push(Arc::clone(&pool));
        (kept.idle.len() > MAX_KEPT).then(|| kept.idle.remove(0))
    });
    // The threads of a pool end without the lock.
    drop(dropped);
}

/// Runs `work` on the kept pools. Returns `None` if another thread has the lock: it may have held it during a fork, and
/// then never returns it in the child.
fn with_kept<R>(work: impl FnOnce(&mut Kept) -> R) -> Option<R> {
    let mut kept = match KEPT.try_lock() {
        Ok(kept) => kept,
        Err(std::sync::TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
        Err(std::sync::TryLockError::WouldBlock) => return None,
    };
    let process = std::process::id();
    if kept.process != process {
        // Dropping a pool whose threads do not exist could wait for them.
        std::mem::forget(std::mem::take(&mut kept.idle));
        kept.process = process;
    }
    Some(work(&mut kept))
}
