//! The threads that do the work.

use std::sync::Arc;

use blosc_core::Parallelism;

/// The threads that compress and decompress. This crate never builds a pool of its own.
#[derive(Debug, Clone, Default)]
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
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Threads::Serial => 1,
            Threads::Ambient => rayon::current_num_threads(),
            Threads::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Who works on the blocks of a chunk, if there are `nchunks` of them (as far as known): few chunks do not keep all
    /// threads busy, so their blocks are shared out; of many, each is one thread's.
    pub(crate) fn for_blocks(&self, nchunks: Option<u64>) -> Parallelism {
        let few = nchunks.is_some_and(|nchunks| nchunks < 2 * self.count() as u64);
        if few && !matches!(self, Threads::Serial) { Parallelism::Ambient } else { Parallelism::Serial }
    }
}
