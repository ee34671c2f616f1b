//! Zstandard frames: a decoder of this crate, and an encoder from the `rust-zstd` crate.
//!
//! Without the feature `zstd`, only the encoder is missing.

mod decode;
#[cfg(feature = "zstd")]
mod encode;

pub(crate) use decode::{DecodeDict, ZstdDecoder};
#[cfg(feature = "zstd")]
pub(crate) use encode::{EncodeDict, ZstdEncoder, level_of};

#[cfg(test)]
#[cfg(feature = "zstd")]
mod tests;
