//! Which implementation of shuffle, bitshuffle and running sums this CPU runs.
//!
//! Shuffle and bitshuffle are transpositions. A buffer of `e` elements of `typesize` bytes is a matrix of bytes, one element a row;
//! *shuffle* transposes it, so that byte 0 of every element comes first, then byte 1 of every element, and so on. *Bitshuffle*
//! does the same to single bits. The exact layouts:
//!
//! ```text
//! shuffle     out[j*e + i] = in[i*typesize + j]                   e = nbytes / typesize
//! bitshuffle  bit b of out[(8*j + k)*e/8 + m] = bit k of in[(8*m + b)*typesize + j]
//!                                                                  e = nbytes / typesize, rounded down to a multiple of 8
//! ```
//!
//! Bytes behind the last whole element (shuffle) or the last whole group of eight elements (bitshuffle) are copied as they are.
//! That is the rule of chunk versions other than 2; the older rule of version 2 is the caller's business.
//!
//! | table | where | what it is |
//! |---|---|---|
//! | `scalar` | everywhere | plain Rust in loops that the compiler vectorises |
//! | `sse2`, `avx2` | x86 | 16-byte lanes, see `lanes` |
//! | `avx512` | x86-64 with VBMI and GFNI | byte permutations, blends and bit matrices; the rest from `avx2` |
//! | `neon` | AArch64 | 16-byte lanes |
//! | `simd128` | WebAssembly built with `+simd128` | 16-byte lanes |
//!
//! This folder is the only place in the workspace where `unsafe` is allowed: for loads and stores of vectors, and for calling
//! functions compiled for an instruction set after the CPU was asked for it.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod lanes;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod planes;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse2;

use std::sync::OnceLock;

/// One of the four functions of a table: `(typesize, src, dst)`.
///
/// All of `dst` is overwritten. Any typesize is allowed; 0 counts as 1, and what a chunk can hold (1..=255, and 256 as
/// C-Blosc2's public functions accept) is what has fast paths.
///
/// # Panics
///
/// If `dst.len() != src.len()`.
pub type Kernel = fn(typesize: usize, src: &[u8], dst: &mut [u8]);

/// Byte `j` of every element to plane `j`: `(src, planes)`. All of the planes is overwritten.
///
/// # Panics
///
/// If the planes are not all of the same length, or `src` is not as long as all together.
pub type ShufflePlanes = fn(src: &[u8], planes: &mut [&mut [u8]]);

/// Byte `j` of every element from plane `j`: `(planes, dst)`. All of `dst` is overwritten.
///
/// # Panics
///
/// If the planes are not all of the same length, or `dst` is not as long as all together.
pub type UnshufflePlanes = fn(planes: &[&[u8]], dst: &mut [u8]);

/// Sums of bytes modulo 256 from the first on: `(src, dst)`. All of `dst` is overwritten.
///
/// # Panics
///
/// If `dst.len() != src.len()`.
pub type RunningSum = fn(src: &[u8], dst: &mut [u8]);

/// One instruction set's implementations, all interchangeable.
#[derive(Debug)]
pub struct Kernels {
    /// The instruction set: "scalar", "sse2", "avx2", "avx512", "neon" or "simd128".
    pub name: &'static str,
    /// Groups the bytes of equal significance.
    pub shuffle: Kernel,
    /// Undoes [`shuffle`](Self::shuffle).
    pub unshuffle: Kernel,
    /// Shuffle to planes that lie anywhere.
    pub shuffle_planes: ShufflePlanes,
    /// Unshuffle from planes that lie anywhere.
    pub unshuffle_planes: UnshufflePlanes,
    /// Groups the bits of equal significance.
    pub bitshuffle: Kernel,
    /// Undoes [`bitshuffle`](Self::bitshuffle).
    pub bitunshuffle: Kernel,
    /// `dst[i] = src[0] + src[1] + … + src[i]`: undoes bytedelta in one channel.
    pub running_sum: RunningSum,
}

/// The best table for this CPU, chosen once per process.
///
/// For tests, the environment variable `BLOSC_KERNELS` names another of the [`available`] tables; a name that is not among
/// them is ignored. All tables give the same bytes, so it changes nothing but speed.
pub fn active() -> &'static Kernels {
    static ACTIVE: OnceLock<&'static Kernels> = OnceLock::new();
    ACTIVE.get_or_init(|| {
        let wanted = std::env::var("BLOSC_KERNELS").ok();
        let tables = available();
        let named = tables.iter().find(|table| wanted.as_deref() == Some(table.name));
        named.or(tables.last()).copied().unwrap_or(scalar::kernels())
    })
}

/// Every table that this CPU can run, from `scalar` to the best.
pub fn available() -> Vec<&'static Kernels> {
    let tables = [
        Some(scalar::kernels()),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        sse2::kernels(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        avx2::kernels(),
        #[cfg(target_arch = "x86_64")]
        avx512::kernels(),
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        neon::kernels(),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        simd128::kernels(),
    ];
    tables.into_iter().flatten().collect()
}

/// Asks for the first 8 KiB of `bytes`, which are to be read soon, in another order than one after the other: what a CPU does
/// not foresee. Of more it learns the order as it goes.
///
/// Planes of a chunk of 4 KiB that was not in a first-level cache are put together in half the time. Does nothing where the
/// compiler has no instruction for it.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes[..bytes.len().min(8192)].chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 CPU has the instruction, which has no effect but on caches, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Runs a kernel of plain bytes.
fn on_bytes(src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    kernel(src, dst);
}

/// Runs a kernel to single planes, or `shuffle` piece by piece where it returns `false`, as it must for planes that are not of
/// one length.
fn to_planes(
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
            // One element, longer than any chunk's.
            src.iter().zip(&mut *planes).for_each(|(from, plane)| plane[at] = *from);
            continue;
        };
        shuffle(nplanes, src, pieces);
        for (from, plane) in pieces.chunks_exact(len).zip(&mut *planes) {
            plane[at..at + len].copy_from_slice(from);
        }
    }
}

/// Bytes of elements that are taken apart or put together at a time: in a first-level cache, and 32 elements at least of what
/// a chunk's typesize can be.
const PIECES: usize = 8192;

/// Runs a kernel of single planes, or `unshuffle` on planes put together piece by piece where it returns `false`, as it must
/// for planes that are not of one length.
fn from_planes(planes: &[&[u8]], dst: &mut [u8], kernel: impl FnOnce(&[&[u8]], &mut [u8]) -> bool, unshuffle: Kernel) {
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
            // One element, longer than any chunk's.
            dst.iter_mut().zip(planes).for_each(|(to, plane)| *to = plane[at]);
            continue;
        };
        for (to, plane) in pieces.chunks_exact_mut(len).zip(planes) {
            to.copy_from_slice(&plane[at..at + len]);
        }
        unshuffle(planes.len(), pieces, dst);
    }
}

/// Runs a byte kernel on the whole elements of `src` and copies the bytes behind them.
///
/// The kernel is called with `typesize >= 2`, at least one element, and slices of `elements * typesize` bytes.
fn on_elements(typesize: usize, src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    let whole = match typesize {
        0 | 1 => 0,
        // A division takes as long as the kernel does for 128 bytes.
        _ if typesize.is_power_of_two() => src.len() & !(typesize - 1),
        _ => src.len() / typesize * typesize,
    };
    on_head(whole, src, dst, kernel);
}

/// Runs a bit kernel on the whole groups of eight elements of `src` and copies the bytes behind them.
///
/// The kernel is called with `typesize >= 1`, at least eight elements, and slices of `elements * typesize` bytes.
fn on_groups_of_eight(typesize: usize, src: &[u8], dst: &mut [u8], kernel: impl FnOnce(usize, &[u8], &mut [u8])) {
    assert_eq!(src.len(), dst.len(), "a filter keeps the length of its buffer");
    let typesize = typesize.max(1);
    on_head(src.len() / typesize / 8 * 8 * typesize, src, dst, |src, dst| kernel(typesize, src, dst));
}

fn on_head(whole: usize, src: &[u8], dst: &mut [u8], kernel: impl FnOnce(&[u8], &mut [u8])) {
    let (src, src_tail) = src.split_at(whole);
    let (dst, dst_tail) = dst.split_at_mut(whole);
    if !src_tail.is_empty() {
        dst_tail.copy_from_slice(src_tail);
    }
    if whole > 0 {
        kernel(src, dst);
    }
}
