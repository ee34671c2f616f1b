//! Detects streams, or parts of them, with independent bytes, in which no match pays.
//!
//! Exponents of random numbers, characters of random keys, samples with noise: an entropy coder saves a lot, because
//! some values are more frequent than others. A match is a string that happens to occur twice. Most matches are so short
//! that their literals take fewer bits than they do, and the search for them takes most of the time.
//!
//! A match pays if its literals take more bits than its length and distance. Three tests on a sample look for such
//! matches:
//!
//! 1. *Distribution.* The share of equal pairs is the probability that two bytes are equal. It must be alike in all
//!    places. It gives the number of bytes from which on two strings are hardly ever equal by chance.
//! 2. *Repetition.* Strings of that length, from all over the stream, are [noted and looked up](super::repeats). Their
//!    literals take the bits of a match, about 27 in 128 KiB. At most one string occurs again, or four of many. A part
//!    of a stream is compared with itself first, and then with all of the stream.
//! 3. *Records.* Matches that repeat the distance of an earlier one take few bits. So bytes must not equal those a short
//!    distance before more often than any others: elements that are not shuffled do.
//!
//! ```text
//! values                     bits of a byte    bytes of a string
//! exponents                  2.4               11
//! ten digits                 3.3               8
//! noise of a camera          6.9               4
//! ```

use core::ops::{Range, RangeInclusive};

use super::records::{self, has_records};
use super::repeats;

/// How long the test may take, and what is worth it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// For codecs that compress a stream in ten to thirty times the time of the test, and pass quickly over bytes that
    /// are hardly ever equal.
    Little,
    /// For slower codecs that pass quickly over random bytes.
    More,
    /// For slower codecs.
    Much,
    /// For codecs that compress a stream in a thousand times the time of the test, and use matches of three bytes.
    Most,
}

impl Care {
    /// Returns the number of places of a part of `part` bytes whose strings are looked up.
    fn looks(self, part: usize) -> usize {
        match self {
            Care::Little => 32,
            Care::Most if part >= MANY => 256,
            _ => 64,
        }
    }

    /// Returns the number of places of a part whose strings are looked up elsewhere: most parts are alike or have no string
    /// in common.
    fn looks_elsewhere(self, looks: usize) -> usize {
        if self == Care::Most { looks } else { looks / 4 }
    }

    /// Returns the length of the shortest streams that are tested: with shorter ones, the test would take longer than it
    /// saves.
    fn min_stream(self) -> usize {
        if self == Care::Little { 16 << 10 } else { 4 << 10 }
    }

    /// Returns the probabilities, that two bytes are equal, which are worth the test. A literal takes at least one bit, so
    /// long matches pay if one value is much more frequent than all others.
    fn worthwhile(self) -> RangeInclusive<f64> {
        match self {
            Care::Little => 1.0 / 12.0..=0.35,
            Care::More => 0.007..=0.45,
            Care::Much | Care::Most => 0.0..=0.65,
        }
    }

    /// Returns how many values at most occur in the [`QUICK_PLACES`] of streams that are tested. Of random bytes, 57 do.
    fn most_values(self) -> u32 {
        if self == Care::More { 52 } else { u32::MAX }
    }

    /// Returns the bytes in which records are looked for.
    fn window(self) -> usize {
        if self == Care::Little { records::WINDOW / 2 } else { records::WINDOW }
    }
}

/// Bytes that are counted in one place.
const RUN: usize = 128;

/// Places of the hash table of noted strings.
const SLOTS: usize = 4096;

/// Bytes of which more strings are looked up, and places of the table for these.
const MANY: usize = 64 << 10;
const MANY_SLOTS: usize = 4 * SLOTS;

/// Places in which neighbours are compared.
const QUICK_PLACES: usize = 64;

/// Returns whether the search for matches can be left out in a part of `stream`, since the bytes there look independent of
/// each other and of the rest.
pub(crate) fn are_independent(stream: &[u8], part: Range<usize>, care: Care) -> bool {
    let bytes = &stream[part.clone()];
    bytes.len() >= care.min_stream() && may_be_independent(bytes, care) && has_no_long_strings(stream, part, care)
}

/// The quick test: the share of equal neighbours is near those that are worth the other tests.
fn may_be_independent(stream: &[u8], care: Care) -> bool {
    let between = (stream.len() - 2) / QUICK_PLACES;
    let (mut equal, mut seen) = (0, [0u64; 4]);
    for bytes in stream.chunks_exact(between).take(QUICK_PLACES) {
        equal += u32::from(bytes[0] == bytes[1]);
        seen[usize::from(bytes[0] >> 6)] |= 1 << (bytes[0] & 63);
    }
    let equal = f64::from(equal) / QUICK_PLACES as f64;
    // Up to three standard deviations more or less.
    let (least, most) = (care.worthwhile().start() - 0.05, care.worthwhile().end() + 0.17);
    (least..=most).contains(&equal) && seen.map(u64::count_ones).iter().sum::<u32>() <= care.most_values()
}

#[inline(never)]
fn has_no_long_strings(stream: &[u8], range: Range<usize>, care: Care) -> bool {
    let part = &stream[range.clone()];
    let looks = care.looks(part.len());
    let Some(equal) = share_of_equal_pairs(part, looks / 4).filter(|equal| care.worthwhile().contains(equal)) else {
        return false;
    };
    let len = length_of_strings(equal, stream.len() as f64 * looks as f64);
    // Most data that repeats does so within the part, which is a shorter search.
    !has_long_strings(Strings { stream: part, len }, 0..part.len(), looks)
        && !has_records(&part[part.len() / 4..][..care.window()], equal)
        && (part.len() == stream.len()
            || !has_long_strings(Strings { stream, len }, range, care.looks_elsewhere(looks)))
}

/// Returns whether strings of `range` occur elsewhere.
fn has_long_strings(strings: Strings<'_>, range: Range<usize>, looks: usize) -> bool {
    match looks {
        ..=64 => has_noted_strings::<SLOTS>(strings, range, looks),
        _ => has_noted_strings::<MANY_SLOTS>(strings, range, looks),
    }
}

// Each has a stack frame of its own, for its table.
#[inline(never)]
fn has_noted_strings<const SLOTS: usize>(strings: Strings<'_>, range: Range<usize>, looks: usize) -> bool {
    let (hash, are_equal) = (|at| strings.hash(at), |a, b| strings.are_equal(a, b));
    // If a hundredth of the stream occurs twice, a string of about each hundredth look does.
    let most = (looks / 64).max(1);
    repeats::are_more::<SLOTS>(most, range, strings.count(), looks, hash, are_equal)
}

/// The shortest strings that are looked for: shorter matches save too little of independent bytes.
const MIN_STRING: usize = 4;

/// Returns the share of equal pairs among all pairs of bytes in the sample, or `None` if it differs between places, as in
/// streams with several planes: no length of strings fits all of these.
fn share_of_equal_pairs(stream: &[u8], places: usize) -> Option<f64> {
    let mut counts = [0u32; 256];
    let (mut least, mut most) = (u32::MAX, 0);
    let between = (stream.len() - RUN) / places;
    for place in 0..places {
        let (mut here, mut equal) = ([0u8; 256], 0);
        for value in &stream[place * between..][..RUN] {
            let (here, count) = (&mut here[usize::from(*value)], &mut counts[usize::from(*value)]);
            equal += u32::from(*here);
            *here += 1;
            *count += 1;
        }
        (least, most) = (least.min(equal), most.max(equal));
    }
    let equal: u64 = counts.iter().map(|&count| u64::from(count) * u64::from(count.saturating_sub(1))).sum();
    let all = (places * RUN) as u64;
    (most <= 3 * least + 32).then(|| equal as f64 / (all * (all - 1)) as f64)
}

/// Returns the least length at which `pairs` pairs of strings of independent bytes are all different with a probability of
/// about 15/16.
fn length_of_strings(equal: f64, pairs: f64) -> usize {
    let (mut expected, mut len) = (pairs, 0);
    while expected > 1.0 / 16.0 {
        expected *= equal;
        len += 1;
    }
    len.max(MIN_STRING)
}

/// All strings of a length.
struct Strings<'a> {
    stream: &'a [u8],
    len: usize,
}

impl Strings<'_> {
    /// The number of strings from whose start on at least eight bytes can be read.
    fn count(&self) -> usize {
        self.stream.len() - self.len.max(size_of::<u64>())
    }

    /// Returns the first and the last bytes of the string at `at`.
    #[inline(always)]
    fn ends(&self, at: usize) -> (u64, u64) {
        let word = |at: usize| {
            let eight = self.stream.get(at..).and_then(|bytes| bytes.first_chunk());
            u64::from_le_bytes(*eight.unwrap_or(&[0; 8]))
        };
        match self.len.checked_sub(size_of::<u64>()) {
            Some(rest) => (word(at), word(at + rest)),
            None => (word(at) << (64 - 8 * self.len), 0),
        }
    }

    #[inline(always)]
    fn hash(&self, at: usize) -> u64 {
        let (first, last) = self.ends(at);
        (first.wrapping_mul(repeats::GOLDEN) ^ last).wrapping_mul(repeats::GOLDEN)
    }

    #[inline(always)]
    fn are_equal(&self, a: usize, b: usize) -> bool {
        self.ends(a) == self.ends(b) && self.stream[a..a + self.len] == self.stream[b..b + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_independent(stream: &[u8], care: Care) -> bool {
        are_independent(stream, 0..stream.len(), care)
    }

    const CARES: [Care; 4] = [Care::Little, Care::More, Care::Much, Care::Most];

    /// Returns bytes that `make` computes from random words.
    fn bytes(len: usize, seed: u64, make: impl Fn(u64) -> u8) -> Vec<u8> {
        let mut random = testdata::SplitMix64::new(seed);
        (0..len).map(|_| make(random.next_u64())).collect()
    }

    /// Digits, exponents of random numbers, noise around a mean, and one of three values.
    const INDEPENDENT: [fn(u64) -> u8; 4] = [
        |word| b'0' + (word % 10) as u8,
        |word| word.trailing_zeros() as u8,
        |word| (word.count_ones() + (word >> 32).count_ones()) as u8,
        |word| [0, 0, 1, 2][(word & 3) as usize],
    ];

    #[test]
    fn bytes_without_a_relation_are_independent() {
        for (kind, make) in INDEPENDENT.iter().enumerate() {
            for care in CARES.into_iter().filter(|care| *care != Care::Little || kind < 2) {
                let seeds = (0..40).filter(|seed| {
                    let len = care.min_stream() * [1, 2, 5, 40][*seed as usize % 4] + 77 * *seed as usize;
                    is_independent(&bytes(len, *seed, make), care)
                });
                let found = seeds.count();
                assert!(found > 36, "{found} of 40 of kind {kind}, {care:?}");
            }
        }
        assert!(!is_independent(&bytes(4095, 1, INDEPENDENT[0]), Care::Much));
    }

    #[test]
    fn bytes_that_repeat_at_any_distance_are_not() {
        for make in INDEPENDENT {
            for (len, period) in [(8192, 1000), (65_536, 5000), (65_536, 32_768), (1 << 20, 300_000)] {
                let once = bytes(period, 3, make);
                let stream: Vec<u8> = once.iter().copied().cycle().take(len).collect();
                for care in CARES {
                    assert!(!is_independent(&stream, care), "period {period} of {len}, {care:?}");
                }
            }
        }
    }

    #[test]
    fn what_has_strings_is_not() {
        let streams = [
            testdata::text(100_000, 1),
            // A walk in small steps, numbers that count up, and one value but for a few.
            bytes(100_000, 2, |word| (word % 3) as u8)
                .iter()
                .scan(0u8, |sum, step| {
                    *sum = sum.wrapping_add(*step);
                    Some(*sum)
                })
                .collect(),
            (0..100_000u32).map(|number| (number / 7) as u8).collect(),
            bytes(100_000, 3, |word| u8::from(word % 5 == 0)),
            // Records of digits in which four bytes are alike.
            bytes(100_000, 8, INDEPENDENT[0]).chunks(40).flat_map(|part| [part, b"abcd"].concat()).collect(),
            // Elements of eight bytes that are not shuffled, random numbers below 2,000,000.
            bytes(100_000, 9, |word| word as u8)
                .chunks_exact(4)
                .flat_map(|word| {
                    let number = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                    u64::from(number % 2_000_000).to_le_bytes()
                })
                .collect(),
            // Planes of several kinds.
            [bytes(50_000, 4, INDEPENDENT[0]), bytes(50_000, 5, |word| word as u8)].concat(),
        ];
        for (kind, stream) in streams.iter().enumerate() {
            for care in CARES {
                assert!(!is_independent(stream, care), "kind {kind}, {care:?}");
            }
        }
    }

    #[test]
    fn a_part_with_strings_shows() {
        let mut stream = bytes(131_072, 6, INDEPENDENT[0]);
        let text = testdata::text(13_000, 7);
        stream[60_000..73_000].copy_from_slice(&text);
        assert!(CARES.iter().all(|care| !is_independent(&stream, *care)));
    }

    #[test]
    fn a_part_that_occurs_elsewhere_is_not_independent() {
        let once = bytes(16_384, 10, INDEPENDENT[0]);
        let other = bytes(16_384, 11, INDEPENDENT[0]);
        for care in CARES {
            let independent = |parts: [&[u8]; 3]| {
                [0, 1, 2].map(|i| are_independent(&parts.concat(), 16_384 * i..16_384 * (i + 1), care))
            };
            let third = bytes(16_384, 12, INDEPENDENT[0]);
            assert_eq!(independent([&once, &other, &third]), [true, true, true], "{care:?}");
            assert_eq!(independent([&once, &other, &once]), [false, true, false], "{care:?}");
        }
    }
}
