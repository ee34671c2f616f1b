//! Detects the size of an element: the distance at which bytes resemble each other most.
//!
//! In an array of numbers, the high bytes of neighbours are equal or close, so that many bytes resemble the byte one
//! element before them. The same holds for records of any length. Multiples of the size score nearly as high as the
//! size itself, therefore the smallest of the high scores is preferred. Within a run of equal bytes, every distance
//! fits. Only the first byte of each run counts.
//!
//! ```text
//! bytes        9 1 0 0  8 1 0 0  8 2 0 0  7 2 0 0      int32
//! counts       • • •    • • •    • • •    • • •        every byte that differs from the one before
//! distance 4            ~ = =    = ~ =    ~ = =        = equal, 2 points; ~ close, 1 point
//! ```

use crate::kernels::{HotLoop, run_hot};
use crate::memory::{self, OutOfMemory};

/// The longest element that a header can store.
const LONGEST: usize = 255;

/// Number of candidates.
pub(super) const CANDIDATES: usize = 4;

/// Pairs that are compared at once.
const LANES: usize = 32;

/// Pairs whose points fit into the sums of the lanes: at most 254 for each.
const PART: usize = 127 * LANES;

/// Sizes of the types that programming languages have. Tried if no distance stands out.
const USUAL: [usize; CANDIDATES] = [1, 8, 4, 2];

/// The result of comparing bytes at all distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    /// The sizes that an element may have, most probable first. Zeros fill the list.
    pub(super) sizes: [usize; CANDIDATES],
    /// Whether the bytes at the best distance have more than half of all points: more than words in a text have.
    pub(super) is_regular: bool,
}

/// Returns the sizes that an element may have.
pub(super) fn candidates(sample: &[u8]) -> Result<Period, OutOfMemory> {
    let longest = LONGEST.min(sample.len() / 8);
    let mut counts = memory::zeroed::<u8>(sample.len())?;
    for (counts, pair) in counts.iter_mut().skip(1).zip(sample.windows(2)) {
        *counts = if pair[0] == pair[1] { 0 } else { 0xFF };
    }
    let scores = run_hot(Scores { sample, counts: &counts, longest });
    let scores = &scores[..=longest];
    let mut sorted = [0u32; LONGEST];
    sorted[..longest].copy_from_slice(&scores[1..]);
    sorted[..longest].sort_unstable();
    let usual = sorted[longest / 2];
    let highest = scores.iter().max().copied().unwrap_or(0);
    let best = highest.saturating_sub(usual);
    // The highest of 255 random scores is about three standard deviations above the usual one.
    if best < 4 * usual.isqrt() + 32 {
        return Ok(Period { sizes: USUAL, is_regular: false });
    }
    // Each pair has up to two points.
    let compared = counts[longest..].iter().filter(|count| **count != 0).count();
    let is_regular = highest as usize > compared;
    let mut found = [0; CANDIDATES];
    let mut count = 0;
    for (numerator, denominator) in [(7, 8), (1, 1), (1, 2)] {
        let least = usual + best * numerator / denominator;
        let lag = scores.iter().position(|score| *score >= least).unwrap_or(1);
        if !found.contains(&lag) {
            found[count] = lag;
            count += 1;
        }
    }
    Ok(Period { sizes: found, is_regular })
}

/// Computes the scores of all distances up to `longest`.
struct Scores<'a> {
    sample: &'a [u8],
    counts: &'a [u8],
    longest: usize,
}

impl HotLoop for Scores<'_> {
    type Output = [u32; LONGEST + 1];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Scores { sample, counts, longest } = self;
        let len = sample.len() - longest;
        let mut scores = [0; LONGEST + 1];
        for lag in 1..=longest {
            // The same number of comparisons for every distance.
            scores[lag] = resemblance(&sample[..len], &sample[lag..lag + len], &counts[lag..lag + len]);
        }
        scores
    }
}

/// Returns twice the number of equal pairs, and once those that differ by one or two. Pairs with a count of 0 are left
/// out.
#[inline(always)]
fn resemblance(one: &[u8], other: &[u8], counts: &[u8]) -> u32 {
    let mut sum = 0;
    for ((one, other), counts) in one.chunks(PART).zip(other.chunks(PART)).zip(counts.chunks(PART)) {
        let mut sums = [0u8; LANES];
        let (ones, others, all) = (one.chunks_exact(LANES), other.chunks_exact(LANES), counts.chunks_exact(LANES));
        add(&mut sums, ones.remainder(), others.remainder(), all.remainder());
        for ((one, other), counts) in ones.zip(others).zip(all) {
            add(&mut sums, one, other, counts);
        }
        sum += sums.iter().map(|sum| u32::from(*sum)).sum::<u32>();
    }
    sum
}

/// Adds the points of each pair to the sum of its lane.
#[inline(always)]
fn add(sums: &mut [u8; LANES], one: &[u8], other: &[u8], counts: &[u8]) {
    for (((sum, one), other), counts) in sums.iter_mut().zip(one).zip(other).zip(counts) {
        let difference = one.wrapping_sub(*other).wrapping_add(2);
        *sum = sum.wrapping_add((u8::from(difference < 5) + u8::from(difference == 2)) & counts);
    }
}

/// Returns whether the sample is text in ASCII: a program's output, a table, source code.
pub(super) fn is_text(sample: &[u8]) -> bool {
    sample.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
}
