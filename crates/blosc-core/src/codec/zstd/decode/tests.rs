//! Tests of accepted and rejected frames: hand-made ones, and comparisons with `rust-zstd`.

use rust_zstd::{CompressOptions, Compressor, Decompressor};

use super::ZstdDecoder;
use crate::codec::{CorruptStream, DecodeTask, StreamError};

/// Room after the uncompressed data of a stream.
const SLACKS: [usize; 3] = [0, 31, 64];

/// Decodes to `len` bytes in buffers of different lengths and contents, and demands the same result from all.
fn decode(src: &[u8], len: usize) -> Result<Vec<u8>, CorruptStream> {
    let mut decoder = ZstdDecoder::default();
    let mut results = SLACKS.map(|slack| {
        let mut dst = vec![slack as u8; len + slack];
        let done = decoder.decompress(DecodeTask { src, dst: &mut dst, len }, None);
        dst.truncate(len);
        match done {
            Ok(()) => Ok(dst),
            Err(StreamError::Corrupt(error)) => Err(error),
            Err(error) => panic!("{error:?}"),
        }
    });
    assert!(results.iter().all(|result| result.as_deref().ok() == results[0].as_deref().ok()));
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|error| error.at <= src.len()));
    core::mem::replace(&mut results[0], Ok(Vec::new()))
}

fn compress(plain: &[u8], level: i32, checksum: bool) -> Vec<u8> {
    let mut frame = Vec::new();
    Compressor::new(CompressOptions { level, checksum, ..CompressOptions::default() }).compress(plain, &mut frame);
    frame
}

/// Kinds of data that reach each kind of block, literals and table.
pub(in crate::codec::zstd) fn plains() -> impl Iterator<Item = Vec<u8>> {
    let lens = [0, 1, 2, 5, 31, 64, 255, 256, 1000, 1024, 5000, 70_000, 131_072, 131_073, 300_000];
    lens.into_iter().flat_map(|len| {
        let noise = testdata::noise(len, 1);
        [
            testdata::text(len, len as u64),
            testdata::ramp(len, 4, 77),
            testdata::steps(len, 2, 3),
            noise.iter().map(|byte| byte & 7).collect(),
            noise.iter().map(|byte| byte % 25).collect(),
            noise.iter().map(|byte| byte.count_ones() as u8 * 11).collect(),
            (0..len).map(|i| noise[i % 37 % len] ^ u8::from(i % 4001 == 0)).collect(),
            (0..len).map(|i| if i / 3000 % 2 == 0 { noise[i] } else { 9 }).collect(),
            vec![7; len],
            // Words of six bytes in random order: few offsets are repeated.
            (0..len).map(|i| noise[(usize::from(noise[i / 6]) * 6 + i % 6) % len]).collect(),
            noise,
        ]
    })
}

/// A frame without a content size, of blocks given as kind (0 raw, 1 run, 2 compressed), size and content.
fn frame(blocks: &[(u32, usize, &[u8])]) -> Vec<u8> {
    // A window of 128 KiB.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38];
    for (i, &(kind, size, content)) in blocks.iter().enumerate() {
        let header = (size as u32) << 3 | kind << 1 | u32::from(i + 1 == blocks.len());
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(content);
    }
    frame
}

#[test]
fn frames_of_every_level_decode() {
    for plain in plains() {
        for level in [1, 3, 5, 9, 19] {
            let frame = compress(&plain, level, level == 5);
            assert!(decode(&frame, plain.len()).as_ref() == Ok(&plain), "{} bytes, level {level}", plain.len());
            assert!(decode(&frame, plain.len() + 1).is_err());
            assert!(plain.is_empty() || decode(&frame, plain.len() - 1).is_err());
        }
    }
}

#[test]
fn every_truncation_is_an_error() {
    let plain = testdata::text(3000, 5);
    for checksum in [false, true] {
        let frame = compress(&plain, 3, checksum);
        for end in 0..frame.len() {
            assert!(decode(&frame[..end], plain.len()).is_err(), "{end}");
        }
    }
}

#[test]
fn several_frames_and_skippable_frames_decode() {
    let (a, b) = (testdata::text(5000, 1), testdata::ramp(3000, 4, 9));
    let skippable = b"\x5A\x2A\x4D\x18\x03\x00\x00\x00abc";
    let frames = [skippable, &compress(&a, 3, true)[..], &compress(b"", 3, false), skippable, &compress(&b, 3, false)];
    let stream = frames.concat();
    assert!(decode(&stream, a.len() + b.len()) == Ok([a, b].concat()));
    assert!(decode(&stream[..stream.len() - 1], 8000).is_err());
    assert_eq!(decode(&skippable[..10], 0).unwrap_err().what, "the zstd frame is truncated");
    assert_eq!(decode(b"", 0), Ok(Vec::new()));
}

#[test]
fn matches_do_not_reach_into_the_previous_frame() {
    // One sequence with a table of one state for each code: no literals, offset number 1, and 19 bytes.
    let blocks = [(2, 7, &b"\x00\x01\x54\x00\x00\x10\x01"[..])];
    let alone = decode(&frame(&blocks), 19);
    let after = decode(&[frame(&[(0, 4, b"abcd")]), frame(&blocks)].concat(), 23);
    let within = decode(&frame(&[(0, 4, b"abcd"), blocks[0]]), 23);
    assert!(alone.is_err() && after.is_err());
    // Without literals, the first number stands for the second offset, which is 4.
    assert_eq!(within.as_deref(), Ok(&b"abcdabcdabcdabcdabcdabc"[..]));
}

#[test]
fn raw_blocks_and_runs_decode() {
    let stream = frame(&[(0, 3, b"abc"), (1, 5, b"x"), (0, 0, b""), (1, 0, b"y"), (0, 2, b"de")]);
    assert_eq!(decode(&stream, 10).as_deref(), Ok(&b"abcxxxxxde"[..]));
    assert!(decode(&frame(&[(3, 3, b"abc")]), 3).is_err());
    let long = frame(&[(1, 2_000_000, b"z")]);
    assert!(decode(&long, 2_000_000).is_ok());
    assert!(decode(&long, 1_999_999).is_err());
}

#[test]
fn compressed_blocks_without_sequences_decode() {
    // Raw literals and a run with one, two and three bytes of header; no sequences.
    for literals in [&b"\x18abc"[..], b"\x34\x00abc", b"\x3C\x00\x00abc"] {
        let block = [literals, b"\x00"].concat();
        assert_eq!(decode(&frame(&[(2, block.len(), &block)]), 3).as_deref(), Ok(&b"abc"[..]));
        let extra = [literals, b"\x00\x00"].concat();
        assert!(decode(&frame(&[(2, extra.len(), &extra)]), 3).is_err());
    }
    assert_eq!(decode(&frame(&[(2, 3, b"\x19a\x00")]), 3).as_deref(), Ok(&b"aaa"[..]));
    // Treeless literals in the first block, and a repeated table of sequences.
    assert!(decode(&frame(&[(2, 6, b"\x13\x40\x00\x01\x01\x00")]), 1).is_err());
    assert!(decode(&frame(&[(2, 6, b"\x18abc\x01\xFC")]), 9).is_err());
}

#[test]
fn what_a_header_states_is_checked() {
    let plain = testdata::text(1000, 2);
    let good = compress(&plain, 3, true);
    let is_bad = |at: usize, flip: u8| {
        let mut frame = good.clone();
        frame[at] ^= flip;
        decode(&frame, plain.len()).is_err()
    };
    // The magic number, the reserved bit, a dictionary, the content size, the checksum.
    for (at, flip) in [(0, 1), (4, 8), (4, 1), (5, 1), (good.len() - 1, 0x80)] {
        assert!(is_bad(at, flip), "{at} {flip}");
    }
}

/// Damaged frames: `rust-zstd` accepts no stream that this decoder refuses, and where both accept, the bytes agree.
///
/// The reverse does not hold: this decoder does not check matches against the window.
#[test]
fn damage_is_an_error_or_decodes_as_by_rust_zstd() {
    let mut rng = testdata::SplitMix64::new(11);
    let frames: Vec<_> = plains()
        .filter(|plain| (200..80_000).contains(&plain.len()))
        .flat_map(|plain| [1, 5, 19].map(|level| (compress(&plain, level, false), plain.len())))
        .filter(|(frame, _)| frame.len() > 20)
        .collect();
    let mut others = Decompressor::new();
    let mut accepted = 0;
    for _ in 0..4000 {
        let (frame, len) = rng.pick(&frames);
        let mut damaged = frame.clone();
        for _ in 0..=rng.below(2) {
            // Not in the header: `rust-zstd` allocates the content size that it states. Mostly in tables.
            let below = if rng.below(2) == 0 { 200 } else { usize::MAX };
            let at = 10 + rng.below((damaged.len() - 10).min(below));
            match rng.below(4) {
                0 => damaged[at] = rng.next_u64() as u8,
                1 => damaged.truncate(at),
                _ => damaged[at] ^= 1 << rng.below(8),
            }
            if damaged.len() < 20 {
                break;
            }
        }
        let mut expected = Vec::new();
        let is_accepted = others.decompress_into(&damaged, &mut expected).is_ok() && expected.len() == *len;
        match decode(&damaged, *len) {
            Ok(plain) if is_accepted => assert!(plain == expected),
            Err(error) => assert!(!is_accepted, "{error}"),
            Ok(_) => {}
        }
        accepted += usize::from(is_accepted);
    }
    assert!(accepted > 200, "{accepted}");
}
