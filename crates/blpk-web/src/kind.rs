//! The kinds of errors, as JavaScript sees them.

use blosc_core::ErrorKind;

/// Returns the value of `kind` of an error of JavaScript.
pub(crate) fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Damaged => "damaged",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::InvalidInput => "invalid",
        ErrorKind::NotFound => "absent",
        ErrorKind::Limit => "limit",
        ErrorKind::OutOfMemory => "memory",
        ErrorKind::Cancelled => "cancelled",
        _ => "io",
    }
}
