//! The chunks of a super-chunk.
//!
//! | file | content |
//! |---|---|
//! | `chunks` | the chunks: as a list, or in a frame |
//! | `opened` | the content of a frame that is opened |
//! | `change` | the kinds of changes, and how each is applied to a frame |
//! | `apply` | changes of the chunks, and the sizes after them |
//! | `file` | frames in files |
//! | `local` | files of the file system |
//! | `lock` | locks of frames that several programs change |
//! | `store` | the bytes of a frame |
//! | `params` | parameters, and their form in the header of a frame |
//! | `sizes` | the sizes that programs read |
//!
//! Frames are read and written by bloscpack-io.

mod apply;
mod change;
mod chunks;
mod file;
mod local;
mod lock;
mod opened;
mod params;
mod sizes;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use change::Change;
pub(crate) use chunks::{Chunks, check_count};
pub(crate) use file::{FileFrame, Files, Stamp};
pub(crate) use local::{LocalFiles, path_of};
pub(crate) use lock::{Access, FrameLock, Held, lock_path};
pub(crate) use opened::{Layers, Opened};
pub(crate) use params::Params;
pub(crate) use sizes::Sizes;
