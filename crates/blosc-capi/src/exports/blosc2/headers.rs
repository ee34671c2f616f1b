//! Facts in the header of a chunk.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

use super::source::short_info;
use crate::blosc2::codes::{FAILURE, INVALID_HEADER, MEMORY, WRITE_BUFFER};
use crate::blosc2::header::SHORT;
use crate::blosc2::{MAX_BUFFERSIZE, names};
use crate::exports::guard::guarded;
use crate::exports::pointers::store;

/// Stores the sizes in a header, zeros for a damaged one. Returns 0, or a code.
///
/// # Safety
/// `cbuffer` is null or has 16 readable bytes; the others are null or can hold a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_cbuffer_sizes(
    cbuffer: *const c_void,
    nbytes: *mut i32,
    cbytes: *mut i32,
    blocksize: *mut i32,
) -> c_int {
    // SAFETY: the caller's promise.
    guarded(FAILURE, || unsafe {
        let found = short_info(cbuffer, SHORT);
        let sizes = found.map_or([0; 3], |info| [info.nbytes(), info.cbytes(), info.blocksize()]);
        store(nbytes, sizes[0]);
        store(cbytes, sizes[1]);
        store(blocksize, sizes[2]);
        found.err().unwrap_or(0)
    })
}

/// Stores the sizes in a header, zeros for a damaged one.
///
/// # Safety
/// As [`blosc2_cbuffer_sizes`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_cbuffer_sizes(
    cbuffer: *const c_void,
    nbytes: *mut usize,
    cbytes: *mut usize,
    blocksize: *mut usize,
) {
    let mut sizes = [0_i32; 3];
    let [first, second, third] = &mut sizes;
    // SAFETY: the caller's promise.
    unsafe {
        blosc2_cbuffer_sizes(cbuffer, first, second, third);
        // A negative number becomes a huge one, as in C.
        store(nbytes, sizes[0] as isize as usize);
        store(cbytes, sizes[1] as isize as usize);
        store(blocksize, sizes[2] as isize as usize);
    }
}

/// Stores the number of uncompressed bytes. Returns 0 if these may be the bytes of a chunk, else a code.
///
/// # Safety
/// `cbuffer` has `cbytes` readable bytes; `nbytes` is null or can hold a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_cbuffer_validate(cbuffer: *const c_void, cbytes: usize, nbytes: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    guarded(FAILURE, || unsafe {
        let found = match short_info(cbuffer, cbytes) {
            _ if cbytes < SHORT => Err(WRITE_BUFFER),
            Ok(info) if usize::try_from(info.cbytes()) != Ok(cbytes) => Err(INVALID_HEADER),
            Ok(info) if info.nbytes() > MAX_BUFFERSIZE => Err(MEMORY),
            Ok(info) => usize::try_from(info.nbytes()).map_err(|_| MEMORY),
            Err(code) => Err(code),
        };
        store(nbytes, found.unwrap_or(0));
        found.err().unwrap_or(0)
    })
}

/// Stores the typesize and the flags of a header, zeros for a damaged one.
///
/// # Safety
/// As [`blosc2_cbuffer_sizes`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_cbuffer_metainfo(cbuffer: *const c_void, typesize: *mut usize, flags: *mut c_int) {
    // SAFETY: the caller's promise.
    guarded((), || unsafe {
        let found = short_info(cbuffer, SHORT);
        store(typesize, found.map_or(0, |info| info.typesize() as usize));
        store(flags, found.map_or(0, |info| info.flags().into()));
    });
}

/// Stores the versions of the format and of the streams, zeros for a damaged header.
///
/// # Safety
/// As [`blosc2_cbuffer_sizes`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_cbuffer_versions(cbuffer: *const c_void, version: *mut c_int, versionlz: *mut c_int) {
    // SAFETY: the caller's promise.
    guarded((), || unsafe {
        let found = short_info(cbuffer, SHORT);
        store(version, found.map_or(0, |info| info.version().into()));
        store(versionlz, found.map_or(0, |info| info.stream_version().into()));
    });
}

/// Returns the name of the format of the streams, null for an unknown one. The caller must not free it.
///
/// # Safety
/// `cbuffer` is null or has 16 readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_cbuffer_complib(cbuffer: *const c_void) -> *const c_char {
    guarded(null(), || {
        // SAFETY: the caller's promise.
        let found = unsafe { short_info(cbuffer, SHORT) };
        let library = found.ok().and_then(|info| names::library_name((info.flags() >> 5).into()));
        library.map_or(null(), CStr::as_ptr)
    })
}
