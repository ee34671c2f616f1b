//! A chunk: one compressed buffer with a header.
//!
//! | file | content |
//! |---|---|
//! | `view` | parses a chunk in memory |
//! | `encode`, `decode` | compression and decompression |
//! | `inspect` | describes what a chunk stores, without decoding it |
//! | `lazy` | chunks whose blocks are still in a file |
//! | `special` | the bytes of chunks without blocks |
//! | `typed` | slices of numbers instead of bytes |
//! | `block_info` | describes a block to prefilters and postfilters |

mod block_info;
mod decode;
mod encode;
mod inspect;
mod lazy;
mod special;
mod typed;
mod view;

pub use block_info::BlockInfo;
pub use decode::Decoder;
pub use encode::{Encoder, max_cbytes};
pub use inspect::{Stream, StreamKind};
pub use lazy::LazyChunk;
pub use typed::{compress_slice, decompress_vec};
pub use view::Chunk;
