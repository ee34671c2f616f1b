//! Streams as codecs receive them: shuffled blocks, whole or one byte plane at a time.

use crate::data::Set;
use blosc_core::kernels;

/// Bytes sampled from a set.
const SAMPLE: usize = 1 << 20;

/// Block size in bytes: what C-Blosc2's rule gives for a middle level, within a factor of two.
const BLOCK: usize = 128 << 10;

/// How a shuffled block is divided into streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// One stream per byte plane, as LZ4 and BloscLZ get them.
    Split,
    /// One stream, as LZ4HC, zlib and most levels of zstd get it.
    Whole,
}

/// Returns streams of about 1 MiB of the set.
pub fn of(set: &Set, cut: Cut) -> Vec<Vec<u8>> {
    let typesize = set.typesize;
    let block = match cut {
        Cut::Split => BLOCK / 2 * typesize,
        Cut::Whole => BLOCK,
    };
    let mut streams = Vec::new();
    for plain in set.buffers(block, SAMPLE.max(block)) {
        let mut shuffled = vec![0; plain.len()];
        (kernels::active().shuffle)(typesize, plain, &mut shuffled);
        match cut {
            Cut::Split => streams.extend(shuffled.chunks_exact(plain.len() / typesize).map(<[u8]>::to_vec)),
            Cut::Whole => streams.push(shuffled),
        }
    }
    streams
}
