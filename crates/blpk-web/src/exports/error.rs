//! Errors as JavaScript's `Error`, with the kind of the error as their `kind`.

use blosc_core::ErrorKind;
use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;

use crate::kind;

/// Returns an error with a message and a kind.
pub(crate) fn error(kind: ErrorKind, message: &str) -> JsValue {
    let error = Error::new(message);
    // Setting a property of a new object cannot fail.
    let _ = Reflect::set(&error, &"kind".into(), &kind::name(kind).into());
    error.into()
}

/// Returns the error for an argument that is refused.
pub(crate) fn invalid(message: &str) -> JsValue {
    error(ErrorKind::InvalidInput, message)
}

/// Returns an error of reading a file.
#[cfg(feature = "containers")]
pub(crate) fn of_io(found: &bloscpack_io::Error) -> JsValue {
    error(found.kind(), &found.report().to_string())
}
