//! Calls of the tuners that the program registered.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::abi::Cparams;
use super::functions::TUNERS;
use crate::blosc2::codes::{INVALID_PARAM, TUNER, trace};

/// Calls the tuner of a new context.
pub(super) fn init(cparams: &Cparams, context: *mut c_void) -> Result<(), i32> {
    let id = cparams.tuner_id;
    if id == 0 {
        return Ok(());
    }
    let missing = || trace(INVALID_PARAM, format_args!("tuner {id} is not registered"));
    let tuner = TUNERS.get(id).ok_or_else(missing)?;
    let Some(init) = tuner.value.init else { return Ok(()) };
    // SAFETY: the program promises that its function takes these.
    succeeded(id, unsafe { init(cparams.tuner_params, context, null_mut()) })
}

/// Calls the tuner of a context before it compresses.
///
/// # Errors
/// The code of a tuner that failed.
#[inline]
pub(super) fn next_blocksize(cparams: &Cparams, context: *mut c_void) -> Result<(), i32> {
    match cparams.tuner_id {
        0 => Ok(()),
        id => next_blocksize_of(id, context),
    }
}

#[cold]
fn next_blocksize_of(id: i32, context: *mut c_void) -> Result<(), i32> {
    let Some(next_blocksize) = TUNERS.get(id).and_then(|tuner| tuner.value.next_blocksize) else { return Ok(()) };
    // SAFETY: the program promises that its function takes a context.
    succeeded(id, unsafe { next_blocksize(context) })
}

/// Checks what a function of a tuner returned.
fn succeeded(id: i32, code: i32) -> Result<(), i32> {
    if code < 0 { Err(trace(TUNER, format_args!("tuner {id} returned an error"))) } else { Ok(()) }
}
