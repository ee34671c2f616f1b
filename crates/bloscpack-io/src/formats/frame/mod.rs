//! Blosc2 frames: reading, creating, changing, compacting and recovering them.
//!
//! | to | |
//! |---|---|
//! | create a frame | [`FrameWriter::create`], [`FrameWriter::create_array`], [`FrameWriter::in_memory`] |
//! | change one: chunks, metalayers, items of an array | [`FrameWriter::open`] |
//! | remove dead bytes | [`compact`] |
//! | recover the intact chunks of a damaged frame | [`recover`](crate::recover) |
//! | store frames elsewhere | [`FrameStore`] |
//!
//! | file | contents |
//! |---|---|
//! | `read` | header, trailer and index of a frame |
//! | `container` | a frame as a container |
//! | `location`, `fetch` | the location of a chunk, and which bytes of it are read |
//! | `verify` | the chunks to decode for verifying all |
//! | `params` | compression parameters of new chunks, and their form in a header |
//! | `store`, `local`, `new` | the bytes of a frame: in memory; in an existing file or directory; in a new one |
//! | `chunk_directory` | the chunk files of a sparse frame |
//! | `writer` | changes to frames and arrays, and their commit |
//! | `array_options` | chunk and block shapes of a new array |
//! | `items` | items of an array outside the frame |
//! | `compact` | a frame rewritten without dead bytes |

#[cfg(feature = "write")]
mod array_options;
mod chunk_directory;
#[cfg(feature = "write")]
mod compact;
mod container;
mod fetch;
pub(crate) mod items;
#[cfg(feature = "write")]
mod local;
mod location;
#[cfg(feature = "write")]
pub(crate) mod new;
pub(crate) mod params;
mod read;
pub(crate) mod store;
mod verify;
#[cfg(feature = "write")]
pub(crate) mod writer;

#[cfg(feature = "write")]
pub use array_options::ArrayOptions;
pub(crate) use chunk_directory::ChunkDirectory;
#[cfg(feature = "write")]
pub use compact::{CompactReport, compact};
pub(crate) use container::{OpenFrame, SparseIndex};
pub use items::ArrayItems;
#[cfg(feature = "write")]
pub use local::LocalFrame;
#[cfg(feature = "write")]
pub use new::NewFrame;
pub use params::FrameParams;
pub use store::{FrameStore, MemoryFrame};
#[cfg(feature = "write")]
pub use writer::{ChunkBytes, FrameWriter};
