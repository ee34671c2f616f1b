//! Items by their numbers, and by numbers along each axis.

use std::ffi::{c_int, c_void};

use blosc_core::memory;

use super::abi::NdArray;
use super::chunks::Chunks;
use super::context::numbers;
use super::handle::held;
use crate::blosc2::codes::{INVALID_INDEX, INVALID_PARAM, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{Geometry, Offsets, Places, copy};
use crate::blosc2::schunk::{Access, Held};
use crate::exports::blosc2::schunk::blosc2_schunk_get_sparse_buffer;
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::{bytes, bytes_mut};

/// Copies items by their numbers in C order. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `coords` is null or has `ncoords` numbers; `buffer` is null or has
/// `buffersize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_get_sparse_cbuffer(
    array: *const NdArray,
    ncoords: i64,
    coords: *const i64,
    buffer: *mut c_void,
    buffersize: i64,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { sparse(array, ncoords, coords, buffer, buffersize) })
}

/// # Safety
/// As [`b2nd_get_sparse_cbuffer`].
unsafe fn sparse(
    array: *const NdArray,
    ncoords: i64,
    coords: *const i64,
    buffer: *mut c_void,
    buffersize: i64,
) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let (_held, array) = unsafe { held(array, Access::Read) }?;
    let count = usize::try_from(ncoords).map_err(|_| trace(INVALID_PARAM, format_args!("{ncoords} items")))?;
    if count == 0 {
        return Ok(());
    }
    refuse_if(coords.is_null() || buffer.is_null(), NULL_POINTER, "the numbers or the buffer are null")?;
    // SAFETY: the array has a super-chunk.
    let typesize = i64::from(unsafe { (*array.sc).typesize });
    if ncoords.checked_mul(typesize).is_none_or(|nbytes| nbytes > buffersize) || array.ndim == 0 {
        return Err(trace(INVALID_PARAM, format_args!("{ncoords} items for a buffer of {buffersize} bytes")));
    }
    let geometry = array.geometry()?;
    let places = Places::new(&geometry);
    let mut stored: Vec<i64> = memory::with_capacity(count).map_err(|_| MEMORY)?;
    for index in 0..count {
        // SAFETY: the caller's promise.
        let number = unsafe { coords.add(index).read_unaligned() };
        let place = places
            .of_item(number)
            .and_then(|place| place.chunk.checked_mul(geometry.counts.extchunknitems)?.checked_add(place.within));
        stored.push(place.ok_or_else(|| trace(INVALID_PARAM, format_args!("there is no item {number}")))?);
    }
    // SAFETY: the buffer has room for the items.
    match unsafe { blosc2_schunk_get_sparse_buffer(array.sc, ncoords, stored.as_ptr(), buffer) } {
        code @ ..0 => Err(code),
        _ => Ok(()),
    }
}

/// Copies the items whose numbers along each axis are in a list to a buffer of a shape. Returns 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `selection`, `selection_size` and `buffershape` are null or have an
/// item for each axis, and each list the number of items; `buffer` has `buffersize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_get_orthogonal_selection(
    array: *const NdArray,
    selection: *mut *mut i64,
    selection_size: *mut i64,
    buffer: *mut c_void,
    buffershape: *mut i64,
    buffersize: i64,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe {
        let selected = selected(array, Access::Read, selection, selection_size, buffershape, buffersize)?;
        let buffer = bytes_mut(buffer, selected.buffersize).ok_or(NULL_POINTER)?;
        selected.each(|_, plain, axes| copy(axes, selected.typesize, plain, buffer))
    })
}

/// Replaces the items whose numbers along each axis are in a list. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_get_orthogonal_selection`]; `buffer` has `buffersize` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_set_orthogonal_selection(
    array: *mut NdArray,
    selection: *mut *mut i64,
    selection_size: *mut i64,
    buffer: *const c_void,
    buffershape: *mut i64,
    buffersize: i64,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe {
        let selected = selected(array, Access::Write, selection, selection_size, buffershape, buffersize)?;
        let buffer = bytes(buffer, selected.buffersize).ok_or(NULL_POINTER)?;
        selected.each(|nchunk, plain, axes| {
            let axes: Vec<Offsets> =
                axes.iter().map(|axis| axis.iter().map(|(within, at)| (*at, *within)).collect()).collect();
            copy(&axes, selected.typesize, buffer, plain)?;
            selected.chunks.encode(nchunk, plain)
        })
    })
}

/// A selection: along each axis, the chunks with items, and the offsets of these in the chunk and in the buffer.
struct Selected {
    chunks: Chunks,
    axes: Vec<Vec<(i64, Offsets)>>,
    typesize: usize,
    buffersize: usize,
    _held: Held,
}

impl Selected {
    /// Decodes each chunk and calls `work` with its number, its content and the offsets of its items.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    unsafe fn each(&self, mut work: impl FnMut(u64, &mut [u8], &[Offsets]) -> Result<(), i32>) -> Result<(), i32> {
        if self.axes.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let (mut at, mut plain) = (vec![0_usize; self.axes.len()], Vec::new());
        loop {
            let cells = at.iter().zip(&self.axes).filter_map(|(at, axis)| axis.get(*at));
            let nchunk: i64 = cells.clone().map(|(chunk, _)| *chunk).sum();
            let offsets: Vec<Offsets> = cells.map(|(_, offsets)| offsets.clone()).collect();
            // SAFETY: the caller's promise.
            unsafe { self.chunks.decode_all(nchunk.unsigned_abs(), &mut plain) }?;
            work(nchunk.unsigned_abs(), &mut plain, &offsets)?;
            let next = at.iter_mut().zip(&self.axes).rev().any(|(at, axis)| {
                *at = (*at + 1) % axis.len();
                *at > 0
            });
            if !next {
                return Ok(());
            }
        }
    }
}

/// # Safety
/// As [`b2nd_get_orthogonal_selection`].
unsafe fn selected(
    array: *const NdArray,
    access: Access,
    selection: *mut *mut i64,
    selection_size: *mut i64,
    buffershape: *mut i64,
    buffersize: i64,
) -> Result<Selected, i32> {
    // SAFETY: the caller's promise.
    let (_held, array) = unsafe { held(array, access) }?;
    // SAFETY: the array has a super-chunk.
    let typesize = unsafe { (*array.sc).typesize };
    let geometry = array.geometry()?;
    let ndim = geometry.shapes.ndim;
    // SAFETY: the caller's promise.
    let (lists, sizes, buffershape) =
        unsafe { (numbers(selection, ndim)?, numbers(selection_size, ndim)?, numbers(buffershape, ndim)?) };
    let nbytes = sizes.iter().try_fold(i64::from(typesize), |nbytes, size| nbytes.checked_mul(*size));
    if nbytes.is_none_or(|nbytes| nbytes < buffersize) {
        return Err(trace(INVALID_PARAM, format_args!("the buffer of {buffersize} bytes has room for more items")));
    }
    let buffersize = usize::try_from(buffersize).map_err(|_| INVALID_PARAM)?;
    let mut axes = vec![Vec::new(); ndim];
    let mut step = i64::from(typesize);
    for axis in (0..ndim).rev() {
        let count = usize::try_from(sizes[axis]).map_err(|_| INVALID_PARAM)?;
        // SAFETY: the caller's promise.
        let list = unsafe { numbers(lists[axis], count) }?;
        axes[axis] = cells(&geometry, axis, &list, step, typesize)?;
        step = step.checked_mul(buffershape[axis]).filter(|step| *step >= 0).ok_or(INVALID_PARAM)?;
    }
    // SAFETY: the array has a super-chunk.
    let chunks = unsafe { Chunks::of(array) }?;
    Ok(Selected { chunks, axes, typesize: typesize.unsigned_abs() as usize, buffersize, _held })
}

/// Returns the items of an axis by their chunks. `step` are the bytes from one item to the next in the buffer.
fn cells(geometry: &Geometry, axis: usize, list: &[i64], step: i64, typesize: i32) -> Result<Vec<(i64, Offsets)>, i32> {
    let places = Places::new(geometry);
    let mut items: Vec<(i64, usize, usize)> = memory::with_capacity(list.len()).map_err(|_| MEMORY)?;
    for (index, number) in list.iter().enumerate() {
        let place = places.of(axis, *number);
        let place = place.ok_or_else(|| trace(INVALID_INDEX, format_args!("axis {axis} has no item {number}")))?;
        let within = place.within.checked_mul(typesize.into()).and_then(|at| usize::try_from(at).ok());
        let at = step.checked_mul(index as i64).and_then(|at| usize::try_from(at).ok());
        let (Some(within), Some(at)) = (within, at) else { return Err(INVALID_PARAM) };
        items.push((place.chunk, within, at));
    }
    // Items of the same number keep their order: the last one is written last.
    items.sort_by_key(|(chunk, within, _)| (*chunk, *within));
    let cells = items.chunk_by(|(a, ..), (b, ..)| a == b).map(|items| {
        let offsets = items.iter().map(|(_, within, at)| (*within, *at)).collect();
        (items.first().map_or(0, |(chunk, ..)| *chunk), offsets)
    });
    Ok(cells.collect())
}
