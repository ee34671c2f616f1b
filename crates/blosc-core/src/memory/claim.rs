//! Memory that another crate is about to allocate.
//!
//! Such a crate aborts the process if it is refused memory. A claim keeps memory free until the crate has allocated it:
//! other claims and allocations that can be refused do not get it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The claims of the process.
pub(super) static CLAIMS: Claims = Claims::new();

/// All claims on memory.
#[derive(Debug)]
pub(super) struct Claims {
    /// Bytes. Changed while `checks` is locked.
    claimed: AtomicUsize,
    /// One thread at a time looks for free memory.
    checks: Mutex<()>,
}

/// Memory that another crate may allocate before this value is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    claims: &'static Claims,
    nbytes: usize,
}

impl Claims {
    const fn new() -> Self {
        Claims { claimed: AtomicUsize::new(0), checks: Mutex::new(()) }
    }

    /// Claims `nbytes` bytes if there is room for them and for all other claims.
    pub(super) fn claim(&'static self, nbytes: usize) -> Option<Claim> {
        let _lock = self.room(nbytes)?;
        self.claimed.fetch_add(nbytes, Ordering::Relaxed);
        Some(Claim { claims: self, nbytes })
    }

    /// Returns whether anything is claimed.
    #[inline]
    pub(super) fn are_some(&self) -> bool {
        self.claimed.load(Ordering::Relaxed) > 0
    }

    /// Looks for room for `nbytes` bytes besides the claims. No other thread claims it while the result is held.
    pub(super) fn room(&self, nbytes: usize) -> Option<MutexGuard<'_, ()>> {
        let lock = self.lock();
        is_free(self.claimed.load(Ordering::Relaxed).saturating_add(nbytes)).then_some(lock)
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _lock = self.claims.lock();
        self.claims.claimed.fetch_sub(self.nbytes, Ordering::Relaxed);
    }
}

/// Returns whether `nbytes` bytes can be allocated now.
pub(super) fn is_free(nbytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let is_free = room.try_reserve_exact(nbytes).is_ok();
    // Keeps the compiler from removing the unused allocation.
    core::hint::black_box(room.as_ptr());
    is_free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_claimed_is_refused_to_others() {
        static CLAIMS: Claims = Claims::new();
        let all = isize::MAX as usize;
        assert!(CLAIMS.claim(all).is_none() && !CLAIMS.are_some());
        let claim = CLAIMS.claim(1000).unwrap();
        assert!(CLAIMS.are_some() && CLAIMS.room(1).is_some());
        // As if another thread had claimed nearly all.
        CLAIMS.claimed.fetch_add(all - 1000, Ordering::Relaxed);
        assert!(CLAIMS.claim(1).is_none() && CLAIMS.room(1).is_none());
        CLAIMS.claimed.fetch_sub(all - 1000, Ordering::Relaxed);
        assert!(CLAIMS.claim(1).is_some() && CLAIMS.room(1).is_some());
        drop(claim);
        assert!(!CLAIMS.are_some());
    }
}
