//! Checks of pointers, and slices of them. C cannot say how long memory is, so each function states what its caller
//! promises; all else is checked.

use std::ffi::{CStr, c_char, c_void};

/// Size of the first part of a header.
const HEADER: usize = 16;

/// Returns `len` bytes at `pointer`. `None` for a null pointer with a length, and for a length that no object has.
///
/// # Safety
/// If not null, `pointer` has `len` readable bytes, which nothing changes during `'a`.
pub(super) unsafe fn bytes<'a>(pointer: *const c_void, len: usize) -> Option<&'a [u8]> {
    if len == 0 {
        return Some(&[]);
    }
    if pointer.is_null() || isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: not null and not longer than an object; the caller promises the rest. Bytes need no alignment.
    Some(unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// Returns an input and an output. `None` if one is refused by [`bytes`] or [`bytes_mut`], or if they overlap.
///
/// # Safety
/// As [`bytes`] for the input and [`bytes_mut`] for the output. They may overlap.
pub(super) unsafe fn buffers<'a>(
    src: *const c_void,
    src_len: usize,
    dest: *mut c_void,
    dest_len: usize,
) -> Option<(&'a [u8], &'a mut [u8])> {
    if overlap(src, src_len, dest, dest_len) {
        return None;
    }
    // SAFETY: the caller's promise; the two do not overlap.
    unsafe { bytes(src, src_len).zip(bytes_mut(dest, dest_len)) }
}

/// Returns `len` bytes at `pointer` for writing, as [`bytes`].
///
/// # Safety
/// If not null, `pointer` has `len` writable bytes, which nothing else uses during `'a`. They may be uninitialized: the
/// engine writes bytes before it reads them.
pub(super) unsafe fn bytes_mut<'a>(pointer: *mut c_void, len: usize) -> Option<&'a mut [u8]> {
    if len == 0 {
        return Some(&mut []);
    }
    if pointer.is_null() || isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: not null and not longer than an object; the caller promises the rest. Bytes need no alignment.
    Some(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), len) })
}

/// Returns the header at `pointer`, `None` for a null pointer.
///
/// # Safety
/// If not null, `pointer` has 16 readable bytes, which nothing changes during `'a`.
pub(super) unsafe fn header<'a>(pointer: *const c_void) -> Option<&'a [u8; HEADER]> {
    // SAFETY: the caller's promise.
    unsafe { bytes(pointer, HEADER) }?.first_chunk()
}

/// Returns whether two ranges of memory have a byte in common.
#[inline]
pub(super) fn overlap(a: *const c_void, a_len: usize, b: *const c_void, b_len: usize) -> bool {
    // One starts within the other. A start before the other is a large number.
    let (after_b, after_a) = (a.addr().wrapping_sub(b.addr()), b.addr().wrapping_sub(a.addr()));
    (after_b < b_len && a_len > 0) || (after_a < a_len && b_len > 0)
}

/// Returns the text at `pointer`, `None` for a null pointer.
///
/// # Safety
/// If not null, `pointer` is a string with a zero byte at its end, which nothing changes during `'a`.
pub(super) unsafe fn text<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not null; the caller promises the rest.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// Stores a value, unless the pointer is null.
///
/// # Safety
/// If not null, `pointer` can hold a `T`.
pub(super) unsafe fn store<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: not null; the caller promises the rest, except for the alignment.
        unsafe { pointer.write_unaligned(value) }
    }
}

/// Returns a copy of a text that the caller releases with `free`; null if there is no memory.
pub(super) fn duplicate(text: &CStr) -> *mut c_char {
    // SAFETY: a string with a zero byte at its end.
    unsafe { libc::strdup(text.as_ptr()) }
}
