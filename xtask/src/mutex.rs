//! Locking a mutex whose other users may have panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`. A poisoned one is used all the same: a panic of a worker is reported where the worker is joined.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
