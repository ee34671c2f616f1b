//! Crash-safe writing of carrays and ctables: a process that is killed at any moment leaves the old state or the new
//! one.
//!
//! | file | contents |
//! |---|---|
//! | `params` | [`CarrayParams`]: dtype, chunks and compression of a new carray |
//! | `carray` | [`CarrayWriter`], the public writer of an array |
//! | `ctable` | [`CtableWriter`], the public writer of a table |
//! | `new` | the temporary directory of a new carray or ctable |
//! | `contents` | whether an old directory may be replaced |
//! | `column` | `Column`: a carray, alone or in a table, with its uncommitted changes; it owns the next five |
//! | `subdirectory` | `Subdirectory`: paths below the root, and the lock of a column |
//! | `meta` | `MetaEdit`: metadata, rows before and after |
//! | `chunks` | `Chunks`: which chunk files are staged or appended |
//! | `last_chunk` | `LastChunk`: a last chunk that is not full, in memory |
//! | `attrs` | `AttrsEdit`: attributes, also those of a table |
//! | `assign` | `Assignment`: which rows of which chunk are replaced |
//! | `default_rows` | rows of the default value |
//! | `row_input` | `RowInput`: rows as a stream or as compressed chunks |
//! | `chunker` | `RowChunker`: chunk files from a stream, compressed in parallel |
//! | `columns` | `Columns`: the columns of a table, added, removed, renamed |
//! | `flush` | the steps of a commit, and their order |
//! | `staging` | `Staging`: staged files, the journal, and the commit itself |

mod assign;
mod attrs;
mod carray;
mod chunker;
mod chunks;
mod column;
mod columns;
mod contents;
mod ctable;
mod default_rows;
mod flush;
mod last_chunk;
mod meta;
mod new;
mod params;
mod row_input;
mod staging;
mod subdirectory;

pub use carray::CarrayWriter;
pub(crate) use column::Column;
pub use ctable::CtableWriter;
pub(crate) use new::NewRoot;
pub use params::CarrayParams;
pub(crate) use row_input::{RowInput, RowStream};
pub(crate) use staging::Staging;
