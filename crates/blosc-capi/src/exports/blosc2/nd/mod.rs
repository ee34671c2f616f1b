//! The functions of `b2nd.h`, which `include/b2nd.h` documents for C.
//!
//! | file | content |
//! |---|---|
//! | `abi` | the structures |
//! | `context` | parameters of new arrays |
//! | `handle` | an array of a program, refreshed, and its metalayer |
//! | `create` | create and release |
//! | `open` | arrays of super-chunks, frames and files |
//! | `meta` | the metalayer |
//! | `chunks` | slices of the chunks of a super-chunk |
//! | `slices` | slices in buffers |
//! | `selections` | items by number, and by numbers of each axis |
//! | `numbers` | numbers of the chunks of a slice |
//! | `copies` | arrays of other arrays |
//! | `views` | arrays with the chunks of others |
//! | `resize` | other shapes |
//! | `buffers` | slices between buffers |

mod abi;
mod buffers;
mod chunks;
mod context;
mod copies;
mod create;
mod handle;
mod meta;
mod numbers;
mod open;
mod resize;
mod selections;
mod slices;
mod views;

pub use abi::{ChunkCache, NdArray, NdContext};
pub use buffers::*;
pub use context::*;
pub use copies::*;
pub use create::*;
pub use meta::*;
pub use numbers::*;
pub use open::*;
pub use resize::*;
pub use selections::*;
pub use slices::*;
pub use views::*;
