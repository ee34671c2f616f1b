//! The function that compresses and decompresses a chunk.

use std::ffi::{c_uint, c_void};

use super::buffer::{Buffer, free};
use super::hdf5::{guarded, report};
use super::selected::FILTER;
use crate::error::Error;
use crate::values::Values;

/// `H5Z_FLAG_REVERSE`: decompress.
const REVERSE: c_uint = 0x0100;

/// Replaces the content of `buf`. Returns the length of the result, or 0 and leaves all as it is.
///
/// # Safety
/// As HDF5 calls filters: `values` has `count` elements, `*buf` has `*buf_size` bytes of HDF5's allocator, of which
/// `nbytes` are set. Nothing else uses them.
pub(super) unsafe extern "C" fn filter(
    flags: c_uint,
    count: usize,
    values: *const c_uint,
    nbytes: usize,
    buf_size: *mut usize,
    buf: *mut *mut c_void,
) -> usize {
    let done = guarded(|| {
        // SAFETY: the caller's promise.
        let values = unsafe { slice(values, count) };
        // SAFETY: the caller's promise.
        let input = unsafe { slice((*buf).cast::<u8>(), nbytes) };
        let mut output = Buffer::new();
        let len = match flags & REVERSE {
            0 => FILTER.compress(Values(values), input, &mut output),
            _ => FILTER.decompress(Values(values), input, &mut output),
        }?;
        Ok((len, output))
    });
    match done {
        Ok((0, _)) => 0,
        Ok((len, output)) => {
            let (memory, size) = output.into_raw();
            // SAFETY: the caller's promise. The old memory is replaced, so nothing uses it.
            unsafe {
                free(*buf);
                *buf = memory;
                *buf_size = size;
            }
            len
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &Error) -> usize {
    // A panic here would be one in making a text.
    drop(guarded(|| {
        report(c"filter", error);
        Ok(())
    }));
    0
}

/// # Safety
/// If not null, `pointer` has `len` elements, which nothing changes during `'a`.
unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> &'a [T] {
    if pointer.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: not null; the caller promises the rest.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}
