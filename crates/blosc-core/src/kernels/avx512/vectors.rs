//! Whole vectors: loads, stores, and the exchange used by all bit transpositions.

use std::arch::x86_64::*;

use super::super::lanes::assert_in_bounds;
use super::super::prefetch;

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(src: &[u8; 64]) -> __m512i {
    // SAFETY: the reference is valid for reading 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(dst: &mut [u8; 64], v: __m512i) {
    // SAFETY: the reference is valid for writing 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), v) }
}

/// [`load`] from an array that may not be in a cache. Also prefetches the line `ahead` bytes later.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_far(src: &[u8; 64], ahead: usize) -> __m512i {
    prefetch::for_reading_to_l2(src.as_ptr(), ahead);
    load(src)
}

/// [`store`] to an array that may not be in a cache. Also prefetches the line `ahead` bytes later.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_far(dst: &mut [u8; 64], v: __m512i, ahead: usize) {
    prefetch::for_writing(dst.as_ptr(), ahead);
    store(dst, v);
}

/// Loads vectors `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize) -> [__m512i; N] {
    assert_in_bounds(src.len(), at, stride, N, 64);
    let mut rows = [_mm512_setzero_si512(); N];
    for (i, row) in rows.iter_mut().enumerate() {
        // SAFETY: 64 bytes at `at + i * stride` are in bounds for all `i < N`, and the load needs no alignment.
        *row = unsafe { _mm512_loadu_si512(src.as_ptr().add(at + i * stride).cast()) };
    }
    rows
}

/// Stores vectors `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, rows: [__m512i; N]) {
    assert_in_bounds(dst.len(), at, stride, N, 64);
    for (i, row) in rows.into_iter().enumerate() {
        // SAFETY: 64 bytes at `at + i * stride` are in bounds for all `i < N`, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(dst.as_mut_ptr().add(at + i * stride).cast(), row) };
    }
}

/// Exchanges bit `BIT` of every byte's place with the number of its vector.
///
/// `BIT` 5 selects the 32-byte halves, 4 the 16-byte lanes. The first vector keeps its even ones, and its odd ones are
/// replaced by the even ones of the second.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn exchange<const BIT: u32>(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    match BIT {
        5 => (_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee)),
        _ => {
            let (even, odd) =
                (_mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15));
            (_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b))
        }
    }
}
