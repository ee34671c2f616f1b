//! Values that one thread uses, without a lock and without the lookup of a variable of the thread.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A value for the thread that asks for it first.
///
/// ```text
/// owner = 0          any thread: claims the value by an atomic exchange, once
/// owner = thread 1   thread 1: compares two numbers, and has the value
///                    thread 2: no value
/// ```
pub(crate) struct Owned<T> {
    /// The pointer of the thread, or 0.
    owner: AtomicUsize,
    value: T,
}

// SAFETY: only one thread gets the value, because two threads that run have different pointers. A thread that has the
// pointer of an ended one was created after that, and the C library orders the two.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(crate) const fn new(value: T) -> Self {
        Owned { owner: AtomicUsize::new(0), value }
    }

    /// Returns the value if this thread was the first that asked for it.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        let thread = thread_pointer()?;
        (self.owner.load(Ordering::Relaxed) == thread || self.claim(thread)).then_some(&self.value)
    }

    #[cold]
    fn claim(&self, thread: usize) -> bool {
        self.owner.compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// Returns the address of the variables of this thread.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
#[inline]
fn thread_pointer() -> Option<usize> {
    let pointer: usize;
    // SAFETY: the word at fs:0 is the address of itself ("ELF Handling For Thread-Local Storage", section 3.4.6).
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
    }
    Some(pointer)
}

/// Elsewhere no thread owns a value.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")))]
#[inline]
fn thread_pointer() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::thread;

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn the_first_thread_has_the_value_and_no_other() {
        let owned = Owned::new(Cell::new(1));
        owned.get().unwrap().set(2);
        thread::scope(|scope| {
            assert!(scope.spawn(|| owned.get().is_none()).join().unwrap());
        });
        assert_eq!(owned.get().unwrap().get(), 2);
    }

    #[test]
    fn of_several_threads_one_has_the_value() {
        let count = |_| {
            let owned = Owned::new(Cell::new(0));
            let barrier = std::sync::Barrier::new(4);
            let had = || {
                barrier.wait();
                let has = owned.get().map(|value| value.set(value.get() + 1)).is_some();
                // Two threads have different pointers as long as both run.
                barrier.wait();
                usize::from(has)
            };
            thread::scope(|scope| [(); 4].map(|()| scope.spawn(had)).map(|thread| thread.join().unwrap())).iter().sum()
        };
        let counts: Vec<usize> = (0..50).map(count).collect();
        assert!(counts.iter().all(|had| *had <= 1), "{counts:?}");
    }
}
