//! Distributes the blocks of one chunk over threads: the caller's thread, or the caller's rayon pool.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Whether the blocks of a chunk are distributed over threads. The resulting bytes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Parallelism {
    /// The calling thread does all the work. Best if many chunks are processed at once.
    #[default]
    Serial,
    /// Blocks are distributed over the current rayon pool: the pool whose `install` the call runs in, or rayon's global
    /// pool. Best for few large chunks. Chunks under 256 KiB are not worth a wake-up and stay serial. Without the
    /// feature `rayon` the calling thread does all the work.
    Ambient,
}

/// Chunks smaller than this are processed serially: waking a pool costs about the same time as the work itself.
const MIN_PARALLEL: usize = 256 * 1024;

impl Parallelism {
    /// Returns whether to distribute a chunk of `nbytes` bytes in `nblocks` blocks over threads.
    pub(crate) fn applies(self, nbytes: usize, nblocks: usize) -> bool {
        // Checked last: outside of a pool, asking rayon for its threads starts its global pool.
        let has_threads = || match self {
            Parallelism::Serial => false,
            Parallelism::Ambient => threads() > 1,
        };
        nblocks > 1 && nbytes >= MIN_PARALLEL && has_threads()
    }
}

/// Returns the number of threads. Call it only before using them: outside of a pool this starts rayon's global pool.
#[cfg(feature = "rayon")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn threads() -> usize {
    1
}

/// Returns the workers that [`share`] can use, creating missing ones with `new`.
pub(crate) fn workers<W, E>(
    workers: &mut Vec<W>,
    nitems: usize,
    mut new: impl FnMut() -> Result<W, E>,
) -> Result<&mut [W], E> {
    let wanted = threads().min(nitems);
    while workers.len() < wanted {
        workers.push(new()?);
    }
    Ok(&mut workers[..wanted])
}

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
    #[cfg(feature = "rayon")]
    return workers.par_iter_mut().with_max_len(1).try_for_each(work_on);
    #[cfg(not(feature = "rayon"))]
    return workers.iter_mut().try_for_each(work_on);
}
