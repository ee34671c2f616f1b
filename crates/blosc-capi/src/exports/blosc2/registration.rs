//! Codecs, filters, tuners and inputs of the program.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::abi::{CodecRecord, FilterRecord, IoCallbacks, TunerRecord};
use super::functions::{CODECS, FILTERS, TUNERS, UserCodec, UserFilter, UserTuner};
use super::{stdio, stdio_mmap};
use crate::blosc2::codes::{CODEC_PARAM, CODEC_SUPPORT, FAILURE, INVALID_PARAM, NULL_POINTER, PLUGIN_IO, trace};
use crate::blosc2::registered::{self, Refused, Table};
use crate::blosc2::{FIRST_USER_ID, settings};
use crate::exports::guard::{guarded, zero_or_code};
use crate::exports::pointers::text;

/// Registers a codec. Returns 0, or a code.
///
/// # Safety
/// `codec` is null or valid, its name is a string, and its functions can be called from all threads until the process
/// ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_register_codec(codec: *const CodecRecord) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let codec = unsafe { codec.as_ref() }.ok_or(INVALID_PARAM)?;
        let id = codec.compcode.into();
        let value = UserCodec { encoder: codec.encoder, decoder: codec.decoder };
        // SAFETY: the caller's promise.
        let name = unsafe { checked(id, codec.compname, CODEC_PARAM) }?;
        let named = registered::CODECS.register(id, name, codec.complib);
        named.and_then(|()| CODECS.register(id, name, value)).map_err(|refused| code_of(refused, CODEC_PARAM))
    })
}

/// Registers a filter. Returns 0, or a code.
///
/// # Safety
/// As [`blosc2_register_codec`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_register_filter(filter: *const FilterRecord) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let filter = unsafe { filter.as_ref() }.ok_or(INVALID_PARAM)?;
        let value = UserFilter { forward: filter.forward, backward: filter.backward };
        // SAFETY: the caller's promise.
        unsafe { register(&FILTERS, filter.id.into(), filter.name, value) }
    })
}

/// Registers a tuner. Returns 0, or a code.
///
/// # Safety
/// As [`blosc2_register_codec`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_register_tuner(tuner: *const TunerRecord) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let tuner = unsafe { tuner.as_ref() }.ok_or(INVALID_PARAM)?;
        let value = UserTuner { init: tuner.init, next_blocksize: tuner.next_blocksize };
        // SAFETY: the caller's promise.
        unsafe { register(&TUNERS, tuner.id, tuner.name, value) }
    })
}

/// Registers the functions of a filter or a tuner.
///
/// # Safety
/// `name` is null or a string.
unsafe fn register<T: Copy>(to: &Table<T>, id: c_int, name: *const c_char, value: T) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let name = unsafe { checked(id, name, FAILURE) }?;
    to.register(id, name, value).map_err(|refused| code_of(refused, FAILURE))
}

/// Checks an id and returns the name.
///
/// # Errors
/// `reserved` for an id that belongs to the library.
///
/// # Safety
/// `name` is null or a string.
unsafe fn checked<'a>(id: c_int, name: *const c_char, reserved: i32) -> Result<&'a CStr, i32> {
    if id < FIRST_USER_ID {
        return Err(trace(reserved, format_args!("the id is {id}, expected at least {FIRST_USER_ID}")));
    }
    // SAFETY: the caller's promise.
    unsafe { text(name) }.ok_or(NULL_POINTER)
}

fn code_of(refused: Refused, taken: i32) -> i32 {
    match refused {
        Refused::Taken => trace(taken, format_args!("the id is registered with another name")),
        Refused::Full => trace(CODEC_SUPPORT, format_args!("there are 255 entries")),
    }
}

/// Functions of inputs that the program registered. They stay at their place, because programs keep pointers to them.
static INPUTS: Mutex<Vec<Input>> = Mutex::new(Vec::new());

struct Input {
    id: u8,
    callbacks: NonNull<IoCallbacks>,
}

// SAFETY: the pointer is only given to the program.
unsafe impl Send for Input {}

/// Registers functions of an input. Returns 0, or a code.
///
/// # Safety
/// `io` is null or valid. If the id is registered again, both names are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_register_io_cb(io: *const IoCallbacks) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let io = unsafe { io.as_ref() }.ok_or(INVALID_PARAM)?;
        if i32::from(io.id) < FIRST_USER_ID {
            return Err(trace(PLUGIN_IO, format_args!("the id is {}, expected at least {FIRST_USER_ID}", io.id)));
        }
        let mut inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = inputs.iter().find(|input| input.id == io.id) else {
            // Programs leave the name uninitialized, so it is not read.
            inputs.push(Input { id: io.id, callbacks: NonNull::from(Box::leak(Box::new(*io))) });
            return Ok(());
        };
        // SAFETY: records are never released.
        let known = unsafe { found.callbacks.read() }.name;
        // SAFETY: the caller's promise.
        if known == io.name || unsafe { text(known) == text(io.name) } {
            return Ok(());
        }
        Err(trace(PLUGIN_IO, format_args!("id {} is registered with another name", io.id)))
    })
}

/// Returns the functions of an input.
pub(super) fn io_callbacks(id: u8) -> Option<IoCallbacks> {
    if id == stdio_mmap::CALLBACKS.id {
        return Some(stdio_mmap::CALLBACKS);
    }
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: records are never released, and only changed by the program.
    inputs.iter().find(|input| input.id == id).map(|input| unsafe { input.callbacks.read() })
}

/// Copies of the library's own functions, for programs that read them.
static OWN: [OnceLock<Own>; 2] = [const { OnceLock::new() }; 2];

struct Own(NonNull<IoCallbacks>);

// SAFETY: the pointer is only given to the program.
unsafe impl Send for Own {}
// SAFETY: as above.
unsafe impl Sync for Own {}

/// Returns the functions of an input; null if they are not registered, or the library is not initialized.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_io_cb(id: u8) -> *mut IoCallbacks {
    guarded(null_mut(), || {
        if !settings::is_initialized() {
            return null_mut();
        }
        if let Some(own) = OWN.get(usize::from(id)) {
            let callbacks = if id == 0 { stdio::CALLBACKS } else { stdio_mmap::CALLBACKS };
            return own.get_or_init(|| Own(NonNull::from(Box::leak(Box::new(callbacks))))).0.as_ptr();
        }
        let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
        inputs.iter().find(|input| input.id == id).map_or(null_mut(), |input| input.callbacks.as_ptr())
    })
}
