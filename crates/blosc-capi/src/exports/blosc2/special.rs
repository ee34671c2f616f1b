//! Chunks without blocks.

use std::ffi::{c_int, c_void};

use super::abi::Cparams;
use super::context::compression;
use crate::blosc2::OVERHEAD;
use crate::blosc2::codes::NULL_POINTER;
use crate::blosc2::special::{self, Content};
use crate::exports::guard::value_or_code;
use crate::exports::pointers::{bytes, bytes_mut};

/// Creates a chunk of zeros. Returns its size, or a code.
///
/// # Safety
/// The pointers in `cparams` are null or valid; `dest` has `destsize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_chunk_zeros(cparams: Cparams, nbytes: i32, dest: *mut c_void, destsize: i32) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { created(cparams, Content::Zeros, nbytes, dest, destsize) })
}

/// Creates a chunk of not-a-numbers, as [`blosc2_chunk_zeros`].
///
/// # Safety
/// As [`blosc2_chunk_zeros`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_chunk_nans(cparams: Cparams, nbytes: i32, dest: *mut c_void, destsize: i32) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { created(cparams, Content::Nans, nbytes, dest, destsize) })
}

/// Creates a chunk of bytes that were never written, as [`blosc2_chunk_zeros`].
///
/// # Safety
/// As [`blosc2_chunk_zeros`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_chunk_uninit(cparams: Cparams, nbytes: i32, dest: *mut c_void, destsize: i32) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { created(cparams, Content::Uninit, nbytes, dest, destsize) })
}

/// Creates a chunk of one repeated value, as [`blosc2_chunk_zeros`].
///
/// # Safety
/// As [`blosc2_chunk_zeros`]; `repeatval` has a typesize of readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_chunk_repeatval(
    cparams: Cparams,
    nbytes: i32,
    dest: *mut c_void,
    destsize: i32,
    repeatval: *const c_void,
) -> c_int {
    value_or_code(|| {
        special::check_sizes(cparams.typesize, nbytes, cparams.typesize, destsize)?;
        // SAFETY: the caller's promise.
        unsafe {
            let value = bytes(repeatval, cparams.typesize as usize).ok_or(NULL_POINTER)?;
            created(cparams, Content::Value(value), nbytes, dest, destsize)
        }
    })
}

/// # Safety
/// As [`blosc2_chunk_zeros`].
unsafe fn created(
    cparams: Cparams,
    content: Content<'_>,
    nbytes: i32,
    dest: *mut c_void,
    destsize: i32,
) -> Result<c_int, i32> {
    let value_len = if let Content::Value(value) = content { value.len() } else { 0 };
    special::check_sizes(cparams.typesize, nbytes, value_len as i32, destsize)?;
    // SAFETY: the caller's promise.
    let context = unsafe { compression(cparams) }.map_err(|_| NULL_POINTER)?;
    let room = (OVERHEAD + value_len).min(destsize as usize);
    // SAFETY: the caller's promise.
    let dst = unsafe { bytes_mut(dest, room) }.ok_or(NULL_POINTER)?;
    Ok(special::create(&context.job, content, nbytes, dst))
}
