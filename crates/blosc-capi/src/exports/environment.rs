//! Whether the environment has variables of Blosc. Most have none, and looking for eight takes as long as compressing
//! 1 KiB.

#[cfg(target_os = "linux")]
use std::ffi::{CStr, c_char};

/// Returns whether the name of a variable starts with `BLOSC_`.
#[cfg(target_os = "linux")]
pub(super) fn has_variables() -> bool {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library keeps the list, which ends with a null pointer, and its strings. A program that changes the
    // environment in another thread breaks C's `getenv` in the same way.
    unsafe {
        let mut variable = environ;
        while !variable.is_null() && !(*variable).is_null() {
            // The first byte rules out nearly all.
            if **variable == b'B' as c_char && CStr::from_ptr(*variable).to_bytes().starts_with(b"BLOSC_") {
                return true;
            }
            variable = variable.add(1);
        }
    }
    false
}

/// Elsewhere the variables are looked up one by one.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_variables() -> bool {
    true
}
