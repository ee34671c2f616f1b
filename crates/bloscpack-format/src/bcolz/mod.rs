//! The directories of bcolz 1.x: a carray, an array in chunk files, or a ctable, a table whose columns are carrays.
//!
//! ```text
//! carray/                                    ctable/
//!   meta/storage   dtype, chunklen, …          __rootdirs__   names of the columns, in their order
//!   meta/sizes     shape                       __attrs__      attributes of the table
//!   data/__0.blp   rows 0 .. chunklen          first/         the carray of column `first`
//!   data/__1.blp   rows chunklen ..            second/        …
//!   …              the last has fewer
//!   __attrs__      attributes
//! ```
//!
//! All files but the chunk files are JSON as Python writes it. A *row* is what one index of the first axis selects; its
//! bytes are an *atom*. Chunks are of `chunklen` rows. The format is specified in `docs/format/bcolz.md`.
//!
//! | file | what it knows |
//! |---|---|
//! | `storage` | `meta/storage`: what a row is, how it is compressed, how many a chunk has |
//! | `sizes` | `meta/sizes`: how many rows there are |
//! | `attrs` | `__attrs__`: what the user noted |
//! | `rootdirs` | `__rootdirs__`: the columns of a table, and which names are no columns |
//! | `chunk_file` | `data/__N.blp`: 16 bytes and a Blosc chunk |
//! | `dtype` | dtypes by the names that bcolz gives them, and the typesize for Blosc |
//! | `dflt` | the default value of new rows, between JSON and bytes |
//! | `chunklen` | the largest chunk; how many rows bcolz puts in one |
//! | `rows` | which chunks hold which rows |
//! | `quantize` | floats of fewer digits, before they are compressed |
//! | `pending` | `__pending__`: what is left to be done of a change |
//! | `text` | numbers and members of these JSON files |

mod attrs;
mod chunk_file;
mod chunklen;
pub mod dflt;
mod dtype;
mod pending;
mod quantize;
mod rootdirs;
mod rows;
mod sizes;
mod storage;
mod text;

pub use crate::error::BcolzError;
pub use attrs::Attrs;
pub use chunk_file::{ChunkFileHeader, chunk_file_name, chunk_file_number};
pub use chunklen::{MAX_CHUNK_NBYTES, best_chunklen, chunk_size};
pub use dtype::Dtype;
pub use pending::{Pending, PendingStep, SizesChange, staged_name};
pub use quantize::{MAX_QUANTIZE, quantize};
pub use rootdirs::{RootDirs, check_name};
pub use rows::{ChunkRows, Rows};
pub use sizes::Sizes;
pub use storage::{Cparams, Shuffle, Storage};

/// The file, below the root, with what a carray's rows are.
pub const STORAGE_FILE: &str = "meta/storage";
/// The file, below the root, with how many rows a carray has.
pub const SIZES_FILE: &str = "meta/sizes";
/// The directory, below the root, of these two.
pub const META_DIR: &str = "meta";
/// The directory, below the root, of the chunk files.
pub const DATA_DIR: &str = "data";
/// The file, below the root, with the attributes.
pub const ATTRS_FILE: &str = "__attrs__";
/// The file, below the root, that makes a directory a ctable.
pub const ROOTDIRS_FILE: &str = "__rootdirs__";
/// A file of our own, below the root, that is there only while a change is being made: bcolz does not know it. See
/// [`Pending`].
pub const PENDING_FILE: &str = "__pending__";
/// A directory of our own, below the root, of what is new and not in its place yet; each file or directory has a number.
pub const STAGED_DIR: &str = "__staged__";
/// A file of our own, below the root, that a writer locks.
pub const LOCK_FILE: &str = "__lock__";

/// The most bytes of `meta/storage`, `meta/sizes` and `__rootdirs__` that are worth reading. The longest honest ones have
/// a default value of a large `V` type, at six characters a byte, or many columns.
pub const MAX_META_LEN: u64 = 16 << 20;
/// The most bytes of `__attrs__` that are worth reading. Those of large price tables come near 1 MiB.
pub const MAX_ATTRS_LEN: u64 = 64 << 20;
/// The most bytes of `__pending__`: some millions of chunks.
pub const MAX_PENDING_LEN: u64 = 256 << 20;
