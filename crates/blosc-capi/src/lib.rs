//! The C library libblosc on the Rust engine: the functions of `blosc.h`, with the semantics of C-Blosc 1.21.
//!
//! ```text
//!   C program ─► exports: pointers ─► slices ─► blosc1: arguments, environment, codes ─► blosc-core
//!                         catches panics                                  threads: pools
//! ```
//!
//! | module | content |
//! |---|---|
//! | `exports` | the functions with C linkage; the only module with `unsafe` code |
//! | `blosc1` | what they do, on slices |
//! | `threads` | thread pools of the process, safe after a fork |
//!
//! `docs/c-abi.md` says how to build and install the libraries, and how they differ from the originals.
#![deny(unsafe_code)]

mod blosc1;
#[allow(unsafe_code, reason = "pointers of C callers")]
mod exports;
mod threads;

pub use exports::*;
