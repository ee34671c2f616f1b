//! HDF5 filter plugins: Blosc (32001), and with the feature `blosc2` Blosc2 (32026).
//!
//! ```text
//!   HDF5 ─► exports: pointers ─► slices ─► blosc1, blosc2: one chunk ─► blosc-core, bloscpack-io
//!             catches panics         └───► dataset: values that a filter needs of a new dataset
//! ```
//!
//! | module | content |
//! |---|---|
//! | `exports` | the functions that HDF5 calls, and those of HDF5; the only module with `unsafe` code |
//! | `filter` | the two filters by their numbers |
//! | `blosc1` | a chunk of HDF5 is a chunk of Blosc1 |
//! | `blosc2` | a chunk of HDF5 is a frame of Blosc2 |
//! | `blockshape` | the blocks of a chunk with several axes |
//! | `dataset` | the values that are stored with a new dataset |
//! | `values` | the values of a filter, as HDF5 hands them over |
//! | `output` | where filters put their result |
//! | `error` | why a filter failed |
//!
//! `docs/c-abi.md` says how to build, install and use the plugins.
#![deny(unsafe_code)]

mod blockshape;
mod blosc1;
mod blosc2;
mod dataset;
mod error;
#[allow(unsafe_code, reason = "pointers of HDF5")]
mod exports;
mod filter;
mod output;
mod values;

pub use exports::*;
