//! The work of the functions of `blosc.h`, on slices.
//!
//! | file | content |
//! |---|---|
//! | `settings` | the settings of the process, and the environment variables that change them |
//! | `names` | codecs by code and name |
//! | `compress`, `decompress` | the calls that do the work |
//! | `header` | facts in the header of a chunk |
//!
//! The codes of errors are those of C-Blosc 1.21: blosc.c at `blosc_compress`, `blosc_decompress` and `blosc_getitem`.

pub(crate) mod compress;
pub(crate) mod decompress;
pub(crate) mod header;
pub(crate) mod names;
pub(crate) mod settings;

/// The code of most errors.
pub(crate) const FAILED: i32 = -1;
/// The codec is not known, or was compiled out.
pub(crate) const NO_CODEC: i32 = -5;
/// The format of a chunk, or of the streams in it, is of another version.
pub(crate) const VERSION: i32 = -9;
/// An argument is out of range.
pub(crate) const ARGUMENT: i32 = -10;

/// Size of a header, and of what a chunk of incompressible data takes beyond the data.
pub(crate) const OVERHEAD: usize = 16;
/// Maximum number of uncompressed bytes.
const MAX_BUFFERSIZE: usize = i32::MAX as usize - OVERHEAD;
/// Maximum size of a block.
const MAX_BLOCKSIZE: i32 = (i32::MAX - 255 * 4) / 3;
/// Maximum number of threads.
const MAX_THREADS: i32 = 256;

/// Returns the number of threads to use, `None` if C-Blosc refuses it.
fn nthreads(count: i32) -> Option<usize> {
    if (1..=MAX_THREADS).contains(&count) { usize::try_from(count).ok() } else { None }
}

/// Returns the code for a number of threads that [`nthreads`] refuses.
fn refused_threads(count: i32) -> i32 {
    crate::warning::warn(format_args!("{count} threads asked for, expected 1 to {MAX_THREADS}"));
    FAILED
}
