//! Create and release arrays.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use super::abi::{NdArray, NdContext};
use super::context::context;
use super::handle::NAMES;
use crate::blosc2::MAX_BUFFERSIZE;
use crate::blosc2::OVERHEAD;
use crate::blosc2::codes::{DATA, FAILURE, INVALID_PARAM, MAX_BUFSIZE, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{Geometry, serialize};
use crate::exports::blosc2::schunk::{
    blosc2_meta_add, blosc2_schunk_fill_special, blosc2_schunk_free, blosc2_schunk_update_chunk, created_with,
};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::blosc2::special::blosc2_chunk_repeatval;
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::{duplicate, store, text};

/// The special values of `blosc2_schunk_fill_special`.
const ZEROS: c_int = 1;
const NANS: c_int = 2;
const UNINIT: c_int = 4;

/// A new array, which is released when it is dropped. Only [`New::give`] leaves it to the program.
pub(super) struct New(*mut NdArray);

impl New {
    /// # Safety
    /// `array` was created and belongs to the caller.
    pub(super) unsafe fn own(array: *mut NdArray) -> Self {
        New(array)
    }

    pub(super) fn pointer(&self) -> *mut NdArray {
        self.0
    }

    /// Gives the array to the program.
    ///
    /// # Safety
    /// `to` can hold a pointer.
    pub(super) unsafe fn give(mut self, to: *mut *mut NdArray) {
        // SAFETY: the caller's promise.
        unsafe { store(to, std::mem::replace(&mut self.0, null_mut())) };
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created, and not given to the program.
            unsafe { b2nd_free(self.0) };
        }
    }
}

/// Creates an array whose items have a special value, or without chunks.
///
/// # Safety
/// `ctx` was created; its storage and metalayers are valid.
pub(super) unsafe fn array_new(ctx: &NdContext, special: Option<c_int>) -> Result<New, i32> {
    let geometry = ctx.shapes()?.geometry()?;
    // SAFETY: the caller's promise.
    let storage = unsafe { ctx.b2_storage.as_ref() }.ok_or(NULL_POINTER)?;
    // SAFETY: the caller's promise.
    let typesize = unsafe { storage.cparams.as_ref() }.map_or(1, |cparams| cparams.typesize);
    let chunksize = chunksize(&geometry, typesize)?;
    let mut array = NdArray::new(&geometry);
    // SAFETY: the caller's promise.
    let (name, schunk) = unsafe { (text(ctx.dtype), created_with(storage, Some(chunksize)).map_err(|_| FAILURE)?) };
    array.dtype = name.map_or(null_mut(), duplicate);
    (array.sc, array.dtype_format) = (schunk, ctx.dtype_format);
    let new = New(Box::into_raw(Box::new(array)));
    // SAFETY: created above.
    unsafe {
        let mut content = serialize(&geometry.shapes, name.map_or(&b"|u1"[..], CStr::to_bytes), ctx.dtype_format)?;
        add(schunk, NAMES[0].as_ptr().cast_mut(), content.as_mut_ptr(), content.len() as i32)?;
        let count = usize::try_from(ctx.nmetalayers).unwrap_or(0);
        for layer in ctx.metalayers.iter().take(count) {
            add(schunk, layer.name, layer.content, layer.content_len)?;
        }
        (*schunk).chunksize = chunksize;
        let nitems = geometry.nchunks().checked_mul(geometry.counts.extchunknitems).ok_or(INVALID_PARAM)?;
        if let Some(special) = special
            && geometry.counts.nitems != 0
            && blosc2_schunk_fill_special(schunk, nitems, special, chunksize) < 0
        {
            return Err(FAILURE);
        }
        (*new.0).last_tick = (*schunk).change_tick;
    }
    Ok(new)
}

/// # Safety
/// As `blosc2_meta_add`.
unsafe fn add(schunk: *mut Schunk, name: *mut c_char, content: *mut u8, len: i32) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    if unsafe { blosc2_meta_add(schunk, name, content, len) } < 0 { Err(FAILURE) } else { Ok(()) }
}

/// Returns the uncompressed size of a chunk.
pub(super) fn chunksize(geometry: &Geometry, typesize: i32) -> Result<i32, i32> {
    if typesize <= 0 {
        return Err(trace(INVALID_PARAM, format_args!("items of {typesize} bytes")));
    }
    geometry.shapes.check_stored()?;
    let nbytes = geometry.chunk_nbytes(typesize).ok_or(INVALID_PARAM)?;
    let size = i32::try_from(nbytes).ok().filter(|size| *size <= MAX_BUFFERSIZE);
    size.ok_or_else(|| trace(MAX_BUFSIZE, format_args!("a chunk of {nbytes} bytes")))
}

/// Creates an array for the program.
///
/// # Safety
/// As [`b2nd_uninit`].
unsafe fn given(
    ctx: *mut NdContext,
    array: *mut *mut NdArray,
    special: c_int,
    finish: impl FnOnce(&New) -> Result<(), i32>,
) -> c_int {
    zero_or_code(|| {
        refuse_if(ctx.is_null() || array.is_null(), NULL_POINTER, "the parameters or the array are null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(array, null_mut());
            let new = array_new(context(ctx)?, Some(special))?;
            finish(&new)?;
            new.give(array);
        }
        Ok(())
    })
}

/// Creates an array of items that were never written. Returns 0, or a code.
///
/// # Safety
/// `ctx` is null or comes from [`b2nd_create_ctx`](super::b2nd_create_ctx), and what it points to is valid; `array` is
/// null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_uninit(ctx: *mut NdContext, array: *mut *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { given(ctx, array, UNINIT, |_| Ok(())) }
}

/// Creates an array whose items are zeros until they are written, as [`b2nd_zeros`].
///
/// # Safety
/// As [`b2nd_uninit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_empty(ctx: *mut NdContext, array: *mut *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { b2nd_zeros(ctx, array) }
}

/// Creates an array of zeros. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_uninit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_zeros(ctx: *mut NdContext, array: *mut *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { given(ctx, array, ZEROS, |_| Ok(())) }
}

/// Creates an array of not-a-numbers of 4 or 8 bytes. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_uninit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_nans(ctx: *mut NdContext, array: *mut *mut NdArray) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        given(ctx, array, NANS, |new| match (*(*new.0).sc).typesize {
            4 | 8 => Ok(()),
            typesize => Err(trace(DATA, format_args!("not-a-numbers of {typesize} bytes"))),
        })
    }
}

/// Creates an array of one value. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_uninit`]; `fill_value` is null or an item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_full(ctx: *mut NdContext, array: *mut *mut NdArray, fill_value: *const c_void) -> c_int {
    if fill_value.is_null() {
        return trace(NULL_POINTER, format_args!("the value is null"));
    }
    // SAFETY: the caller's promise.
    unsafe { given(ctx, array, ZEROS, |new| filled(new, fill_value)) }
}

/// # Safety
/// `value` is an item.
unsafe fn filled(new: &New, value: *const c_void) -> Result<(), i32> {
    // SAFETY: created by `array_new`.
    unsafe {
        let array = &*new.0;
        let schunk = array.sc;
        let typesize = (*schunk).typesize;
        let chunksize = chunksize(&array.geometry()?, typesize)?;
        let cparams = *(*(*schunk).storage).cparams;
        let mut chunk = vec![0_u8; OVERHEAD + typesize.unsigned_abs() as usize];
        let (pointer, len) = (chunk.as_mut_ptr(), chunk.len() as i32);
        if (*schunk).nchunks > 0 && blosc2_chunk_repeatval(cparams, chunksize, pointer.cast(), len, value) < 0 {
            return Err(FAILURE);
        }
        for nchunk in 0..(*schunk).nchunks {
            if blosc2_schunk_update_chunk(schunk, nchunk, pointer, 1) < 0 {
                return Err(FAILURE);
            }
        }
    }
    Ok(())
}

/// Releases an array and its super-chunk. Returns 0, or a code.
///
/// # Safety
/// `array` is null or comes from a function that creates one, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_free(array: *mut NdArray) -> c_int {
    zero_or_code(|| {
        if array.is_null() {
            return Err(NULL_POINTER);
        }
        // SAFETY: the caller's promise.
        unsafe {
            let array = Box::from_raw(array);
            blosc2_schunk_free(array.sc);
            libc::free(array.dtype.cast());
        }
        Ok(())
    })
}
