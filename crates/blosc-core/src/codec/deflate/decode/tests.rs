//! Tests of accepted and rejected streams: streams of zlib, and comparisons with `zlib-rs`.

use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use super::DeflateDecoder;
use crate::codec::{CorruptStream, DecodeTask};

/// Streams written by zlib 1.2.13 (of Python): levels 0 to 9; the strategies filtered, huffman only, rle and fixed;
/// windows of 9 to 14 bits; flushes of every kind in the middle, with default and with fixed codes; consecutive empty
/// blocks; no bytes.
///
/// A line is a name, a [kind of uncompressed data](plain), its size, and the stream.
const VECTORS: &str = include_str!("vectors.txt");

/// Room after the uncompressed data of a stream.
const SLACKS: [usize; 4] = [0, 1, 39, 64];

fn plain(kind: &str, len: u64) -> Vec<u8> {
    let mask = |i: u64| if i / 200 % 2 == 1 { 255 } else { 7 };
    let wave = |i: u64| (((i * i) >> 7) ^ (i / 97) ^ if i % 11 == 3 { i * 5 } else { 0 }) & mask(i);
    match kind {
        "waves" => (0..len).map(|i| wave(i) as u8).collect(),
        "steps" => (0..len).map(|i| (i / 300) as u8).collect(),
        _ => panic!("{kind}"),
    }
}

struct Vector {
    name: &'static str,
    plain: Vec<u8>,
    stream: Vec<u8>,
}

fn vectors() -> impl Iterator<Item = Vector> {
    VECTORS.lines().map(|line| {
        let [name, kind, len, hex] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let stream =
            hex.as_bytes().chunks(2).map(|byte| u8::from_str_radix(str::from_utf8(byte).unwrap(), 16).unwrap());
        Vector { name, plain: plain(kind, len.parse().unwrap()), stream: stream.collect() }
    })
}

fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

/// `period` random bytes, repeated.
fn random_cycle(period: usize, len: usize) -> Vec<u8> {
    let mut rng = random(period as u64);
    let bytes: Vec<u8> = (0..period).map(|_| rng(256) as u8).collect();
    bytes.into_iter().cycle().take(len).collect()
}

/// Decodes to `len` bytes in a buffer with `slack` more bytes, which are cut off.
fn decode(src: &[u8], len: usize, slack: usize) -> (Vec<u8>, Result<(), CorruptStream>) {
    let mut dst = vec![0xA5; len + slack];
    let result = DeflateDecoder::default().decompress(DecodeTask { src, dst: &mut dst, len });
    dst.truncate(len);
    (dst, result)
}

/// Decodes `body`, deflate without a zlib header, with `zlib-rs`. Returns the uncompressed data and the length of
/// `body` if it ends.
fn raw(body: &[u8], most: usize) -> Option<(Vec<u8>, usize)> {
    let mut dst = vec![0; most];
    let mut inflate = Inflate::new(false, 15);
    let status = inflate.decompress(body, &mut dst, InflateFlush::Finish);
    dst.truncate(inflate.total_out() as usize);
    matches!(status, Ok(Status::StreamEnd)).then_some((dst, inflate.total_in() as usize))
}

/// Streams of many kinds: short and long, at all levels of both encoders.
fn streams() -> Vec<Vec<u8>> {
    let mut streams: Vec<Vec<u8>> = vectors().filter(|v| v.plain.len() < 1000).map(|v| v.stream).collect();
    let mut rng = random(1);
    let few: Vec<u8> = (0..5000).map(|_| (rng(256) as u8).leading_zeros() as u8).collect();
    let far: Vec<u8> =
        (0..60_000).map(|i| if i % 40 < 30 { (i % 30_011 * 7 % 253) as u8 } else { rng(256) as u8 }).collect();
    // Runs of the longest match, from near and far, with different ends.
    let long = [
        random_cycle(1, 5000),
        random_cycle(7, 258 * 9 + 1),
        random_cycle(40, 258 * 8 + 40),
        random_cycle(300, 9000),
        random_cycle(1, 258 * 4 + 1),
    ]
    .concat();
    for source in [long, few, far, plain("waves", 9000), plain("steps", 9000)] {
        for level in 0..=9 {
            let mut dst = vec![0; source.len() * 2 + 64];
            let mut deflate = Deflate::new(level, true, 15);
            assert!(matches!(deflate.compress(&source, &mut dst, DeflateFlush::Finish), Ok(Status::StreamEnd)));
            dst.truncate(deflate.total_out() as usize);
            streams.push(dst);
        }
        let mut dst = vec![0; source.len() * 2 + 64];
        let len = super::super::DeflateEncoder::new(7, super::super::Reference::ZlibNg, 1)
            .unwrap()
            .compress(&source, &mut dst)
            .unwrap()
            .unwrap();
        dst.truncate(len);
        streams.push(dst);
    }
    streams
}

#[test]
fn streams_of_zlib_are_decoded() {
    let all: Vec<Vector> = vectors().collect();
    assert_eq!(all.len(), 34);
    for Vector { name, plain, stream } in &all {
        for slack in SLACKS {
            let (dst, result) = decode(stream, plain.len(), slack);
            assert_eq!(result, Ok(()), "{name}");
            assert!(dst == *plain, "{name}");
        }
        // Bytes after the stream are ignored. Missing bytes, and any other length, are errors.
        let longer = [&stream[..], &[1, 2, 3]].concat();
        assert_eq!(decode(&longer, plain.len(), 0), (plain.clone(), Ok(())), "{name}");
        for cut in 1..stream.len().min(600) {
            assert!(decode(&stream[..stream.len() - cut], plain.len(), 64).1.is_err(), "{name}, {cut} bytes less");
        }
        for slack in SLACKS {
            assert!(decode(stream, plain.len() + 1, slack).1.is_err(), "{name}");
            assert!(plain.is_empty() || decode(stream, plain.len() - 1, slack).1.is_err(), "{name}");
        }
    }
}

/// The mutated body gets the checksum of its decoded data, so that it is not rejected for the checksum alone.
#[test]
fn damaged_streams_are_judged_as_zlib_rs_does() {
    const MOST: usize = 200_000;
    let mut rng = random(2);
    let (mut accepted, mut refused) = (0, 0);
    for stream in streams() {
        for round in 0..150 {
            let mut body = stream[2..stream.len() - 4].to_vec();
            for _ in 0..=rng(2) {
                // Most mutations are in the header with the codes.
                let at = rng(if round % 3 == 0 { body.len() } else { body.len().min(80) });
                match rng(6) {
                    0 => body.truncate(at.max(1)),
                    1 => body[at] = rng(256) as u8,
                    2 => body.insert(at, rng(256) as u8),
                    _ => body[at] ^= 1 << rng(8),
                }
            }
            // The result must not depend on the bytes after a cut stream.
            let Some((plain, used)) = raw(&body, MOST) else {
                let whole = [&stream[..2], &body, &[0; 4]].concat();
                for len in [64, 800, 9000, MOST] {
                    assert!(decode(&whole, len, 64).1.is_err());
                }
                refused += 1;
                continue;
            };
            let whole = [&stream[..2], &body[..used], &simd_adler32::adler32(&&plain[..]).to_be_bytes()].concat();
            for slack in SLACKS {
                let (dst, result) = decode(&whole, plain.len(), slack);
                assert_eq!(result, Ok(()));
                assert!(dst == plain);
            }
            assert!(decode(&whole[..whole.len() - 1], plain.len(), 0).1.is_err());
            accepted += 1;
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn headers_are_judged_as_zlib_rs_does() {
    let vector = vectors().next().unwrap();
    for header in 0..=u16::MAX {
        let mut stream = vector.stream.clone();
        stream[..2].copy_from_slice(&header.to_be_bytes());
        let mut dst = vec![0; vector.plain.len()];
        let status = Inflate::new(true, 15).decompress(&stream, &mut dst, InflateFlush::Finish);
        let is_accepted = matches!(status, Ok(Status::StreamEnd));
        assert_eq!(decode(&stream, vector.plain.len(), 0).1.is_ok(), is_accepted, "{header:04x}");
    }
}

#[test]
fn a_wrong_checksum_is_refused() {
    for Vector { name, plain, stream } in vectors() {
        for byte in stream.len() - 4..stream.len() {
            for bit in 0..8 {
                let mut stream = stream.clone();
                stream[byte] ^= 1 << bit;
                let error = decode(&stream, plain.len(), 0).1.unwrap_err();
                assert_eq!((error.at, error.what), (stream.len(), "wrong checksum"), "{name}");
            }
        }
    }
}

/// Whichever stream stops first, at its end or with an error.
#[test]
fn a_pair_is_the_same_as_two() {
    let mut rng = random(3);
    let streams: Vec<(Vec<u8>, usize)> = streams()
        .into_iter()
        .map(|stream| {
            let len = raw(&stream[2..], 100_000).unwrap().0.len();
            (stream, len)
        })
        .collect();
    let mut decompressor = DeflateDecoder::default();
    for round in 0..2000 {
        let mut pick = || {
            let (mut stream, len) = streams[rng(streams.len())].clone();
            if rng(3) == 0 {
                let at = rng(stream.len());
                stream[at] ^= 1 << rng(8);
            }
            (stream, len, SLACKS[rng(SLACKS.len())])
        };
        let two @ [(a, len_a, slack_a), (b, len_b, slack_b)] = &[pick(), pick()];
        let (mut dst_a, mut dst_b) = (vec![0xA5; len_a + slack_a], vec![0xA5; len_b + slack_b]);
        let results = decompressor.decompress_pair([
            DecodeTask { src: a, dst: &mut dst_a, len: *len_a },
            DecodeTask { src: b, dst: &mut dst_b, len: *len_b },
        ]);
        for ((result, dst), (stream, len, slack)) in results.into_iter().zip([dst_a, dst_b]).zip(two) {
            let (alone, expected) = decode(stream, *len, *slack);
            assert_eq!(result, expected, "round {round}");
            assert!(result.is_err() || dst[..*len] == alone, "round {round}");
        }
    }
}
