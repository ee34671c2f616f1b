//! Directories of bcolz 1.x: carrays, which are arrays in chunk files, and ctables, which are tables of carrays.
//!
//! | to | |
//! |---|---|
//! | read an array, a table, or either | [`Carray::open`], [`Ctable::open`], [`Root::open`] |
//! | create one | [`CarrayWriter::create`], [`CtableWriter::create`] |
//! | change one | [`CarrayWriter::open`], [`CtableWriter::open`] |
//! | find all damage in one | [`verify`] |
//! | recover the intact data of a damaged one | [`recover`](crate::recover) |
//! | store it elsewhere | [`Directory`] |
//!
//! | file | content |
//! |---|---|
//! | `store` | the interface of storage: [`Directory`] |
//! | `local`, `memory` | directories on the file system and in memory |
//! | `root` | opens a carray or ctable, whichever a directory contains |
//! | `carray`, `ctable` | open arrays and tables |
//! | `row_descr` | the dtype of the rows of a table |
//! | `metadata_budget` | the memory budget for the metadata of all columns |
//! | `container` | a carray as a container |
//! | `chunk` | chunk files and their plain bytes |
//! | `read`, `cursor` | reads rows: ranges, steps, blocks; one at a time |
//! | `replayed` | reads through the journal of an interrupted change |
//! | `verify` | finds all damage |
//! | `write` | creates and changes arrays and tables |
//!
//! [`bloscpack_format::bcolz`] defines the content of the files.

pub(crate) mod carray;
mod chunk;
mod container;
mod ctable;
mod cursor;
pub(crate) mod local;
mod memory;
pub(crate) mod metadata_budget;
mod read;
pub(crate) mod replayed;
mod root;
mod row_descr;
pub(crate) mod store;
mod verify;
#[cfg(feature = "write")]
pub(crate) mod write;

pub use carray::Carray;
pub(crate) use container::OpenCarray;
pub(crate) use ctable::column_directory;
pub use ctable::{Column, ColumnDirectory, Ctable, column_names};
pub use cursor::Cursor;
pub use local::LocalDirectory;
pub use memory::MemoryDirectory;
pub use read::Blocks;
pub use replayed::Replayed;
pub use root::Root;
pub(crate) use root::is_bcolz;
pub use store::{Below, Directory};
pub use verify::{VerifyReport, verify};
#[cfg(feature = "write")]
pub use write::{CarrayParams, CarrayWriter, CtableWriter};
#[cfg(feature = "write")]
pub(crate) use write::{Column as WrittenColumn, RowInput, RowStream};
