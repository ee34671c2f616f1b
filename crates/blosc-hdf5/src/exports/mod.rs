//! The functions that HDF5 calls. They turn pointers into slices and call the safe modules.
//!
//! | file | content |
//! |---|---|
//! | `plugin` | the functions that HDF5 finds by name, and the description of the filter |
//! | `chunk` | the function that compresses and decompresses a chunk |
//! | `selected` | the filter of this library |
//! | `set_local` | the function that stores values with a new dataset |
//! | `hdf5` | the functions of HDF5 |
//! | `lookup` | finding them in the process |
//! | `buffer` | memory that HDF5 releases |

mod buffer;
mod chunk;
mod hdf5;
mod lookup;
mod plugin;
mod selected;
mod set_local;

pub use plugin::*;
