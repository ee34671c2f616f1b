//! The chunks of a super-chunk.
//!
//! | file | content |
//! |---|---|
//! | `chunks` | the chunks: as a list, or in a frame |
//! | `change` | changes of them, applied to a frame |
//! | `file` | frames in files |
//! | `local` | files of the file system |
//! | `lock` | locks of frames that several programs change |
//! | `store` | the bytes of a frame |
//! | `params` | parameters, and their form in the header of a frame |
//! | `sizes` | the sizes that programs read |
//!
//! Frames are read and written by bloscpack-io.

mod change;
mod chunks;
mod file;
mod local;
mod lock;
mod params;
mod sizes;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use change::Change;
pub(crate) use chunks::{Chunks, Layers, Opened, check_count};
pub(crate) use file::{FileFrame, Files, Stamp};
pub(crate) use local::{LocalFiles, path_of};
pub(crate) use lock::{Access, FrameLock, Held, lock_path};
pub(crate) use params::Params;
pub(crate) use sizes::Sizes;
