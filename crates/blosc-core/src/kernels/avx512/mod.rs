//! AVX-512 with byte permutations (VBMI) and bit matrices (GFNI): Ice Lake, Zen 4 and later.
//!
//! Kernels of whole 64-byte vectors for the typesizes that they are worth it for; the others, and bits of less than a tile, are
//! AVX2's.

mod bitshuffle;
mod shuffle;
mod tables;
mod tiles;

use std::arch::x86_64::*;

use super::lanes::assert_in_bounds;
use super::{self as kernels, Kernels, on_bytes, on_elements, on_groups_of_eight, sse2};

/// The table, if the CPU has all of the instructions.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "avx512",
        // SAFETY: only this function gives the table out, and only where the CPU has all that the kernels enable.
        shuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { shuffle::shuffle(t, src, dst) }),
        // SAFETY: as for `shuffle`.
        unshuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { shuffle::unshuffle(t, src, dst) }),
        shuffle_planes: |src, planes| {
            // SAFETY: as for `shuffle`.
            let kernel = |src: &[u8], planes: &mut [&mut [u8]]| unsafe { shuffle::shuffle_planes(src, planes) };
            kernels::to_planes(src, planes, kernel, TABLE.shuffle);
        },
        unshuffle_planes: |planes, dst| {
            // SAFETY: as for `shuffle`.
            let kernel = |planes: &[&[u8]], dst: &mut [u8]| unsafe { shuffle::unshuffle_planes(planes, dst) };
            kernels::from_planes(planes, dst, kernel, TABLE.unshuffle);
        },
        bitshuffle: |t, src, dst| {
            // SAFETY: as for `shuffle`.
            on_groups_of_eight(t, src, dst, |t, src, dst| unsafe { bitshuffle::bitshuffle(t, src, dst) })
        },
        bitunshuffle: |t, src, dst| {
            // SAFETY: as for `shuffle`.
            on_groups_of_eight(t, src, dst, |t, src, dst| unsafe { bitshuffle::bitunshuffle(t, src, dst) })
        },
        // SAFETY: as for `shuffle`, and AVX-512 comes with SSE2.
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| unsafe { sse2::running_sum(src, dst) }),
    };
    let detected = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("gfni");
    detected.then_some(&TABLE)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(src: &[u8; 64]) -> __m512i {
    // SAFETY: the reference is good for reading 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(dst: &mut [u8; 64], v: __m512i) {
    // SAFETY: the reference is good for writing 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), v) }
}

/// Loads vectors `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize) -> [__m512i; N] {
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
fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, rows: [__m512i; N]) {
    assert_in_bounds(dst.len(), at, stride, N, 64);
    for (i, row) in rows.into_iter().enumerate() {
        // SAFETY: 64 bytes at `at + i * stride` are in bounds for all `i < N`, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(dst.as_mut_ptr().add(at + i * stride).cast(), row) };
    }
}

/// Exchanges bit `BIT` of the place of every byte with the number of the vector it is in.
///
/// `BIT` 5 are the 32-byte halves, 4 the 16-byte lanes: the first vector keeps its even ones and gets the even ones of the second
/// in place of its odd ones.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange<const BIT: u32>(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    match BIT {
        5 => (_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee)),
        _ => {
            let (even, odd) =
                (_mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15));
            (_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b))
        }
    }
}
