//! The parameters that functions of the program get during one call.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use blosc_core::PluginError;

use super::abi::{Cparams, Dparams};
use super::context::Context;
use crate::blosc2::codes::trace;

/// The parameters that callbacks of one call get.
#[derive(Clone)]
pub(super) struct User {
    context: *const Context,
    pub(super) cparams: Cparams,
    pub(super) dparams: Dparams,
    /// The data to compress, or the chunk.
    pub(super) chunk: *const c_void,
    /// The code of the first function that failed, or 0.
    pub(super) failed: Arc<AtomicI32>,
}

// SAFETY: the pointers are only passed to callbacks, which the program allows to be called from all threads. They are
// valid until the call ends, and the engine drops its functions before.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    pub(super) fn new(context: &Context, chunk: &[u8]) -> Self {
        let mut cparams = context.cparams();
        // As the engine does, and C-Blosc2.
        cparams.typesize = if cparams.typesize > 255 { 1 } else { cparams.typesize };
        let dparams = context.dparams();
        User { context, cparams, dparams, chunk: chunk.as_ptr().cast(), failed: Arc::default() }
    }

    /// Notes the first code of a failure.
    pub(super) fn fail(&self, code: i32) -> PluginError {
        let _ = self.failed.compare_exchange(0, code, Relaxed, Relaxed);
        trace(code, format_args!("a function of the program returned an error"));
        PluginError::new("a function of the program returned an error")
    }

    pub(super) fn context(&self) -> &Context {
        // SAFETY: the context is borrowed by the call that made this.
        unsafe { &*self.context }
    }
}

/// Returns the length of a block, as functions of the program get it.
pub(super) fn len32(bytes: &[u8]) -> i32 {
    // Blocks are smaller than chunks.
    i32::try_from(bytes.len()).unwrap_or(i32::MAX)
}
