//! Whether the environment has variables of Blosc. Most have none, and looking for eight takes as long as compressing
//! 1 KiB.

#[cfg(target_os = "linux")]
use std::ffi::{CStr, c_char};

/// Variables that are looked at between two jumps.
#[cfg(target_os = "linux")]
const GROUP: usize = 8;

/// Returns whether the name of a variable starts with `BLOSC_`.
#[cfg(target_os = "linux")]
#[inline]
pub(super) fn has_variables() -> bool {
    // SAFETY: `any` passes strings. A program that changes the environment in another thread breaks C's `getenv` in the
    // same way.
    let starts_so = |variable| unsafe { CStr::from_ptr(variable) }.to_bytes().starts_with(b"BLOSC_");
    // SAFETY: a string has at least the byte that ends it. The first byte rules out nearly all.
    any(|variable| unsafe { *variable } == b'B' as c_char) && any(starts_so)
}

/// Returns whether a variable `is_wanted`.
///
/// The list is read to its end, with one jump for [`GROUP`] variables. That takes two thirds of the time of a loop that ends
/// at the variable.
#[cfg(target_os = "linux")]
#[inline]
fn any(is_wanted: impl Fn(*const c_char) -> bool) -> bool {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library keeps the list.
    let mut variables = unsafe { environ };
    let mut found = false;
    while !variables.is_null() {
        for number in 0..GROUP {
            // SAFETY: the list ends with a null pointer, and no variable before this one is null.
            let variable = unsafe { *variables.add(number) };
            if variable.is_null() {
                return found;
            }
            found |= is_wanted(variable);
        }
        // SAFETY: the list has a group of variables here, and goes on.
        variables = unsafe { variables.add(GROUP) };
    }
    found
}

/// Elsewhere the variables are looked up one by one.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_variables() -> bool {
    true
}
