//! WebAssembly's simd128: one 16-byte lane per vector. A module uses it throughout or not at all, so nothing is
//! detected.

use std::arch::wasm32::*;

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::lanes::{assert_in_bounds, lane_barrel, lane_bitshuffle, lane_shuffle, single_lane};
use super::scalar;
use super::table::Kernels;

/// Returns the table. This file is compiled only if simd128 is enabled.
#[inline]
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "simd128",
        shuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| shuffle(t, src, dst)),
        unshuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unshuffle(t, src, dst)),
        shuffle_planes: |src, planes| {
            buffers::to_planes(src, planes, |src, planes| shuffle_planes(src, planes), TABLE.shuffle)
        },
        unshuffle_planes: |planes, dst| {
            buffers::from_planes(planes, dst, |planes, dst| unshuffle_planes(planes, dst), TABLE.unshuffle)
        },
        bitshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, |t, src, dst| bitshuffle(t, src, dst)),
        bitunshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, |t, src, dst| bitunshuffle(t, src, dst)),
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| scalar::running_sum(0, src, dst)),
    };
    Some(&TABLE)
}

type V = v128;

single_lane!("simd128");
lane_shuffle!("simd128", scalar);
lane_barrel!("simd128");
lane_bitshuffle!("simd128", scalar);

#[inline]
#[target_feature(enable = "simd128")]
fn zero() -> V {
    u8x16_splat(0)
}

/// Loads `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "simd128")]
fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize, count: usize) -> [V; N] {
    let count = count.min(N);
    assert_in_bounds(src.len(), at, stride, count, 16);
    let mut rows = [zero(); N];
    for (i, row) in rows.iter_mut().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and the load needs no alignment.
        *row = unsafe { v128_load(src.as_ptr().add(at + i * stride).cast()) };
    }
    rows
}

/// Stores `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "simd128")]
fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, count: usize, rows: [V; N]) {
    let count = count.min(N);
    assert_in_bounds(dst.len(), at, stride, count, 16);
    for (i, row) in rows.into_iter().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and the store needs no alignment.
        unsafe { v128_store(dst.as_mut_ptr().add(at + i * stride).cast(), row) };
    }
}

#[inline]
#[target_feature(enable = "simd128")]
fn zip8(a: V, b: V) -> (V, V) {
    (
        u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b),
        u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b),
    )
}

#[inline]
#[target_feature(enable = "simd128")]
fn lookup<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    let [index] = load_rows::<1>(index, 0, 0, 1);
    for v in &mut v {
        *v = u8x16_swizzle(*v, index);
    }
    v
}

#[inline]
#[target_feature(enable = "simd128")]
fn gather_planes<const N: usize>(v: [V; N], index: &[u8; 16]) -> [V; N] {
    let mut v = lookup(v, index);
    for _ in 0..N.ilog2() {
        let from = v;
        for i in 0..N / 2 {
            let (a, b) = (from[i], from[i + N / 2]);
            (v[2 * i], v[2 * i + 1]) = match N {
                2 => (u64x2_shuffle::<0, 2>(a, b), u64x2_shuffle::<1, 3>(a, b)),
                4 => (u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<2, 6, 3, 7>(a, b)),
                _ => {
                    (u16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b), u16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b))
                }
            };
        }
    }
    v
}

#[inline]
#[target_feature(enable = "simd128")]
fn scatter_planes<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    for _ in 0..N.ilog2() {
        v = rotate(v);
    }
    lookup(v, index)
}

/// Selects bits of `a` where the mask is set, and of `b` elsewhere.
#[inline]
#[target_feature(enable = "simd128")]
fn select(mask: V, a: V, b: V) -> V {
    v128_bitselect(a, b, mask)
}

#[inline]
#[target_feature(enable = "simd128")]
fn swap_bits<const S: u32>(a: V, b: V) -> (V, V) {
    // Shifts by 16-bit units, as x86 has no 8-bit shifts. The mask removes bits that cross between bytes.
    let low = u8x16_splat([0x55, 0x33, 0, 0x0f][S as usize - 1]);
    (v128_bitselect(a, u16x8_shl(b, S), low), v128_bitselect(u16x8_shr(a, S), b, low))
}
