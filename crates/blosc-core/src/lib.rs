//! Blosc chunks in pure Rust.
mod codec;
pub mod kernels;
mod le;
