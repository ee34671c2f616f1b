//! NEON: one 16-byte lane per vector.

use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::lanes::{assert_in_bounds, lane_barrel, lane_bitshuffle, lane_shuffle, single_lane};
use super::scalar;
use super::table::Kernels;

/// Returns the table if the CPU has NEON.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "neon",
        // SAFETY: the table is only returned by this function, and only if the CPU has NEON.
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
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| scalar::running_sum(0, src, dst)),
    };
    is_aarch64_feature_detected!("neon").then_some(&TABLE)
}

type V = uint8x16_t;

single_lane!("neon");
lane_shuffle!("neon", scalar);
lane_barrel!("neon");
lane_bitshuffle!("neon", scalar);

#[inline]
#[target_feature(enable = "neon")]
fn zero() -> V {
    vdupq_n_u8(0)
}

/// Loads `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "neon")]
fn load_rows<const N: usize>(src: &[u8], at: usize, stride: usize, count: usize) -> [V; N] {
    let count = count.min(N);
    assert_in_bounds(src.len(), at, stride, count, 16);
    let mut rows = [zero(); N];
    for (i, row) in rows.iter_mut().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and bytes need no alignment.
        *row = unsafe { vld1q_u8(src.as_ptr().add(at + i * stride)) };
    }
    rows
}

/// Stores `count` of `N` vectors, `stride` bytes apart.
#[inline]
#[target_feature(enable = "neon")]
fn store_rows<const N: usize>(dst: &mut [u8], at: usize, stride: usize, count: usize, rows: [V; N]) {
    let count = count.min(N);
    assert_in_bounds(dst.len(), at, stride, count, 16);
    for (i, row) in rows.into_iter().enumerate().take(count) {
        // SAFETY: 16 bytes at `at + i * stride` are in bounds for all `i < count`, and bytes need no alignment.
        unsafe { vst1q_u8(dst.as_mut_ptr().add(at + i * stride), row) };
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn zip8(a: V, b: V) -> (V, V) {
    (vzip1q_u8(a, b), vzip2q_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn zip16(a: V, b: V) -> (V, V) {
    let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
    (vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b)))
}

#[inline]
#[target_feature(enable = "neon")]
fn zip32(a: V, b: V) -> (V, V) {
    let (a, b) = (vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b));
    (vreinterpretq_u8_u32(vzip1q_u32(a, b)), vreinterpretq_u8_u32(vzip2q_u32(a, b)))
}

#[inline]
#[target_feature(enable = "neon")]
fn zip64(a: V, b: V) -> (V, V) {
    let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
    (vreinterpretq_u8_u64(vzip1q_u64(a, b)), vreinterpretq_u8_u64(vzip2q_u64(a, b)))
}

#[inline]
#[target_feature(enable = "neon")]
fn lookup<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    let [index] = load_rows::<1>(index, 0, 0, 1);
    for v in &mut v {
        *v = vqtbl1q_u8(*v, index);
    }
    v
}

#[inline]
#[target_feature(enable = "neon")]
fn gather_planes<const N: usize>(v: [V; N], index: &[u8; 16]) -> [V; N] {
    let mut v = lookup(v, index);
    for _ in 0..N.ilog2() {
        let from = v;
        for i in 0..N / 2 {
            let (a, b) = (from[i], from[i + N / 2]);
            (v[2 * i], v[2 * i + 1]) = match N {
                2 => zip64(a, b),
                4 => zip32(a, b),
                _ => zip16(a, b),
            };
        }
    }
    v
}

#[inline]
#[target_feature(enable = "neon")]
fn scatter_planes<const N: usize>(mut v: [V; N], index: &[u8; 16]) -> [V; N] {
    for _ in 0..N.ilog2() {
        v = rotate(v);
    }
    lookup(v, index)
}

/// Selects bits of `a` where the mask is set, and of `b` elsewhere.
#[inline]
#[target_feature(enable = "neon")]
fn select(mask: V, a: V, b: V) -> V {
    vbslq_u8(mask, a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn swap_bits<const S: i32>(a: V, b: V) -> (V, V) {
    let low = vdupq_n_u8([0x55, 0x33, 0, 0x0f][S as usize - 1]);
    (vbslq_u8(low, a, vshlq_n_u8::<S>(b)), vbslq_u8(low, vshrq_n_u8::<S>(a), b))
}
