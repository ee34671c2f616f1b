//! Directories of bcolz 1.x: carrays, arrays in chunk files, and ctables, tables of such columns.
//!
//! | file | what it knows |
//! |---|---|
//! | `store` | what a place of files has to offer: [`Directory`] |
//! | `local`, `memory` | directories on the file system and in memory |
//!
//! What the files mean is in [`bloscpack_format::bcolz`].

mod local;
mod memory;
mod store;

pub use local::LocalDirectory;
pub use memory::{MemoryDirectory, Op};
pub use store::{Below, Directory};
