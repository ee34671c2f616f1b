//! The geometry of a chunk: the sizes and offsets of its blocks.
//!
//! | file | content |
//! |---|---|
//! | `tuning` | chooses the block size for writers, and whether blocks are split into streams |
//! | `tables` | offsets of the blocks of a chunk |
//! | `vlblocks` | the same for blocks of variable length |
//! | `rounded` | detects the block size in use if the header has another one |

pub(crate) mod rounded;
mod tables;
pub(crate) mod tuning;
pub(crate) mod vlblocks;

pub(crate) use tables::{BSTART_LEN, DSIZE_LEN, Layout, Tables};
