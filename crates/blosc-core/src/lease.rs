//! Tables and buffers that pass from one context to the next one of the same thread.
//!
//! Zarr, HDF5 and many programs create an encoder or decoder for each chunk. Its memory would be allocated and, above
//! the allocator's threshold, returned to the system each time, which costs a page fault per 4 KiB at the next use. So
//! a context takes its memory from its thread at first use and leaves it there when it is dropped.
//!
//! ```text
//!               first use                    drop, at most MAX_BYTES
//!   thread ────────────────────► context ─────────────────────────────► thread
//! ```
//!
//! The memory is scratch space: no result depends on its content. A thread keeps one value of each type, and frees it
//! at its end. See docs/decisions/021-scratch-memory.md.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::memory;

/// Maximum bytes of a value that a thread keeps, without its workers for other threads: see
/// [`thin_out`](crate::parallel::thin_out).
pub(crate) const MAX_BYTES: usize = 8 << 20;

/// A value that threads keep for reuse.
pub(crate) trait Reusable: Default + 'static {
    /// The place where a thread keeps a value of this type.
    fn spare() -> &'static LocalKey<Cell<Option<Box<Self>>>>;

    /// Whether the thread may use that place.
    fn registered() -> &'static LocalKey<Cell<bool>>;

    /// Removes everything that belongs to the caller. Returns the bytes that the value still holds for this thread, or any
    /// smaller number if they are surely fewer than [`MAX_BYTES`].
    fn retire(&mut self) -> usize;
}

/// A value that is taken from the thread at first use, and left to the thread when dropped.
#[derive(Debug)]
pub(crate) struct Leased<T: Reusable>(Option<Box<T>>);

impl<T: Reusable> Leased<T> {
    pub(crate) const fn new() -> Self {
        Leased(None)
    }

    #[inline]
    pub(crate) fn get(&mut self) -> &mut T {
        self.0.get_or_insert_with(take)
    }
}

impl<T: Reusable> Default for Leased<T> {
    fn default() -> Self {
        Leased::new()
    }
}

impl<T: Reusable> Drop for Leased<T> {
    fn drop(&mut self) {
        if let Some(mut value) = self.0.take()
            && value.retire() <= MAX_BYTES
            && registered::<T>()
        {
            // At the end of a thread its place may be gone: then the value is dropped.
            let _ = T::spare().try_with(|spare| spare.set(Some(value)));
        }
    }
}

/// Takes the thread's value, or a new one if there is none.
fn take<T: Reusable>() -> Box<T> {
    if !registered::<T>() {
        return Box::default();
    }
    T::spare().try_with(Cell::take).ok().flatten().unwrap_or_default()
}

/// Returns whether the thread's place may be used. At its first use, the C library allocates a few bytes for the
/// destructor and ends the process if it cannot. So there must be more memory than that.
#[inline]
fn registered<T: Reusable>() -> bool {
    T::registered().get() || {
        let is_free = memory::check_free(ROOM).is_ok();
        T::registered().set(is_free);
        is_free
    }
}

/// More bytes than the registration of a destructor takes.
const ROOM: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Bytes(Vec<u8>);

    impl Reusable for Bytes {
        fn spare() -> &'static LocalKey<Cell<Option<Box<Self>>>> {
            thread_local!(static SPARE: Cell<Option<Box<Bytes>>> = const { Cell::new(None) });
            &SPARE
        }

        fn registered() -> &'static LocalKey<Cell<bool>> {
            thread_local!(static REGISTERED: Cell<bool> = const { Cell::new(false) });
            &REGISTERED
        }

        fn retire(&mut self) -> usize {
            self.0.clear();
            self.0.capacity()
        }
    }

    #[test]
    fn a_dropped_value_serves_the_next_context() {
        let mut first = Leased::<Bytes>::new();
        first.get().0.extend([7; 100]);
        drop(first);
        let mut second = Leased::<Bytes>::new();
        assert!(second.get().0.is_empty() && second.get().0.capacity() >= 100);
        assert_eq!(Leased::<Bytes>::new().get().0.capacity(), 0, "the value is in use");
    }

    #[test]
    fn a_thread_keeps_no_large_value() {
        let mut large = Leased::<Bytes>::new();
        large.get().0.reserve_exact(MAX_BYTES + 1);
        drop(large);
        assert_eq!(Leased::<Bytes>::new().get().0.capacity(), 0);
    }
}
