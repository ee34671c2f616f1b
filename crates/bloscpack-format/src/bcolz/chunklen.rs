//! Sizes of chunks: the largest possible, and the default number of rows.

/// The most plain bytes of a chunk: those of a Blosc1 chunk, which has a header of 16 bytes and less than 2 GiB.
pub const MAX_CHUNK_NBYTES: u64 = i32::MAX as u64 - 16;

/// The plain bytes of a chunk of an array that is expected to have `nbytes`: the rule of bcolz.
///
/// ```text
/// MiB expected       0.0001    0.001    0.01     0.1      10      100     1000     10000
/// chunk     16 KiB  |  32 KiB | 64 KiB | 128 KiB | 256 KiB | 512 KiB | 1 MiB | 2 MiB | 4 MiB
/// ```
///
/// It is `4096 << (6 + z)`, where `z` is the decimal logarithm of the MiB, held between -4 and 4 and cut to an integer,
/// towards zero: which is why 1 MiB is no boundary, and why what lies on one of those below is still in front of it.
#[must_use]
pub fn chunk_size(nbytes: u64) -> u64 {
    /// The least whole number of bytes behind 0.0001, 0.001, 0.01 and 0.1 MiB; 10, 100, 1000 and 10000 MiB.
    const BOUNDARIES: [u64; 8] = [105, 1_049, 10_486, 104_858, 10_485_760, 104_857_600, 1_048_576_000, 10_485_760_000];
    let zone = BOUNDARIES.iter().filter(|boundary| nbytes >= **boundary).count();
    (16 << 10) << zone
}

/// The rows of a chunk, of `atomsize` bytes each, of an array that is expected to have `expectedlen` of them: as many as
/// [`chunk_size`] holds, but at least one.
#[must_use]
pub fn best_chunklen(expectedlen: u64, atomsize: u64) -> u64 {
    let atomsize = atomsize.max(1);
    (chunk_size(expectedlen.saturating_mul(atomsize)) / atomsize).max(1)
}
