//! Chunks of C programs as headers and slices. The header is checked before memory past it is read.

use std::ffi::c_void;

use crate::blosc2::codes::{NULL_POINTER, READ_BUFFER, refuse_if, trace};
use crate::blosc2::decompress::input_size;
use crate::blosc2::header::{Info, LONG, SHORT};
use crate::exports::pointers::{bytes, header};

/// Returns the header of a chunk.
///
/// # Safety
/// `src` is null, or has `srcsize` readable bytes, or as many as its header states if these are fewer.
pub(super) unsafe fn info(src: *const c_void, srcsize: i32) -> Result<Info, i32> {
    let available = usize::try_from(srcsize).unwrap_or(0);
    // SAFETY: the caller's promise.
    let short = unsafe { short_info(src, available) }?;
    if !short.is_long() {
        return Ok(short);
    }
    short.check_long(available)?;
    // SAFETY: the caller's promise; the chunk has 32 bytes.
    let bytes = unsafe { bytes(src, LONG) }.and_then(<[u8]>::first_chunk).ok_or(NULL_POINTER)?;
    short.long(bytes)
}

/// Returns the first part of the header of a chunk.
///
/// # Safety
/// `src` is null, or has 16 readable bytes if `available` is not less.
pub(super) unsafe fn short_info(src: *const c_void, available: usize) -> Result<Info, i32> {
    refuse_if(src.is_null(), NULL_POINTER, "the chunk is a null pointer")?;
    if available < SHORT {
        return Err(trace(READ_BUFFER, format_args!("a header has 16 bytes, found {available}")));
    }
    // SAFETY: the caller's promise.
    Info::short(unsafe { header(src) }.ok_or(NULL_POINTER)?)
}

/// Returns the number of bytes of a chunk whose header was checked.
pub(super) fn chunk_size(info: Info, srcsize: i32) -> Result<usize, i32> {
    input_size(info, srcsize)
}

/// Returns the bytes of a chunk.
///
/// # Safety
/// As [`info`]; nothing changes them during `'a`.
pub(super) unsafe fn chunk<'a>(src: *const c_void, srcsize: i32, info: Info) -> Result<&'a [u8], i32> {
    let cbytes = chunk_size(info, srcsize)?;
    // SAFETY: the caller's promise.
    unsafe { bytes(src, cbytes) }.ok_or(NULL_POINTER)
}
