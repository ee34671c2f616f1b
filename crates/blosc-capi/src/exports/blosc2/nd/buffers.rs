//! Slices between buffers of the program.

use std::ffi::{c_int, c_void};

use super::context::numbers;

use crate::blosc2::codes::{INVALID_PARAM, NULL_POINTER, trace};
use crate::blosc2::nd::{MAX_DIM, copy, slice_offsets};
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::buffers;

/// Copies items of 1 to 255 bytes as [`b2nd_copy_buffer2`].
///
/// # Safety
/// As [`b2nd_copy_buffer2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_copy_buffer(
    ndim: i8,
    itemsize: u8,
    src: *const c_void,
    src_pad_shape: *const i64,
    src_start: *const i64,
    src_stop: *const i64,
    dst: *mut c_void,
    dst_pad_shape: *const i64,
    dst_start: *const i64,
) -> c_int {
    let size = itemsize.into();
    // SAFETY: the caller's promise.
    unsafe { b2nd_copy_buffer2(ndim, size, src, src_pad_shape, src_start, src_stop, dst, dst_pad_shape, dst_start) }
}

/// Copies the items from `src_start` to `src_stop` of a buffer to another one, where they start at `dst_start`. Returns 0,
/// or a code.
///
/// # Safety
/// The numbers are null or one for each axis; the buffers have all items of their shapes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_copy_buffer2(
    ndim: i8,
    itemsize: i32,
    src: *const c_void,
    src_pad_shape: *const i64,
    src_start: *const i64,
    src_stop: *const i64,
    dst: *mut c_void,
    dst_pad_shape: *const i64,
    dst_start: *const i64,
) -> c_int {
    zero_or_code(|| {
        let axes = usize::try_from(ndim).ok().filter(|axes| *axes <= MAX_DIM);
        let (Some(axes), Some(size)) = (axes, usize::try_from(itemsize).ok().filter(|size| *size > 0)) else {
            return Err(trace(INVALID_PARAM, format_args!("{ndim} axes of items of {itemsize} bytes")));
        };
        // SAFETY: the caller's promise.
        unsafe {
            let (from_shape, to_shape) = (numbers(src_pad_shape, axes), numbers(dst_pad_shape, axes));
            let (start, stop, target) = (numbers(src_start, axes), numbers(src_stop, axes), numbers(dst_start, axes));
            copied(size, [from_shape, to_shape, start, stop, target], src, dst)
        }
    })
}

/// # Safety
/// As [`b2nd_copy_buffer2`].
unsafe fn copied(
    itemsize: usize,
    numbers: [Result<Vec<i64>, i32>; 5],
    src: *const c_void,
    dst: *mut c_void,
) -> Result<(), i32> {
    let [from_shape, to_shape, start, stop, target] = numbers;
    let (from_shape, to_shape, start, stop, target) = (from_shape?, to_shape?, start?, stop?, target?);
    let extents = start.iter().zip(&stop).map(|(start, stop)| stop.saturating_sub(*start)).collect::<Vec<_>>();
    if extents.iter().any(|extent| *extent <= 0) {
        return Ok(());
    }
    let axes = slice_offsets(&extents, (&from_shape, &start), (&to_shape, &target), itemsize)?;
    // The offsets have been computed, so the sizes do not overflow.
    let len =
        |shape: &[i64]| shape.iter().fold(itemsize, |len, extent| len.saturating_mul(extent.unsigned_abs() as usize));
    // SAFETY: the caller's promise.
    let (src, dst) = unsafe { buffers(src, len(&from_shape), dst, len(&to_shape)) }
        .ok_or_else(|| trace(NULL_POINTER, format_args!("the buffers overlap, or one is null")))?;
    copy(&axes, itemsize, src, dst)
}
