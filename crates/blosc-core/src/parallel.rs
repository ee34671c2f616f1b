//! Who works on the blocks of one chunk: the caller's thread, or the rayon pool that the caller is in.

/// Whether the blocks of a chunk are shared out over threads. The bytes that come out are the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Parallelism {
    /// The calling thread does all the work. Best where many chunks are worked on at once.
    #[default]
    Serial,
    /// Blocks are shared out over the current rayon pool: the one whose `install` the call runs in, or rayon's
    /// global one. Best for few large chunks. Chunks under 256 KiB are not worth a wake-up and stay serial.
    #[cfg(feature = "rayon")]
    Ambient,
}

/// Chunks smaller than this are done serially: waking a pool costs about as much as the work itself.
const MIN_PARALLEL: usize = 256 * 1024;

impl Parallelism {
    /// Whether a chunk of `nbytes` in `nblocks` blocks is to be shared out.
    pub(crate) fn applies(self, nbytes: usize, nblocks: usize) -> bool {
        let threads = match self {
            Parallelism::Serial => 1,
            #[cfg(feature = "rayon")]
            Parallelism::Ambient => rayon::current_num_threads(),
        };
        threads > 1 && nblocks > 1 && nbytes >= MIN_PARALLEL
    }
}
