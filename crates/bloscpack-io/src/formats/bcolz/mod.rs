//! Directories of bcolz 1.x: carrays, arrays in chunk files, and ctables, tables of such columns.
//!
//! | to | |
//! |---|---|
//! | read an array, a table, or either | [`Carray::open`], [`Ctable::open`], [`Root::open`] |
//! | make one | [`CarrayWriter::create`], [`CtableWriter::create`] |
//! | change one | [`CarrayWriter::open`], [`CtableWriter::open`] |
//! | know what is wrong with one | [`verify`] |
//! | save what a damaged one still has | [`recover`](crate::recover) |
//! | keep it anywhere else | [`Directory`] |
//!
//! | file | what it knows |
//! |---|---|
//! | `store` | what a place of files has to offer: [`Directory`] |
//! | `local`, `memory` | directories on the file system and in memory |
//! | `root` | what is in a directory |
//! | `carray`, `ctable` | what opening an array or a table gives |
//! | `row_descr` | the dtype of the rows of a table |
//! | `kept` | what the metadata of all columns may take |
//! | `container` | a carray as a container |
//! | `chunk` | a chunk file, and its plain bytes |
//! | `read`, `cursor` | rows: ranges, steps, blocks; one at a time |
//! | `settled` | reading through a change that was interrupted |
//! | `verify` | everything that is wrong |
//! | `write` | making and changing arrays and tables |
//!
//! What the files mean is in [`bloscpack_format::bcolz`].

pub(crate) mod carray;
mod chunk;
mod container;
mod ctable;
mod cursor;
pub(crate) mod kept;
pub(crate) mod local;
mod memory;
mod read;
mod root;
mod row_descr;
pub(crate) mod settled;
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
pub use root::Root;
pub(crate) use root::is_bcolz;
pub use settled::Settled;
pub use store::{Below, Directory};
pub use verify::{VerifyReport, verify};
#[cfg(feature = "write")]
pub use write::{CarrayParams, CarrayWriter, CtableWriter};
