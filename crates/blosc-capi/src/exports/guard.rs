//! Panics end at the boundary: unwinding into C is undefined.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work`. Returns `on_panic` if it panics. The message has been printed by then.
pub(super) fn guarded<R>(on_panic: R, work: impl FnOnce() -> R) -> R {
    // No state of this crate is left half changed: settings are single numbers, pools are replaced whole.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(on_panic)
}
