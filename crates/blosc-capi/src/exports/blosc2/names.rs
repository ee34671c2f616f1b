//! Names: of codecs, of errors, of the version.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

use crate::blosc2::codes::{self, FAILURE, NOT_FOUND};
use crate::blosc2::names;
use crate::exports::guard::guarded;
use crate::exports::pointers::{duplicate, store, text};

/// The version of C-Blosc2 whose functions these are.
const VERSION: &CStr = if cfg!(feature = "blosc2-abi7") { c"2.23.1" } else { c"3.3.2" };

/// The version of the codecs, which are part of this project.
const CODEC_VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"unknown",
};

/// Returns the text of a code. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_error_string(error_code: c_int) -> *const c_char {
    codes::text(error_code).as_ptr()
}

/// Returns the version. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_version_string() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the names of the codecs, separated by commas. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_list_compressors() -> *const c_char {
    names::LIST.as_ptr()
}

/// Stores the name of a codec, null for an unknown one. Returns its code, or -1.
///
/// # Safety
/// `compname` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_compcode_to_compname(compcode: c_int, compname: *mut *const c_char) -> c_int {
    guarded(FAILURE, || {
        let name = names::of_code(compcode);
        // SAFETY: the caller's promise.
        unsafe { store(compname, name.map_or(null(), CStr::as_ptr)) };
        name.map_or(-1, |_| compcode)
    })
}

/// Returns the code of a codec, or -1.
///
/// # Safety
/// `compname` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_compname_to_compcode(compname: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    guarded(FAILURE, || unsafe { text(compname) }.map_or(-1, names::code_of_name))
}

/// Stores the name and the version of a codec's library, which the caller frees. Returns the code of the library, or
/// that of an error.
///
/// # Safety
/// `compname` is null or a string; `complib` and `version` are null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_get_complib_info(
    compname: *const c_char,
    complib: *mut *mut c_char,
    version: *mut *mut c_char,
) -> c_int {
    guarded(FAILURE, || {
        // SAFETY: the caller's promise.
        let found = unsafe { text(compname) }.and_then(names::library_of_name);
        let copies = |pointer: *mut *mut c_char, text: Option<&CStr>| {
            if !pointer.is_null() {
                let copy = text.map_or(std::ptr::null_mut(), duplicate);
                // SAFETY: the caller's promise.
                unsafe { store(pointer, copy) };
            }
        };
        copies(complib, found.map(|(_, name)| name));
        copies(version, found.map(|_| CODEC_VERSION));
        found.map_or(NOT_FOUND, |(code, _)| code)
    })
}
