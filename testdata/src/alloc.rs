//! Global allocators for tests: one that counts, and one that fails.
//!
//! Counting proves that no allocation depends on an unchecked number from the input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system allocator with counters; install it in a test binary with
/// `#[global_allocator] static ALLOC: testdata::CountingAlloc = testdata::CountingAlloc;`.
///
/// If it is not installed, every count stays 0. Assert that [`CountingAlloc::measure`] of a known allocation sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAlloc;

/// Memory that one measured call requested from the allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AllocUsage {
    /// Peak number of bytes held, relative to the start of the measurement.
    pub peak: usize,
    /// Number of bytes held at the end, likewise.
    pub kept: usize,
    /// Size of the largest single request in bytes, whether or not it was granted.
    pub largest: usize,
}

impl CountingAlloc {
    /// Runs `call` and returns its allocations **on this thread**, so tests may run in parallel.
    ///
    /// Measurements do not nest: an inner one resets the outer one's counts.
    pub fn measure<T>(call: impl FnOnce() -> T) -> (T, AllocUsage) {
        THREAD.with(|counts| counts.set(Counts::default()));
        let result = call();
        let counts = THREAD.with(Cell::get);
        let [peak, kept] = [counts.peak, counts.current].map(|bytes| usize::try_from(bytes).unwrap_or(0));
        (result, AllocUsage { peak, kept, largest: counts.largest })
    }

    /// Returns the number of bytes that the whole process holds now.
    #[must_use]
    pub fn current() -> usize {
        CURRENT.load(Relaxed)
    }

    /// Returns the peak number of bytes held by the whole process since the start or the last [`Self::reset_peak`].
    #[must_use]
    pub fn peak() -> usize {
        PEAK.load(Relaxed)
    }

    /// Returns the size in bytes of the largest single request of any thread since the start or the last
    /// [`Self::reset_peak`].
    #[must_use]
    pub fn largest() -> usize {
        LARGEST.load(Relaxed)
    }

    /// Resets the process-wide peak to the bytes held now, and the largest request to 0.
    pub fn reset_peak() {
        PEAK.store(CURRENT.load(Relaxed), Relaxed);
        LARGEST.store(0, Relaxed);
    }
}

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// Signed: a thread may free what another one allocated.
#[derive(Clone, Copy, Default)]
struct Counts {
    current: isize,
    peak: isize,
    largest: usize,
}

thread_local! {
    // Const-initialized and without a destructor, hence usable inside the allocator: accessing it never allocates.
    static THREAD: Cell<Counts> = const { Cell::new(Counts { current: 0, peak: 0, largest: 0 }) };
}

fn requested(size: usize) {
    LARGEST.fetch_max(size, Relaxed);
    let _ = THREAD.try_with(|cell| {
        let mut counts = cell.get();
        counts.largest = counts.largest.max(size);
        cell.set(counts);
    });
}

fn grew(size: usize) {
    let now = CURRENT.fetch_add(size, Relaxed) + size;
    PEAK.fetch_max(now, Relaxed);
    let _ = THREAD.try_with(|cell| {
        let mut counts = cell.get();
        counts.current += size as isize; // an allocation never exceeds isize::MAX
        counts.peak = counts.peak.max(counts.current);
        cell.set(counts);
    });
}

fn shrank(size: usize) {
    CURRENT.fetch_sub(size, Relaxed);
    let _ = THREAD.try_with(|cell| {
        let mut counts = cell.get();
        counts.current -= size as isize;
        cell.set(counts);
    });
}

#[allow(unsafe_code)] // the trait cannot be implemented without it
// SAFETY: every call is forwarded to `System` with the caller's own arguments. The counters touch only atomics and a
// const-initialized thread local, so they neither allocate nor unwind.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        requested(layout.size());
        // SAFETY: the caller upholds `System`'s contract.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            grew(layout.size());
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        requested(layout.size());
        // SAFETY: the caller upholds `System`'s contract.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            grew(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout: `alloc` and `realloc` return its pointers unchanged.
        unsafe { System.dealloc(pointer, layout) };
        shrank(layout.size());
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        requested(new_size);
        // SAFETY: `pointer` came from `System` with this layout, and the caller vouches for `new_size`.
        let moved = unsafe { System.realloc(pointer, layout, new_size) };
        if !moved.is_null() {
            // Growth is counted before shrinkage, because a move holds both blocks for a moment.
            grew(new_size);
            shrank(layout.size());
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::CountingAlloc;

    #[global_allocator]
    static ALLOC: CountingAlloc = CountingAlloc;

    #[test]
    fn a_known_allocation_is_seen() {
        let (kept, usage) = CountingAlloc::measure(|| {
            drop(vec![1u8; 100_000]);
            vec![2u8; 30_000]
        });
        assert_eq!((usage.peak, usage.kept), (100_000, 30_000));
        assert_eq!(usage.largest, 100_000);
        assert!(CountingAlloc::current() >= kept.len());
        assert!(CountingAlloc::peak() >= CountingAlloc::current());
    }

    #[test]
    fn a_refused_request_counts_as_asked_for() {
        let (result, usage) = CountingAlloc::measure(|| Vec::<u8>::new().try_reserve_exact(1 << 60));
        assert!(result.is_err());
        assert_eq!((usage.largest, usage.peak), (1 << 60, 0));
    }
}

/// An allocator that refuses requests of at least a given size after a number of them. Refuses nothing by default.
#[derive(Debug)]
pub struct FailingAlloc {
    smallest: AtomicUsize,
    from: AtomicUsize,
    seen: AtomicUsize,
}

impl FailingAlloc {
    /// Creates an allocator that refuses nothing.
    pub const fn new() -> Self {
        FailingAlloc { smallest: AtomicUsize::new(usize::MAX), from: AtomicUsize::new(0), seen: AtomicUsize::new(0) }
    }

    /// Refuses allocations of at least `smallest` bytes, except the first `from` of them. Shrinking always succeeds.
    pub fn refuse(&self, smallest: usize, from: usize) {
        self.from.store(from, Relaxed);
        self.seen.store(0, Relaxed);
        self.smallest.store(smallest, Relaxed);
    }

    /// Stops refusing. Returns the number of allocations of at least `smallest` bytes that were requested.
    pub fn refuse_none(&self) -> usize {
        self.smallest.store(usize::MAX, Relaxed);
        self.seen.load(Relaxed)
    }

    fn refuses(&self, size: usize) -> bool {
        size >= self.smallest.load(Relaxed) && self.seen.fetch_add(1, Relaxed) >= self.from.load(Relaxed)
    }
}

impl Default for FailingAlloc {
    fn default() -> Self {
        FailingAlloc::new()
    }
}

// SAFETY: every call goes to the system's allocator or returns null, which the trait allows.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for FailingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds `System`'s contract.
        if self.refuses(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds `System`'s contract.
        if self.refuses(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds `System`'s contract.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && self.refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller upholds `System`'s contract.
        unsafe { System.realloc(ptr, layout, size) }
    }
}
