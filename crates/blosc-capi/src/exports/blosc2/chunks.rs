//! Compress, decompress and read items with the settings of the process.

use std::ffi::{c_int, c_void};

use super::context::Context;
use super::context_chunks::{Destination, compression_buffers, decompressed, items_copied};

use crate::blosc2::compress;
use crate::blosc2::settings::{self, Arguments};
use crate::engine::Key;
use crate::exports::environment::has_variables;
use crate::exports::guard::value_or_code;

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
    value_or_code(|| {
        let job = settings::job(Arguments { clevel, shuffle: doshuffle, typesize }, has_variables());
        // Programs may pass sizes that the memory does not have, and rely on the refusal.
        compress::check_sizes(srcsize, destsize)?;
        // SAFETY: the caller's promise, for sizes that were checked.
        let (src, dst) = unsafe { compression_buffers(src, srcsize, dest, destsize) }?;
        Ok(compress::compress(Key::NONE, &job.params()?, job.nthreads, src, dst))
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
    value_or_code(|| {
        let context = Context::for_one_call(settings::nthreads_of_decompression(has_variables())?);
        // SAFETY: the caller's promise.
        unsafe { decompressed(&context, src, srcsize, Destination { dest, destsize }, &[]) }
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
    value_or_code(|| {
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
