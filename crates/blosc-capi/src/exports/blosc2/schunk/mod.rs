//! The functions of super-chunks.
//!
//! | file | content |
//! |---|---|
//! | `owned` | a super-chunk: the structure that programs read, and what it owns |
//! | `layers` | the metalayers of a super-chunk |
//! | `storage` | parameters of storage |
//! | `files` | access to the files of a frame |
//! | `create` | create and release |
//! | `open` | open frames in files and in memory |
//! | `copy` | copy to another storage |
//! | `frames` | frames as bytes and files |
//! | `callbacks` | files that functions of the program read and write |
//! | `chunks` | append, insert, replace, remove and reorder chunks |
//! | `read` | read chunks |
//! | `slices` | read and write items |
//! | `locks` | locks of frames that several programs change |
//! | `params` | parameters of a super-chunk |
//! | `metalayers`, `vlmetalayers` | metadata |
//! | `views` | super-chunks with the chunks of others |
//! | `paths` | remove and rename files |

mod callbacks;
mod chunks;
mod copy;
mod create;
mod files;
mod frames;
mod layers;
mod locks;
mod metalayers;
mod open;
mod owned;
mod params;
mod paths;
mod read;
mod slices;
mod storage;
mod views;
mod vlmetalayers;

pub use chunks::*;
pub use copy::*;
pub use create::*;
pub use frames::*;
pub use locks::*;
pub use metalayers::*;
pub use open::*;
pub use params::*;
pub use paths::*;
pub use read::*;
pub use slices::*;
pub use vlmetalayers::*;

pub(super) use create::created_with;
pub(super) use layers::metalayer;
pub(super) use locks::hold;
pub(super) use read::{chunk, duplicate as duplicate_bytes, duplicate_text};
pub(super) use slices::replaced;
pub(super) use views::make_view;
pub(super) use vlmetalayers::copy_vlmetalayers;
