//! The geometry of a chunk: the sizes and offsets of its blocks.
//!
//! | file | content |
//! |---|---|
//! | `tuning` | chooses the block size for writers, and whether blocks are split into streams |
//! | `tables` | offsets of the blocks of a chunk |
//! | `only_block` | the block of a small chunk |
//! | `vlblocks` | the same for blocks of variable length |
//! | `rounded` | detects the block size in use if the header has another one |

mod only_block;
pub(crate) mod rounded;
mod tables;
pub(crate) mod tuning;
pub(crate) mod vlblocks;

pub(crate) use only_block::OnlyBlock;
pub(crate) use tables::{BSTART_LEN, DSIZE_LEN, Layout, Tables};
