//! The directories of bcolz 1.x. A carray is an array in chunk files. A ctable is a table whose columns are carrays.
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
//! All files but the chunk files are JSON as Python writes it. A *row* is selected by one index of the first axis; its
//! bytes are an *atom*. Chunks have `chunklen` rows. The format is specified in `docs/format/bcolz.md`.
//!
//! | file | contents |
//! |---|---|
//! | `storage` | `meta/storage`: the dtype of a row, the compression, the number of rows in a chunk |
//! | `sizes` | `meta/sizes`: the number of rows |
//! | `attrs` | `__attrs__`: user-defined attributes |
//! | `rootdirs` | `__rootdirs__`: the columns of a table, and invalid column names |
//! | `chunk_file` | `data/__N.blp`: 16 bytes and a Blosc chunk |
//! | `dtype` | dtypes by their names in bcolz, and the typesize for Blosc |
//! | `dflt` | the default value of new rows, between JSON and bytes |
//! | `chunklen` | the largest chunk; bcolz's default number of rows in a chunk |
//! | `rows` | the distribution of rows over chunks |
//! | `quantize` | rounding of floats to fewer digits before compression |
//! | `journal` | `__pending__`: the journal of an unfinished change |
//! | `text` | numbers and members of these JSON files |

mod attrs;
mod chunk_file;
mod chunklen;
pub mod dflt;
mod dtype;
mod journal;
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
pub use journal::{Journal, JournalStep, SizesChange, staged_name};
pub use quantize::{MAX_QUANTIZE, quantize};
pub use rootdirs::{RootDirs, check_name};
pub use rows::{ChunkRows, Rows};
pub use sizes::Sizes;
pub use storage::{Cparams, Shuffle, Storage};

/// The file, below the root, that describes a carray's rows.
pub const STORAGE_FILE: &str = "meta/storage";
/// The file, below the root, that stores the number of rows of a carray.
pub const SIZES_FILE: &str = "meta/sizes";
/// The directory, below the root, of these two files.
pub const META_DIR: &str = "meta";
/// The directory, below the root, of the chunk files.
pub const DATA_DIR: &str = "data";
/// The file, below the root, with the attributes.
pub const ATTRS_FILE: &str = "__attrs__";
/// The file, below the root, that identifies a directory as a ctable.
pub const ROOTDIRS_FILE: &str = "__rootdirs__";
/// The journal, a file of this project below the root. It exists only while a change is in progress. bcolz does not
/// know it. See [`Journal`].
pub const JOURNAL_FILE: &str = "__pending__";
/// A directory of this project, below the root, for new files and directories until they are moved. Their names are
/// numbers.
pub const STAGED_DIR: &str = "__staged__";
/// A file of this project, below the root, that a writer locks.
pub const LOCK_FILE: &str = "__lock__";

/// Maximum length of `meta/storage`, `meta/sizes` and `__rootdirs__` in bytes. The longest legitimate ones have a
/// default value of a large `V` type, at six characters a byte, or many columns.
pub const MAX_META_LEN: u64 = 16 << 20;
/// Maximum length of `__attrs__` in bytes. The attributes of large price tables approach 1 MiB.
pub const MAX_ATTRS_LEN: u64 = 64 << 20;
/// Maximum length of `__pending__` in bytes, enough for some millions of chunks.
pub const MAX_JOURNAL_LEN: u64 = 256 << 20;
