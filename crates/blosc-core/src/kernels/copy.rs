//! Copies long pieces of memory: stored chunks and streams, long literals and matches.
//!
//! Many C libraries copy 2 KiB to 1 MiB with `rep movsb`, among them glibc 2.36. On AMD's processors this is slow into
//! memory that is not in a cache, and slower than byte by byte where `dst` is up to 15 bytes after `src`, both modulo the
//! size of a page. A plain loop has neither weakness. From 16 KiB on it copies two halves in turn, so that the processor
//! fetches two pages at once. The halves are an odd number of steps apart: at powers of two, copies within a cache were
//! slower (decision 002 has more figures, also of Zen 4).
//!
//! ```text
//!        first half                    second half
//! src   [ 32 | 32 | 32 | 32 ][ .. ]   [ 32 | 32 | 32 | 32 ][ .. ]  [ last 128 ]   four vectors are loaded, then stored
//! dst   [ 32 | 32 | 32 | 32 ][ .. ]   [ 32 | 32 | 32 | 32 ][ .. ]  [ last 128 ]   the last 128 bytes overlap others
//!
//! GB/s, AMD EPYC (Zen 3), 256 KiB and 1 MiB   memcpy      one loop    two halves
//! source in a cache, destination in none    8.9 to 11   9.7 to 11   11.9 to 14
//! neither in a cache                        7.4 to 8.3  7.5 to 8.1  8.2 to 9.1
//! both in a cache                           27 to 35    30 to 35    30 to 35
//! ```
//!
//! Other processors keep `memcpy`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// The shortest pieces that the loop copies. Memory functions use vectors for shorter ones.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 2049;

/// Copies all of `src` to `dst`, which has the same length.
///
/// # Panics
/// If the lengths differ.
#[inline]
pub(crate) fn copy(src: &[u8], dst: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if src.len() >= LONG && copy_long(src, dst) {
        return;
    }
    dst.copy_from_slice(src);
}

/// Copies `src` to `dst` if that is faster here than by `memcpy`, and the lengths are equal.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn copy_long(src: &[u8], dst: &mut [u8]) -> bool {
    if src.len() != dst.len() || !is_amd() || !is_x86_feature_detected!("avx") {
        return false;
    }
    // SAFETY: the CPU has AVX.
    unsafe { copy_by_vectors(src, dst) };
    true
}

/// Bytes of a vector, and of a step.
#[cfg(target_arch = "x86_64")]
const VECTOR: usize = 32;
#[cfg(target_arch = "x86_64")]
const STEP: usize = 4 * VECTOR;

/// The shortest pieces that are copied in halves.
#[cfg(target_arch = "x86_64")]
const HALVED: usize = 16 << 10;

/// ```text
/// for each step of a half: copy it in the first half, copy it in the second
/// for each step after both: copy it
/// copy the last 128 bytes
/// ```
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn copy_by_vectors(src: &[u8], dst: &mut [u8]) {
    let (from, to) = (src.as_chunks::<STEP>().0, dst.as_chunks_mut::<STEP>().0);
    let half = if src.len() < HALVED { 0 } else { (from.len() / 2 - 1) | 1 };
    let (from, rest) = from.split_at(2 * half);
    let (to, to_rest) = to.split_at_mut(2 * half);
    let ((from_1, from_2), (to_1, to_2)) = (from.split_at(half), to.split_at_mut(half));
    for (((from_1, to_1), from_2), to_2) in from_1.iter().zip(to_1).zip(from_2).zip(to_2) {
        copy_step(from_1, to_1);
        copy_step(from_2, to_2);
    }
    for (from, to) in rest.iter().zip(to_rest) {
        copy_step(from, to);
    }
    if let (Some(from), Some(to)) = (src.last_chunk(), dst.last_chunk_mut()) {
        copy_step(from, to);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
fn copy_step(from: &[u8; STEP], to: &mut [u8; STEP]) {
    let mut vectors = [_mm256_setzero_si256(); 4];
    for (vector, from) in vectors.iter_mut().zip(from.as_chunks::<VECTOR>().0) {
        // SAFETY: `from` has 32 bytes, and the load needs no alignment.
        *vector = unsafe { _mm256_loadu_si256(from.as_ptr().cast()) };
    }
    for (vector, to) in vectors.into_iter().zip(to.as_chunks_mut::<VECTOR>().0) {
        // SAFETY: `to` has 32 bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) };
    }
}

/// Returns whether AMD made this CPU.
#[cfg(target_arch = "x86_64")]
fn is_amd() -> bool {
    static IS_AMD: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        #[allow(unused_unsafe, reason = "older versions of Rust declare the function unsafe")]
        // SAFETY: every x86-64 CPU has the instruction.
        let vendor = unsafe { __cpuid(0) };
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD"
    });
    *IS_AMD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_every_byte_and_no_other() {
        let src: Vec<u8> = (0..70_000u32).map(|i| (i * 7 / 3) as u8 | 1).collect();
        for len in (0..300).chain(2000..2400).chain([4095, 4096, 4097, 65_537]) {
            for (from, to) in [(0, 0), (0, 1), (3, 40), (64, 64)] {
                let mut dst = vec![0; to + len + 200];
                copy(&src[from..from + len], &mut dst[to..to + len]);
                assert!(dst[to..to + len] == src[from..from + len], "{len} bytes");
                assert!(dst[..to].iter().chain(&dst[to + len..]).all(|&byte| byte == 0), "{len} bytes");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_loop_copies_on_any_processor_with_avx() {
        if is_x86_feature_detected!("avx") {
            let src: Vec<u8> = (0..70_001u32).map(|i| (i * 5 / 3) as u8).collect();
            for len in (STEP..600).chain([2049, 9999, 16_383]).chain(HALVED..HALVED + 4 * STEP).chain([70_001]) {
                let mut dst = vec![0; len];
                // SAFETY: the CPU has AVX.
                unsafe { copy_by_vectors(&src[..len], &mut dst) };
                assert!(dst == src[..len], "{len} bytes");
            }
        }
    }

    #[test]
    #[should_panic(expected = "copy_from_slice")]
    fn different_lengths_are_a_mistake() {
        copy(&[1; 5000], &mut [0; 4000]);
    }
}
