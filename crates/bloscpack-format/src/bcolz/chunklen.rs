//! Sizes of chunks: the largest possible, and the default number of rows.

/// Maximum uncompressed size of a chunk: a Blosc1 chunk has a header of 16 bytes and is smaller than 2 GiB.
pub const MAX_CHUNK_NBYTES: u64 = i32::MAX as u64 - 16;

/// Returns bcolz's chunk size in bytes, uncompressed, for an array with an expected size of `nbytes`.
///
/// ```text
/// MiB expected       0.0001    0.001    0.01     0.1      10      100     1000     10000
/// chunk     16 KiB  |  32 KiB | 64 KiB | 128 KiB | 256 KiB | 512 KiB | 1 MiB | 2 MiB | 4 MiB
/// ```
///
/// The size is `4096 << (6 + z)`, where `z` is the decimal logarithm of the MiB, clamped to -4..=4 and truncated
/// towards zero. That is why 1 MiB is no boundary, and why a size exactly on one of the boundaries below it still
/// counts as smaller.
#[must_use]
pub fn chunk_size(nbytes: u64) -> u64 {
    /// The lowest whole numbers of bytes above 0.0001, 0.001, 0.01 and 0.1 MiB; 10, 100, 1000 and 10000 MiB.
    const BOUNDARIES: [u64; 8] = [105, 1_049, 10_486, 104_858, 10_485_760, 104_857_600, 1_048_576_000, 10_485_760_000];
    let zone = BOUNDARIES.iter().filter(|boundary| nbytes >= **boundary).count();
    (16 << 10) << zone
}

/// Returns the rows of a chunk, of `atomsize` bytes each, for an array of `expectedlen` expected rows. It is the number
/// of rows that fit [`chunk_size`], but at least one.
#[must_use]
pub fn best_chunklen(expectedlen: u64, atomsize: u64) -> u64 {
    let atomsize = atomsize.max(1);
    (chunk_size(expectedlen.saturating_mul(atomsize)) / atomsize).max(1)
}
