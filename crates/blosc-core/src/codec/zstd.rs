//! Zstandard frames.
//!
//! | features | encoder | decoder |
//! |---|---|---|
//! | none | none | `decode`, of this crate |
//! | `zstd` | `encode`, through the pure-Rust `rust-zstd` | `decode` |
//! | `zstd-c`, with or without `zstd` | `c`, through the crate `zstd` | `c` |

#[cfg(feature = "zstd-c")]
mod c;
#[cfg(any(not(feature = "zstd-c"), test))]
#[cfg_attr(feature = "zstd-c", allow(dead_code, reason = "tests compare it with the C library"))]
mod decode;
#[cfg(all(feature = "zstd", not(feature = "zstd-c")))]
mod encode;
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
mod levels;

#[cfg(feature = "zstd-c")]
pub(crate) use c::{DecodeDict, EncodeDict, ZstdDecoder, ZstdEncoder};
#[cfg(not(feature = "zstd-c"))]
pub(crate) use decode::{DecodeDict, ZstdDecoder};
#[cfg(all(feature = "zstd", not(feature = "zstd-c")))]
pub(crate) use encode::{EncodeDict, ZstdEncoder};
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
pub(crate) use levels::level_of;

use super::CorruptStream;

const MALFORMED_DICT: CorruptStream = CorruptStream::new(0, "not a valid zstd dictionary");

/// Minimum stream size for which the dictionary is hashed again for each stream; no shorter than the longest
/// dictionary. The dictionary's own tables are sized by the dictionary and are too small for such a stream. Measured
/// with streams of 64 KiB at `clevel` 5: 5 % smaller.
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
const HASH_AGAIN: usize = 32 << 10;

#[cfg(test)]
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
mod tests;
