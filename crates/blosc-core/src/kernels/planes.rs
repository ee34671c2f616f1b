//! Walking a buffer of elements and its planes in step, tile by tile, with all bounds checked once a tile.
//!
//! `TILE` bytes of elements are `ROW` bytes of each of `T` planes: `TILE = T * ROW`. Kernels get both as arrays, so what they
//! load and store inside has constant offsets and needs no checks. The last tile is flush with the end of the planes and
//! overlaps the one before.

/// Calls `kernel` for every tile of `src` with the rows of `dst` it becomes; `false` if there is less than one tile.
#[inline(always)]
pub(super) fn to_planes<const T: usize, const ROW: usize, const TILE: usize>(
    src: &[u8],
    dst: &mut [u8],
    kernel: impl Fn(&[u8; TILE], [&mut [u8; ROW]; T]),
) -> bool {
    const { assert!(TILE == T * ROW) };
    let elements = src.len() / T;
    if elements < ROW || dst.len() != src.len() {
        return false;
    }
    let mut planes: [&mut [u8]; T] = std::array::from_fn(|_| Default::default());
    let mut rest = dst;
    for plane in &mut planes {
        (*plane, rest) = rest.split_at_mut(elements);
    }
    for (i, tile) in src.as_chunks().0.iter().enumerate() {
        kernel(tile, planes.each_mut().map(|plane| &mut plane.as_chunks_mut().0[i]));
    }
    if let Some(tile) = src.last_chunk() {
        kernel(tile, planes.map(|plane| &mut plane[elements - ROW..].as_chunks_mut().0[0]));
    }
    true
}

/// Calls `kernel` for every tile of `dst` with the rows of `src` it is made of; `false` if there is less than one tile.
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

/// The same with planes that do not follow each other, all of the same length.
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
    for (i, tile) in dst.as_chunks_mut().0.iter_mut().enumerate() {
        kernel(planes.map(|plane| &plane.as_chunks().0[i]), tile);
    }
    if let Some(tile) = dst.last_chunk_mut() {
        kernel(planes.map(|plane| &plane[elements - ROW..].as_chunks().0[0]), tile);
    }
    true
}
