//! The geometry of a chunk: how large its blocks are, and where they lie.
//!
//! | file | says |
//! |---|---|
//! | `tuning` | which block size a writer chooses, and whether blocks are split into streams |
//! | `tables` | where the blocks of a chunk start |
//! | `vlblocks` | the same for blocks of variable length |
//! | `rounded` | which block size is in use where the header has another one |

pub(crate) mod rounded;
mod tables;
pub(crate) mod tuning;
pub(crate) mod vlblocks;

pub(crate) use tables::{BSTART_LEN, DSIZE_LEN, Layout};
