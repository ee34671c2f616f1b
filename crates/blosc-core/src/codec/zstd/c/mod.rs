//! Both directions by the C library, through the safe functions of the crate `zstd`.
//!
//! The functions of the library that are used here take whole streams and write into one buffer. A window
//! is never allocated, so no number in a frame decides how much memory decoding takes.
//!
//! The library allocates with C's `malloc`, not with Rust's global allocator. It reports a refusal, which becomes
//! [`OutOfMemory`], but not how many bytes it wanted.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

pub(crate) use decode::{DecodeDict, ZstdDecoder};
pub(crate) use encode::{EncodeDict, ZstdEncoder};

use ::zstd::zstd_safe::{ErrorCode, is_error_kind, zstd_sys::ZSTD_ErrorCode};

use crate::codec::StreamError;
use crate::memory::OutOfMemory;

/// Stands for the size of an allocation that the library was refused: about that of a context at a low level.
const REFUSED: OutOfMemory = OutOfMemory::new(1 << 20);

fn is_out_of_memory(error: ErrorCode) -> bool {
    is_error_kind(error, ZSTD_ErrorCode::ZSTD_error_memory_allocation)
}

/// Returns why the library could not prepare `dict`, as it does not tell.
///
/// Only a dictionary with the magic number, and thus with entropy tables, can be malformed.
fn refusal_of(dict: &[u8]) -> StreamError {
    match dict {
        [0x37, 0xA4, 0x30, 0xEC, ..] => super::MALFORMED_DICT.into(),
        _ => REFUSED.into(),
    }
}
