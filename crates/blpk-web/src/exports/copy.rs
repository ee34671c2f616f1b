//! Copies between JavaScript's arrays and the memory of this module, without panics.
//!
//! `js_sys` panics if the lengths differ. They do if a buffer was detached or resized.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;

use super::error::invalid;

/// Fills `into` with the bytes of `array` at `start`. Returns `false` if the array does not have them.
#[cfg(feature = "compress")]
pub(super) fn get(array: &Uint8Array, start: usize, into: &mut [u8]) -> bool {
    let part = array.subarray(start as u32, (start + into.len()) as u32);
    let fits = part.length() as usize == into.len();
    if fits {
        part.copy_to(into);
    }
    fits
}

/// Writes `bytes` to `array` at `start`.
pub(super) fn put(array: &Uint8Array, start: usize, bytes: &[u8]) -> Result<(), JsValue> {
    let part = array.subarray(start as u32, (start + bytes.len()) as u32);
    if part.length() as usize != bytes.len() {
        return Err(changed());
    }
    part.copy_from(bytes);
    Ok(())
}

/// Returns the error for an array that lost bytes during a call.
pub(super) fn changed() -> JsValue {
    invalid("the array has become shorter: its buffer was detached or resized")
}
