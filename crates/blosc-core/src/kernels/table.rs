//! The table of kernels: the functions that every instruction set provides.

/// One of the four shuffle functions of a table: `(typesize, src, dst)`.
///
/// All of `dst` is overwritten. Any typesize is allowed; 0 counts as 1. There are fast paths for the typesizes of
/// chunks: 1..=255, and 256, which C-Blosc2's public functions accept.
///
/// # Panics
///
/// If `dst.len() != src.len()`.
pub type Kernel = fn(typesize: usize, src: &[u8], dst: &mut [u8]);

/// Copies byte `j` of every element to plane `j`: `(src, planes)`. All of the planes is overwritten.
///
/// # Panics
///
/// If the planes are not all of the same length, or their total length is not that of `src`.
pub type ShufflePlanes = fn(src: &[u8], planes: &mut [&mut [u8]]);

/// Copies byte `j` of every element from plane `j`: `(planes, dst)`. All of `dst` is overwritten.
///
/// # Panics
///
/// If the planes are not all of the same length, or their total length is not that of `dst`.
pub type UnshufflePlanes = fn(planes: &[&[u8]], dst: &mut [u8]);

/// Computes the running sums of bytes, modulo 256: `(src, dst)`. All of `dst` is overwritten.
///
/// # Panics
///
/// If `dst.len() != src.len()`.
pub type RunningSum = fn(src: &[u8], dst: &mut [u8]);

/// The implementations for one instruction set, all interchangeable.
#[derive(Debug)]
pub struct Kernels {
    /// The instruction set: "scalar", "sse2", "avx2", "avx512", "neon" or "simd128".
    pub name: &'static str,
    /// Groups bytes of equal significance.
    pub shuffle: Kernel,
    /// Undoes [`shuffle`](Self::shuffle).
    pub unshuffle: Kernel,
    /// Shuffles to separate planes.
    pub shuffle_planes: ShufflePlanes,
    /// Unshuffles from separate planes.
    pub unshuffle_planes: UnshufflePlanes,
    /// Groups bits of equal significance.
    pub bitshuffle: Kernel,
    /// Undoes [`bitshuffle`](Self::bitshuffle).
    pub bitunshuffle: Kernel,
    /// `dst[i] = src[0] + src[1] + … + src[i]`: undoes bytedelta in one channel.
    pub running_sum: RunningSum,
}
