//! Walks a buffer of elements and its planes in step, tile by tile, with one bounds check per tile.
//!
//! `TILE` bytes of elements correspond to `ROW` bytes of each of `T` planes: `TILE = T * ROW`. Kernels get both as
//! arrays, so their loads and stores have constant offsets and need no checks. The last tile is flush with the end of
//! the planes and overlaps the one before.

use super::prefetch::{self, AHEAD};

/// Splits a shuffled buffer into its `T` planes.
#[inline(always)]
pub(super) fn planes_of<const T: usize>(dst: &mut [u8]) -> [&mut [u8]; T] {
    let elements = dst.len() / T;
    let mut rest = dst;
    std::array::from_fn(|_| rest.split_off_mut(..elements).unwrap_or_default())
}

/// Converts separate planes to an array, if there are `T`.
#[inline(always)]
pub(super) fn exactly<'a, const T: usize>(planes: &'a mut [&mut [u8]]) -> Option<[&'a mut [u8]; T]> {
    let mut planes = <&mut [&mut [u8]; T]>::try_from(planes).ok()?.iter_mut();
    Some(std::array::from_fn(|_| planes.next().map_or(&mut [][..], |plane| plane)))
}

/// Calls `kernel` for every tile of `src` with the corresponding rows of `planes`.
///
/// Returns `false` if there is less than one tile, or if the planes differ in length.
#[inline(always)]
pub(super) fn to_planes<const T: usize, const ROW: usize, const TILE: usize>(
    src: &[u8],
    mut planes: [&mut [u8]; T],
    kernel: impl Fn(&[u8; TILE], [&mut [u8; ROW]; T]),
) -> bool {
    const { assert!(TILE == T * ROW) };
    let elements = src.len() / T;
    if elements < ROW || planes.iter().any(|plane| plane.len() != elements) {
        return false;
    }
    for (i, tile) in src.as_chunks::<TILE>().0.iter().enumerate() {
        (0..TILE).step_by(64).for_each(|line| prefetch::for_reading(tile.as_ptr(), line + AHEAD));
        kernel(tile, planes.each_mut().map(|plane| &mut plane.as_chunks_mut().0[i]));
    }
    if let Some(tile) = src.last_chunk() {
        kernel(tile, planes.map(|plane| &mut plane[elements - ROW..].as_chunks_mut().0[0]));
    }
    true
}

/// Calls `kernel` for every tile of `dst` with the corresponding rows of `src`. Returns `false` if there is less than
/// one tile.
#[inline(always)]
pub(super) fn from_planes<const T: usize, const ROW: usize, const TILE: usize>(
    src: &[u8],
    dst: &mut [u8],
    kernel: impl Fn([&[u8; ROW]; T], &mut [u8; TILE]),
) -> bool {
    let elements = src.len() / T;
    let mut planes: [&[u8]; T] = [&[]; T];
    let mut rest = src;
    for plane in &mut planes {
        (*plane, rest) = rest.split_at(elements);
    }
    dst.len() == src.len() && from_each_plane(planes, dst, kernel)
}

/// The same with separate planes, all of the same length.
#[inline(always)]
pub(super) fn from_each_plane<const T: usize, const ROW: usize, const TILE: usize>(
    planes: [&[u8]; T],
    dst: &mut [u8],
    kernel: impl Fn([&[u8; ROW]; T], &mut [u8; TILE]),
) -> bool {
    const { assert!(TILE == T * ROW) };
    let elements = dst.len() / T;
    if elements < ROW || planes.iter().any(|plane| plane.len() != elements) {
        return false;
    }
    let len = dst.len();
    for (i, tile) in dst.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let ahead = AHEAD.min(len - (i + 1) * TILE);
        (0..TILE).step_by(64).for_each(|line| prefetch::for_writing(tile.as_ptr(), line + ahead));
        kernel(planes.map(|plane| &plane.as_chunks().0[i]), tile);
    }
    if let Some(tile) = dst.last_chunk_mut() {
        kernel(planes.map(|plane| &plane[elements - ROW..].as_chunks().0[0]), tile);
    }
    true
}
