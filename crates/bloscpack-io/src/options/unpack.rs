//! Options for unpacking, verifying and reading.

use blosc_core::Limits;

use super::event::Observer;
use super::open::OpenOptions;
use crate::{Cancel, Threads};

/// Options for unpacking, verifying and reading.
#[derive(Debug, Clone, Default)]
pub struct UnpackOptions {
    pub(crate) limits: Limits,
    pub(crate) overwrite: bool,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl UnpackOptions {
    /// All threads of the current pool, default limits.
    pub fn new() -> Self {
        UnpackOptions::default()
    }

    /// The options for opening the container to unpack.
    pub(crate) fn open_options(&self) -> OpenOptions {
        OpenOptions::new().limits(self.limits).cancel(self.cancel.clone())
    }

    /// Limits for reading the input. [`Limits::max_nbytes`] bounds only output that is assembled in memory.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
