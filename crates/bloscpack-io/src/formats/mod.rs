//! The formats. Each is a container, and has its own way to be written and changed.
//!
//! | module | format |
//! |---|---|
//! | `bloscpack` | bloscpack files |
//! | `frame` | Blosc2 frames, contiguous and sparse, of plain bytes or of an array |
//! | `bcolz` | directories of bcolz: carrays and ctables |
//! | `chunk` | one bare chunk |
//! | `npy` | bytes that are not compressed: `.npy` files and raw bytes |

pub mod bcolz;
pub(crate) mod bloscpack;
pub(crate) mod chunk;
pub mod frame;
pub(crate) mod npy;
