//! Settings of the process.

use std::ffi::{c_char, c_int};
use std::ptr::null;

use super::functions;
use crate::blosc2::codes::FAILURE;
use crate::blosc2::{names, settings};
use crate::exports::guard::guarded;
use crate::exports::pointers::text;

/// Prepares the library. Not needed: every function does.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_init() {
    guarded((), settings::init);
}

/// Ends the threads of the library, and forgets registered codecs, filters and tuners.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_destroy() {
    guarded((), || {
        if settings::destroy() {
            functions::clear();
        }
    });
}

/// Ends the threads of the library. Returns 0, or a code if it is not initialized.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_free_resources() -> c_int {
    guarded(FAILURE, settings::free_resources)
}

/// Returns the number of threads.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_nthreads() -> i16 {
    guarded(1, settings::nthreads)
}

/// Sets the number of threads and returns the previous one, or a code.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_set_nthreads(nthreads: i16) -> i16 {
    guarded(FAILURE as i16, || settings::set_nthreads(nthreads))
}

/// Returns the name of the codec, which the caller must not free.
#[unsafe(no_mangle)]
pub extern "C" fn blosc1_get_compressor() -> *const c_char {
    guarded(null(), || names::of_code(settings::compressor()).map_or(null(), |name| name.as_ptr()))
}

/// Sets the codec. Returns its code, or -1.
///
/// # Safety
/// `compname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc1_set_compressor(compname: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    guarded(FAILURE, || unsafe { text(compname) }.map_or(-1, settings::set_compressor))
}

/// Sets whether the delta filter is used.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_set_delta(dodelta: c_int) {
    guarded((), || settings::set_delta(dodelta != 0));
}

/// Returns the block size, 0 if it is chosen automatically.
#[unsafe(no_mangle)]
pub extern "C" fn blosc1_get_blocksize() -> c_int {
    guarded(0, settings::blocksize)
}

/// Sets the block size, 0 to choose it automatically.
#[unsafe(no_mangle)]
pub extern "C" fn blosc1_set_blocksize(blocksize: usize) {
    guarded((), || settings::set_blocksize(blocksize));
}

/// Sets when blocks are split into one stream for each byte of an item.
#[unsafe(no_mangle)]
pub extern "C" fn blosc1_set_splitmode(splitmode: c_int) {
    guarded((), || settings::set_split_mode(splitmode));
}
