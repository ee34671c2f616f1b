//! The kernels in plain Rust: correct on every CPU of either endianness, in loops that the compiler vectorizes.
//!
//! *Shuffle* removes factors of two from the typesize. Splitting a buffer into its even and odd bytes is a loop of
//! 16-bit loads that every compiler turns into pack or unzip instructions. Each half is the same problem at half the
//! typesize:
//! ```text
//! split(bytes of elements of 2t)  =  elements of t made of bytes 0, 2, 4, ...
//!                                 +  elements of t made of bytes 1, 3, 5, ...
//! ```
//!
//! Once the typesize is odd, one strided loop per plane does the rest. Strips of a few KiB keep all passes in the L1
//! cache. *Unshuffle* is the mirror image.
//!
//! *Bitshuffle* is shuffle, then a transposition of the 8x8 bits of every eight bytes of a plane as one 64-bit word,
//! then a shuffle of typesize 8. The latter gathers the first bytes of the words into the first row, and so on.
//! [`words`] has another way for short buffers and wide elements.
//!
//! The functions accept any typesize, not only those of chunks.

use super::buffers::{self, on_bytes, on_elements, on_groups_of_eight};
use super::table::Kernels;
use super::words;

/// Returns the table, which is always available.
#[inline]
pub(super) fn kernels() -> &'static Kernels {
    static TABLE: Kernels = Kernels {
        name: "scalar",
        shuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| shuffle(t, src, dst)),
        unshuffle: |t, src, dst| on_elements(t, src, dst, |src, dst| unshuffle(t, src, dst)),
        shuffle_planes: |src, planes| buffers::to_planes(src, planes, |_, _| false, TABLE.shuffle),
        unshuffle_planes: |planes, dst| buffers::from_planes(planes, dst, |_, _| false, TABLE.unshuffle),
        bitshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, bitshuffle),
        bitunshuffle: |t, src, dst| on_groups_of_eight(t, src, dst, bitunshuffle),
        running_sum: |src, dst| on_bytes(src, dst, |src, dst| running_sum(0, src, dst)),
    };
    &TABLE
}

/// Below this size, a buffer is processed in less time than it takes to zero the scratch memory.
const SHORT: usize = 512;

/// Bytes of one strip. A strip, its halves and their results stay under 32 KiB, the smallest L1 cache in use.
const STRIP: usize = 4096;

/// Planes of the whole buffer, `elements` apart. The strip being read or written starts at element `at`.
#[derive(Clone, Copy)]
struct Planes {
    elements: usize,
    at: usize,
    /// The first plane of this half, and the distance to its next plane.
    first: usize,
    step: usize,
}

impl Planes {
    /// Returns the planes of a strip on its own.
    fn of(elements: usize) -> Self {
        Self { elements, at: 0, first: 0, step: 1 }
    }

    fn halves(self) -> [Self; 2] {
        [self.first, self.first + self.step].map(|first| Self { first, step: 2 * self.step, ..self })
    }

    /// Returns the start of the strip's part of plane `j` of this half.
    fn offset(&self, j: usize) -> usize {
        (self.first + j * self.step) * self.elements + self.at
    }
}

/// Shuffles whole elements. `src` and `dst` have the same length.
#[inline(never)]
pub(super) fn shuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let elements = src.len() / typesize;
    if src.len() < SHORT {
        return split_by_plane(typesize, src, dst, Planes::of(elements));
    }
    let strip = (STRIP / typesize).max(1);
    let mut scratch = [0; 2 * STRIP];
    for (i, part) in src.chunks(strip * typesize).enumerate() {
        let planes = Planes { at: i * strip, ..Planes::of(elements) };
        split_into_planes(typesize, part, dst, planes, &mut scratch);
    }
}

fn split_into_planes(typesize: usize, src: &[u8], dst: &mut [u8], planes: Planes, scratch: &mut [u8]) {
    let len = src.len() / typesize;
    if typesize == 1 {
        dst[planes.offset(0)..][..len].copy_from_slice(src);
    } else if typesize == 2 {
        let [even, odd] = two_planes(dst, planes, len);
        split(src, even, odd);
    } else if typesize.is_multiple_of(2) && src.len() <= scratch.len() {
        let (halves, scratch) = scratch.split_at_mut(src.len());
        let (even, odd) = halves.split_at_mut(src.len() / 2);
        split(src, even, odd);
        let [even_planes, odd_planes] = planes.halves();
        split_into_planes(typesize / 2, even, dst, even_planes, scratch);
        split_into_planes(typesize / 2, odd, dst, odd_planes, scratch);
    } else {
        split_by_plane(typesize, src, dst, planes);
    }
}

fn split_by_plane(typesize: usize, src: &[u8], dst: &mut [u8], planes: Planes) {
    for j in 0..typesize {
        let plane = &mut dst[planes.offset(j)..][..src.len() / typesize];
        for (byte, element) in plane.iter_mut().zip(src.chunks_exact(typesize)) {
            *byte = element[j];
        }
    }
}

/// Undoes [`shuffle`].
#[inline(never)]
pub(super) fn unshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let elements = src.len() / typesize;
    if src.len() < SHORT {
        return merge_by_plane(typesize, src, dst, Planes::of(elements));
    }
    let strip = (STRIP / typesize).max(1);
    let mut scratch = [0; 2 * STRIP];
    for (i, part) in dst.chunks_mut(strip * typesize).enumerate() {
        let planes = Planes { at: i * strip, ..Planes::of(elements) };
        merge_planes(typesize, src, part, planes, &mut scratch);
    }
}

fn merge_planes(typesize: usize, src: &[u8], dst: &mut [u8], planes: Planes, scratch: &mut [u8]) {
    let len = dst.len() / typesize;
    if typesize == 1 {
        dst.copy_from_slice(&src[planes.offset(0)..][..len]);
    } else if typesize == 2 {
        merge(&src[planes.offset(0)..][..len], &src[planes.offset(1)..][..len], dst);
    } else if typesize.is_multiple_of(2) && dst.len() <= scratch.len() {
        let (halves, scratch) = scratch.split_at_mut(dst.len());
        let (even, odd) = halves.split_at_mut(dst.len() / 2);
        let [even_planes, odd_planes] = planes.halves();
        merge_planes(typesize / 2, src, even, even_planes, scratch);
        merge_planes(typesize / 2, src, odd, odd_planes, scratch);
        merge(even, odd, dst);
    } else {
        merge_by_plane(typesize, src, dst, planes);
    }
}

fn merge_by_plane(typesize: usize, src: &[u8], dst: &mut [u8], planes: Planes) {
    for j in 0..typesize {
        let plane = &src[planes.offset(j)..][..dst.len() / typesize];
        for (byte, to) in plane.iter().zip(dst[j..].iter_mut().step_by(typesize)) {
            *to = *byte;
        }
    }
}

/// Splits into even bytes and odd bytes.
fn split(src: &[u8], even: &mut [u8], odd: &mut [u8]) {
    let (pairs, _) = src.as_chunks::<2>();
    for (byte, pair) in even.iter_mut().zip(pairs) {
        *byte = u16::from_le_bytes(*pair) as u8;
    }
    for (byte, pair) in odd.iter_mut().zip(pairs) {
        *byte = (u16::from_le_bytes(*pair) >> 8) as u8;
    }
}

/// Undoes [`split`].
fn merge(even: &[u8], odd: &[u8], dst: &mut [u8]) {
    let (pairs, _) = dst.as_chunks_mut::<2>();
    for ((pair, even), odd) in pairs.iter_mut().zip(even).zip(odd) {
        *pair = [*even, *odd];
    }
}

/// Returns the strip's part of a half's two planes.
fn two_planes(dst: &mut [u8], planes: Planes, len: usize) -> [&mut [u8]; 2] {
    let distance = planes.offset(1) - planes.offset(0);
    let (first, second) = dst[planes.offset(0)..].split_at_mut(distance);
    [&mut first[..len], &mut second[..len]]
}

/// Returns whether [`words`] takes less time than shuffles of planes. The vector kernels leave such buffers to this file.
fn is_short(typesize: usize, src: &[u8]) -> bool {
    typesize > 1 && src.len() < 128 * typesize
}

/// Bitshuffles whole groups of eight elements. `src` and `dst` have the same length.
#[inline(never)]
pub(super) fn bitshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let strip = STRIP / typesize / 128 * 128;
    if strip == 0 || is_short(typesize, src) {
        return words::bitshuffle(typesize, src, dst);
    }
    let (mut planes, mut scratch) = ([0; STRIP], [0; 2 * STRIP]);
    for (i, part) in src.chunks(strip * typesize).enumerate() {
        let planes = &mut planes[..part.len()];
        split_into_planes(typesize, part, planes, Planes::of(part.len() / typesize), &mut scratch);
        transpose_bits(planes);
        for (j, plane) in planes.chunks_exact(part.len() / typesize).enumerate() {
            let rows = Planes { elements: src.len() / typesize / 8, at: i * strip / 8, first: 8 * j, step: 1 };
            split_into_planes(8, plane, dst, rows, &mut scratch);
        }
    }
}

/// Undoes [`bitshuffle`].
#[inline(never)]
pub(super) fn bitunshuffle(typesize: usize, src: &[u8], dst: &mut [u8]) {
    let strip = STRIP / typesize / 128 * 128;
    if strip == 0 || is_short(typesize, src) {
        return words::bitunshuffle(typesize, src, dst);
    }
    let (mut planes, mut scratch) = ([0; STRIP], [0; 2 * STRIP]);
    for (i, part) in dst.chunks_mut(strip * typesize).enumerate() {
        let planes = &mut planes[..part.len()];
        for (j, plane) in planes.chunks_exact_mut(part.len() / typesize).enumerate() {
            let rows = Planes { elements: src.len() / typesize / 8, at: i * strip / 8, first: 8 * j, step: 1 };
            merge_planes(8, src, plane, rows, &mut scratch);
        }
        transpose_bits(planes);
        merge_planes(typesize, planes, part, Planes::of(part.len() / typesize), &mut scratch);
    }
}

/// Transposes the 8x8 bits of every eight bytes.
fn transpose_bits(plane: &mut [u8]) {
    let (words, _) = plane.as_chunks_mut::<8>();
    for word in words {
        *word = transpose_word(*word);
    }
}

/// Transposes 8x8 bits: bit `k` of byte `b` becomes bit `b` of byte `k`.
///
/// Bit `k` of byte `b` is number `8b + k` of the little-endian word. Three exchanges swap bits 0..3 of that number with
/// bits 3..6. The masks select the bits that move 7, 14 or 28 places up. That is from `(b, k + s)` to `(b + s, k)` for
/// `s` = 1, 2, 4.
fn transpose_word(word: [u8; 8]) -> [u8; 8] {
    let mut x = u64::from_le_bytes(word);
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let moved = (x ^ (x >> shift)) & mask;
        x ^= moved ^ (moved << shift);
    }
    x.to_le_bytes()
}

/// Computes running sums that start from `total`. One byte per cycle: as fast as variants with 64-bit words, measured.
pub(super) fn running_sum(mut total: u8, src: &[u8], dst: &mut [u8]) {
    for (sum, byte) in dst.iter_mut().zip(src) {
        total = total.wrapping_add(*byte);
        *sum = total;
    }
}
