//! The parameters of a super-chunk, in memory that the program frees, and its counts.

use std::ffi::c_int;

use super::owned::owned;
use crate::blosc2::codes::{MEMORY, NULL_POINTER};
use crate::blosc2::settings;
use crate::exports::blosc2::abi::{Cparams, Dparams};
use crate::exports::blosc2::context::Context;
use crate::exports::blosc2::defaults::CPARAMS;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::{value_or_code, zero_or_code};
use crate::exports::pointers::store;

/// Stores parameters of compression, which the caller frees. Returns 0, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `cparams` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_cparams(schunk: *mut Schunk, cparams: *mut *mut Cparams) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        let public = &owned.public;
        let found = Cparams {
            compcode: public.compcode,
            compcode_meta: public.compcode_meta,
            clevel: public.clevel,
            use_dict: public.use_dict.into(),
            typesize: public.typesize,
            // SAFETY: the field is a context, or null.
            nthreads: unsafe { threads_of(public.cctx) },
            blocksize: public.blocksize,
            splitmode: public.splitmode.into(),
            schunk: schunk.cast(),
            filters: public.filters,
            filters_meta: public.filters_meta,
            ..CPARAMS
        };
        // SAFETY: the caller's promise.
        unsafe { given(found, cparams) }
    })
}

/// Stores parameters of decompression, as [`blosc2_schunk_get_cparams`].
///
/// # Safety
/// As [`blosc2_schunk_get_cparams`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_dparams(schunk: *mut Schunk, dparams: *mut *mut Dparams) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        let found = Dparams {
            // SAFETY: the field is a context, or null.
            nthreads: unsafe { threads_of(owned.public.dctx) },
            schunk: schunk.cast(),
            postfilter: None,
            postparams: std::ptr::null_mut(),
            typesize: 0,
        };
        // SAFETY: the caller's promise.
        unsafe { given(found, dparams) }
    })
}

/// Reads the counts and the metalayers again if another handle changed the frame on disk. Returns 1 if it did,
/// 0, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_refresh(schunk: *mut Schunk) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        let tick = owned.public.change_tick;
        owned.refresh()?;
        Ok(c_int::from(owned.public.change_tick != tick))
    })
}

/// # Safety
/// `context` is null or a context.
unsafe fn threads_of(context: *const Context) -> i16 {
    // SAFETY: the caller's promise.
    unsafe { context.as_ref() }.map_or_else(settings::nthreads, |context| context.job.nthreads as i16)
}

/// Stores a pointer to a copy that the program releases with `free`.
///
/// # Safety
/// `to` is null or can hold a pointer.
unsafe fn given<T>(value: T, to: *mut *mut T) -> Result<(), i32> {
    if to.is_null() {
        return Err(NULL_POINTER);
    }
    // SAFETY: a new allocation of the size of the value.
    unsafe {
        let pointer = libc::malloc(size_of::<T>()).cast::<T>();
        if pointer.is_null() {
            return Err(MEMORY);
        }
        pointer.write_unaligned(value);
        store(to, pointer);
    }
    Ok(())
}
