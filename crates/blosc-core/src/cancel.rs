//! A switch that ends long operations early.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that calls a running operation off. All clones are the same switch.
///
/// An [`Encoder`](crate::Encoder) or [`Decoder`](crate::Decoder) that has one looks at it before every block, and at the start
/// of every call. A single block is never interrupted.
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
    /// A switch that is not set.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Sets it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error if it is set.
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

/// An error if there is a switch, and it is set.
#[inline]
pub(crate) fn check(cancel: Option<&Cancel>) -> Result<(), Cancelled> {
    match cancel {
        Some(cancel) => cancel.check(),
        None => Ok(()),
    }
}
