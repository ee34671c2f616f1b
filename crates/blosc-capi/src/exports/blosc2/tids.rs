//! Thread numbers for callbacks: programs use them as indexes of arrays of a context.

use std::sync::{Mutex, PoisonError};

/// The numbers of threads that callbacks of a context get: those of calls at the same time differ.
#[derive(Debug, Default)]
pub(super) struct Tids(Mutex<Vec<bool>>);

impl Tids {
    /// Calls `work` with the lowest free number below `count`.
    pub(super) fn with<R>(&self, count: usize, work: impl FnOnce(i32) -> R) -> R {
        let take = || {
            let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let free = taken.iter().position(|taken| !taken).unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(false);
            }
            taken[free] = true;
            free
        };
        let tid = take();
        let done = work(tid.min(count - 1) as i32);
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[tid] = false;
        done
    }
}
