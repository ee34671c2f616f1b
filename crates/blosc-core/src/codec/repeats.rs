//! Looks for strings that occur more than once, at any distance, in a sample of all strings.
//!
//! Every `step`-th string is noted. Then `step` consecutive strings are looked up, in several places. If data repeats at
//! one distance, one of every `step` consecutive strings must have been noted.
//!
//! ```text
//! noted        •       •       •       •       •       •       •       •       •
//! looked up        ├───────┤                       ├───────┤              (all of it)
//! ```

use core::ops::Range;

/// 2^64 divided by the golden ratio: a multiplicative hash.
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// With this step, equal numbers of strings are noted and looked up, 1024 each of 128 Ki strings with 8 `looks`. This makes
/// `strings * looks` pairs. Of more strings, one is noted for each slot: others would replace those at the start.
fn step(strings: usize, looks: usize, slots: usize) -> usize {
    (strings / looks).isqrt().max(strings.div_ceil(slots))
}

/// Returns whether more than `most` strings of the sample that are in `range` occur elsewhere. `hash` and `are_equal` take
/// the numbers of strings. The upper bits of a hash count. Of the noted strings with the same slot, the
/// last one stays, so that strings that are often noted are found.
#[inline(always)]
pub(super) fn are_more<const SLOTS: usize>(
    most: usize,
    range: Range<usize>,
    strings: usize,
    looks: usize,
    hash: impl Fn(usize) -> u64,
    are_equal: impl Fn(usize, usize) -> bool,
) -> bool {
    // The last noted string of each slot, plus 1.
    let mut noted = [0u32; SLOTS];
    let slot = |string: usize| (hash(string) >> (64 - SLOTS.ilog2())) as usize;
    let is_other = |before: u32, string: usize| {
        let before = before as usize;
        before != 0 && before - 1 != string && are_equal(before - 1, string)
    };
    let step = step(strings, looks, SLOTS);
    let mut found = 0;
    for string in (0..strings).step_by(step) {
        let noted = &mut noted[slot(string)];
        found += usize::from(range.contains(&string) && is_other(*noted, string));
        if found > most {
            return true;
        }
        *noted = string as u32 + 1;
    }
    let end = range.end.min(strings);
    let between = end.saturating_sub(range.start + step) / looks;
    for look in 0..looks {
        let from = range.start + between * look;
        for string in from..(from + step).min(end) {
            found += usize::from(is_other(noted[slot(string)], string));
            if found > most {
                return true;
            }
        }
    }
    false
}
