//! Input and output of files, for functions of the program that build on it.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use libc::FILE;

use super::abi::IoCallbacks;
use crate::blosc2::codes::{FAILURE, trace};
use crate::exports::guard::guarded;

/// `blosc2_stdio_file`.
#[derive(Debug)]
#[repr(C)]
pub struct StdioFile {
    pub(crate) file: *mut FILE,
}

/// These functions, as registered with the id 0.
pub(super) const CALLBACKS: IoCallbacks = IoCallbacks {
    id: 0,
    name: c"filesystem".as_ptr().cast_mut(),
    is_allocation_necessary: 1,
    open: Some(blosc2_stdio_open),
    close: Some(blosc2_stdio_close),
    size: Some(blosc2_stdio_size),
    write: Some(blosc2_stdio_write),
    read: Some(blosc2_stdio_read),
    truncate: Some(blosc2_stdio_truncate),
    destroy: Some(blosc2_stdio_destroy),
};

/// Returns the descriptor of an open file.
///
/// # Safety
/// `stream` is null or a `blosc2_stdio_file` whose file is null or open.
unsafe fn descriptor(stream: *mut c_void) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let file = unsafe { stream.cast::<StdioFile>().as_ref() }?.file;
    // SAFETY: an open file.
    (!file.is_null()).then(|| unsafe { libc::fileno(file) })
}

/// Opens a file as `fopen` does. Null if it cannot be opened.
///
/// # Safety
/// `urlpath` and `mode` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_open(
    urlpath: *const c_char,
    mode: *const c_char,
    _params: *mut c_void,
) -> *mut c_void {
    if urlpath.is_null() || mode.is_null() {
        return null_mut();
    }
    // SAFETY: two strings; a new allocation of the size of the structure.
    unsafe {
        let file = libc::fopen(urlpath, mode);
        if file.is_null() {
            return null_mut();
        }
        let stream = libc::malloc(size_of::<StdioFile>()).cast::<StdioFile>();
        if stream.is_null() {
            libc::fclose(file);
            return null_mut();
        }
        stream.write(StdioFile { file });
        stream.cast()
    }
}

/// Closes a file. Returns 0, or -1.
///
/// # Safety
/// `stream` is null or comes from [`blosc2_stdio_open`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_close(stream: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { stream.cast::<StdioFile>().as_ref() } {
        Some(found) if !found.file.is_null() => {
            // SAFETY: an open file and its allocation.
            unsafe {
                let code = libc::fclose(found.file);
                libc::free(stream);
                code
            }
        }
        _ => -1,
    }
}

/// Returns the length of a file, or -1.
///
/// # Safety
/// As [`blosc2_stdio_close`]; the file stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_size(stream: *mut c_void) -> i64 {
    guarded(FAILURE.into(), || {
        // SAFETY: the caller's promise.
        unsafe { descriptor(stream) }.and_then(file_len).unwrap_or(-1)
    })
}

/// Returns the length of an open file. `None` if the system does not tell it.
pub(super) fn file_len(descriptor: c_int) -> Option<i64> {
    // SAFETY: zeros are a valid structure, and the system writes to it only.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &mut found) == 0).then_some(found.st_size)
    }
}

/// Writes items at a position. Returns their number.
///
/// # Safety
/// As [`blosc2_stdio_size`]; `ptr` is null or has the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_write(
    ptr: *const c_void,
    size: i64,
    nitems: i64,
    position: i64,
    stream: *mut c_void,
) -> i64 {
    let transfer = |descriptor, done: usize, len, at| {
        // SAFETY: the caller's promise; `done` and `len` are within the items.
        unsafe { libc::pwrite(descriptor, ptr.cast::<u8>().wrapping_add(done).cast(), len, at) }
    };
    // SAFETY: the caller's promise.
    guarded(0, || unsafe { transferred(ptr, size, nitems, position, stream, transfer) })
}

/// Reads items at a position into the memory that `ptr` points to. Returns their number.
///
/// # Safety
/// As [`blosc2_stdio_size`]; `ptr` is null, or points to null or to room for the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_read(
    ptr: *mut *mut c_void,
    size: i64,
    nitems: i64,
    position: i64,
    stream: *mut c_void,
) -> i64 {
    // SAFETY: the caller's promise.
    let to = if ptr.is_null() { null_mut() } else { unsafe { ptr.read_unaligned() } };
    let transfer = |descriptor, done: usize, len, at| {
        // SAFETY: the caller's promise; `done` and `len` are within the items.
        unsafe { libc::pread(descriptor, to.cast::<u8>().wrapping_add(done).cast(), len, at) }
    };
    // SAFETY: the caller's promise.
    guarded(0, || unsafe { transferred(to, size, nitems, position, stream, transfer) })
}

/// Transfers items in parts, as the system takes them. Returns their number.
///
/// # Safety
/// `stream` as for [`descriptor`].
unsafe fn transferred(
    ptr: *const c_void,
    size: i64,
    nitems: i64,
    position: i64,
    stream: *mut c_void,
    transfer: impl Fn(c_int, usize, usize, i64) -> isize,
) -> i64 {
    let total = size.checked_mul(nitems).and_then(|total| usize::try_from(total).ok());
    // SAFETY: the caller's promise.
    let (Some(total), Some(descriptor)) = (total, unsafe { descriptor(stream) }) else { return 0 };
    let is_out_of_range = position < 0 || position.checked_add(total as i64).is_none();
    if size <= 0 || nitems < 0 || is_out_of_range || ptr.is_null() {
        trace(FAILURE, format_args!("{nitems} items of {size} bytes at offset {position}"));
        return 0;
    }
    let mut done = 0;
    while done < total {
        match usize::try_from(transfer(descriptor, done, total - done, position + done as i64)) {
            Ok(count) if count > 0 => done += count,
            _ => break,
        }
    }
    done as i64 / size
}

/// Sets the length of a file. Returns 0, or -1.
///
/// # Safety
/// As [`blosc2_stdio_size`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_truncate(stream: *mut c_void, size: i64) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { descriptor(stream) } {
        // SAFETY: an open file.
        Some(descriptor) if size >= 0 => unsafe { libc::ftruncate(descriptor, size) },
        _ => -1,
    }
}

/// Releases parameters: there are none. Returns 0.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_destroy(_params: *mut c_void) -> c_int {
    0
}
