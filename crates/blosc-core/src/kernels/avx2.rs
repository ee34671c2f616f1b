//! AVX2: two 16-byte lanes per vector.

#[cfg(target_arch = "x86")]
use std::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::lanes::{assert_in_bounds, lane_barrel, lane_bitshuffle, lane_shuffle};
use super::sse2;
use super::table::Kernels;

/// Returns the table if the CPU has AVX2.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "avx2",
        // SAFETY: the table is only returned by this function, and only if the CPU has AVX2.
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
        // SAFETY: as for `shuffle`, and AVX2 comes with SSE2.
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| unsafe { sse2::running_sum(src, dst) }),
    };
    is_x86_feature_detected!("avx2").then_some(&TABLE)
}

type V = __m256i;
const LANES: usize = 2;

lane_shuffle!("avx2", sse2);
lane_barrel!("avx2");
lane_bitshuffle!("avx2", sse2);

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> V {
    _mm256_setzero_si256()
}

/// Loads `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx2")]
fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize, count: usize) -> [V; N] {
    let count = count.min(N);
    assert_in_bounds(src.len(), at, stride, count, 32);
    let mut rows = [zero(); N];
    for (i, row) in rows.iter_mut().enumerate().take(count) {
        // SAFETY: 32 bytes at `at + i * stride` are in bounds for all `i < count`, and the load needs no alignment.
        *row = unsafe { _mm256_loadu_si256(src.as_ptr().add(at + i * stride).cast()) };
    }
    rows
}

/// Stores `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "avx2")]
fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, count: usize, rows: [V; N]) {
    let count = count.min(N);
    assert_in_bounds(dst.len(), at, stride, count, 32);
    for (i, row) in rows.into_iter().enumerate().take(count) {
        // SAFETY: 32 bytes at `at + i * stride` are in bounds for all `i < count`, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(dst.as_mut_ptr().add(at + i * stride).cast(), row) };
    }
}

/// Loads `N` pieces of 16 bytes, `stride` bytes apart, into the low lanes, and `N` starting `lane_stride` later into
/// the high lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn load_pieces<const N: usize>(src: &[u8], at: usize, stride: usize, lane_stride: usize) -> [V; N] {
    assert_in_bounds(src.len(), at, stride, N, 16);
    assert_in_bounds(src.len() - at, lane_stride, stride, N, 16);
    let mut v = [zero(); N];
    for (i, v) in v.iter_mut().enumerate() {
        // SAFETY: 16 bytes at `at + i * stride` and `lane_stride` bytes later are in bounds, and the loads need no
        // alignment.
        *v = unsafe {
            let low = src.as_ptr().add(at + i * stride);
            _mm256_loadu2_m128i(low.add(lane_stride).cast(), low.cast())
        };
    }
    v
}

/// Stores the lanes that [`load_pieces`] loads: the low lanes in order, then the high lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn store_pieces<const N: usize>(dst: &mut [u8], at: usize, stride: usize, lane_stride: usize, v: [V; N]) {
    assert_in_bounds(dst.len(), at, stride, N, 16);
    assert_in_bounds(dst.len() - at, lane_stride, stride, N, 16);
    for (i, v) in v.iter().enumerate() {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < N`, and the store needs no alignment.
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().add(at + i * stride).cast(), _mm256_castsi256_si128(*v)) };
    }
    for (i, v) in v.iter().enumerate() {
        let high = _mm256_extracti128_si256(*v, 1);
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().add(at + lane_stride + i * stride).cast(), high) };
    }
}

/// Stores the lanes that [`load_pieces`] loads with a stride of 16, as whole vectors of two neighbours each: half the
/// stores.
#[inline]
#[target_feature(enable = "avx2")]
fn store_neighbours<const N: usize>(dst: &mut [u8], at: usize, lane_stride: usize, v: [V; N]) {
    let (mut low, mut high) = ([zero(); N], [zero(); N]);
    for i in 0..N / 2 {
        low[i] = _mm256_permute2x128_si256(v[2 * i], v[2 * i + 1], 0x20);
        high[i] = _mm256_permute2x128_si256(v[2 * i], v[2 * i + 1], 0x31);
    }
    store_rows(dst, at, 32, N / 2, low);
    store_rows(dst, at + lane_stride, 32, N / 2, high);
}

#[inline]
#[target_feature(enable = "avx2")]
fn zip8(a: V, b: V) -> (V, V) {
    (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b))
}

/// Selects bits of `a` where the mask is set, and of `b` elsewhere.
#[inline]
#[target_feature(enable = "avx2")]
fn select(mask: V, a: V, b: V) -> V {
    _mm256_blendv_epi8(b, a, mask)
}

#[inline]
#[target_feature(enable = "avx2")]
fn swap_bits<const S: i32>(a: V, b: V) -> (V, V) {
    let mask = _mm256_set1_epi8([0x55, 0x33, 0, 0x0f][S as usize - 1]);
    let moved = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(a, S), b), mask);
    (_mm256_xor_si256(a, _mm256_slli_epi16(moved, S)), _mm256_xor_si256(b, moved))
}

#[inline]
#[target_feature(enable = "avx2")]
fn lookup<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    let [index] = load_pieces::<1>(index.as_slice(), 0, 0, 0);
    for v in &mut v {
        *v = _mm256_shuffle_epi8(*v, index);
    }
    v
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather_planes<const N: usize>(v: [V; N], index: &[u8; 16]) -> [V; N] {
    let mut v = lookup(v, index);
    for _ in 0..N.ilog2() {
        let from = v;
        for i in 0..N / 2 {
            let (a, b) = (from[i], from[i + N / 2]);
            (v[2 * i], v[2 * i + 1]) = match N {
                2 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
                4 => (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)),
                _ => (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)),
            };
        }
    }
    v
}

#[inline]
#[target_feature(enable = "avx2")]
fn scatter_planes<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    for _ in 0..N.ilog2() {
        v = rotate(v);
    }
    lookup(v, index)
}
