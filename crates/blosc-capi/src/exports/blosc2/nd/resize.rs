//! Arrays of other shapes: chunks are inserted and removed.

use std::ffi::{c_int, c_void};

use blosc_core::memory;

use super::abi::NdArray;
use super::context::numbers;
use super::create::chunksize;
use super::handle::{handle, held, publish, refresh};
use super::slices::{Pointers, set};
use crate::blosc2::OVERHEAD;
use crate::blosc2::codes::{DATA, FAILURE, INVALID_PARAM, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::Geometry;
use crate::blosc2::schunk::{Access, Change};
use crate::exports::blosc2::schunk::{change_chunks, hold};
use crate::exports::blosc2::special::blosc2_chunk_zeros;
use crate::exports::guard::{value_or_code, zero_or_code};

/// Changes the shape of an array. Items are added and removed at the end of an axis, or from `start` on. Before the end,
/// only whole chunks can be added or removed. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `new_shape` and `start` are null or have a number for each axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_resize(array: *mut NdArray, new_shape: *const i64, start: *const i64) -> c_int {
    zero_or_code(|| {
        refuse_if(new_shape.is_null(), NULL_POINTER, "the shape is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            let (_held, array) = held(array, Access::Write)?;
            let axes = array.shapes()?.ndim;
            let start = if start.is_null() { None } else { Some(numbers(start, axes)?) };
            resized(array, &numbers(new_shape, axes)?, start.as_deref())
        }
    })
}

/// # Safety
/// The array has a super-chunk, which is used by this call only.
pub(super) unsafe fn resized(array: &mut NdArray, shape: &[i64], start: Option<&[i64]>) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let _held = unsafe { hold(array.sc, Access::Write) }?;
    let old = array.shapes()?;
    old.check_stored()?;
    let new = old.resized(shape)?;
    new.check_stored()?;
    for (((old, chunk, _), len), start) in old.axes().zip(shape).zip(start.unwrap_or_default()) {
        check_start(old, chunk.into(), *len, *start)?;
    }
    let shrunk: Vec<_> = old.shape().iter().zip(shape).map(|(old, new)| *old.min(new)).collect();
    // Both are checked before the first change.
    let (shrunk, grown) = (old.resized(&shrunk)?.geometry()?, new.geometry()?);
    // SAFETY: the caller's promise.
    let (typesize, count) = unsafe { ((*array.sc).typesize, (*array.sc).nchunks) };
    // A program may have appended the chunks of the new shape.
    let is_appended = shrunk.shapes.shape() == old.shape() && count == grown.nchunks();
    if count != array.geometry()?.nchunks() && !is_appended {
        return Err(trace(DATA, format_args!("the shape of the array does not fit its {count} chunks")));
    }
    let chunksize = chunksize(&grown, typesize)?;
    // SAFETY: the caller's promise.
    unsafe {
        shrink(array, &shrunk, start)?;
        grow(array, &grown, start, chunksize)
    }
}

fn check_start(old: i64, chunk: i64, new: i64, start: i64) -> Result<(), i32> {
    let refused = |reason| Err(trace(INVALID_PARAM, format_args!("{reason}")));
    if start < 0 || start > old {
        return refused("the start is not in the array");
    }
    let at_end = if new > old { start == old } else { start == new };
    if new != old && !at_end {
        let is_multiple = |number: i64| number.checked_rem(chunk) == Some(0);
        if !is_multiple(start) || !is_multiple(new - old) || (new < old && start > new) {
            return refused("only whole chunks can be inserted or removed before the end");
        }
    }
    Ok(())
}

/// Returns the numbers of the chunks of an array that start within `from..to` of an axis where this is not empty.
fn affected<'a>(of: &'a Geometry, ranges: &'a [(i64, i64)]) -> impl DoubleEndedIterator<Item = i64> + 'a {
    let chunks = of.chunks();
    (0..of.nchunks()).filter(move |number| {
        let mut rest = *number;
        let axes = chunks.iter().zip(of.shapes.axes()).zip(ranges);
        axes.rev().any(|((count, (_, chunk, _)), (from, to))| {
            let at = rest.checked_rem(*count).unwrap_or(0).saturating_mul(chunk.into());
            rest = rest.checked_div(*count).unwrap_or(0);
            *from <= at && at < *to
        })
    })
}

/// # Safety
/// As [`resized`].
unsafe fn shrink(array: &mut NdArray, new: &Geometry, start: Option<&[i64]>) -> Result<(), i32> {
    let old = array.geometry()?;
    if old.shapes.shape() == new.shapes.shape() {
        return Ok(());
    }
    let ranges = ranges(start.unwrap_or(new.shapes.shape()), old.shapes.shape(), new.shapes.shape());
    // The shape first: readers then see no item whose chunk is gone.
    // SAFETY: the caller's promise.
    unsafe { publish(array, new) }?;
    array.set(new);
    let numbers = memory::collect(affected(&old, &ranges).rev().map(|nchunk| nchunk as u64)).map_err(|_| MEMORY)?;
    // SAFETY: the caller's promise.
    unsafe { change_chunks(array.sc, &Change::Delete(&numbers)) }.map_err(|_| FAILURE)
}

/// # Safety
/// As [`resized`].
unsafe fn grow(array: &mut NdArray, new: &Geometry, start: Option<&[i64]>, chunksize: i32) -> Result<(), i32> {
    let old = array.geometry()?;
    if old.shapes.shape() == new.shapes.shape() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let count = unsafe { (*array.sc).nchunks };
    if new.nchunks() != count {
        let ranges = ranges(start.unwrap_or(old.shapes.shape()), new.shapes.shape(), old.shapes.shape());
        let mut chunk = [0_u8; OVERHEAD];
        // SAFETY: the caller's promise.
        unsafe {
            let cparams = *(*(*array.sc).storage).cparams;
            if blosc2_chunk_zeros(cparams, chunksize, chunk.as_mut_ptr().cast(), OVERHEAD as i32) < 0 {
                return Err(FAILURE);
            }
            let numbers = affected(new, &ranges).map(|nchunk| nchunk as u64);
            let numbers = memory::collect(numbers).map_err(|_| MEMORY)?;
            change_chunks(array.sc, &Change::Insert(&numbers, &chunk)).map_err(|_| FAILURE)?;
        }
    }
    array.set(new);
    // The shape last: readers see no item without a chunk.
    // SAFETY: the caller's promise.
    unsafe { publish(array, new) }
}

/// Returns the items that are in the longer shape only, if they start at `start`.
fn ranges(start: &[i64], longer: &[i64], shorter: &[i64]) -> Vec<(i64, i64)> {
    let lens = start.iter().zip(longer.iter().zip(shorter));
    lens.map(|(start, (longer, shorter))| (*start, start.saturating_add(longer - shorter))).collect()
}

/// Reads the shape again if another handle changed it. Returns 1 if it did, 0, or a code.
///
/// # Safety
/// `array` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_refresh(array: *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { refresh(handle(array)?).map(Into::into) })
}

/// Inserts the items of a buffer along an axis, before index `insert_start`. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `buffer` has `buffersize` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_insert(
    array: *mut NdArray,
    buffer: *const c_void,
    buffersize: i64,
    axis: i8,
    insert_start: i64,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { inserted(array, buffer, buffersize, axis, Some(insert_start)) })
}

/// Appends the items of a buffer along an axis. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_insert`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_append(array: *mut NdArray, buffer: *const c_void, buffersize: i64, axis: i8) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { inserted(array, buffer, buffersize, axis, None) })
}

/// # Safety
/// As [`b2nd_insert`].
unsafe fn inserted(
    array: *mut NdArray,
    buffer: *const c_void,
    buffersize: i64,
    axis: i8,
    at: Option<i64>,
) -> Result<(), i32> {
    refuse_if(buffer.is_null(), NULL_POINTER, "the buffer is null")?;
    // SAFETY: the caller's promise.
    let (_held, array) = unsafe { held(array, Access::Write) }?;
    // SAFETY: the array has a super-chunk.
    let typesize = i64::from(unsafe { (*array.sc).typesize });
    let shapes = array.shapes()?;
    let axis = axis_of(axis, shapes.ndim)?;
    let mut buffershape = shapes.shape().to_vec();
    let mut lens = buffershape.iter().enumerate().filter(|(other, _)| *other != axis);
    let of_item = lens.try_fold(typesize, |nbytes, (_, len)| nbytes.checked_mul(*len));
    let count = match of_item {
        Some(of_item) if of_item > 0 && buffersize >= 0 && buffersize % of_item == 0 => buffersize / of_item,
        _ => return Err(trace(INVALID_PARAM, format_args!("{buffersize} bytes are not whole items of the axis"))),
    };
    let old = std::mem::replace(&mut buffershape[axis], count);
    let (mut shape, mut start) = (shapes.shape().to_vec(), vec![0; shapes.ndim]);
    shape[axis] = old.checked_add(count).ok_or(INVALID_PARAM)?;
    start[axis] = at.unwrap_or(old);
    let is_end = start[axis] == old;
    let mut stop = shape.clone();
    stop[axis] = start[axis].checked_add(count).ok_or(INVALID_PARAM)?;
    let pointers = Pointers { start: start.as_ptr(), stop: stop.as_ptr(), buffershape: buffershape.as_ptr() };
    // SAFETY: the caller's promise; the lists have a number for each axis.
    unsafe {
        resized(array, &shape, if is_end { None } else { Some(&start) })?;
        set(array, pointers, buffer, buffersize)
    }
}

fn axis_of(axis: i8, ndim: usize) -> Result<usize, i32> {
    let axis = usize::try_from(axis).ok().filter(|axis| *axis < ndim);
    axis.ok_or_else(|| trace(INVALID_PARAM, format_args!("the array has {ndim} axes")))
}

/// Removes `delete_len` items along an axis, from `delete_start` on. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_delete(array: *mut NdArray, axis: i8, delete_start: i64, delete_len: i64) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let (_held, array) = unsafe { held(array, Access::Write) }?;
        let shapes = array.shapes()?;
        let axis = axis_of(axis, shapes.ndim)?;
        let (mut shape, mut start) = (shapes.shape().to_vec(), vec![0; shapes.ndim]);
        let left = shape[axis].checked_sub(delete_len).filter(|left| delete_len >= 0 && *left >= 0);
        shape[axis] = left.ok_or_else(|| trace(INVALID_PARAM, format_args!("there are no {delete_len} items")))?;
        start[axis] = delete_start;
        let is_end = delete_start == shape[axis];
        // SAFETY: the caller's promise.
        unsafe { resized(array, &shape, if is_end { None } else { Some(&start) }) }
    })
}
