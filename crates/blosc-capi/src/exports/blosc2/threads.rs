//! Threads of the program in place of the library's.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use blosc_core::Executor;

use super::abi::ThreadsCallback;
use crate::exports::guard::guarded;
use crate::threads::{self, Backend};

/// A job, as `dojob` gets a pointer to it.
type Job<'a> = &'a (dyn Fn() + Sync);

/// Sets a function that runs jobs in place of the library's threads; null for these.
///
/// # Safety
/// `callback` may be called with `callback_data` from any thread, until another one is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_set_threads_callback(callback: ThreadsCallback, callback_data: *mut c_void) {
    let data = Data(callback_data);
    guarded((), || {
        let backend = callback.map(|callback| -> Arc<Backend> {
            Arc::new(move |count| {
                let data = data;
                Arc::new(Callback { callback: Some(callback), data, count })
            })
        });
        threads::set_backend(backend);
    });
}

/// The pointer that the program wants to get back.
#[derive(Clone, Copy)]
struct Data(*mut c_void);

// SAFETY: only passed to the program's callback, which may be called from any thread.
unsafe impl Send for Data {}
// SAFETY: as above.
unsafe impl Sync for Data {}

/// The program's threads for one call.
struct Callback {
    callback: ThreadsCallback,
    data: Data,
    count: usize,
}

impl Executor for Callback {
    fn threads(&self) -> usize {
        self.count
    }

    fn run(&self, job: &(dyn Fn() + Sync)) {
        let (Some(callback), Ok(count)) = (self.callback, c_int::try_from(self.count)) else { return };
        let mut jobs: Vec<Job<'_>> = vec![job; self.count];
        // SAFETY: the caller's promise. The jobs stay until the callback returns.
        unsafe { callback(self.data.0, run_job, count, size_of::<Job<'_>>(), jobs.as_mut_ptr().cast()) };
    }
}

/// Runs a job.
///
/// # Safety
/// `data` points to a job of [`Callback::run`].
unsafe extern "C" fn run_job(data: *mut c_void) {
    // SAFETY: the caller's promise.
    let job = unsafe { *data.cast::<Job<'_>>() };
    guarded((), job);
}
