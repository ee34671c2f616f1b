//! Bytedelta: each byte less the preceding one, within each of several channels.
//!
//! It usually follows a shuffle. Then `channels` is the typesize, and a channel is one byte plane.
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

/// Undoes the first version of the filter (id 34).
///
/// C-Blosc2's code for SSSE3 and NEON processed the whole 16-byte vectors of a channel, then continued byte by byte and
/// forgot the preceding byte. Builds without those instructions wrote the same bytes as [`forward`]. A chunk does not
/// say which build wrote it.
pub(crate) fn backward_old(channels: usize, src: &[u8], dst: &mut [u8]) {
    let running_sum = kernels::active().running_sum;
    per_channel(channels, src, dst, |src, dst| {
        let (vectors, rest) = src.split_at(src.len() / 16 * 16);
        let (dst_vectors, dst_rest) = dst.split_at_mut(vectors.len());
        running_sum(vectors, dst_vectors);
        running_sum(rest, dst_rest);
    });
}

/// Runs `filter` on every channel and copies the bytes after the last one.
fn per_channel(channels: usize, src: &[u8], dst: &mut [u8], filter: impl Fn(&[u8], &mut [u8])) {
    let channels = channels.max(1);
    let len = src.len() / channels;
    let (src, tail) = src.split_at(len * channels);
    let (dst, dst_tail) = dst.split_at_mut(src.len());
    dst_tail.copy_from_slice(tail);
    // `chunks_exact` needs a size of at least 1. If the channels are empty, `src` is empty, too.
    for (src, dst) in src.chunks_exact(len.max(1)).zip(dst.chunks_exact_mut(len.max(1))) {
        filter(src, dst);
    }
}

#[cfg(test)]
mod tests {
    use super::super::golden::{filtered, unshuffle};
    use super::*;
    use proptest::prelude::*;

    fn run(filter: fn(usize, &[u8], &mut [u8]), channels: usize, src: &[u8]) -> Vec<u8> {
        let mut dst = vec![0xA5; src.len()];
        filter(channels, src, &mut dst);
        dst
    }

    #[test]
    fn blocks_of_c_blosc2() {
        let chunks = filtered(&["bytedelta", "bytedelta_tail", "bytedelta_buggy"]);
        assert!(chunks.len() > 10);
        for chunk in chunks {
            let mut plain: Vec<u8> = Vec::new();
            for block in &chunk.blocks {
                let shuffled = match chunk.filters[..] {
                    [_, (34, meta)] => run(backward_old, usize::from(meta), block),
                    [_, (35, meta)] => run(backward, usize::from(meta), block),
                    ref other => panic!("{}: filters {other:?}", chunk.file),
                };
                if chunk.filters[1].0 == 35 {
                    assert!(run(forward, chunk.typesize, &shuffled) == *block, "{}", chunk.file);
                }
                plain.extend(unshuffle(chunk.filters[0], chunk.typesize, &shuffled));
            }
            assert_eq!(testdata::sha256_hex(&plain), chunk.plain_sha256, "{}", chunk.file);
        }
    }

    #[test]
    fn no_channels_are_one() {
        assert_eq!(run(forward, 0, &[3, 5, 9]), [3, 2, 4]);
        assert_eq!(run(backward_old, 0, &[3, 2, 4]), [3, 5, 9]);
    }

    proptest! {
        #[test]
        fn round_trip(
            channels in prop_oneof![0..10usize, 0..=256usize],
            plain in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            let filtered = run(forward, channels, &plain);
            prop_assert_eq!(run(backward, channels, &filtered), &plain[..]);
        }

        // The versions differ only after the last whole 16-byte vector of a channel.
        #[test]
        fn old_and_new_are_one_in_channels_of_whole_vectors(
            channels in 1..20usize,
            vectors in 0..4usize,
            noise in prop::collection::vec(any::<u8>(), 20 * 64),
        ) {
            let src = &noise[..16 * vectors * channels];
            prop_assert_eq!(run(backward_old, channels, src), run(backward, channels, src));
        }
    }
}
