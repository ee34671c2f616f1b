//! Bytedelta: each byte less the one before, within each of several channels.
//!
//! It follows a shuffle: `channels` is then the typesize, and a channel holds the bytes of one significance of all elements.
//!
//! ```text
//! channel of len / channels bytes    out[0] = in[0], out[i] = in[i] - in[i - 1]  (modulo 256)
//! len % channels bytes at the end    copied
//! ```

use crate::kernels;

/// Runs the filter (id 35). 0 channels count as 1.
pub(crate) fn forward(channels: usize, src: &[u8], dst: &mut [u8]) {
    per_channel(channels, src, dst, |src, dst| {
        let Some((&first, rest)) = src.split_first() else { return };
        dst[0] = first;
        for ((out, byte), before) in dst[1..].iter_mut().zip(rest).zip(src) {
            *out = byte.wrapping_sub(*before);
        }
    });
}

/// Undoes [`forward`].
pub(crate) fn backward(channels: usize, src: &[u8], dst: &mut [u8]) {
    per_channel(channels, src, dst, kernels::active().running_sum);
}

/// Undoes the filter's first edition (id 34).
///
/// As C-Blosc2 ran it with SSSE3 or NEON, it forgot the byte before when, behind the last 16 whole bytes of a channel, it
/// went on byte by byte. Builds without those instructions wrote what [`forward`] does; nothing in a chunk tells.
pub(crate) fn backward_old(channels: usize, src: &[u8], dst: &mut [u8]) {
    let running_sum = kernels::active().running_sum;
    per_channel(channels, src, dst, |src, dst| {
        let (vectors, rest) = src.split_at(src.len() / 16 * 16);
        let (dst_vectors, dst_rest) = dst.split_at_mut(vectors.len());
        running_sum(vectors, dst_vectors);
        running_sum(rest, dst_rest);
    });
}

/// Runs `filter` on every channel and copies the bytes behind the last one.
fn per_channel(channels: usize, src: &[u8], dst: &mut [u8], filter: impl Fn(&[u8], &mut [u8])) {
    let channels = channels.max(1);
    let len = src.len() / channels;
    let (src, tail) = src.split_at(len * channels);
    let (dst, dst_tail) = dst.split_at_mut(src.len());
    dst_tail.copy_from_slice(tail);
    // Chunks of 0 bytes are not allowed; without bytes in a channel, there are none of 1 either.
    for (src, dst) in src.chunks_exact(len.max(1)).zip(dst.chunks_exact_mut(len.max(1))) {
        filter(src, dst);
    }
}
