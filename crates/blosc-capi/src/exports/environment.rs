//! Whether the environment has variables of Blosc. Most have none, and looking for eight takes as long as compressing
//! 1 KiB.

#[cfg(target_os = "linux")]
use std::ffi::c_char;

/// Variables that are looked at between two jumps.
#[cfg(target_os = "linux")]
const GROUP: usize = 8;

/// Returns whether the name of a variable starts with `BLOSC_`.
///
/// One jump for [`GROUP`] variables takes three quarters of the time of one for each.
#[cfg(target_os = "linux")]
#[inline]
pub(super) fn has_variables() -> bool {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library keeps the list. A program that changes the environment in another thread breaks C's `getenv` in
    // the same way.
    let mut variables = unsafe { environ };
    while !variables.is_null() {
        for number in 0..GROUP {
            // SAFETY: the list ends with a null pointer, and no variable before this one is null.
            let variable = unsafe { *variables.add(number) };
            if variable.is_null() {
                return false;
            }
            // SAFETY: a string has at least the byte that ends it. The first byte rules out nearly all.
            if unsafe { *variable } == b'B' as c_char && is_of_blosc(variable) {
                return true;
            }
        }
        // SAFETY: the list has a group of variables here, and goes on.
        variables = unsafe { variables.add(GROUP) };
    }
    false
}

#[cfg(target_os = "linux")]
#[cold]
fn is_of_blosc(variable: *const c_char) -> bool {
    // SAFETY: `has_variables` passes strings. The byte that ends a string is in none of the names, so none is read after it.
    b"BLOSC_".iter().enumerate().all(|(at, byte)| unsafe { *variable.add(at) } == *byte as c_char)
}

/// Elsewhere the variables are looked up one by one.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_variables() -> bool {
    true
}
