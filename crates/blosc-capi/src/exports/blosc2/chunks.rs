//! Compress, decompress and read items with the settings of the process.

use std::ffi::{c_int, c_void};

use super::context::Context;
use super::context_chunks::{Destination, decompressed, items_copied};
use crate::blosc2::codes::{FAILURE, INVALID_PARAM};
use crate::blosc2::settings::{self, Arguments};
use crate::blosc2::{OVERHEAD, compress};
use crate::engine::Key;
use crate::exports::environment::has_variables;
use crate::exports::guard::guarded;
use crate::exports::pointers::buffers;

/// Compresses with the settings of the process. Returns the size of the chunk, 0 if it does not fit, or a code.
///
/// # Safety
/// `src` has `srcsize` readable bytes and `dest` has `destsize` writable ones, which no other thread changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_compress(
    clevel: c_int,
    doshuffle: c_int,
    typesize: i32,
    src: *const c_void,
    srcsize: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    guarded(FAILURE, || {
        let job = settings::job(Arguments { clevel, shuffle: doshuffle, typesize }, has_variables());
        // Programs may pass sizes that the memory does not have, and rely on the refusal.
        if let Some(code) = compress::refused_size(srcsize, destsize) {
            return code;
        }
        let (src_len, dest_len) = (srcsize as usize, destsize as usize);
        // SAFETY: the caller's promise. A chunk is never larger than that.
        let Some((src, dst)) = (unsafe { buffers(src, src_len, dest, dest_len.min(src_len + OVERHEAD)) }) else {
            return INVALID_PARAM;
        };
        match job.params() {
            Ok(params) => compress::compress(Key::NONE, &params, job.nthreads, src, dst),
            Err(code) => code,
        }
    })
}

/// As [`blosc2_compress`], with the arguments of Blosc1.
///
/// # Safety
/// As [`blosc2_compress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_compress(
    clevel: c_int,
    doshuffle: c_int,
    typesize: usize,
    nbytes: usize,
    src: *const c_void,
    dest: *mut c_void,
    destsize: usize,
) -> c_int {
    // C-Blosc2 keeps the low 32 bits.
    let (typesize, nbytes, destsize) = (typesize as i32, nbytes as i32, destsize as i32);
    // SAFETY: the caller's promise.
    unsafe { blosc2_compress(clevel, doshuffle, typesize, src, nbytes, dest, destsize) }
}

/// Decompresses with the settings of the process. Returns the number of bytes, or a code.
///
/// # Safety
/// `src` has `srcsize` readable bytes, or as many as its header states if these are fewer; `dest` has `destsize`
/// writable bytes, and no other thread changes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_decompress(
    src: *const c_void,
    srcsize: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    guarded(FAILURE, || match settings::nthreads_of_decompression(has_variables()) {
        Ok(nthreads) => {
            let context = Context::for_one_call(nthreads);
            // SAFETY: the caller's promise.
            unsafe { decompressed(&context, src, srcsize, Destination { dest, destsize }, &[]) }
        }
        Err(code) => code,
    })
}

/// As [`blosc2_decompress`], for a chunk as long as its header states.
///
/// # Safety
/// As [`blosc2_decompress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_decompress(src: *const c_void, dest: *mut c_void, destsize: usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { blosc2_decompress(src, i32::MAX, dest, destsize as i32) }
}

/// Copies `nitems` items from `start` on. Returns the number of bytes, or a code.
///
/// # Safety
/// As [`blosc2_decompress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_getitem(
    src: *const c_void,
    srcsize: i32,
    start: c_int,
    nitems: c_int,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    guarded(FAILURE, || {
        let context = Context::for_one_call(1);
        // SAFETY: the caller's promise.
        unsafe { items_copied(&context, src, srcsize, |_| Ok((start, nitems)), Destination { dest, destsize }) }
    })
}

/// As [`blosc2_getitem`], for a chunk as long as its header states.
///
/// # Safety
/// `dest` has room for the items. Else as [`blosc2_getitem`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_getitem(src: *const c_void, start: c_int, nitems: c_int, dest: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { blosc2_getitem(src, i32::MAX, start, nitems, dest, i32::MAX) }
}
