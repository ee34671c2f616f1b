//! The work of the functions of `blosc2.h`, on slices.
//!
//! | file | content |
//! |---|---|
//! | `codes` | the codes of errors, and those of the engine's errors |
//! | `settings` | the settings of the process, and the environment variables that change them |
//! | `params` | the parameters of a compression |
//! | `names` | codecs by code and name |
//! | `registered` | tables of what the program registered |
//! | `header` | facts in the header of a chunk |
//! | `compress`, `decompress` | chunks |
//! | `super_chunk` | what filters need of a super-chunk |
//! | `vlblocks` | chunks of blocks of variable length |
//! | `special` | chunks without blocks |
//! | `schunk` | super-chunks and their frames |
//! | `nd` | arrays |
//!
//! The codes of errors are those of C-Blosc2 3.3.2, blosc2.c.

pub(crate) mod codes;
pub(crate) mod compress;
pub(crate) mod decompress;
pub(crate) mod header;
pub(crate) mod names;
pub(crate) mod nd;
pub(crate) mod params;
pub(crate) mod registered;
pub(crate) mod schunk;
pub(crate) mod settings;
pub(crate) mod special;
pub(crate) mod super_chunk;
pub(crate) mod vlblocks;

/// Filters of a chunk.
pub(crate) const MAX_FILTERS: usize = 6;
/// Size of the header of a chunk of Blosc2, and of what a chunk of incompressible data takes beyond the data.
pub(crate) const OVERHEAD: usize = 32;
/// Maximum number of uncompressed bytes.
pub(crate) const MAX_BUFFERSIZE: i32 = i32::MAX - OVERHEAD as i32;
/// Maximum size of a block and of an item.
pub(crate) const MAX_BLOCKSIZE: i32 = 536_866_816;
/// The first id of a codec, filter, tuner or input that a program may register.
pub(crate) const FIRST_USER_ID: i32 = 160;
/// More threads than this are not started.
const MAX_THREADS: i32 = 256;

/// Returns the number of threads to use.
pub(crate) fn nthreads(count: i32) -> usize {
    count.clamp(1, MAX_THREADS) as usize
}
