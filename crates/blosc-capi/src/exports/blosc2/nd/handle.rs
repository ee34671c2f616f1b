//! An array of a program: refreshed, and its metalayer.

use std::ffi::CStr;
use std::ptr::null_mut;

use super::abi::NdArray;
use crate::blosc2::codes::{DATA, FAILURE, METALAYER_NOT_FOUND, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{Geometry, Meta, Shapes, deserialize, serialize};
use crate::blosc2::schunk::{Access, Held};
use crate::exports::blosc2::schunk::{blosc2_meta_add, blosc2_meta_update, blosc2_schunk_refresh, hold, metalayer};
use crate::exports::blosc2::schunk_abi::Schunk;

/// The name of the metalayer, and that of Caterva.
pub(super) const NAMES: [&CStr; 2] = [c"b2nd", c"caterva"];

/// Returns the array at a pointer, without a look at its super-chunk.
///
/// # Safety
/// `array` is null or comes from a function that creates one, was not released, and is used by this call only.
pub(super) unsafe fn handle<'a>(array: *const NdArray) -> Result<&'a mut NdArray, i32> {
    // SAFETY: the caller's promise.
    let array = unsafe { array.cast_mut().as_mut() };
    let array = array.ok_or_else(|| trace(NULL_POINTER, format_args!("the array is null")))?;
    refuse_if(array.sc.is_null(), NULL_POINTER, "the array has no super-chunk")?;
    Ok(array)
}

/// Returns the array at a pointer, with the shape that another handle may have given it.
///
/// # Safety
/// As [`handle`].
pub(super) unsafe fn refreshed<'a>(array: *const NdArray) -> Result<&'a mut NdArray, i32> {
    // SAFETY: the caller's promise.
    let array = unsafe { handle(array) }?;
    // SAFETY: the caller's promise.
    unsafe { refresh(array) }?;
    Ok(array)
}

/// Waits for the lock of an array, if the program asked for one, and returns the array as [`refreshed`].
///
/// # Safety
/// As [`handle`].
pub(super) unsafe fn held<'a>(array: *const NdArray, access: Access) -> Result<(Held, &'a mut NdArray), i32> {
    // SAFETY: the caller's promise.
    unsafe {
        let held = hold(handle(array)?.sc, access)?;
        Ok((held, refreshed(array)?))
    }
}

/// Reads the shape again if another handle changed it. Returns whether it did.
///
/// # Safety
/// The array has a super-chunk.
pub(super) unsafe fn refresh(array: &mut NdArray) -> Result<bool, i32> {
    // SAFETY: the caller's promise.
    let tick = unsafe {
        if (*array.sc).frame.is_null() {
            return Ok(false);
        }
        match blosc2_schunk_refresh(array.sc) {
            code @ ..0 => return Err(code),
            _ => (*array.sc).change_tick,
        }
    };
    if array.last_tick == tick {
        return Ok(false);
    }
    // SAFETY: the caller's promise.
    let Ok(content) = (unsafe { content(array.sc) }) else { return Ok(false) };
    let found = deserialize(&content)?.shapes;
    let (old, axes) = (array.shapes()?, found.ndim);
    let same = |shapes: &Shapes| shapes.axes().map(|(_, chunk, block)| (chunk, block)).collect::<Vec<_>>();
    refuse_if(axes != old.ndim || same(&found) != same(&old), DATA, "another handle changed the chunks of the array")?;
    array.set(&found.geometry()?);
    array.last_tick = tick;
    Ok(true)
}

/// Returns a copy of the metalayer of a super-chunk.
///
/// # Safety
/// `schunk` was created and is used by this call only.
pub(super) unsafe fn content(schunk: *mut Schunk) -> Result<Vec<u8>, i32> {
    for name in NAMES {
        // SAFETY: the caller's promise.
        if let Some(content) = unsafe { metalayer(schunk, name) }? {
            return Ok(content);
        }
    }
    Err(trace(METALAYER_NOT_FOUND, format_args!("the super-chunk is not an array")))
}

/// Writes the shape of an array to its metalayer.
///
/// # Safety
/// The array has a super-chunk.
pub(super) unsafe fn publish(array: &mut NdArray, geometry: &Geometry) -> Result<(), i32> {
    // SAFETY: the caller's promise; the dtype is null or a string.
    unsafe {
        let dtype = crate::exports::pointers::text(array.dtype).map_or(&b"|u1"[..], CStr::to_bytes);
        let mut content = serialize(&geometry.shapes, dtype, array.dtype_format)?;
        let (pointer, len) = (content.as_mut_ptr(), content.len() as i32);
        let is_new = metalayer(array.sc, NAMES[0])?.is_none();
        let set = if is_new { blosc2_meta_add } else { blosc2_meta_update };
        if set(array.sc, NAMES[0].as_ptr(), pointer, len) < 0 {
            return Err(FAILURE);
        }
        array.last_tick = (*array.sc).change_tick;
    }
    Ok(())
}

/// Returns an array of a super-chunk that has its metalayer.
///
/// # Safety
/// `schunk` was created; the array owns it afterwards.
pub(super) unsafe fn attached(schunk: *mut Schunk, meta: &Meta<'_>) -> Result<*mut NdArray, i32> {
    meta.shapes.check_stored()?;
    let mut array = NdArray::new(&meta.shapes.geometry()?);
    array.dtype = match meta.dtype {
        Some(dtype) => crate::exports::blosc2::schunk::duplicate_text(dtype)?,
        None => null_mut(),
    };
    array.dtype_format = meta.dtype_format;
    // SAFETY: the caller's promise.
    (array.sc, array.last_tick) = (schunk, unsafe { (*schunk).change_tick });
    Ok(Box::into_raw(Box::new(array)))
}
