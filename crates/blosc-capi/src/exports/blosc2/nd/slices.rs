//! Slices of arrays in buffers in C order.

use std::ffi::{c_int, c_void};

use blosc_core::memory;
use bloscpack_format::frame::Region;

use super::abi::{NdArray, NdContext};
use super::chunks::Chunks;
use super::context::{context, numbers};
use super::create::array_new;
use super::handle::{handle, held};
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{copy, slice_offsets};
use crate::blosc2::schunk::Access;
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::{bytes, bytes_mut, store};

/// A slice, and where it is in a buffer.
struct Slice {
    /// The items of the array. Items past its end are left out.
    region: Region,
    extents: Vec<i64>,
    /// The index in the buffer of the first item.
    at: Vec<i64>,
    buffershape: Vec<i64>,
    /// Bytes of the items.
    nbytes: usize,
    typesize: usize,
}

/// The pointers of a program to the numbers of a slice.
#[derive(Clone, Copy)]
pub(super) struct Pointers {
    pub(super) start: *const i64,
    pub(super) stop: *const i64,
    pub(super) buffershape: *const i64,
}

impl Pointers {
    /// Refuses null, also for the buffer.
    fn of(start: *const i64, stop: *const i64, buffershape: *const i64, buffer: *const c_void) -> Result<Self, i32> {
        refuse_if(
            start.is_null() || stop.is_null() || buffershape.is_null() || buffer.is_null(),
            NULL_POINTER,
            "a pointer is null",
        )?;
        Ok(Pointers { start, stop, buffershape })
    }
}

impl Slice {
    /// # Safety
    /// The pointers are null or have a number for each axis.
    unsafe fn of(array: &NdArray, typesize: i32, pointers: Pointers, buffersize: i64) -> Result<Self, i32> {
        let shapes = array.shapes()?;
        let axes = shapes.ndim;
        let typesize = usize::try_from(typesize).map_err(|_| INVALID_PARAM)?;
        // SAFETY: the caller's promise.
        let (start, stop, buffershape) = unsafe {
            (numbers(pointers.start, axes)?, numbers(pointers.stop, axes)?, numbers(pointers.buffershape, axes)?)
        };
        let mut slice = Slice {
            region: Region { start: Vec::new(), stop: Vec::new() },
            extents: Vec::new(),
            at: Vec::new(),
            buffershape,
            nbytes: typesize,
            typesize,
        };
        let mut asked = Some(typesize);
        for (((start, stop), len), room) in start.iter().zip(&stop).zip(shapes.shape()).zip(&slice.buffershape) {
            let extent = stop.checked_sub(*start).filter(|extent| *start >= 0 && *extent <= *room);
            let extent = extent.ok_or_else(|| {
                trace(INVALID_PARAM, format_args!("items {start} to {stop} for a buffer of {room} items"))
            })?;
            asked = asked.and_then(|nbytes| nbytes.checked_mul(usize::try_from(extent).unwrap_or(0)));
            let (first, end) = ((*start).min(*len), (*stop).clamp((*start).min(*len), *len));
            slice.region.start.push(first.unsigned_abs());
            slice.region.stop.push(end.unsigned_abs());
            slice.extents.push(end - first);
            slice.at.push(0);
        }
        let mut extents = slice.extents.iter().map(|extent| extent.unsigned_abs() as usize);
        let nbytes = extents.try_fold(typesize, usize::checked_mul);
        match (asked, nbytes) {
            (Some(asked), Some(nbytes)) if i64::try_from(asked).is_ok_and(|asked| asked <= buffersize) => {
                Ok(Slice { nbytes, ..slice })
            }
            _ => Err(trace(INVALID_PARAM, format_args!("the buffer of {buffersize} bytes is too small"))),
        }
    }

    /// Returns whether the buffer has the items without gaps.
    fn is_dense(&self) -> bool {
        // Only the first axis may have more room.
        self.extents.iter().zip(&self.buffershape).skip(1).all(|(extent, room)| extent == room)
    }

    /// Copies the items between a buffer with their shape and the program's.
    fn copy(&self, src: &[u8], dst: &mut [u8], is_read: bool) -> Result<(), i32> {
        let (own, program) = ((&*self.extents, &*self.at), (&*self.buffershape, &*self.at));
        let (from, to) = if is_read { (own, program) } else { (program, own) };
        copy(&slice_offsets(&self.extents, from, to, self.typesize)?, self.typesize, src, dst)
    }

    /// # Safety
    /// As [`Chunks::of`].
    unsafe fn read(&self, chunks: &Chunks, buffer: &mut [u8]) -> Result<(), i32> {
        if self.is_dense() {
            let (items, rest) = buffer.split_at_mut_checked(self.nbytes).ok_or(INVALID_PARAM)?;
            rest.fill(0);
            // SAFETY: the caller's promise.
            return unsafe { chunks.read(&self.region, items) };
        }
        buffer.fill(0);
        let mut items = memory::zeroed(self.nbytes).map_err(|_| MEMORY)?;
        // SAFETY: the caller's promise.
        unsafe { chunks.read(&self.region, &mut items) }?;
        self.copy(&items, buffer, true)
    }

    /// # Safety
    /// As [`Chunks::of`].
    unsafe fn write(&self, chunks: &Chunks, buffer: &[u8]) -> Result<(), i32> {
        if self.is_dense() {
            // SAFETY: the caller's promise.
            return unsafe { chunks.write(&self.region, buffer.get(..self.nbytes).ok_or(INVALID_PARAM)?) };
        }
        let mut items = memory::zeroed(self.nbytes).map_err(|_| MEMORY)?;
        self.copy(buffer, &mut items, false)?;
        // SAFETY: the caller's promise.
        unsafe { chunks.write(&self.region, &items) }
    }
}

/// Returns the length of a buffer.
fn buffer_len(buffersize: i64) -> Result<usize, i32> {
    usize::try_from(buffersize).map_err(|_| trace(INVALID_PARAM, format_args!("a buffer of {buffersize} bytes")))
}

/// Copies a slice of an array to a buffer.
///
/// # Safety
/// As [`b2nd_get_slice_cbuffer`].
pub(super) unsafe fn get(array: &NdArray, pointers: Pointers, buffer: *mut c_void, buffersize: i64) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe {
        let buffer = bytes_mut(buffer, buffer_len(buffersize)?).ok_or(NULL_POINTER)?;
        if array.counts.nitems == 0 {
            buffer.fill(0);
            return Ok(());
        }
        let slice = Slice::of(array, (*array.sc).typesize, pointers, buffersize)?;
        slice.read(&Chunks::of(array)?, buffer)
    }
}

/// Copies a buffer to a slice of an array.
///
/// # Safety
/// As [`b2nd_set_slice_cbuffer`].
pub(super) unsafe fn set(
    array: &NdArray,
    pointers: Pointers,
    buffer: *const c_void,
    buffersize: i64,
) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe {
        let buffer = bytes(buffer, buffer_len(buffersize)?).ok_or(NULL_POINTER)?;
        if array.counts.nitems == 0 {
            return Ok(());
        }
        let slice = Slice::of(array, (*array.sc).typesize, pointers, buffersize)?;
        slice.write(&Chunks::of(array)?, buffer)
    }
}

/// Copies the items from `start` to `stop` to the first items of a buffer of a shape. The other bytes of the buffer
/// become zeros. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; the numbers are null or one for each axis; `buffer` has
/// `buffersize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_get_slice_cbuffer(
    array: *const NdArray,
    start: *const i64,
    stop: *const i64,
    buffer: *mut c_void,
    buffershape: *const i64,
    buffersize: i64,
) -> c_int {
    zero_or_code(|| {
        let pointers = Pointers::of(start, stop, buffershape, buffer)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (_held, array) = held(array, Access::Read)?;
            get(array, pointers, buffer, buffersize)
        }
    })
}

/// Replaces the items from `start` to `stop` with the first items of a buffer of a shape. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_get_slice_cbuffer`]; `buffer` has `buffersize` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_set_slice_cbuffer(
    buffer: *const c_void,
    buffershape: *const i64,
    buffersize: i64,
    start: *const i64,
    stop: *const i64,
    array: *mut NdArray,
) -> c_int {
    zero_or_code(|| {
        let pointers = Pointers::of(start, stop, buffershape, buffer)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (_held, array) = held(array, Access::Write)?;
            set(array, pointers, buffer, buffersize)
        }
    })
}

/// Returns the pointers of the slice with all items.
fn all(array: &NdArray) -> Pointers {
    static ORIGIN: [i64; crate::blosc2::nd::MAX_DIM] = [0; crate::blosc2::nd::MAX_DIM];
    let shape = array.shape.as_ptr();
    Pointers { start: ORIGIN.as_ptr(), stop: shape, buffershape: shape }
}

/// Refuses a buffer that is smaller than the array.
///
/// # Safety
/// The array has a super-chunk.
unsafe fn check_size(array: &NdArray, buffersize: i64) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let typesize = i64::from(unsafe { (*array.sc).typesize });
    match array.counts.nitems.checked_mul(typesize) {
        Some(nbytes) if nbytes <= buffersize => Ok(()),
        _ => Err(trace(INVALID_PARAM, format_args!("the buffer of {buffersize} bytes is smaller than the array"))),
    }
}

/// Creates an array of the items in a buffer. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_uninit`](super::b2nd_uninit); `buffer` has `buffersize` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_from_cbuffer(
    ctx: *mut NdContext,
    array: *mut *mut NdArray,
    buffer: *const c_void,
    buffersize: i64,
) -> c_int {
    zero_or_code(|| {
        refuse_if(array.is_null() || buffer.is_null(), NULL_POINTER, "the array or the buffer is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(array, std::ptr::null_mut());
            let new = array_new(context(ctx)?, Some(1))?;
            let created = handle(new.pointer())?;
            check_size(created, buffersize)?;
            set(created, all(created), buffer, buffersize)?;
            new.give(array);
        }
        Ok(())
    })
}

/// Copies all items of an array to a buffer. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `buffer` has `buffersize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_to_cbuffer(array: *const NdArray, buffer: *mut c_void, buffersize: i64) -> c_int {
    zero_or_code(|| {
        refuse_if(buffer.is_null(), NULL_POINTER, "the buffer is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            let (_held, array) = held(array, Access::Read)?;
            check_size(array, buffersize)?;
            if array.counts.nitems == 0 { Ok(()) } else { get(array, all(array), buffer, buffersize) }
        }
    })
}
