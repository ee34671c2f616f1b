//! Shuffle with AVX-512: one scheme for every typesize `Q * B`, with `Q` odd and `B` a power of two.
//!
//! A tile is 64 elements: `Q * B` vectors become one vector of each plane. A *barrel* brings together bytes of many
//! vectors. It moves every byte by a number of vectors that depends only on the byte's place: one blend per vector for
//! every bit of that number. A barrel can only transpose bytes of which no two are at the same place. The other steps
//! establish this.
//!
//! **The odd factor satisfies this by itself.** Units of `B` bytes are dealt out to `Q` groups in turn, so each element
//! has a unit in every group. As `Q` divides no power of two, units at the same place in `Q` consecutive vectors belong
//! to different groups. Typesize 24 is three groups of units of 8 bytes (numbers are groups, `a` to `h` elements of the
//! first group):
//!
//! ```text
//!   place         0  1  2  3  4  5  6  7                  0  1  2  3  4  5  6  7
//!   vector 0     0a  1  2 0b  1  2 0c  1                 0a 0d 0g 0b 0e 0h 0c 0f
//!   vector 1      2 0d  1  2 0e  1  2 0f   -- barrel -->  2  2  2  2  2  2  2  2
//!   vector 2      1  2 0g  1  2 0h  1  2                  1  1  1  1  1  1  1  1
//! ```
//!
//! **For the power of two, a permutation establishes it.** `B` such vectors of one group, one from every piece of
//! `64 / B` elements, are sorted by plane with `vpermb`. That also puts the elements in order. Vector `i` is rotated by
//! `i` blocks. With `B = 4`, and letters for pieces:
//!
//! ```text
//!                planes                                  planes
//!   vector a     0a 1a 2a 3a                             0a 0b 0c 0d                   0a 0b 0c 0d
//!   vector b     3b 0b 1b 2b               -- barrel --> 3b 3c 3d 3a   -- vpermb -->   3a 3b 3c 3d
//!   vector c     2c 3c 0c 1c                             2c 2d 2a 2b                   2a 2b 2c 2d
//!   vector d     1d 2d 3d 0d                             1d 1a 1b 1c                   1a 1b 1c 1d
//! ```
//!
//! Unshuffle takes the same steps backwards. That is two single-source permutations per vector, and a blend for every
//! bit of `Q - 1` and `B - 1`. On Zen 4, a blend takes half the time of a permutation. Exchanges between two vectors
//! with `vpermt2b` need fewer instructions, but their third operand interferes with loads and stores. A tile of
//! typesize 4 takes 13.4 cycles that way and 8 this way, which is the time of its stores.
//!
//! Tiles after the first begin where stores are aligned, if possible: typesize 4 becomes a third faster. The last tile
//! is flush with the end and overlaps the one before. Fewer elements than a tile use masked loads and stores.
//!
//! Measured on an AMD EPYC (Zen 4), 16 KiB of typesizes 3, 8, 12, 24, in GB/s, compared with C-Blosc2 with AVX2:
//! shuffle 94, 55, 55, 45 (C: 3.7, 32, 3.6, 21); unshuffle 96, 67, 55, 44 (C: 2.8, 59, 30, 24).

use super::super::avx2;
use super::tiles::{shuffle_rows, unshuffle_rows};

/// Calls a kernel for the typesizes where it is faster. A tile takes one vector per plane. Above 40 vectors, the AVX2
/// kernels with 16 columns are sufficient.
macro_rules! by_typesize {
    ($typesize:expr, $kernel:ident $args:tt, else $other:expr) => {
        match $typesize {
            2 => $kernel::<1, 2> $args,
            3 => $kernel::<3, 1> $args,
            4 => $kernel::<1, 4> $args,
            5 => $kernel::<5, 1> $args,
            6 => $kernel::<3, 2> $args,
            7 => $kernel::<7, 1> $args,
            8 => $kernel::<1, 8> $args,
            9 => $kernel::<9, 1> $args,
            10 => $kernel::<5, 2> $args,
            11 => $kernel::<11, 1> $args,
            12 => $kernel::<3, 4> $args,
            13 => $kernel::<13, 1> $args,
            14 => $kernel::<7, 2> $args,
            15 => $kernel::<15, 1> $args,
            16 => $kernel::<1, 16> $args,
            18 => $kernel::<9, 2> $args,
            20 => $kernel::<5, 4> $args,
            24 => $kernel::<3, 8> $args,
            28 => $kernel::<7, 4> $args,
            36 => $kernel::<9, 4> $args,
            40 => $kernel::<5, 8> $args,
            _ => $other,
        }
    };
}

/// Shuffles whole elements.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn shuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    by_typesize!(typesize, to_planes(src, dst), else avx2::shuffle(typesize, src, dst))
}

/// Shuffles to separate planes. Returns `false` if this function does not support the number or length of planes.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn shuffle_planes(src: &[u8], planes: &mut [&mut [u8]]) -> bool {
    by_typesize!(planes.len(), to_each_plane(src, planes), else avx2::shuffle_planes(src, planes))
}

/// Undoes [`shuffle`].
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn unshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    by_typesize!(typesize, from_planes(src, dst), else avx2::unshuffle(typesize, src, dst))
}

/// Unshuffles from separate planes. Returns `false` if this function does not support the number or length of planes.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn unshuffle_planes(planes: &[&[u8]], dst: &mut [u8]) -> bool {
    by_typesize!(planes.len(), from_each_plane(planes, dst), else avx2::unshuffle_planes(planes, dst))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn to_planes<const Q: usize, const B: usize>(src: &[u8], dst: &mut [u8]) {
    let elements = src.len() / (Q * B);
    assert!(src.len() == Q * B * elements && dst.len() == src.len());
    let mut rows = [[dst.as_mut_ptr(); B]; Q];
    for (row, plane) in rows.as_flattened_mut().iter_mut().zip(dst.chunks_exact_mut(elements.max(1))) {
        *row = plane.as_mut_ptr();
    }
    // SAFETY: `dst` holds `Q * B` planes of `elements` bytes, and `src` has the same length.
    unsafe { shuffle_rows::<Q, B>(elements, src.as_ptr(), &rows) };
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn to_each_plane<const Q: usize, const B: usize>(src: &[u8], planes: &mut [&mut [u8]]) -> bool {
    let elements = src.len() / (Q * B);
    let mut rows = [[std::ptr::null_mut(); B]; Q];
    if planes.len() != Q * B || src.len() != Q * B * elements {
        return false;
    }
    for (row, plane) in rows.as_flattened_mut().iter_mut().zip(planes) {
        if plane.len() != elements {
            return false;
        }
        *row = plane.as_mut_ptr();
    }
    // SAFETY: each of the `Q * B` planes has `elements` bytes, as checked above, and `src` is as long as all together.
    unsafe { shuffle_rows::<Q, B>(elements, src.as_ptr(), &rows) };
    true
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn from_planes<const Q: usize, const B: usize>(src: &[u8], dst: &mut [u8]) {
    let elements = dst.len() / (Q * B);
    assert!(dst.len() == Q * B * elements && src.len() == dst.len());
    let mut rows = [[src.as_ptr(); B]; Q];
    for j in 1..Q * B {
        rows[j / B][j % B] = src[j * elements..].as_ptr();
    }
    // SAFETY: `src` holds `Q * B` planes of `elements` bytes, and `dst` has the same length.
    unsafe { unshuffle_rows(elements, &rows, dst.as_mut_ptr()) };
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn from_each_plane<const Q: usize, const B: usize>(planes: &[&[u8]], dst: &mut [u8]) -> bool {
    let elements = dst.len() / (Q * B);
    let mut rows = [[dst.as_ptr(); B]; Q];
    if planes.len() != Q * B || dst.len() != Q * B * elements {
        return false;
    }
    for (row, plane) in rows.as_flattened_mut().iter_mut().zip(planes) {
        if plane.len() != elements {
            return false;
        }
        *row = plane.as_ptr();
    }
    // SAFETY: each of the `Q * B` planes has `elements` bytes, as checked above, and `dst` is as long as all together.
    unsafe { unshuffle_rows(elements, &rows, dst.as_mut_ptr()) };
    true
}
