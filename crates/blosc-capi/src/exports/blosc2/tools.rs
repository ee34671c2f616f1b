//! Shuffles, indexes of arrays, and the clock.

use std::ffi::c_void;

use blosc_core::kernels::{self, Kernel};

use super::abi::Timestamp;
use crate::blosc2::codes::{INVALID_PARAM, trace};
use crate::exports::guard::guarded;
use crate::exports::pointers::buffers;

/// # Safety
/// `src` and `dest` have `blocksize` bytes, which no other thread changes.
unsafe fn run(
    (kernel, most): (Kernel, i32),
    typesize: i32,
    blocksize: i32,
    src: *const c_void,
    dest: *mut c_void,
) -> i32 {
    guarded(INVALID_PARAM, || {
        let Some(len) = usize::try_from(blocksize).ok().filter(|_| (1..=most).contains(&typesize)) else {
            let reason = format_args!("typesize is {typesize}, expected 1 to {most}; blocksize is {blocksize}");
            return trace(INVALID_PARAM, reason);
        };
        // SAFETY: the caller's promise.
        let Some((src, dst)) = (unsafe { buffers(src, len, dest, len) }) else { return INVALID_PARAM };
        kernel(typesize as usize, src, dst);
        blocksize
    })
}

macro_rules! shuffles {
    ($($name:ident: $kernel:ident, $most:expr, $what:literal;)*) => {$(
        #[doc = $what]
        ///
        /// # Safety
        /// `src` and `dest` have `blocksize` bytes and do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(typesize: i32, blocksize: i32, src: *const c_void, dest: *mut c_void) -> i32 {
            // SAFETY: the caller's promise.
            unsafe { run((kernels::active().$kernel, $most), typesize, blocksize, src, dest) }
        }
    )*};
}

shuffles! {
    blosc2_shuffle: shuffle, 256, "Shuffles bytes. Returns the block size, or a code.";
    blosc2_unshuffle: unshuffle, 256, "Undoes [`blosc2_shuffle`].";
    blosc2_bitshuffle: bitshuffle, 256, "Shuffles bits. Returns the block size, or a code.";
    blosc2_bitunshuffle: bitunshuffle, i32::MAX, "Undoes [`blosc2_bitshuffle`], for any typesize.";
}

/// Stores the index of item `i` in an array of a shape.
///
/// # Safety
/// `shape` and `index` have `ndim` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_unidim_to_multidim(ndim: u8, shape: *const i64, i: i64, index: *mut i64) {
    if shape.is_null() || index.is_null() {
        return;
    }
    let mut rest = i;
    for axis in (0..usize::from(ndim)).rev() {
        // SAFETY: the caller's promise.
        unsafe {
            let len = shape.add(axis).read_unaligned();
            let is_first = axis == 0;
            let (item, left) =
                if is_first || len == 0 { (rest, 0) } else { (rest.wrapping_rem(len), rest.wrapping_div(len)) };
            index.add(axis).write_unaligned(item);
            rest = left;
        }
    }
}

/// Stores the sum of the products of indexes and strides.
///
/// # Safety
/// `index` and `strides` have `ndim` items; `i` can hold a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_multidim_to_unidim(index: *const i64, ndim: i8, strides: *const i64, i: *mut i64) {
    if index.is_null() || strides.is_null() || i.is_null() {
        return;
    }
    let mut sum = 0_i64;
    for axis in 0..usize::try_from(ndim).unwrap_or(0) {
        // SAFETY: the caller's promise.
        let (item, stride) = unsafe { (index.add(axis).read_unaligned(), strides.add(axis).read_unaligned()) };
        sum = sum.wrapping_add(item.wrapping_mul(stride));
    }
    // SAFETY: the caller's promise.
    unsafe { i.write_unaligned(sum) };
}

/// Stores the time of a clock that only goes forward.
///
/// # Safety
/// `timestamp` can hold a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc_set_timestamp(timestamp: *mut Timestamp) {
    if !timestamp.is_null() {
        // SAFETY: the caller's promise.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, timestamp) };
    }
}

/// Returns the nanoseconds between two times.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_elapsed_nsecs(start_time: Timestamp, end_time: Timestamp) -> f64 {
    let seconds = end_time.tv_sec as f64 - start_time.tv_sec as f64;
    1e9 * seconds + (end_time.tv_nsec as f64 - start_time.tv_nsec as f64)
}

/// Returns the seconds between two times.
#[unsafe(no_mangle)]
pub extern "C" fn blosc_elapsed_secs(start_time: Timestamp, end_time: Timestamp) -> f64 {
    1e-9 * blosc_elapsed_nsecs(start_time, end_time)
}
