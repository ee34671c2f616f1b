//! Blosc2 frames: contiguous, sparse, and those that are n-dimensional arrays.
//!
//! ```text
//! contiguous | header, metalayers | chunk | chunk | ... | index | trailer, vlmetalayers |
//! sparse     | header, metalayers | index | trailer, vlmetalayers |      and each chunk in a file of its own
//! ```
//!
//! A frame is a sequence of chunks with what is known about all of them: plain sizes, the compression parameters of
//! chunks to come, and metalayers, by one of which (`b2nd`) it is an array. The formats are specified in
//! `docs/format/blosc2-frame.md`.
//!
//! | file | what it knows |
//! |---|---|
//! | `header`, `metalayer` | the header and the metalayers in it |
//! | `trailer`, `vlmetalayer` | the trailer and the metalayers in it |
//! | `index`, `entry` | where the chunks are, and which are special values |
//! | `layout` | where the parts are |
//! | `state` | all of a frame but its chunks: what opening one gives |
//! | `edit` | which bytes go where, and in which order, to change a frame so that a kill leaves the old or the new one |
//! | `sframe` | files of a sparse frame |
//! | `b2nd`, `grid` | the metalayer of an array; which chunks and blocks a slice touches, and copies between them |
//! | `salvage` | what the bytes of a torn frame are |
//! | `msgpack`, `layers` | the shapes that header and trailer are made of |
//!
//! To open one: [`Header::parse`], [`Trailer::len_at_end`], [`Layout::new`], [`Trailer::parse`], [`Index::decode`]; or, with
//! all bytes at hand, [`Frame::parse`].

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
pub use edit::{ChunkPlace, Edit, NewChunk, Slot};
pub use entry::{Entry, MAX_CHUNKS};
pub use grid::{ChunkPart, Grid, SelectedChunk};
pub use header::{ChunkSize, FrameType, Header, MAGIC};
pub use index::Index;
pub use layers::Metalayer;
pub use layout::{Layout, check_len};
pub use metalayer::Metalayers;
pub use plan::{Plan, Step};
pub use regions::Region;
pub use salvage::{Found, identify};
pub use state::{ChunkInfo, ChunkRef, Frame};
pub use trailer::Trailer;
pub use vlmetalayer::{VlMetalayers, decode_vlmetalayer};
