//! Runs kernels on buffers of any length.
//!
//! Checks lengths, copies trailing bytes, and joins or splits planes for kernels that only take whole buffers.

use super::copy::copy;
use super::table::Kernel;

/// Runs a kernel that has no typesize.
pub(super) fn on_bytes(src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    kernel(src, dst);
}

/// Runs a kernel that writes separate planes. If it returns `false`, runs `shuffle` piece by piece instead. A kernel
/// must return `false` if the planes differ in length.
pub(super) fn to_planes(
    src: &[u8],
    planes: &mut [&mut [u8]],
    kernel: impl FnOnce(&[u8], &mut [&mut [u8]]) -> bool,
    shuffle: Kernel,
) {
    if kernel(src, planes) {
        return;
    }
    let elements = planes.first().map_or(0, |plane| plane.len());
    assert!(planes.iter().all(|plane| plane.len() == elements), "planes have one byte of each element");
    assert_eq!(planes.len() * elements, src.len(), "a filter keeps the length of its buffer");
    let nplanes = planes.len();
    if elements < 16 {
        for (j, plane) in planes.iter_mut().enumerate() {
            plane.iter_mut().zip(src.iter().skip(j).step_by(nplanes)).for_each(|(to, byte)| *to = *byte);
        }
        return;
    }
    let mut pieces = [0; PIECES];
    let piece = (PIECES / nplanes).max(1);
    for (i, src) in src.chunks(piece * nplanes).enumerate() {
        let (at, len) = (i * piece, src.len() / nplanes);
        let Some(pieces) = pieces.get_mut(..src.len()) else {
            // A single element, longer than any chunk's.
            src.iter().zip(&mut *planes).for_each(|(from, plane)| plane[at] = *from);
            continue;
        };
        shuffle(nplanes, src, pieces);
        for (from, plane) in pieces.chunks_exact(len).zip(&mut *planes) {
            plane[at..at + len].copy_from_slice(from);
        }
    }
}

/// Bytes of elements that are split or joined at a time. They fit into the L1 cache, and are at least 32 elements of
/// any typesize that a chunk can have.
const PIECES: usize = 8192;

/// Runs a kernel that reads separate planes. If it returns `false`, joins the planes piece by piece and runs
/// `unshuffle` instead. A kernel must return `false` if the planes differ in length.
pub(super) fn from_planes(
    planes: &[&[u8]],
    dst: &mut [u8],
    kernel: impl FnOnce(&[&[u8]], &mut [u8]) -> bool,
    unshuffle: Kernel,
) {
    if kernel(planes, dst) {
        return;
    }
    let elements = planes.first().map_or(0, |plane| plane.len());
    assert!(planes.iter().all(|plane| plane.len() == elements), "planes have one byte of each element");
    assert_eq!(planes.len() * elements, dst.len(), "a filter keeps the length of its buffer");
    if elements < 16 {
        for (j, plane) in planes.iter().enumerate() {
            dst.iter_mut().skip(j).step_by(planes.len()).zip(*plane).for_each(|(to, byte)| *to = *byte);
        }
        return;
    }
    if dst.len() <= 1024 {
        unshuffle_pieces::<1024>(planes, dst, unshuffle);
    } else {
        unshuffle_pieces::<PIECES>(planes, dst, unshuffle);
    }
}

fn unshuffle_pieces<const ROOM: usize>(planes: &[&[u8]], dst: &mut [u8], unshuffle: Kernel) {
    let mut pieces = [0; ROOM];
    let piece = (ROOM / planes.len()).max(1);
    for (i, dst) in dst.chunks_mut(piece * planes.len()).enumerate() {
        let (at, len) = (i * piece, dst.len() / planes.len());
        let Some(pieces) = pieces.get_mut(..dst.len()) else {
            // A single element, longer than any chunk's.
            dst.iter_mut().zip(planes).for_each(|(to, plane)| *to = plane[at]);
            continue;
        };
        for (to, plane) in pieces.chunks_exact_mut(len).zip(planes) {
            to.copy_from_slice(&plane[at..at + len]);
        }
        unshuffle(planes.len(), pieces, dst);
    }
}

/// Runs a byte kernel on the whole elements of `src` and copies the trailing bytes.
///
/// The kernel is called with `typesize >= 2`, at least one element, and slices of `elements * typesize` bytes.
pub(super) fn on_elements(typesize: usize, src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    let whole = match typesize {
        0 | 1 => 0,
        // A division takes as long as the kernel for 128 bytes.
        _ if typesize.is_power_of_two() => src.len() & !(typesize - 1),
        _ => src.len() / typesize * typesize,
    };
    on_head(whole, src, dst, kernel);
}

/// Runs a bit kernel on the whole groups of eight elements of `src` and copies the trailing bytes.
///
/// The kernel is called with `typesize >= 1`, at least eight elements, and slices of `elements * typesize` bytes.
pub(super) fn on_groups_of_eight(
    typesize: usize,
    src: &[u8],
    dst: &mut [u8],
    kernel: impl FnOnce(usize, &[u8], &mut [u8]),
) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    let typesize = typesize.max(1);
    on_head(src.len() / typesize / 8 * 8 * typesize, src, dst, |src, dst| kernel(typesize, src, dst));
}

fn on_head(whole: usize, src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    let (src, src_tail) = src.split_at(whole);
    let (dst, dst_tail) = dst.split_at_mut(whole);
    if !src_tail.is_empty() {
        // The whole buffer for elements of one byte.
        copy(src_tail, dst_tail);
    }
    if whole > 0 {
        kernel(src, dst);
    }
}
