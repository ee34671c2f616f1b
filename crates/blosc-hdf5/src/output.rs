//! Memory for the results of filters.

use crate::error::Error;

/// Memory for the result of a filter.
pub(crate) trait Output {
    /// Returns `len` bytes, all zero. They replace those of an earlier call.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    fn zeroed(&mut self, len: usize) -> Result<&mut [u8], Error>;
}
