//! Who works on the blocks of one chunk: the caller's thread, or the rayon pool that the caller is in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Whether the blocks of a chunk are shared out over threads. The bytes that come out are the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Parallelism {
    /// The calling thread does all the work. Best where many chunks are worked on at once.
    #[default]
    Serial,
    /// Blocks are shared out over the current rayon pool: the one whose `install` the call runs in, or rayon's
    /// global one. Best for few large chunks. Chunks under 256 KiB are not worth a wake-up and stay serial. Without the
    /// feature `rayon` the calling thread does all the work.
    Ambient,
}

/// Chunks smaller than this are done serially: waking a pool costs about as much as the work itself.
const MIN_PARALLEL: usize = 256 * 1024;

impl Parallelism {
    /// Whether a chunk of `nbytes` in `nblocks` blocks is to be shared out.
    pub(crate) fn applies(self, nbytes: usize, nblocks: usize) -> bool {
        // Asked last: who asks rayon outside of a pool starts its global one.
        let has_threads = || match self {
            Parallelism::Serial => false,
            Parallelism::Ambient => threads() > 1,
        };
        nblocks > 1 && nbytes >= MIN_PARALLEL && has_threads()
    }
}

/// How many threads there are to share out to. Only for who will: outside of a pool this starts rayon's global one.
#[cfg(feature = "rayon")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn threads() -> usize {
    1
}

/// As many workers as [`share`] has use for, made by `new` where there are not so many yet.
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

/// Hands `items` out to workers, each as soon as it is done with the one before, on as many threads of the current rayon
/// pool. After an error nothing more is handed out.
///
/// Workers outlive the call: their tables and buffers, of which the first use of every page goes through the kernel, cost
/// more than the blocks of a chunk.
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
