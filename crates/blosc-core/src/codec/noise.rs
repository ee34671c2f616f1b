//! Detects incompressible data, which is stored at once: compressed or encrypted bytes, random keys.
//!
//! Three tests run on a sample from all over the buffer:
//!
//! 1. *Distribution.* For every byte position j of an element, all values must be equally frequent. Redundancy that an
//!    entropy coder exploits, or that yields short matches, shows as values that coincide more often than by chance.
//!    Values that coincide less often are not random either: they count up, and repeat.
//! 2. *Repetition.* No element may [occur twice](super::repeats). Random bytes that repeat at any distance are
//!    compressible.
//! 3. *Records.* Bytes must not equal those one element before, or a [short distance](super::records) before, more often than
//!    by chance.
//!
//! Almost all compressible data fails the first test after a few bytes of the highest plane. To classify 1 MiB as
//! incompressible takes a third of the time of copying it. Compressing it took four times the time of copying it.
//!
//! Whole buffers are tested before they are cut into blocks, and single streams, most of them byte planes, before zstd
//! compresses them.

use core::ops::RangeInclusive;

use super::{records, repeats};

/// Smaller buffers are compressed quickly in any case, and the sample would be the whole buffer.
const MIN_LEN: usize = 256 << 10;

/// In shorter streams, matches of four bytes count, and the sample does not find them: with streams of 512 bytes, chunks
/// of a linspace were 6 % larger, and of stamps 3 %.
pub(super) const MIN_STREAM: usize = 4096;

const MAX_WIDTH: usize = 16;

/// The size of the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// For streams that are compressed almost as fast as they are sampled. May miss parts below 20 %.
    Least = 1,
    /// For codecs that are also fast on incompressible data. May miss compressible parts that make up less than about
    /// 5 % of a buffer.
    Little = 4,
    /// For codecs that spend a hundred times the time of this test on incompressible data. May miss parts below 1 %.
    Much = 32,
}

impl Care {
    /// Returns the number of places sampled for the first test, with [`RUN`] bytes from each.
    fn places(self) -> usize {
        16 * self as usize
    }

    /// Returns the number of places of `len` bytes in which the second test looks up elements.
    fn looks(self, len: usize) -> usize {
        match self {
            Care::Least if len < 128 << 10 => 2,
            Care::Least => 4,
            Care::Little => 8,
            Care::Much => 64,
        }
    }
}

/// The probability that two random bytes are equal.
const CHANCE: f64 = 1.0 / 256.0;

/// Bytes sampled from one place.
const RUN: usize = 128;

/// Returns whether `src`, elements of `typesize` bytes, [may be](may_be_noise) incompressible throughout and looks so.
/// Not inlined: its counts would enlarge the caller's stack frame, whose pages are touched for every chunk.
#[inline(never)]
pub(crate) fn is_noise(src: &[u8], typesize: usize, care: Care) -> bool {
    let width = width_of(typesize);
    let is_even = match width {
        1 | 2 | 4 | 8 => is_even::<8>(src, width, care),
        3 | 6 | 12 => is_even::<12>(src, width, care),
        _ => is_even::<MAX_WIDTH>(src, width, care),
    };
    is_even
        && (typesize <= MAX_WIDTH || !resembles_element_before(src, typesize, care))
        && !has_records(src)
        && !comes_again::<SLOTS>(src, width, care)
}

/// The quick test: returns `false` if `src`, elements of `typesize` bytes, cannot be incompressible.
pub(crate) fn may_be_noise(src: &[u8], typesize: usize) -> bool {
    let width = width_of(typesize);
    src.len() >= MIN_LEN && (0..width).rev().all(|plane| fills_bins(src, width, plane))
}

/// [`may_be_noise`] for `len` bytes that `read` copies from an offset.
pub(crate) fn may_be_noise_outside(len: usize, typesize: usize, mut read: impl FnMut(usize, &mut [u8])) -> bool {
    if len < MIN_LEN {
        return false;
    }
    let width = width_of(typesize);
    let mut bins = [0; MAX_WIDTH];
    for at in starts(len, width, QUICK_PLACES, 1) {
        let mut element = [0; MAX_WIDTH];
        read(at, &mut element[..width]);
        bins.iter_mut().zip(element).for_each(|(bins, value)| *bins |= bin(value));
    }
    bins[..width].iter().all(|&bins| are_filled(bins))
}

/// Returns the width of an element. Wider elements are not split into streams, so their byte positions do not matter.
fn width_of(typesize: usize) -> usize {
    if typesize <= MAX_WIDTH { typesize.max(1) } else { 1 }
}

/// Returns whether one stream looks incompressible. Streams that are not random, but that an entropy coder reduces by
/// less than about 1 %, count as incompressible.
pub(crate) fn is_noise_stream(stream: &[u8], care: Care) -> bool {
    stream.len() >= MIN_STREAM && is_noise_plane(stream, care)
}

/// [`is_noise_stream`] for streams that are long enough. Its tables are small, because they are cleared for every stream.
#[inline(never)]
fn is_noise_plane(plane: &[u8], care: Care) -> bool {
    fills_bins(plane, 1, 0)
        && is_even::<4>(plane, 1, care)
        && match care {
            Care::Least => !comes_again::<512>(plane, 1, care),
            _ => !has_records(plane) && !comes_again::<SLOTS>(plane, 1, care),
        }
}

/// Returns whether bytes in the middle of `src` equal those a short distance before. Two of 448 do by chance.
fn has_records(src: &[u8]) -> bool {
    records::has_records(&src[src.len() / 2..][..records::WINDOW / 4], CHANCE)
}

/// Returns whether more bytes than by chance equal those `typesize` bytes before them, in the sample. The distributions of the
/// bytes of wide elements are not examined one by one.
fn resembles_element_before(src: &[u8], typesize: usize, care: Care) -> bool {
    let places = care.places();
    let runs = sample(src, 1, places, RUN + typesize);
    let equal =
        runs.map(|run| run.iter().zip(&run[typesize..]).map(|(one, other)| u32::from(one == other)).sum::<u32>());
    records::are_too_many(equal.sum(), places * RUN, CHANCE)
}

/// Returns `run` elements from each of `places` places.
fn sample(src: &[u8], width: usize, places: usize, run: usize) -> impl Iterator<Item = &[u8]> {
    starts(src.len(), width, places, run).map(move |start| &src[start..][..run * width])
}

/// Returns the offsets of the places of a [`sample`].
fn starts(len: usize, width: usize, places: usize, run: usize) -> impl Iterator<Item = usize> {
    let between = (len / width - run) / places * width;
    (0..places).map(move |place| place * between)
}

const QUICK_PLACES: usize = 64;

/// 64 random values fall into 40 of 64 bins, give or take 8.
fn fills_bins(src: &[u8], width: usize, plane: usize) -> bool {
    are_filled(sample(src, width, QUICK_PLACES, 1).fold(0, |bins, element| bins | bin(element[plane])))
}

fn bin(value: u8) -> u64 {
    1 << (value & 63)
}

fn are_filled(bins: u64) -> bool {
    bins.count_ones() >= 32
}

/// Counts the pairs of equal values of each plane.
fn is_even<const TABLES: usize>(src: &[u8], width: usize, care: Care) -> bool {
    let run = RUN / width;
    // In short streams, places must not overlap.
    let places = care.places().min((src.len() / width - run) / run);
    let mut counts = [[0u32; 256]; TABLES];
    for run in sample(src, width, places, run) {
        count(&mut counts, run, width);
    }
    let (planes, others) = counts.split_at_mut(width);
    for (number, other) in others.iter().enumerate() {
        for (count, more) in planes[number % width].iter_mut().zip(other) {
            *count += more;
        }
    }
    let chance = chance((run * places) as u64);
    planes.iter().all(|counts| {
        let twice: u64 = counts.iter().map(|&count| u64::from(count) * u64::from(count.saturating_sub(1))).sum();
        chance.contains(&(twice / 2))
    })
}

/// Counts the values of a run in groups of up to `TABLES` bytes, whole elements: the byte at offset i of each group in
/// table i. An increment of the table that was incremented just before often waits for it, on some processors also if the
/// values differ. On Zen 1 an increment takes 0.9 to 3.3 ns with one table after another in a loop, and 0.5 to 0.8 ns here.
#[inline(always)]
fn count<const TABLES: usize>(counts: &mut [[u32; 256]; TABLES], run: &[u8], width: usize) {
    let rest = if TABLES.is_multiple_of(width) {
        let (groups, rest) = run.as_chunks::<TABLES>();
        for group in groups {
            for (counts, &value) in counts.iter_mut().zip(group) {
                counts[usize::from(value)] += 1;
            }
        }
        rest
    } else {
        run
    };
    for elements in rest.chunks(TABLES / width * width) {
        for (counts, &value) in counts.iter_mut().zip(elements) {
            counts[usize::from(value)] += 1;
        }
    }
}

/// Returns the expected number of equal pairs among `n` random bytes: a Poisson distribution, four standard deviations
/// to both sides.
fn chance(n: u64) -> RangeInclusive<u64> {
    let mean = n * (n - 1) / 2 / 256;
    let wide = 4 * mean.isqrt();
    mean - wide..=mean + wide
}

/// Returns whether an element of the sample occurs elsewhere. Compares the first eight bytes of an element. Shorter
/// elements are compared together with the bytes that follow them.
fn comes_again<const SLOTS: usize>(src: &[u8], width: usize, care: Care) -> bool {
    let elements = (src.len() - size_of::<u64>()) / width;
    let key = |element: usize| {
        let eight = src.get(element * width..).and_then(|src| src.first_chunk());
        u64::from_le_bytes(*eight.unwrap_or(&[0; 8]))
    };
    let hash = |element: usize| key(element).wrapping_mul(repeats::GOLDEN);
    repeats::are_more::<SLOTS>(0, 0..elements, elements, care.looks(src.len()), hash, |one, other| {
        key(one) == key(other)
    })
}

const SLOTS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn is_noise(src: &[u8], typesize: usize, care: Care) -> bool {
        may_be_noise(src, typesize) && super::is_noise(src, typesize, care)
    }

    /// Returns the upper bytes of a linear congruential generator.
    fn random(len: usize, mut seed: u64) -> Vec<u8> {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn random_bytes_are_noise_at_any_width_and_length() {
        let mut found = 0;
        for seed in 0..20 {
            let bytes = random((1 << 20) + seed as usize * 77, seed);
            for typesize in [1, 2, 3, 4, 7, 8, 12, 16, 17, 64, 255] {
                for len in [MIN_LEN, MIN_LEN + 1, 300_001, bytes.len()] {
                    found += u32::from(is_noise(&bytes[..len], typesize, Care::Little));
                    found += u32::from(is_noise(&bytes[..len], typesize, Care::Much));
                }
            }
        }
        // Four standard deviations exclude one plane in 16,000, and elements of two or three bytes repeat by chance.
        assert!(found > 1700, "{found} of 1760");
    }

    #[test]
    fn what_repeats_at_any_distance_is_not_noise() {
        for typesize in [1, 2, 4, 8, 16] {
            for period in [1000 * typesize, 65_536, 100_000 * typesize / 2, 1 << 19, (1 << 19) - typesize] {
                let once = random(period, 5);
                let bytes: Vec<u8> = once.iter().copied().cycle().take(1 << 20).collect();
                assert!(
                    period >= bytes.len() || !is_noise(&bytes, typesize, Care::Little),
                    "typesize {typesize}, period {period}"
                );
            }
        }
    }

    #[test]
    fn records_with_repeated_keys_are_not_noise() {
        // Keys of seven random bytes in ten records each, or in alternating groups of four bytes.
        let records = |len: usize, is_key: fn(usize) -> bool| -> Vec<u8> {
            let noise = random(1 << 20, 7);
            let fill = |(at, byte): (usize, &u8)| match is_key(at % len) {
                true => noise[at / (10 * len) * len + at % len],
                false => *byte,
            };
            noise.iter().enumerate().map(fill).collect()
        };
        for care in [Care::Little, Care::Much] {
            assert!(!is_noise(&records(48, |at| at < 7), 48, care), "{care:?}");
            assert!(!is_noise(&records(48, |at| at < 7), 1, care), "{care:?}");
            assert!(!is_noise(&records(200, |at| at % 8 < 4), 200, care), "{care:?}");
            assert!(!is_noise_stream(&records(48, |at| at < 7), care), "{care:?}");
        }
    }

    #[test]
    fn what_repeats_at_the_start_is_not_noise() {
        let tile = random(1 << 18, 8);
        let bytes: Vec<u8> = tile.iter().copied().cycle().take(24 << 20).chain(random(8 << 20, 9)).collect();
        assert!(!is_noise(&bytes, 1, Care::Much));
    }

    #[test]
    fn what_counts_up_is_not_noise() {
        let steps = [1, 37, 101, 0x9E37_79B9_7F4A_7C15_u64];
        for step in steps {
            let bytes: Vec<u8> = (0..1u64 << 17).flat_map(|i| i.wrapping_mul(step).to_le_bytes()).collect();
            assert!(!is_noise(&bytes, 8, Care::Little), "step {step:#x}");
        }
        let bytes: Vec<u8> = (0..1u32 << 20).map(|i| (i * 37) as u8).collect();
        assert!(!is_noise(&bytes, 1, Care::Little));
    }

    #[test]
    fn random_streams_are_noise_and_others_are_not() {
        for care in [Care::Least, Care::Little] {
            let (mut found, mut all) = (0, 0);
            for len in [4096, 5000, 16_384, 131_072, 500_001] {
                for seed in 0..50 {
                    all += 1;
                    found += u32::from(is_noise_stream(&testdata::noise(len, seed), care));
                    // Like characters of base64, samples of 7 bits, and noise around a mean.
                    let noise = testdata::noise(2 * len, seed);
                    let streams: [Vec<u8>; 4] = [
                        noise[..len].iter().map(|byte| byte & 63).collect(),
                        noise[..len].iter().map(|byte| byte & 127).collect(),
                        noise.chunks_exact(2).map(|two| two[0] / 2 + two[1] / 2).collect(),
                        noise.chunks_exact(2).map(|two| two[0] >> (two[1] & 1)).collect(),
                    ];
                    for (i, stream) in streams.iter().enumerate() {
                        assert!(!is_noise_stream(stream, care), "{i} of {len} bytes, {care:?}");
                    }
                }
            }
            assert!(found * 20 > all * 19, "{found} of {all}");
            assert!(!is_noise_stream(&testdata::noise(4095, 1), care));
        }
    }

    #[test]
    fn streams_that_repeat_are_not_noise() {
        for len in [16_384, 131_072, 1 << 19] {
            for period in [100, 1000, len / 4, len / 2] {
                let once = random(period, 5);
                let stream: Vec<u8> = once.iter().copied().cycle().take(len).collect();
                for care in [Care::Least, Care::Little] {
                    assert!(!is_noise_stream(&stream, care), "period {period} of {len}, {care:?}");
                }
            }
        }
    }

    #[test]
    fn a_part_that_is_not_random_shows() {
        for (from, len) in [(0, 100_000), (500_000, 60_000), ((1 << 20) - 60_000, 60_000)] {
            let mut bytes = random(1 << 20, 9);
            bytes[from..from + len].fill(7);
            assert!(!is_noise(&bytes, 8, Care::Little), "{len} bytes at {from}");
        }
        let mut bytes = random(1 << 20, 9);
        bytes.chunks_exact_mut(100_000).for_each(|part| part[..1000].fill(b' '));
        assert!(!is_noise(&bytes, 1, Care::Much), "10 times 1000 spaces");
        // One plane of eight has only 7 bits, like the sign of a number.
        let mut bytes = random(1 << 20, 9);
        bytes.iter_mut().skip(7).step_by(8).for_each(|byte| *byte &= 0x7F);
        assert!(!is_noise(&bytes, 8, Care::Little));
    }
}
