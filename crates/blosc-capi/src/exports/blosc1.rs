//! The functions of `blosc.h`. `include/blosc.h` documents them for C.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

use super::environment::has_variables;
use super::guard::{guarded, value_or_code};
use super::owned::Owned;
use super::pointers::{buffers, duplicate, header, store, text};
use crate::blosc1::compress::{self, Job};
use crate::blosc1::header::RawHeader;
use crate::blosc1::settings::{self, Arguments};
use crate::blosc1::{FAILED, OVERHEAD, decompress, names};
use crate::engine::{Kept, KeyedEncoder};

/// The version of C-Blosc whose functions these are.
const VERSION: &CStr = c"1.21.7";

/// The version of the codecs, which are part of this project.
const CODEC_VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"unknown",
};

/// The encoder of the thread that compresses first.
static ENCODER: Owned<Kept<KeyedEncoder>> = Owned::new(Kept::new(None));

/// Prepares the library. Not needed: every function does.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_init() {
    settings::init();
}

/// Ends the threads of the library.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_destroy() {
    guarded((), settings::destroy);
}

/// Ends the threads of the library. Returns 0, or -1 if it is not initialized.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_free_resources() -> c_int {
    guarded(FAILED, settings::free_resources)
}

/// Compresses with the settings of the process. Returns the size of the chunk, 0 if it does not fit, or a negative
/// code.
///
/// # Safety
/// `src` has `nbytes` readable bytes and `dest` has `destsize` writable ones, which no other thread changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_compress(
    clevel: c_int,
    doshuffle: c_int,
    typesize: usize,
    nbytes: usize,
    src: *const c_void,
    dest: *mut c_void,
    destsize: usize,
) -> c_int {
    value_or_code(|| {
        let (mut arguments, mut warning_level) = (Arguments { clevel, shuffle: doshuffle, typesize }, 0);
        settings::init();
        if has_variables() {
            arguments = settings::apply_environment(arguments)?;
            warning_level = settings::warning_level();
        }
        let job = Job::with_settings(arguments, warning_level);
        // SAFETY: the caller's promise.
        Ok(unsafe { compressed(job, nbytes, src, dest, destsize) })
    })
}

/// Compresses with the given settings, as [`blosc_compress`].
///
/// # Safety
/// As [`blosc_compress`]; `compressor` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_compress_ctx(
    clevel: c_int,
    doshuffle: c_int,
    typesize: usize,
    nbytes: usize,
    src: *const c_void,
    dest: *mut c_void,
    destsize: usize,
    compressor: *const c_char,
    blocksize: usize,
    numinternalthreads: c_int,
) -> c_int {
    guarded(FAILED, || {
        // SAFETY: the caller's promise.
        let compressor = unsafe { text(compressor) }.map_or(-1, names::code_of_name);
        let job = Job {
            arguments: Arguments { clevel, shuffle: doshuffle, typesize },
            compressor,
            // C-Blosc keeps the low 32 bits.
            blocksize: blocksize as i32,
            nthreads: numinternalthreads,
            warning_level: 0,
        };
        // SAFETY: the caller's promise.
        unsafe { compressed(job, nbytes, src, dest, destsize) }
    })
}

/// # Safety
/// As [`blosc_compress`].
#[inline(always)]
unsafe fn compressed(job: Job, nbytes: usize, src: *const c_void, dest: *mut c_void, destsize: usize) -> c_int {
    // Programs may pass sizes that the memory does not have, and rely on the refusal.
    if let Some(refused) = compress::refused_size(nbytes, destsize, job.warning_level) {
        return refused;
    }
    // A chunk is never larger, and programs may state more memory than there is.
    let destsize = destsize.min(nbytes + OVERHEAD);
    // SAFETY: the caller's promise.
    match unsafe { buffers(src, nbytes, dest, destsize) } {
        Some((src, dst)) => compress::compress(job, ENCODER.get(), src, dst),
        None => FAILED,
    }
}

/// Decompresses with the settings of the process. Returns the number of bytes, or a negative code.
///
/// # Safety
/// `src` has a header of 16 bytes, and the number of bytes that it states; `dest` has `destsize`
/// writable bytes, and no other thread changes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_decompress(src: *const c_void, dest: *mut c_void, destsize: usize) -> c_int {
    value_or_code(|| {
        let nthreads = || decompress::nthreads_of_settings(has_variables());
        // SAFETY: the caller's promise.
        unsafe { decompressed(src, dest, destsize, nthreads) }
    })
}

/// Decompresses with a number of threads, as [`blosc_decompress`].
///
/// # Safety
/// As [`blosc_decompress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_decompress_ctx(
    src: *const c_void,
    dest: *mut c_void,
    destsize: usize,
    numinternalthreads: c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { decompressed(src, dest, destsize, || numinternalthreads) })
}

/// # Safety
/// As [`blosc_decompress`].
unsafe fn decompressed(
    src: *const c_void,
    dest: *mut c_void,
    destsize: usize,
    nthreads: impl FnOnce() -> c_int,
) -> Result<c_int, i32> {
    // SAFETY: the caller's promise.
    let found = unsafe { header(src) }.map(RawHeader).ok_or(FAILED)?;
    let nbytes = decompress::check(found, destsize)?;
    let cbytes = usize::try_from(found.cbytes()).unwrap_or(0);
    // SAFETY: the caller's promise.
    let (chunk, dst) = unsafe { buffers(src, cbytes, dest, nbytes) }.ok_or(FAILED)?;
    Ok(decompress::decompress(chunk, dst, nthreads))
}

/// Copies `nitems` items from `start` on. Returns the number of bytes, or a negative code.
///
/// # Safety
/// `src` has a header of 16 bytes, and the number of bytes that it states; `dest` has room for
/// `nitems` items, and no other thread changes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_getitem(src: *const c_void, start: c_int, nitems: c_int, dest: *mut c_void) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let found = unsafe { header(src) }.map(RawHeader).ok_or(FAILED)?;
        let range = decompress::item_range(found, start, nitems)?;
        let cbytes = usize::try_from(found.cbytes()).unwrap_or(0);
        // SAFETY: the caller's promise.
        let (chunk, dst) = unsafe { buffers(src, cbytes, dest, range.len()) }.ok_or(FAILED)?;
        Ok(decompress::items(chunk, range, dst))
    })
}

/// Returns the number of threads.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_get_nthreads() -> c_int {
    settings::nthreads()
}

/// Sets the number of threads and returns the previous one.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_set_nthreads(nthreads: c_int) -> c_int {
    guarded(FAILED, || settings::set_nthreads(nthreads))
}

/// Returns the name of the codec, which the caller must not free.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_get_compressor() -> *const c_char {
    names::of_code(settings::compressor()).map_or(null(), |named| named.name.as_ptr())
}

/// Sets the codec. Returns its code, or -1.
///
/// # Safety
/// `compname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_set_compressor(compname: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { text(compname) }.map_or(-1, settings::set_compressor)
}

/// Stores the name of a codec. Returns its code, or -1 if it is not available.
///
/// # Safety
/// `compname` can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_compcode_to_compname(compcode: c_int, compname: *mut *const c_char) -> c_int {
    let named = names::of_code(compcode);
    // SAFETY: the caller's promise.
    unsafe { store(compname, named.map_or(null(), |named| named.name.as_ptr())) };
    named.filter(|named| named.codec.is_available()).map_or(-1, |_| compcode)
}

/// Returns the code of a codec, or -1.
///
/// # Safety
/// `compname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_compname_to_compcode(compname: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { text(compname) }.map_or(-1, names::code_of_name)
}

/// Returns the names of the codecs, separated by commas. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_list_compressors() -> *const c_char {
    guarded(c"".as_ptr(), || names::list().as_ptr())
}

/// Returns the version. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_get_version_string() -> *const c_char {
    VERSION.as_ptr()
}

/// Stores the name and the version of a codec's library, which the caller frees. Returns the code of the library, or
/// -1.
///
/// # Safety
/// `compname` is a string; `complib` and `version` are null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_get_complib_info(
    compname: *const c_char,
    complib: *mut *mut c_char,
    version: *mut *mut c_char,
) -> c_int {
    // SAFETY: the caller's promise.
    let code = unsafe { text(compname) }.map_or(-1, names::code_of_name);
    let named = names::of_code(code);
    let copies = |pointer: *mut *mut c_char, text: Option<&CStr>| {
        if !pointer.is_null() {
            let copy = text.map_or(std::ptr::null_mut(), duplicate);
            // SAFETY: the caller's promise.
            unsafe { store(pointer, copy) };
        }
    };
    copies(complib, named.map(|named| named.library_name));
    copies(version, named.map(|_| CODEC_VERSION));
    named.map_or(-1, |named| named.library)
}

/// Stores the sizes in a header, zeros for another version.
///
/// # Safety
/// `cbuffer` has 16 readable bytes; the others can hold a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_cbuffer_sizes(
    cbuffer: *const c_void,
    nbytes: *mut usize,
    cbytes: *mut usize,
    blocksize: *mut usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let sizes = header(cbuffer).map_or([0; 3], |found| RawHeader(found).sizes());
        store(nbytes, sizes[0]);
        store(cbytes, sizes[1]);
        store(blocksize, sizes[2]);
    }
}

/// Stores the number of uncompressed bytes. Returns 0 if these may be the bytes of a chunk, else -1.
///
/// # Safety
/// `cbuffer` has `cbytes` readable bytes; `nbytes` can hold a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_cbuffer_validate(cbuffer: *const c_void, cbytes: usize, nbytes: *mut usize) -> c_int {
    if cbytes < crate::blosc1::header::HEADER {
        return FAILED;
    }
    // SAFETY: the caller's promise.
    let Some(found) = (unsafe { header(cbuffer) }) else { return FAILED };
    let (code, found) = match RawHeader(found).validated(cbytes) {
        Ok(found) => (0, found),
        Err(found) => (FAILED, found),
    };
    // SAFETY: the caller's promise.
    unsafe { store(nbytes, found) };
    code
}

/// Stores the typesize and three flags of a header, zeros for another version.
///
/// # Safety
/// `cbuffer` has 16 readable bytes; the others can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_cbuffer_metainfo(cbuffer: *const c_void, typesize: *mut usize, flags: *mut c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        let found = header(cbuffer).map(RawHeader).filter(|found| found.is_supported());
        store(typesize, found.map_or(0, |found| found.typesize().into()));
        store(flags, found.map_or(0, |found| (found.flags() & 7).into()));
    }
}

/// Stores the versions of the format and of the streams.
///
/// # Safety
/// `cbuffer` has 16 readable bytes; the others can hold an `int`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_cbuffer_versions(cbuffer: *const c_void, version: *mut c_int, compversion: *mut c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        let found = header(cbuffer).map(RawHeader);
        store(version, found.map_or(0, |found| found.version().into()));
        store(compversion, found.map_or(0, |found| found.stream_version().into()));
    }
}

/// Returns the name of the format of the streams, null for an unknown one. The caller must not free it.
///
/// # Safety
/// `cbuffer` has 16 readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_cbuffer_complib(cbuffer: *const c_void) -> *const c_char {
    // SAFETY: the caller's promise.
    let found = unsafe { header(cbuffer) }.map(RawHeader);
    found.and_then(|found| names::library_name(found.flags() >> 5)).map_or(null(), CStr::as_ptr)
}

/// Returns the block size, 0 if it is chosen automatically.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_get_blocksize() -> c_int {
    settings::blocksize()
}

/// Sets the block size, 0 to choose it automatically.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_set_blocksize(blocksize: usize) {
    settings::set_blocksize(blocksize);
}

/// Sets when blocks are split into one stream for each byte of an item.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_set_splitmode(splitmode: c_int) {
    settings::set_split_mode(splitmode);
}
