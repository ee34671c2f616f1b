//! Blosc2 frames: contiguous, sparse, and n-dimensional arrays.
//!
//! ```text
//! contiguous | header, metalayers | chunk | chunk | ... | index | trailer, vlmetalayers |
//! sparse     | header, metalayers | index | trailer, vlmetalayers |      and each chunk in a file of its own
//! ```
//!
//! A frame is a sequence of chunks with metadata: uncompressed sizes, the compression parameters of new chunks, and
//! metalayers. One of the metalayers, `b2nd`, makes the frame an array. The formats are specified in
//! `docs/format/blosc2-frame.md`.
//!
//! | file | contents |
//! |---|---|
//! | `header`, `metalayer` | the header and the metalayers in it |
//! | `trailer`, `vlmetalayer` | the trailer and the metalayers in it |
//! | `index`, `entry` | positions of the chunks, and special values |
//! | `layout` | positions of the parts |
//! | `state` | an opened frame: everything but its chunks |
//! | `edit` | positions of new chunks, and their effect on index and header |
//! | `plan` | the writes of an edit, in an order that leaves the old or the new frame if the process is killed |
//! | `sframe` | files of a sparse frame |
//! | `b2nd`, `grid` | the metalayer of an array; the chunks and blocks that a slice touches, and copies between them |
//! | `regions` | boxes of items, in C order |
//! | `salvage` | identification of the bytes of a torn frame |
//! | `msgpack`, `layers` | MessagePack values of header and trailer; storage of metalayers |
//!
//! To open a frame, call [`Header::parse`], [`Trailer::len_at_end`], [`Layout::new`], [`Trailer::parse`] and
//! [`Index::decode`]. If all bytes are in memory, call [`Frame::parse`].

mod b2nd;
mod edit;
mod entry;
mod grid;
mod header;
mod index;
mod layers;
mod layout;
mod metalayer;
mod msgpack;
mod plan;
mod regions;
mod salvage;
pub mod sframe;
mod state;
mod trailer;
mod vlmetalayer;

pub use crate::error::FrameError;
pub use b2nd::{B2nd, DtypeText, MAX_NDIM};
pub use edit::{ChunkTarget, Edit, NewChunk, NewOrder};
pub use entry::{Entry, MAX_CHUNKS};
pub use grid::{ChunkPart, Grid, SelectedChunk};
pub use header::{ChunkSize, FrameType, Header, MAGIC};
pub use index::Index;
pub use layers::Metalayer;
pub use layout::{Layout, check_len};
pub use metalayer::Metalayers;
pub use plan::{Plan, Step};
pub use regions::Region;
pub use salvage::{Salvaged, identify};
pub use state::{ChunkInfo, ChunkRef, Frame};
pub use trailer::Trailer;
pub use vlmetalayer::{VlMetalayers, decode_vlmetalayer};
