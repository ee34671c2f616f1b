//! Blosc2 frames: reading, making, changing, compacting and salvaging them.
//!
//! | to | |
//! |---|---|
//! | make a frame | [`FrameWriter::create`], [`FrameWriter::create_array`], [`FrameWriter::in_memory`] |
//! | change one: chunks, metalayers, items of an array | [`FrameWriter::open`] |
//! | get rid of dead bytes | [`compact`] |
//! | save what a torn one still has | [`recover`](crate::recover) |
//! | keep it anywhere else | [`FrameStore`] |
//!
//! | file | what it knows |
//! |---|---|
//! | `read` | header, trailer and index of a frame |
//! | `container` | a frame as a container |
//! | `place`, `fetch` | where a chunk is, and which bytes of it are read |
//! | `verify` | which chunks have to be decoded to verify all |
//! | `params` | how new chunks are compressed, as a header says it |
//! | `store`, `local`, `new` | where the bytes of a frame are: in memory; in a file or directory that is there, or is to be |
//! | `chunk_directory` | the chunk files of a sparse frame |
//! | `writer` | the changes, and how a plan's steps are done |
//! | `append` | a stream of bytes as chunks, compressed in parallel |
//! | `arrays`, `items` | arrays: made, written to, resized; items of one that lie somewhere else |
//! | `compact` | a frame written anew, without dead bytes |

mod append;
mod arrays;
mod chunk_directory;
mod compact;
mod container;
mod fetch;
pub(crate) mod items;
mod local;
pub(crate) mod new;
pub(crate) mod params;
mod place;
mod read;
pub(crate) mod store;
mod verify;
pub(crate) mod writer;

pub use arrays::ArrayOptions;
pub(crate) use chunk_directory::ChunkDirectory;
pub use compact::{CompactReport, compact};
pub(crate) use container::{OpenFrame, SparseIndex};
pub use items::ArrayItems;
pub use local::LocalFrame;
pub use new::NewFrame;
pub use params::FrameParams;
pub use store::{FrameStore, MemoryFrame};
pub use writer::FrameWriter;
