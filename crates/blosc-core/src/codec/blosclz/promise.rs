//! Is a stream worth compressing, and do long matches do for it?

use super::NEAR;
use super::effort::EFFORTS;
use super::find::{Finder, agreement};

/// What samples of a stream say of it.
pub(super) enum Promise {
    /// No sample saves what the effort asks for.
    Nothing,
    /// One does, and more than a quarter of that is due to matches of less than [`LONG`] bytes: low bytes of counters and
    /// of measurements, items that were not shuffled.
    ShortMatches,
    /// One does, and such matches are not worth the time they take: text, high bytes of measurements.
    LongMatches,
}

/// Matches of this length and more are found by hashing as many bytes.
const LONG: usize = 8;

/// Looks at samples spread over the stream until one is worth it. C-Blosc looks at the end alone, and so gives up what is
/// there before.
///
/// Random bytes take 64 steps a sample of 1024 (the sum of 1, 1, 1, 1, 2, 2, 2, 2, 3 ..), and what the table then holds is
/// of use to the search.
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
                // No longer than the sample, or a run would be read again for each of them.
                0 => 8 + agreement(&src[..end.max(at + 8)], at + 8, from + 8),
                _ => (differ.trailing_zeros() / 8) as usize,
            };
            // `look` gives no match that is not longer than what it takes.
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
