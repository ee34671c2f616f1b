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
//! take the memory that a crate is about to allocate. A claim alone is tried first, because the allocator may have room
//! that does not count as left. Without that function, a claim protects from no other one.
//!
//! There is no lock, because a process may fork while another of its threads claims. The new process keeps such a claim,
//! and leaves that much memory free. Of two claims at a time both may be refused where one would fit.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The claims of the process.
pub(super) static CLAIMS: Claims = Claims::new();

/// Bytes left for allocations that are too small to be claims. The C library asks the system for up to 1 MiB at a time.
const SLACK: usize = 1 << 20;

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

    /// Claims `nbytes` bytes, and calls `allocate`, which allocates them, unless that leaves too little to the other
    /// claims. Returns `None` if the memory is refused, or too little is left after it.
    #[inline]
    pub(super) fn claim<T>(&'static self, nbytes: usize, allocate: impl FnOnce() -> Option<T>) -> Option<(Claim, T)> {
        let others = self.nbytes.fetch_add(nbytes, Ordering::SeqCst);
        let claim = Claim { claims: self, nbytes };
        if others > 0 && !self.leaves(others.saturating_add(nbytes)) {
            return None;
        }
        let memory = allocate()?;
        self.leaves(0).then_some((claim, memory))
    }

    /// Returns whether the limits leave `nbytes` bytes and the slack.
    fn leaves(&self, nbytes: usize) -> bool {
        let left = self.left.get().and_then(|left| left());
        left.is_none_or(|left| nbytes.saturating_add(SLACK) <= left)
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
        let claim = |nbytes| CLAIMS.claim(nbytes, || Some(()));
        let first = claim(600).unwrap();
        assert!(claim(401).is_none(), "a refused claim leaves nothing behind");
        let second = claim(400).unwrap();
        assert!(claim(1).is_none() && claim(usize::MAX - 1000).is_none());
        drop(first);
        assert!(claim(600).is_some() && claim(601).is_none());
        drop(second);
        assert!(claim(5000).is_some(), "the only claim is left to the allocator");
        assert!(CLAIMS.claim(1, || None::<()>).is_none());
        assert_eq!(CLAIMS.nbytes.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn the_slack_stays_free() {
        static CLAIMS: Claims = Claims::new();
        static LEFT: AtomicUsize = AtomicUsize::new(1000 + SLACK);
        CLAIMS.set_left(|| Some(LEFT.load(Ordering::SeqCst)));
        let allocate = |nbytes| CLAIMS.claim(nbytes, || Some(LEFT.fetch_sub(nbytes, Ordering::SeqCst)));
        assert!(allocate(600).is_some(), "1000 bytes are left beside the slack");
        assert!(allocate(401).is_none());
        assert_eq!(CLAIMS.nbytes.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn without_a_limit_all_claims_are_granted() {
        static CLAIMS: Claims = Claims::new();
        let granted = || [1 << 40, 1 << 50].map(|nbytes| CLAIMS.claim(nbytes, || Some(()))).iter().all(Option::is_some);
        assert!(granted());
        CLAIMS.set_left(|| None);
        assert!(granted());
    }
}
