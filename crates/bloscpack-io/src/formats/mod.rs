//! The formats. Each implements a container, and has its own writers.
//!
//! | module | format |
//! |---|---|
//! | `bloscpack` | bloscpack files |
//! | `frame` | Blosc2 frames, contiguous and sparse, of plain bytes or of an array |
//! | `bcolz` | bcolz directories: carrays and ctables |
//! | `zarr` | Zarr arrays and groups |
//! | `chunk` | one bare chunk |
//! | `npy` | uncompressed bytes: `.npy` files and raw bytes |

pub mod bcolz;
pub(crate) mod bloscpack;
pub(crate) mod chunk;
pub mod frame;
pub(crate) mod npy;
pub mod zarr;
