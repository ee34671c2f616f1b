//! A flag that cancels long operations.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that cancels a running operation. All clones share the flag.
///
/// An [`Encoder`](crate::Encoder) or [`Decoder`](crate::Decoder) with a flag checks it at the start of every call and
/// before every block. A single block is never interrupted.
///
/// ```
/// use blosc_core::{CParams, Cancel, EncodeError, Encoder};
/// let cancel = Cancel::new();
/// let mut encoder = Encoder::new(CParams::new())?.cancel(cancel.clone());
/// cancel.cancel();
/// assert_eq!(encoder.compress(&[0; 1000]), Err(EncodeError::Cancelled));
/// # Ok::<(), EncodeError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Returns a flag that is not set.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the flag is set.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error if the flag is set.
    ///
    /// # Errors
    /// [`Cancelled`].
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// An operation that ended because its [`Cancel`] was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Cancelled {}

/// Returns an error if there is a flag and it is set.
#[inline]
pub(crate) fn check(cancel: Option<&Cancel>) -> Result<(), Cancelled> {
    match cancel {
        Some(cancel) => cancel.check(),
        None => Ok(()),
    }
}
