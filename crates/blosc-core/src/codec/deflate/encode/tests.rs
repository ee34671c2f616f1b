//! Tests of the encoder: decoding with `zlib-rs`, and sizes compared with it.

use proptest::prelude::*;
use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use super::{DeflateEncoder, Reference};
use super::{huffman, text};

/// Compresses with more room than stored blocks need, and checks that `zlib-rs` decodes to `src`.
fn round_trip(compressor: &mut DeflateEncoder, src: &[u8]) -> Vec<u8> {
    let mut stream = vec![0xA5; src.len() + src.len() / 100 + 64];
    let len =
        compressor.compress(src, &mut stream).unwrap().unwrap_or_else(|| panic!("{} bytes do not fit", src.len()));
    stream.truncate(len);
    let mut plain = vec![0; src.len()];
    let mut inflate = Inflate::new(true, 15);
    let status = inflate.decompress(&stream, &mut plain, InflateFlush::Finish);
    assert!(matches!(status, Ok(Status::StreamEnd)), "{status:?}: {} bytes, level {}", src.len(), compressor.level);
    assert_eq!((inflate.total_in(), inflate.total_out()), (len as u64, src.len() as u64));
    assert!(plain == src, "{} bytes, level {}", src.len(), compressor.level);
    stream
}

fn random(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(step).take(len).collect()
}

/// The byte planes of slowly rising 32-bit numbers, one after the other: the output of shuffle.
fn planes(len: usize) -> Vec<u8> {
    let numbers: Vec<u32> = (0..len.div_ceil(4) as u64).map(|i| (i * 37 + i * i / 1000) as u32).collect();
    (0..4).flat_map(|byte| numbers.iter().map(move |n| n.to_le_bytes()[byte])).take(len).collect()
}

/// Lines of common words.
fn words(len: usize) -> Vec<u8> {
    let words = ["the ", "chunk ", "of ", "blocks\n", "holds ", "values, ", "17 "];
    random(len, 6).into_iter().flat_map(|n| words[usize::from(n) % words.len()].bytes()).take(len).collect()
}

fn kinds(len: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        [1, 2, 3, 4, 7, 8, 300, 40_000].map(|n| random(n, n as u64).into_iter().cycle().take(len).collect()).into();
    // Few symbols, one of them much more frequent than the others; runs of all lengths; random bytes between them.
    all.push(random(len, 5).into_iter().map(|byte| byte.leading_zeros() as u8).collect());
    all.push(
        random(len, 3).chunks(2).flat_map(|x| vec![x[0] & 3; usize::from(x[x.len() - 1]) + 1]).take(len).collect(),
    );
    let half = len / 2;
    all.push([random(half, 9), vec![0; len - half]].concat());
    all.push([planes(half), random(len - half, 4)].concat());
    all.extend([random(len, 1), planes(len), words(len)]);
    all
}

#[test]
fn every_short_length_round_trips() {
    for (level, reference) in [1, 2, 6, 9].into_iter().zip([Reference::ZlibNg, Reference::Zlib].into_iter().cycle()) {
        let mut compressor = DeflateEncoder::new(level, reference, 1).unwrap();
        for len in 0..=290 {
            for src in kinds(len) {
                round_trip(&mut compressor, &src);
            }
        }
    }
}

#[test]
fn long_inputs_round_trip_at_every_level() {
    for level in 1..=9 {
        for (reference, planes) in [(Reference::ZlibNg, 1), (Reference::Zlib, 3)] {
            let mut compressor = DeflateEncoder::new(level, reference, planes).unwrap();
            for len in [4095, 32_768, 32_769, 70_001, 262_144] {
                for src in kinds(len) {
                    round_trip(&mut compressor, &src);
                }
            }
        }
    }
}

#[test]
fn independent_planes_become_literals() {
    let digits = |seed| random(20_000, seed).into_iter().map(|byte| byte % 10).collect::<Vec<u8>>();
    let src = [digits(1), words(20_000), digits(2), digits(3), digits(2), vec![9; 20_000]].concat();
    for (level, reference) in [(4, Reference::ZlibNg), (5, Reference::Zlib), (9, Reference::ZlibNg)] {
        let mut with = DeflateEncoder::new(level, reference, 6).unwrap();
        let mut without = DeflateEncoder::new(level, reference, 0).unwrap();
        let (ours, all) = (round_trip(&mut with, &src).len(), round_trip(&mut without, &src).len());
        assert!(100 * ours < 99 * all, "level {level}: {ours} of {all}");
    }
}

#[test]
fn planes_that_were_passed_over_are_found_again() {
    let digits = |seed| random(10_000, seed).into_iter().map(|byte| byte % 10).collect::<Vec<u8>>();
    let (one, other) = (digits(1), digits(2));
    // The last plane repeats the middle of the first one. All other bytes take about 3.4 bits.
    let src = [&one[..], &other, &digits(3)[..5000], &one[3000..8000]].concat();
    let size =
        |src: &[u8], planes| round_trip(&mut DeflateEncoder::new(5, Reference::ZlibNg, planes).unwrap(), src).len();
    let (first, all) = (size(&src[..25_000], 1), size(&src, 3));
    assert!(all < first + 600, "{first}, {all}");
}

#[test]
fn what_does_not_fit_is_refused() {
    for level in [1, 5, 9] {
        let mut compressor = DeflateEncoder::new(level, Reference::ZlibNg, 1).unwrap();
        for src in kinds(20_000) {
            let len = round_trip(&mut compressor, &src).len();
            for room in [0, 1, 2, 5, 11, 12, len / 2, len - 1] {
                let mut dst = vec![0; room];
                assert_eq!(compressor.compress(&src, &mut dst).unwrap(), None, "level {level}, {room} of {len}");
            }
            // A flush may need eight bytes more than it keeps.
            assert_eq!(compressor.compress(&src, &mut vec![0; len + 16]), Ok(Some(len)));
        }
    }
}

#[test]
fn planes_are_no_larger_than_zlib_ng_makes_them() {
    let src = planes(1 << 18);
    for level in 1..=9 {
        let theirs = size_by_zlib_rs(&src, level);
        let ours = round_trip(&mut DeflateEncoder::new(level as u8, Reference::ZlibNg, 1).unwrap(), &src).len();
        assert!(ours as u64 <= theirs * 102 / 100, "level {level}: {ours} of {theirs}");
    }
}

/// Masks and unshuffled records consist of runs, which are cheap only at the smallest offset.
#[test]
fn runs_are_no_larger_than_zlib_ng_makes_them() {
    let lengths = random(2000, 8);
    let mask: Vec<u8> =
        lengths.iter().enumerate().flat_map(|(i, &n)| vec![i as u8 & 1; 20 + 3 * usize::from(n)]).collect();
    let labels: Vec<u8> = mask.iter().flat_map(|&label| u32::from(label).to_le_bytes()).collect();
    for src in [mask, labels] {
        let theirs = size_by_zlib_rs(&src, 5);
        for reference in [Reference::ZlibNg, Reference::Zlib] {
            let ours = round_trip(&mut DeflateEncoder::new(5, reference, 1).unwrap(), &src).len();
            assert!(ours as u64 <= theirs * 102 / 100, "{ours} of {theirs}");
        }
    }
}

#[test]
fn text_is_told_by_its_bytes() {
    for len in [1, 100, 256, 257, 70_000] {
        assert!(text::is_text(&words(len)), "{len} bytes");
        assert!(!text::is_text(&planes(len)), "{len} bytes");
    }
    assert!(!text::is_text(&[]));
}

fn size_by_zlib_rs(src: &[u8], level: i32) -> u64 {
    let mut theirs = Deflate::new(level, true, 15);
    let status = theirs.compress(src, &mut vec![0; src.len() + 1024], DeflateFlush::Finish);
    assert!(matches!(status, Ok(Status::StreamEnd)));
    theirs.total_out()
}

proptest! {
    /// Checks a code of limited length: a prefix code is complete, so the Kraft sum is 1.
    #[test]
    fn codes_are_complete_within_the_limit(
        frequencies in prop::collection::vec(prop_oneof![Just(0u32), 1..4u32, 1..100_000u32, Just(1 << 29)], 2..286),
        limit in 9..=15u32,
    ) {
        let mut lengths = vec![0; frequencies.len()];
        huffman::lengths(&frequencies, limit, &mut lengths);
        let kraft: u32 = lengths.iter().filter(|&&n| n > 0).map(|&n| 1 << (limit - u32::from(n))).sum();
        prop_assert_eq!(kraft, 1 << limit);
        let used = frequencies.iter().filter(|&&n| n > 0).count();
        if used >= 2 {
            for (frequency, length) in frequencies.iter().zip(&lengths) {
                prop_assert_eq!(*frequency > 0, *length > 0);
            }
        }
    }

    /// A Fibonacci series results in the deepest possible tree.
    #[test]
    fn deep_trees_are_cut(n in 2..40usize, limit in 7..=15u32) {
        let (mut a, mut b) = (1u32, 1u32);
        let frequencies: Vec<u32> = (0..n).map(|_| { (a, b) = (b, a + b); a }).collect();
        let mut lengths = vec![0; n];
        huffman::lengths(&frequencies, limit, &mut lengths);
        let kraft: u32 = lengths.iter().map(|&n| 1 << (limit - u32::from(n))).sum();
        prop_assert_eq!(kraft, 1 << limit);
    }

    #[test]
    fn anything_round_trips(pieces in prop::collection::vec((any::<u8>(), 0..600usize, any::<u64>()), 0..40), level in 1..=9u8) {
        let mut src = Vec::new();
        for (what, len, seed) in pieces {
            match what % 3 {
                0 => src.extend(random(len, seed)),
                1 => src.resize(src.len() + len, what),
                _ => for _ in 0..len {
                    let from = src.len().saturating_sub(seed as usize % 5000 + 1);
                    src.push(src.get(from).copied().unwrap_or(7));
                },
            }
        }
        for reference in [Reference::ZlibNg, Reference::Zlib] {
            round_trip(&mut DeflateEncoder::new(level, reference, 1).unwrap(), &src);
        }
    }
}
