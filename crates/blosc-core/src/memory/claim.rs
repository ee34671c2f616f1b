//! Memory that will be allocated in a moment.
//!
//! Other crates abort the process if they are refused memory. A claim keeps memory free until such a crate has allocated
//! it: all claims together never exceed what the limits of the process leave, and every allocation of at least
//! [`MIN_CHECKED`](super::MIN_CHECKED) bytes is a claim while it is made. [`SLACK`] bytes are kept free for the small
//! allocations of the standard library, which abort the process too.
//!
//! ```text
//! left by the limits   ├───────────────────────────────────────────────────┤
//! claims               ├── a crate's ──┤── a buffer ──┤── SLACK ──┤          granted
//!                      ├── a crate's ──┤── a buffer ──┤── a crate's ─────┤── SLACK ──┤  refused
//! ```
//!
//! The program [says](super::set_left) what is left. Beside other claims it is not tried: an allocation for trial would
//! take the memory that a crate is about to allocate. A claim alone is tried if it exceeds what is left, because the
//! allocator may have room that does not count as left. It is not tried if the system would grant it from the slack: until
//! that is noticed, a small allocation of another thread would be refused. Without that function, a claim protects from no
//! other one.
//!
//! There is no lock, because a process may fork while another of its threads claims. The new process keeps such a claim,
//! and leaves that much memory free. Of two claims at a time both may be refused where one would fit.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The claims of the process.
pub(super) static CLAIMS: Claims = Claims::new();

/// Bytes left for allocations that are too small to be claims. The C library asks the system for up to 1 MiB at a time.
const SLACK: usize = 1 << 20;

/// Most bytes that the C library has at the end of its heap, which then grows by less than an allocation has.
const HEAP_END: usize = 256 << 10;

/// Returns the bytes that the process may still allocate, if it has a limit.
pub(super) type Left = fn() -> Option<usize>;

/// All claims on memory.
#[derive(Debug)]
pub(super) struct Claims {
    nbytes: AtomicUsize,
    left: OnceLock<Left>,
}

/// Memory that may be allocated before this value is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    claims: &'static Claims,
    nbytes: usize,
}

impl Claims {
    const fn new() -> Self {
        Claims { nbytes: AtomicUsize::new(0), left: OnceLock::new() }
    }

    /// Bounds the claims from now on. The first bound stays.
    pub(super) fn set_left(&self, left: Left) {
        let _ = self.left.set(left);
    }

    /// Claims `nbytes` bytes unless that leaves too little to the other claims. The memory may be refused nevertheless, and
    /// once it is allocated, the claim must [leave the slack](Claim::leaves_slack).
    pub(super) fn claim(&'static self, nbytes: usize) -> Option<Claim> {
        let others = self.nbytes.fetch_add(nbytes, Ordering::SeqCst);
        let claim = Claim { claims: self, nbytes };
        let all = others.saturating_add(nbytes);
        let is_granted = self.left().is_none_or(|left| {
            let exceeds_it = left.saturating_add(HEAP_END) < nbytes;
            all.saturating_add(SLACK) <= left || others == 0 && exceeds_it
        });
        is_granted.then_some(claim)
    }

    fn left(&self) -> Option<usize> {
        self.left.get().and_then(|left| left())
    }
}

impl Claim {
    /// Returns whether the slack is left beside the memory of this claim.
    pub(super) fn leaves_slack(&self) -> bool {
        self.claims.left().is_none_or(|left| SLACK <= left)
    }
}

impl Drop for Claim {
    #[inline]
    fn drop(&mut self) {
        self.claims.nbytes.fetch_sub(self.nbytes, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_claimed_is_refused_to_others() {
        static CLAIMS: Claims = Claims::new();
        CLAIMS.set_left(|| Some(1000 + SLACK));
        CLAIMS.set_left(|| None);
        let first = CLAIMS.claim(600).unwrap();
        assert!(CLAIMS.claim(401).is_none(), "a refused claim is not counted");
        let second = CLAIMS.claim(400).unwrap();
        assert!(CLAIMS.claim(1).is_none() && CLAIMS.claim(usize::MAX - 1000).is_none());
        drop(first);
        assert!(CLAIMS.claim(600).is_some() && CLAIMS.claim(601).is_none());
        drop(second);
        assert!(CLAIMS.claim(1001).is_none(), "the system would grant it from the slack");
        assert!(CLAIMS.claim(2 * SLACK).is_some(), "the only claim is left to the allocator");
    }

    #[test]
    fn the_slack_stays_free() {
        static CLAIMS: Claims = Claims::new();
        static LEFT: AtomicUsize = AtomicUsize::new(1000 + SLACK);
        CLAIMS.set_left(|| Some(LEFT.load(Ordering::SeqCst)));
        let claim = CLAIMS.claim(1000).unwrap();
        LEFT.fetch_sub(1000, Ordering::SeqCst);
        assert!(claim.leaves_slack());
        LEFT.fetch_sub(1, Ordering::SeqCst);
        assert!(!claim.leaves_slack());
    }

    #[test]
    fn without_a_limit_all_claims_are_granted() {
        static CLAIMS: Claims = Claims::new();
        let granted = || [1 << 40, 1 << 50].map(|nbytes| CLAIMS.claim(nbytes)).iter().all(Option::is_some);
        assert!(granted());
        CLAIMS.set_left(|| None);
        assert!(granted());
    }
}
