//! The C libraries libblosc and libblosc2 on the Rust engine: the functions of `blosc.h`, with the semantics of C-Blosc
//! 1.21, and those of `blosc2.h` and `b2nd.h`, with the semantics of C-Blosc2 3.3.
//!
//! ```text
//!   C program ─► exports: pointers ─► slices ─► blosc1, blosc2: arguments, codes ─► engine ─► blosc-core
//!                         catches panics                   │                       threads: pools
//!                                                          ├─► blosc2::schunk ─► bloscpack-io: frames
//!                                                          └─► blosc2::nd ─► bloscpack-format: grids of chunks
//! ```
//!
//! | module | content |
//! |---|---|
//! | `exports` | the functions with C linkage; the only module with `unsafe` code |
//! | `blosc1`, `blosc2` | what they do, on slices |
//! | `engine` | calls of blosc-core |
//! | `threads` | thread pools of the process, safe after a fork |
//! | `environment`, `warning` | environment variables and messages |
//!
//! Each library has the functions of one feature. `docs/c-abi.md` says how to build and install them, and how they differ
//! from the originals.
#![deny(unsafe_code)]

#[cfg(feature = "blosc1")]
mod blosc1;
#[cfg(feature = "blosc2")]
mod blosc2;
mod engine;
mod environment;
#[allow(unsafe_code, reason = "pointers of C callers")]
mod exports;
mod threads;
mod warning;

pub use exports::*;
