//! AVX-512 with byte permutations (VBMI) and bit matrices (GFNI): Ice Lake, Zen 4 and later.
//!
//! Contains kernels of whole 64-byte vectors for the typesizes where they are faster. Other typesizes, and bitshuffle
//! of less than a tile, use AVX2.

mod bitshuffle;
mod shuffle;
mod tables;
mod tiles;
mod vectors;

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::sse2;
use super::table::Kernels;

/// Returns the table if the CPU has all required instructions.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static TABLE: Kernels = Kernels {
        name: "avx512",
        // SAFETY: the table is only returned by this function, and only if the CPU has all features that the kernels
        // enable.
        shuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { shuffle::shuffle(t, src, dst) }),
        // SAFETY: as for `shuffle`.
        unshuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unsafe { shuffle::unshuffle(t, src, dst) }),
        shuffle_planes: |src, planes| {
            // SAFETY: as for `shuffle`.
            let kernel = |src: &[u8], planes: &mut [&mut [u8]]| unsafe { shuffle::shuffle_planes(src, planes) };
            buffers::to_planes(src, planes, kernel, TABLE.shuffle);
        },
        unshuffle_planes: |planes, dst| {
            // SAFETY: as for `shuffle`.
            let kernel = |planes: &[&[u8]], dst: &mut [u8]| unsafe { shuffle::unshuffle_planes(planes, dst) };
            buffers::from_planes(planes, dst, kernel, TABLE.unshuffle);
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
