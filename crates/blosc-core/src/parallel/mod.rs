//! Distributes the blocks of one chunk over threads: the caller's thread, the caller's rayon pool, both, or an
//! executor of the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::kernels;
use crate::memory::{self, OutOfMemory};

#[cfg(feature = "rayon")]
mod executor;
#[cfg(feature = "rayon")]
mod joined;
#[cfg(feature = "rayon")]
pub use executor::Executor;
#[cfg(feature = "rayon")]
pub use joined::{with_executor, with_pool};

/// Whether the blocks of a chunk are distributed over threads. The resulting bytes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Parallelism {
    /// The calling thread does all the work. Best if many chunks are processed at once.
    #[default]
    Serial,
    /// Blocks are distributed over the current rayon pool: the pool of `with_pool`, else the pool whose `install` the call
    /// runs in, else rayon's global pool. Best for few large chunks. Chunks under 256 KiB are not worth a wake-up and stay serial. Without the
    /// feature `rayon` the calling thread does all the work.
    Ambient,
}

/// Whether the system has threads. Modules for the web leave the code for several threads out.
const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", not(target_feature = "atomics")));

/// Chunks smaller than this are processed serially: waking a pool costs about the same time as the work itself.
const MIN_PARALLEL: usize = 256 * 1024;

impl Parallelism {
    /// Returns whether to distribute a chunk of `nbytes` bytes in `nblocks` blocks over threads.
    pub(crate) fn applies(self, nbytes: usize, nblocks: usize) -> bool {
        // Checked last: outside of a pool, asking rayon for its threads starts its global pool.
        HAS_THREADS && self == Parallelism::Ambient && nblocks > 1 && nbytes >= MIN_PARALLEL && threads() > 1
    }
}

/// Returns the number of threads. Call it only before using them: outside of a pool this starts rayon's global pool.
#[cfg(feature = "rayon")]
pub(crate) fn threads() -> usize {
    joined::threads().unwrap_or_else(rayon::current_num_threads)
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn threads() -> usize {
    1
}

/// Bytes that a thread copies at once. Less than this is copied serially.
const COPY: usize = 64 * 1024;

/// Copies `parts` to `dst`, one after another, on the threads of the current rayon pool. `dst` has their total length.
/// Copied by one thread, they limited the gain from threads: see docs/bench/limits.md.
pub(crate) fn join(parts: &[&[u8]], mut dst: &mut [u8]) {
    if dst.len() < COPY {
        for part in parts {
            let (to, rest) = dst.split_at_mut(part.len());
            kernels::copy(part, to);
            dst = rest;
        }
        return;
    }
    let pieces = parts.iter().flat_map(|part| part.chunks(COPY));
    let pairs = pieces.map(|piece| (piece, dst.split_off_mut(..piece.len()).unwrap_or_default()));
    // Copying cannot fail. Vectors of `()` do not allocate.
    let _: Result<(), ()> = share(&mut vec![(); threads()], pairs, |(), (piece, to)| {
        kernels::copy(piece, to);
        Ok(())
    });
}

/// Copies `src` to `dst` on the threads of the current rayon pool, of which one calls `test` first. Both have the same
/// length. Returns what `test` returns. If that is `false`, `dst` is incomplete.
pub(crate) fn copy_while(src: &[u8], dst: &mut [u8], test: impl Fn() -> bool + Sync) -> bool {
    let copies = src.chunks(COPY).zip(dst.chunks_mut(COPY)).map(Some);
    let items = core::iter::once(None).chain(copies);
    let shared = share(&mut vec![(); threads()], items, |(), item| match item {
        Some((from, to)) => {
            kernels::copy(from, to);
            Ok(())
        }
        None if test() => Ok(()),
        None => Err(()),
    });
    shared.is_ok()
}

/// Returns the workers that [`share`] can use: `own`, which also does serial work, and one of `others` for each other thread.
/// Missing ones are created with `another`.
pub(crate) fn team<'a, W, E: From<OutOfMemory>>(
    own: &'a mut W,
    others: &'a mut Vec<W>,
    nitems: usize,
    another: impl Fn(&W) -> Result<W, E>,
) -> Result<Vec<&'a mut W>, E> {
    let wanted = threads().min(nitems).saturating_sub(1);
    while others.len() < wanted {
        memory::push(others, another(own)?)?;
    }
    let mut team = Vec::new();
    memory::push(&mut team, own)?;
    for other in &mut others[..wanted] {
        memory::push(&mut team, other)?;
    }
    Ok(team)
}

/// Drops the last of `others` until the rest fits into [`MAX_OTHERS`]. Called when a thread keeps them.
pub(crate) fn thin_out<W>(others: &mut Vec<W>, held: impl Fn(&W) -> usize) {
    let mut sum = 0;
    let fits = |worker: &&W| {
        sum += held(worker);
        sum <= MAX_OTHERS
    };
    let fit = others.iter().take_while(fits).count();
    others.truncate(fit);
}

/// Maximum bytes of the workers for other threads that a thread keeps between calls.
///
/// The tables of a worker are a few MiB at high levels. Without the worker, all their pages fault again with the next
/// chunk. docs/decisions/021-scratch-memory.md has figures.
const MAX_OTHERS: usize = 64 << 20;

/// Hands `items` to workers, which run on the threads of the current rayon pool. Each worker takes the next item when
/// its previous one is done. After an error no more items are handed out.
///
/// Workers are kept between calls: their tables and buffers, whose pages fault on first use, cost more than the blocks
/// of a chunk.
pub(crate) fn share<W: Send, T: Send, E: Send>(
    workers: &mut [W],
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut W, T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (items, failed) = (Mutex::new(items.fuse()), AtomicBool::new(false));
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_on = |worker: &mut W| {
        while !failed.load(Ordering::Relaxed)
            && let Some(item) = next()
        {
            work(worker, item).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    };
    observed(|| {
        #[cfg(feature = "rayon")]
        return joined::each(workers, work_on);
        #[cfg(not(feature = "rayon"))]
        return workers.iter_mut().try_for_each(work_on);
    })
}

#[cfg(not(feature = "internals"))]
fn observed<R>(region: impl FnOnce() -> R) -> R {
    region()
}

#[cfg(feature = "internals")]
pub use observer::observe_parallel_regions;
#[cfg(feature = "internals")]
use observer::observed;

/// Tells benchmarks when a thread enters and leaves a parallel region.
#[cfg(feature = "internals")]
mod observer {
    use std::cell::Cell;

    thread_local!(static OBSERVER: Cell<Option<fn(bool)>> = const { Cell::new(None) });

    /// Sets a function that is called with `true` when this thread starts to share blocks with other threads, and with
    /// `false` when they are all done.
    pub fn observe_parallel_regions(observer: Option<fn(bool)>) {
        OBSERVER.set(observer);
    }

    pub(crate) fn observed<R>(region: impl FnOnce() -> R) -> R {
        let observer = OBSERVER.get().unwrap_or(|_| ());
        observer(true);
        let result = region();
        observer(false);
        result
    }
}
