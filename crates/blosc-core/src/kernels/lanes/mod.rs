//! Shuffle and bitshuffle for vectors of 16-byte lanes, written once as macros and expanded for each instruction set.
//!
//! Every instruction set here can *zip* two vectors: interleave their bytes lane by lane (`punpcklbw` and `punpckhbw`,
//! `zip1` and `zip2`). Apply a zip to a whole array of vectors, so that vector `i` is paired with vector `i + N/2` and
//! their two results go to `2i` and `2i + 1`. This rotates the address of every byte by one bit. With four vectors of
//! one lane:
//!
//! ```text
//!   vector   byte in lane                      vector   byte in lane
//!   v1 v0  | b3 b2 b1 b0        -- zip -->     v0 b3  | b2 b1 b0 v1
//! ```
//!
//! All kernels are such rotations. To unshuffle typesize `2^n`, load one vector of each plane. The plane is the vector
//! number, and after `n` rounds it is in the lowest bits of the byte's place. To shuffle, load consecutive vectors, and
//! four rounds turn `n` plane bits of the place into the vector number. Four rounds on sixteen vectors transpose 16x16
//! bytes in every lane, which handles every larger typesize 16 columns at a time:
//!
//! ```text
//!   row    column                              column   row
//!   rrrr | cccc            -- 4 rounds -->     cccc   | rrrr
//! ```
//!
//! Two rounds can be done on four vectors at a time, `N/4` apart. This keeps sixteen vectors in registers.
//!
//! If an instruction set has byte look-ups within a lane (`pshufb`, `tbl`), shuffle first sorts each lane by plane and
//! zips larger units, which saves rounds. Typesizes with an odd factor are then reduced to powers of two, see
//! `lane_barrel!`. Without look-ups, such typesizes below 16 are handled as typesize 16 with gaps.
//!
//! **Bitshuffle is a byte shuffle and a butterfly.** A *group* of eight elements of `t` bytes is treated as one element
//! of `8t` bytes and shuffled. Eight vectors then hold byte `j` of elements 0, 1, .. 7 of each group. Exchanging bit
//! `k` of vector `b` with bit `b` of vector `k` then takes three steps of shifts and masks between pairs of vectors.
//! Nothing crosses between bytes, and vector `k` is a part of row `8j + k` of the result. That is 9 simple operations
//! per vector at any typesize. C-Blosc2 instead builds its rows with `pmovmskb`, 32 bits at a time.
//!
//! Measured with AVX2 on an AMD EPYC (Zen 4), 16 KiB, in GB/s, compared with C-Blosc2 with AVX2. Typesizes 4, 7, 12,
//! 24: shuffle 42, 44, 43, 36 (C: 33, 3.7, 3.6, 20); unshuffle 52, 41, 43, 36 (C: 70, 3.2, 30, 22). Typesizes 4, 7, 16:
//! bitshuffle 15, 14, 16 (C: 9, 3.4, 6). Since then, kernels for some typesizes are compiled separately: decision 002 has
//! the figures.
//!
//! The last tile of a plane ends where the plane ends and overlaps the one before, so no kernel needs a tail loop.
//! Buffers of less than a tile go to the next weaker instruction set.
//!
//! An instruction set's file provides these items, all with its target feature:
//!
//! | item | what |
//! |---|---|
//! | `V`, `LANES`, `zero` | the vector, its 16-byte lanes, all bytes 0 |
//! | `load_rows`, `store_rows` | up to `N` whole vectors, a stride apart |
//! | `load_pieces`, `store_pieces` | first lanes of `N` vectors, a stride apart; second lanes `lane_stride` later |
//! | `store_neighbours` | the same for a stride of 16 |
//! | `zip8` | `(low, high)` halves of two vectors' lanes interleaved by bytes |
//! | `gather_planes`, `scatter_planes` | between lanes and up to 8 planes, with a look-up at the side of the lanes |
//! | `select` | bits of one vector or another, for `lane_barrel!` |
//! | `swap_bits::<S>` | exchanges the upper `S` of every `2S` bits of one vector with the lower `S` of another |
//!
//! For vectors of one lane, `single_lane!` provides the functions for pieces.

mod barrel;
mod bitshuffle;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod gaps;
mod shuffle;

#[cfg(target_arch = "x86_64")]
pub(super) use barrel::inverse;
pub(super) use barrel::{by_odd_typesize, lane_barrel, moves, sort_units, unsort_units};
pub(super) use bitshuffle::lane_bitshuffle;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(super) use gaps::{lane_gaps, slack};
pub(super) use shuffle::lane_shuffle;

/// Functions for the pieces of single-lane vectors, which are one piece each.
macro_rules! single_lane {
    ($feature:literal) => {
        const LANES: usize = 1;

        #[inline]
        #[target_feature(enable = $feature)]
        fn load_pieces<const N: usize>(src: &[u8], at: usize, stride: usize, _: usize) -> [V; N] {
            load_rows(src, at, stride, N)
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn store_pieces<const N: usize>(dst: &mut [u8], at: usize, stride: usize, _: usize, v: [V; N]) {
            store_rows(dst, at, stride, N, v);
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn store_neighbours<const N: usize>(dst: &mut [u8], at: usize, _: usize, v: [V; N]) {
            store_rows(dst, at, 16, N, v);
        }
    };
}
pub(super) use single_lane;

/// Returns the start of each tile in `0..len`, the last one flush with the end. Requires `tile <= len`.
#[inline]
pub(super) fn starts(len: usize, tile: usize) -> impl Iterator<Item = usize> {
    let last = len - tile;
    std::iter::successors(Some(0), move |at| (*at < last).then(|| last.min(at + tile)))
}

/// Returns the same starts as [`starts`], `count` at a time.
#[inline]
pub(super) fn strips(
    len: usize,
    tile: usize,
    count: usize,
) -> impl Iterator<Item = impl Iterator<Item = usize> + Clone> {
    let (tiles, last) = (len.div_ceil(tile), len - tile);
    let strip = move |first: usize| (first..tiles.min(first + count)).map(move |i| last.min(i * tile));
    (0..tiles).step_by(count).map(strip)
}

/// Returns the look-up indices that sort a lane of `16 / n` elements by plane.
///
/// Byte `j` of element `i` goes to `j * 16 / n + i`.
pub(super) fn gather_index(n: usize) -> [u8; 16] {
    let elements = 16 / n;
    std::array::from_fn(|to| (to % elements * n + to / elements) as u8)
}

/// Returns the number of planes that bitshuffle processes at a time: all if up to 32, else 16.
pub(super) fn planes_at_a_time(typesize: usize) -> usize {
    if typesize <= 32 { typesize } else { 16 }
}

/// Returns the 16-column tiles that cover, in groups of eight elements, the planes processed at a time from `first` on.
///
/// Each item is a pair: the place among `8 * planes` vectors of scratch, ordered by element and then plane, and the
/// column in the group. If all planes are processed, they are the group's consecutive columns; otherwise 16 planes are
/// 16 columns of each element.
#[inline]
pub(super) fn group_columns(typesize: usize, first: usize) -> impl Iterator<Item = (usize, usize)> {
    let planes = planes_at_a_time(typesize);
    starts(8 * planes, 16).map(move |to| (to, if planes == typesize { to } else { first + to / 16 * typesize }))
}

/// Panics unless `count` pieces of `width` bytes, the first at `at` and each `stride` bytes after the one before, are
/// in bounds.
///
/// All comparisons but the last are the same for every tile, so a loop over tiles repeats only the last.
#[inline]
pub(super) fn assert_in_bounds(len: usize, at: usize, stride: usize, count: usize, width: usize) {
    let reach = stride.checked_mul(count.saturating_sub(1)).and_then(|reach| reach.checked_add(width));
    assert!(count == 0 || reach.and_then(|reach| len.checked_sub(reach)).is_some_and(|last| at <= last));
}
