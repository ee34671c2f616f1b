//! Samples a stream to decide whether to compress it, and whether to search only for long matches.

use super::NEAR;
use super::effort::EFFORTS;
use super::find::{Finder, agreement};

/// The result of sampling a stream.
pub(super) enum Promise {
    /// No sample saves the percentage that the effort requires.
    Nothing,
    /// A sample does, and more than a quarter of its savings is due to matches of less than [`LONG`] bytes. Typical of
    /// low bytes of counters and measurements, and of unshuffled items.
    ShortMatches,
    /// A sample does, and short matches are not worth their time. Typical of text and high bytes of measurements.
    LongMatches,
}

/// Minimum length of a long match. The search for long matches hashes this number of bytes.
const LONG: usize = 8;

/// Samples parts spread over the stream until one saves enough. C-Blosc samples only the end of a stream, and so misses
/// what comes before it.
///
/// Random bytes take 64 steps for a sample of 1024 (the sum of 1, 1, 1, 1, 2, 2, 2, 2, 3 ..). The search reuses the
/// hash table that the samples have filled.
pub(super) fn promise<const E: usize>(finder: &mut Finder<'_, E>, src: &[u8]) -> Promise {
    const SAMPLES: usize = 8;
    const PATIENCE: u32 = 2;
    let sample = (src.len() / 32).min(1024);
    let enough = 1 + sample * const { EFFORTS[E].worth } / 100;
    for k in 0..SAMPLES {
        let mut at = (src.len() - sample) * k / (SAMPLES - 1);
        let end = at + sample;
        let (mut saved, mut by_long) = (0, 0);
        let mut steps = 1 << PATIENCE;
        while at < end
            && let Some(word) = finder.word(at)
        {
            let Some((from, differ)) = finder.look(at, word) else {
                at += steps >> PATIENCE;
                steps += 1;
                continue;
            };
            let length = match differ {
                // Not past the sample's end: a run would otherwise be read again for each sample.
                0 => 8 + agreement(&src[..end.max(at + 8)], at + 8, from + 8),
                _ => (differ.trailing_zeros() / 8) as usize,
            };
            // `look` only returns matches that are longer than their encoding.
            let gain = length - 2 - usize::from(length > 8) - if at - from > NEAR { 2 } else { 0 };
            saved += gain;
            by_long += if length >= LONG { gain } else { 0 };
            if saved >= enough {
                return if 4 * by_long >= 3 * saved { Promise::LongMatches } else { Promise::ShortMatches };
            }
            at += length;
            steps = 1 << PATIENCE;
        }
    }
    Promise::Nothing
}
