//! Panics end at the boundary: unwinding into C is undefined.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "blosc2")]
use std::ptr::null_mut;

/// The code of an unspecified failure, in both libraries.
const FAILURE: i32 = -1;

/// Runs `work`. Returns `on_panic` if it panics. The message has been printed by then.
pub(super) fn guarded<R>(on_panic: R, work: impl FnOnce() -> R) -> R {
    // No state of this crate is left half changed: settings are single numbers, pools are replaced whole.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(on_panic)
}

/// Runs `work` as [`guarded`]. Returns its value, or its code; that of a failure if it panics.
pub(super) fn value_or_code<R: From<i32>>(work: impl FnOnce() -> Result<R, i32>) -> R {
    guarded(FAILURE.into(), || work().unwrap_or_else(R::from))
}

/// Runs `work` as [`guarded`]. Returns its pointer, or null if it fails or panics.
#[cfg(feature = "blosc2")]
pub(super) fn pointer_or_null<T>(work: impl FnOnce() -> Result<*mut T, i32>) -> *mut T {
    guarded(null_mut(), || work().unwrap_or(null_mut()))
}

/// Runs `work` as [`value_or_code`]. Returns 0 if it succeeds.
#[cfg(feature = "blosc2")]
pub(super) fn zero_or_code(work: impl FnOnce() -> Result<(), i32>) -> i32 {
    value_or_code(|| work().map(|()| 0))
}
