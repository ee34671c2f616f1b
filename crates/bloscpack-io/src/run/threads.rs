//! The threads that do the work.

use std::sync::Arc;

use blosc_core::Parallelism;

/// Whether the system has threads. Modules for the web leave the code for several threads out.
pub(crate) const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", not(target_feature = "atomics")));

/// The number of items in flight: two for each worker, so that no worker waits while the coordinator reads or writes.
pub(super) fn depth(threads: usize) -> u64 {
    2 * threads as u64
}

/// The threads that compress and decompress. This crate never creates a pool of its own.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Threads {
    /// The calling thread does everything.
    Serial,
    /// The current rayon pool: the one whose `install` the call runs in, or rayon's global one.
    #[default]
    Ambient,
    /// This pool.
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// Returns the number of threads.
    pub fn count(&self) -> usize {
        match self {
            Threads::Serial => 1,
            Threads::Ambient => rayon::current_num_threads(),
            Threads::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Returns the largest number of threads, at most `max`, that process chunks of `chunk_nbytes` uncompressed bytes
    /// within `memory` bytes.
    ///
    /// Each thread holds two chunks in memory at a time, or one if it is the only thread. Each chunk counts
    /// uncompressed and compressed. The block and the codec tables of a thread are small and not counted.
    ///
    /// # Errors
    /// The bytes that a single thread needs, if they are more than `memory`.
    pub fn count_within(memory: u64, chunk_nbytes: u64, max: usize) -> Result<usize, u64> {
        let needed = |threads: usize| {
            let chunks = if threads == 1 { 1 } else { depth(threads) };
            chunk_nbytes.saturating_mul(2).saturating_mul(chunks)
        };
        (1..=max.max(1)).rev().find(|threads| needed(*threads) <= memory).ok_or_else(|| needed(1))
    }

    /// Returns how the blocks of a chunk are processed, given the number of chunks if known. Few chunks do not keep all
    /// threads busy, so their blocks are distributed. Of many chunks, each is processed by one thread.
    pub(crate) fn for_blocks(&self, nchunks: Option<u64>) -> Parallelism {
        let few = nchunks.is_some_and(|nchunks| nchunks < 2 * self.count() as u64);
        if few && !matches!(self, Threads::Serial) { Parallelism::Ambient } else { Parallelism::Serial }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_give_way_to_memory() {
        let threads = |memory: u64, max| Threads::count_within(memory << 20, 1 << 20, max);
        assert_eq!(threads(2, 8), Ok(1));
        assert_eq!(threads(7, 8), Ok(1));
        assert_eq!(threads(8, 8), Ok(2));
        assert_eq!(threads(31, 8), Ok(7));
        assert_eq!(threads(1000, 8), Ok(8));
        assert_eq!(threads(1000, 1), Ok(1));
        assert_eq!(Threads::count_within(2_097_151, 1 << 20, 8), Err(2 << 20));
        assert_eq!(Threads::count_within(1, u64::MAX, 8), Err(u64::MAX));
    }
}
