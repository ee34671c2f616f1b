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
    match unsafe { init(cparams.tuner_params, context, null_mut()) } {
        ..0 => Err(trace(TUNER, format_args!("tuner {id} returned an error"))),
        _ => Ok(()),
    }
}

/// Calls the tuner of a context before it compresses. Returns the code of a failure.
pub(super) fn next_blocksize(cparams: &Cparams, context: *mut c_void) -> Option<i32> {
    if cparams.tuner_id == 0 {
        return None;
    }
    let tuner = TUNERS.get(cparams.tuner_id)?;
    let next_blocksize = tuner.value.next_blocksize?;
    // SAFETY: the program promises that its function takes a context.
    let code = unsafe { next_blocksize(context) };
    (code < 0).then(|| trace(TUNER, format_args!("tuner {} returned an error", tuner.id)))
}
