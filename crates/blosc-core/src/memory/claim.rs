//! Memory that another crate is about to allocate.
//!
//! Such a crate aborts the process if it is refused memory. A claim keeps memory free until the crate has allocated it:
//! other claims and allocations that can be refused do not get it.
//!
//! There is no lock, because a process may fork while another of its threads claims. The new process keeps such a claim,
//! and leaves that much memory free. Of two claims at a time both may be refused where one would fit.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The claims of the process.
pub(super) static CLAIMS: Claims = Claims::new();

/// All claims on memory: their bytes.
#[derive(Debug)]
pub(super) struct Claims(AtomicUsize);

/// Memory that another crate may allocate before this value is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    claims: &'static Claims,
    nbytes: usize,
}

impl Claims {
    const fn new() -> Self {
        Claims(AtomicUsize::new(0))
    }

    /// Claims `nbytes` bytes if there is room for them and for all other claims.
    pub(super) fn claim(&'static self, nbytes: usize) -> Option<Claim> {
        let others = self.0.fetch_add(nbytes, Ordering::Relaxed);
        let claim = Claim { claims: self, nbytes };
        is_free(others.saturating_add(nbytes)).then_some(claim)
    }

    /// Returns whether `nbytes` bytes can be allocated besides the claims.
    #[inline]
    pub(super) fn leave_room(&self, nbytes: usize) -> bool {
        let claimed = self.0.load(Ordering::Relaxed);
        claimed == 0 || is_free(claimed.saturating_add(nbytes))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.0.fetch_sub(self.nbytes, Ordering::Relaxed);
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
        let most = isize::MAX as usize;
        assert!(CLAIMS.claim(most).is_none());
        assert!(CLAIMS.leave_room(most), "nothing is claimed");
        let claim = CLAIMS.claim(1000).unwrap();
        assert!(CLAIMS.leave_room(1) && !CLAIMS.leave_room(most));
        // As if another thread had claimed nearly all.
        CLAIMS.0.fetch_add(most - 1000, Ordering::Relaxed);
        assert!(CLAIMS.claim(1).is_none() && !CLAIMS.leave_room(1));
        CLAIMS.0.fetch_sub(most - 1000, Ordering::Relaxed);
        assert!(CLAIMS.claim(1).is_some() && CLAIMS.leave_room(1));
        drop(claim);
        assert!(CLAIMS.leave_room(most));
    }
}
