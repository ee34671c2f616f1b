//! Looks for records: elements that are not shuffled, or longer ones than the parameters say. Many of their bytes equal
//! those of the element before, so that matches, which repeat the distance of an earlier one, take few bits.

use crate::kernels::{HotLoop, run_hot};

/// The longest window in which records are looked for.
pub(super) const WINDOW: usize = 2048;

/// The longest records that are looked for. Longer ones must have long strings.
const LONGEST_RECORD: usize = 64;

/// Pairs that are compared at once.
const LANES: usize = 32;

/// Returns whether more pairs of bytes are equal at one distance than of independent bytes, of which two are equal with the
/// probability `equal`. The window has at least 128 bytes, and at most [`WINDOW`].
pub(super) fn has_records(window: &[u8], equal: f64) -> bool {
    run_hot(HasRecords { window, equal })
}

/// Pairs that are equal by chance more often than expected. Of 448 random pairs, 1.75 are equal, and hardly ever 12.
const BY_CHANCE: f64 = 10.0;

/// Returns whether the number of equal pairs, of all `pairs`, is far above that of independent bytes: five standard deviations.
pub(super) fn are_too_many(equal_pairs: u32, pairs: usize, equal: f64) -> bool {
    let expected = pairs as f64 * equal;
    let excess = f64::from(equal_pairs) - expected;
    excess > BY_CHANCE && excess * excess > 25.0 * expected * (1.0 - equal)
}

/// Counts the equal pairs of a window at each distance.
struct HasRecords<'a> {
    window: &'a [u8],
    equal: f64,
}

impl HotLoop for HasRecords<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let HasRecords { window, equal } = self;
        let len = (window.len() - LONGEST_RECORD) / LANES * LANES;
        (2..=LONGEST_RECORD).any(|distance| {
            let mut sums = [0u8; LANES];
            let pairs = window[..len].as_chunks::<LANES>().0.iter().zip(window[distance..].as_chunks::<LANES>().0);
            for (one, other) in pairs {
                for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
                    *sum += u8::from(one == other);
                }
            }
            are_too_many(sums.iter().map(|sum| u32::from(*sum)).sum(), len, equal)
        })
    }
}
