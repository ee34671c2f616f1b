//! A table of kernels: the functions that every instruction set provides.

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
