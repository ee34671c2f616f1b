//! Prefetches of data that a CPU's own prefetcher does not foresee.
//!
//! An array that is decompressed or compressed is rarely in a cache. A kernel writes or reads it in tiles, and the lines
//! of a tile in an order that suits its registers. Each line that is not in a cache is a miss of its own, and the store
//! buffer fills while lines are fetched.
//!
//! Shuffles work tile by tile: with each line they prefetch the one [`AHEAD`] bytes later. Bitshuffles work in two phases,
//! between which a strip of several tiles is in the L1 cache. They prefetch in the phase that leaves the array alone:
//!
//! ```text
//! bitshuffle     load the strip from the array      store rows, and prefetch the next strip of the array
//! bitunshuffle   load rows, and prefetch the strip of the array             store the strip to the array
//! ```
//!
//! AVX2's bitshuffle of typesizes 2, 4 and 8 prefetches in both phases.
//!
//! docs/decisions/002-kernels.md has the figures.

#![allow(dead_code, reason = "some targets have no kernels that prefetch")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

/// The usual distance in bytes. Distances of 1 to 8 KiB have the same effect. Kernels shorten it at the end of a buffer
/// that they write, because another thread may be writing the bytes after it.
pub(super) const AHEAD: usize = 4096;

/// Prefetches the cache line `distance` bytes after `at` for writing. A no-op on other CPUs than
/// x86-64.
#[inline(always)]
pub(super) fn for_writing(at: *const u8, distance: usize) {
    let line = at.wrapping_add(distance);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction only affects caches, whatever the address. Every x86-64 CPU executes it, some as a no-op.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) line.addr(), options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Prefetches the cache line `distance` bytes after `at` for reading. A no-op on other CPUs than x86-64.
#[inline(always)]
pub(super) fn for_reading(at: *const u8, distance: usize) {
    let line = at.wrapping_add(distance);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has the instruction. It only affects caches, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// [`for_reading`] into the L2 cache only, for kernels that fill the L1 cache with the tiles that they process.
#[inline(always)]
pub(super) fn for_reading_to_l2(at: *const u8, distance: usize) {
    let line = at.wrapping_add(distance);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as in `for_reading`.
    unsafe {
        _mm_prefetch::<_MM_HINT_T1>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Prefetches the first 8 KiB of `bytes`, for data that will be read out of order.
///
/// A CPU's own prefetcher does not foresee this order at first, but learns it on longer data. For a chunk of 4 KiB
/// outside the L1 cache, interleaving its planes takes half the time.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    let (groups, rest) = bytes[..bytes.len().min(8192)].as_chunks::<512>();
    for group in groups {
        for line in 0..8 {
            for_reading(group.as_ptr(), 64 * line);
        }
    }
    for line in rest.chunks(64) {
        for_reading(line.as_ptr(), 0);
    }
}
