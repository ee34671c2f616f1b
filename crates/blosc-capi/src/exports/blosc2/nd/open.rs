//! Arrays of super-chunks, frames and files.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use super::abi::NdArray;
use super::copies::saved;
use super::handle::{attached, content, handle};
use crate::blosc2::codes::{FAILURE, NULL_POINTER, refuse_if};
use crate::blosc2::nd::deserialize;
use crate::exports::blosc2::abi::CBool;
use crate::exports::blosc2::schunk::{
    blosc2_schunk_append_file, blosc2_schunk_free, blosc2_schunk_from_buffer, blosc2_schunk_open_offset,
    blosc2_schunk_to_buffer,
};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::{value_or_code, zero_or_code};
use crate::exports::pointers::{store, text};

/// Stores the array of a super-chunk, which belongs to the array if that succeeds. Returns 0, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `array` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_from_schunk(schunk: *mut Schunk, array: *mut *mut NdArray) -> c_int {
    zero_or_code(|| {
        refuse_if(schunk.is_null() || array.is_null(), NULL_POINTER, "the super-chunk or the array is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(array, null_mut());
            let content = content(schunk)?;
            store(array, attached(schunk, &deserialize(&content)?)?);
        }
        Ok(())
    })
}

/// Stores the array of a super-chunk that was opened, which is released if it is not an array.
///
/// # Safety
/// As [`b2nd_from_schunk`].
unsafe fn opened(schunk: *mut Schunk, array: *mut *mut NdArray, missing: i32) -> Result<c_int, i32> {
    // SAFETY: the caller's promise.
    unsafe {
        if schunk.is_null() {
            store(array, null_mut());
            return Err(missing);
        }
        let code = b2nd_from_schunk(schunk, array);
        if code < 0 {
            blosc2_schunk_free(schunk);
        }
        Ok(code)
    }
}

/// Stores the contiguous frame of an array, its length, and whether the caller frees it. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; the other pointers are null or can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_to_cframe(
    array: *const NdArray,
    cframe: *mut *mut u8,
    cframe_len: *mut i64,
    needs_free: *mut CBool,
) -> c_int {
    zero_or_code(|| {
        refuse_if(cframe.is_null() || cframe_len.is_null() || needs_free.is_null(), NULL_POINTER, "a pointer is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            let len = blosc2_schunk_to_buffer(handle(array)?.sc, cframe, needs_free);
            store(cframe_len, len);
            if len > 0 { Ok(()) } else { Err(FAILURE) }
        }
    })
}

/// Stores the array of a frame in memory. Returns 0, or a code.
///
/// # Safety
/// `cframe` is null or has `cframe_len` bytes, which stay valid without `copy`; `array` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_from_cframe(
    cframe: *mut u8,
    cframe_len: i64,
    copy: CBool,
    array: *mut *mut NdArray,
) -> c_int {
    value_or_code(|| {
        refuse_if(cframe.is_null() || array.is_null(), NULL_POINTER, "the frame or the array is null")?;
        // SAFETY: the caller's promise.
        unsafe { opened(blosc2_schunk_from_buffer(cframe, cframe_len, copy), array, FAILURE) }
    })
}

/// Stores the array of a file or directory. Returns 0, or a code.
///
/// # Safety
/// `urlpath` is null or a string; `array` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_open(urlpath: *const c_char, array: *mut *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { b2nd_open_offset(urlpath, array, 0) }
}

/// Stores the array whose frame starts at an offset of a file. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_open_offset(urlpath: *const c_char, array: *mut *mut NdArray, offset: i64) -> c_int {
    value_or_code(|| {
        refuse_if(urlpath.is_null() || array.is_null(), NULL_POINTER, "the path or the array is null")?;
        // SAFETY: the caller's promise.
        unsafe { opened(blosc2_schunk_open_offset(urlpath, offset), array, NULL_POINTER) }
    })
}

/// Copies an array to a file or directory, with its own storage. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `urlpath` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_save(array: *const NdArray, urlpath: *mut c_char) -> c_int {
    zero_or_code(|| {
        refuse_if(urlpath.is_null(), NULL_POINTER, "the path is null")?;
        // SAFETY: the caller's promise.
        unsafe { saved(array, urlpath) }
    })
}

/// Appends the frame of an array to a file. Returns its offset, or a code.
///
/// # Safety
/// As [`b2nd_save`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_save_append(array: *const NdArray, urlpath: *const c_char) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe {
        let array = handle(array)?;
        text(urlpath).ok_or(NULL_POINTER)?;
        Ok(blosc2_schunk_append_file(array.sc, urlpath))
    })
}
