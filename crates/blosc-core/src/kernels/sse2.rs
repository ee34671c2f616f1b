//! SSE2: one 16-byte lane per vector, and no byte look-ups.

#[cfg(target_arch = "x86")]
use std::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::lanes::{assert_in_bounds, lane_bitshuffle, lane_gaps, lane_shuffle, single_lane};
use super::scalar;
use super::table::Kernels;

/// Returns the table if the CPU has SSE2.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "sse2",
        // SAFETY: the table is only returned by this function, and only if the CPU has SSE2.
        shuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { shuffle(t, src, dst) }),
        // SAFETY: as for `shuffle`.
        unshuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { unshuffle(t, src, dst) }),
        shuffle_planes: |src, planes| {
            // SAFETY: as for `shuffle`.
            let kernel = |src: &[u8], planes: &mut [&mut [u8]]| unsafe { shuffle_planes(src, planes) };
            buffers::to_planes(src, planes, kernel, TABLE.shuffle);
        },
        unshuffle_planes: |planes, dst| {
            // SAFETY: as for `shuffle`.
            let kernel = |planes: &[&[u8]], dst: &mut [u8]| unsafe { unshuffle_planes(planes, dst) };
            buffers::from_planes(planes, dst, kernel, TABLE.unshuffle);
        },
        // SAFETY: as for `shuffle`.
        bitshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, |t, src, dst| unsafe { bitshuffle(t, src, dst) }),
        // SAFETY: as for `shuffle`.
        bitunshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, |t, src, dst| unsafe { bitunshuffle(t, src, dst) }),
        // SAFETY: as for `shuffle`.
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| unsafe { running_sum(src, dst) }),
    };
    is_x86_feature_detected!("sse2").then_some(&TABLE)
}

type V = __m128i;

single_lane!("sse2");
lane_shuffle!("sse2", scalar);
lane_gaps!("sse2");
lane_bitshuffle!("sse2", scalar);

#[inline]
#[target_feature(enable = "sse2")]
fn zero() -> V {
    _mm_setzero_si128()
}

/// Loads `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "sse2")]
fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize, count: usize) -> [V; N] {
    let count = count.min(N);
    assert_in_bounds(src.len(), at, stride, count, 16);
    let mut rows = [zero(); N];
    for (i, row) in rows.iter_mut().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and the load needs no alignment.
        *row = unsafe { _mm_loadu_si128(src.as_ptr().add(at + i * stride).cast()) };
    }
    rows
}

/// Stores `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "sse2")]
fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, count: usize, rows: [V; N]) {
    let count = count.min(N);
    assert_in_bounds(dst.len(), at, stride, count, 16);
    for (i, row) in rows.into_iter().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and the store needs no alignment.
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().add(at + i * stride).cast(), row) };
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn zip8(a: V, b: V) -> (V, V) {
    (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b))
}

/// Four rounds exchange element and plane.
#[inline]
#[target_feature(enable = "sse2")]
fn gather_planes<const N: usize>(v: [V; N], _: &[u8; 16]) -> [V; N] {
    rotate(rotate(rotate(rotate(v))))
}

#[inline]
#[target_feature(enable = "sse2")]
fn swap_bits<const S: i32>(a: V, b: V) -> (V, V) {
    let mask = _mm_set1_epi8([0x55, 0x33, 0, 0x0f][S as usize - 1]);
    let moved = _mm_and_si128(_mm_xor_si128(_mm_srli_epi16(a, S), b), mask);
    (_mm_xor_si128(a, _mm_slli_epi16(moved, S)), _mm_xor_si128(b, moved))
}

/// Computes running sums with prefix sums inside each vector, in four steps that add the bytes 1, 2, 4, 8 places
/// before. The total of the previous vectors is added last.
///
/// Only that last addition depends on the previous vector. 12.6 GB/s, compared with 3.7 for scalar code (Zen 4, 32
/// KiB).
#[target_feature(enable = "sse2")]
pub(super) fn running_sum(src: &[u8], dst: &mut [u8]) {
    let whole = src.len() / 16 * 16;
    let mut total = zero();
    for at in (0..whole).step_by(16) {
        let [mut sums] = load_rows::<1>(src, at, 0, 1);
        sums = _mm_add_epi8(sums, _mm_slli_si128::<1>(sums));
        sums = _mm_add_epi8(sums, _mm_slli_si128::<2>(sums));
        sums = _mm_add_epi8(sums, _mm_slli_si128::<4>(sums));
        sums = _mm_add_epi8(sums, _mm_slli_si128::<8>(sums));
        store_rows(dst, at, 0, 1, [_mm_add_epi8(sums, total)]);
        total = _mm_add_epi8(total, splat_last(sums));
    }
    scalar::running_sum(_mm_cvtsi128_si32(total) as u8, &src[whole..], &mut dst[whole..]);
}

/// Copies the last byte to all places.
#[inline]
#[target_feature(enable = "sse2")]
fn splat_last(v: V) -> V {
    let last = _mm_unpackhi_epi8(v, v);
    _mm_shuffle_epi32::<0xff>(_mm_shufflehi_epi16::<0xff>(last))
}
