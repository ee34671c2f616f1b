//! Untrusted chunks: memory stays within the limits, time within a bound, and results do not depend on old contents of
//! the destination or the decoder.

use std::time::{Duration, Instant};

use blosc_core::{Chunk, DecodeError, Decoder, Limits, OverLimit, Special};
use testdata::{CountingAlloc, SplitMix64, Tally, mutate};

const LIMITS: Limits = Limits::new().max_chunk(1 << 20).max_unearned(1 << 20).max_memory(MEMORY);

/// Six blocks of 1 MiB, and a reserve.
const MEMORY: usize = 8 << 20;

/// Tables of codecs; zstd has the largest ones.
const TABLES: usize = 1 << 20;

/// A decoder whose buffers hold data of earlier chunks, and a fresh one.
struct Two {
    used: Decoder,
    fresh: Decoder,
}

fn decoder() -> Decoder {
    Decoder::new().limits(LIMITS).blockshape(&[8, 16]).super_chunk_typesize(4)
}

/// Decodes with the used decoder over zeros and with the fresh one over another background. Checks that both give the
/// same bytes, or the same error and a zeroed destination.
fn same<T: PartialEq + std::fmt::Debug>(
    two: &mut Two,
    len: usize,
    decode: impl Fn(&mut Decoder, &mut [u8]) -> Result<T, DecodeError>,
) -> Result<Vec<u8>, DecodeError> {
    let (mut dark, mut light) = (vec![0x00; len], vec![0xA5; len]);
    let (first, second) = (decode(&mut two.used, &mut dark), decode(&mut two.fresh, &mut light));
    assert_eq!(first, second);
    assert!(dark == light, "bytes of the destination or of another chunk showed through");
    if first.is_err() {
        assert!(dark.iter().all(|byte| *byte == 0), "half of a chunk was left");
    }
    first.map(|_| dark)
}

/// Decodes a chunk in all ways and returns all of its plain bytes.
fn decode(two: &mut Two, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    two.fresh = decoder();
    let chunk = Chunk::parse(bytes)?;
    let nbytes = chunk.header().nbytes();
    let room = nbytes.min(1 << 20);
    let whole = same(two, room, |decoder, dst| decoder.decompress_into(&chunk, dst));
    let mut plain = vec![0xA5; 100];
    match two.used.decompress_to(&chunk, &mut plain) {
        Ok(()) => assert!(whole.as_ref() == Ok(&plain)),
        Err(error) => {
            assert!(
                plain.is_empty()
                    && (whole.as_ref() == Err(&error)
                        || matches!(
                            error,
                            DecodeError::Unearned { .. } | DecodeError::Limit(OverLimit { raise: "max_unearned", .. })
                        ))
            )
        }
    }
    let part = nbytes / 3..(nbytes / 3 + 1000).min(nbytes);
    let ranges = [part.clone(), 0..nbytes.min(7), part.clone()];
    let len = ranges.iter().map(ExactSizeIterator::len).sum();
    let ranges = same(two, len, |decoder, dst| decoder.decode_ranges(&chunk, &ranges, dst));
    if let (Ok(whole), Ok(ranges)) = (&whole, &ranges) {
        assert!(ranges[..part.len()] == whole[part]);
    }
    for block in [0, chunk.header().nblocks() / 2] {
        // The rest of the destination is unchanged, and all of it after errors found before decoding.
        let blocksize = chunk.header().blocksize().min(room);
        let (mut dark, mut light) = (vec![0x00; blocksize], vec![0xA5; blocksize]);
        let first = two.used.decode_block(&chunk, block, &mut dark);
        assert_eq!(first, two.fresh.decode_block(&chunk, block, &mut light));
        if let Ok(len) = first {
            assert!(dark[..len] == light[..len]);
        }
    }
    whole
}

fn bases() -> Vec<(String, Vec<u8>)> {
    let chunks = testdata::archive("chunks").into_iter().filter(|(name, _)| name.ends_with(".bin"));
    let bases: Vec<_> = chunks.filter(|(_, bytes)| bytes.len() <= 8 << 10).collect();
    assert!(bases.len() > 200, "{}", bases.len());
    bases
}

#[test]
fn every_malformed_chunk() {
    let (files, manifest) = (testdata::archive("chunks-malformed"), testdata::manifest("chunks-malformed"));
    let mut tally = Tally::new("malformed chunks", MEMORY + TABLES + BACKGROUNDS, Duration::from_secs(2));
    let mut two = Two { used: decoder(), fresh: decoder() };
    for item in manifest["items"].as_array().unwrap() {
        let number = |name: &str| item[name].as_u64().unwrap() as usize;
        let bytes = &files["malformed.bin"][number("offset")..][..number("length")];
        let name = || format!("{} {}", item["base"], item["mutation"]);
        let _ = tally.measure(&name, Vec::len, || decode(&mut two, bytes));
    }
    tally.print();
    assert_eq!(tally.inputs, 2899);
}

/// Memory of the test itself: two destinations of a chunk, and a third buffer.
const BACKGROUNDS: usize = 4 << 20;

#[test]
fn mutations() {
    let (bases, mut rng) = (bases(), SplitMix64::new(2024));
    let mut tally = Tally::new("mutated chunks", MEMORY + TABLES + BACKGROUNDS, Duration::from_secs(2));
    let mut two = Two { used: decoder(), fresh: decoder() };
    for number in 0..Tally::wanted(10_000) / 2 {
        let (name, base) = &bases[number % bases.len()];
        let mut bytes = base.clone();
        let donor = &rng.pick(&bases).1;
        mutate(&mut rng, &mut bytes, donor);
        let found = tally.measure(&|| format!("{number} of {name}"), Vec::len, || decode(&mut two, &bytes));
        assert!(found.is_ok_and(|plain| plain.len() <= 1 << 20) || tally.refused > 0);
    }
    tally.print();
    assert!(tally.refused > tally.inputs / 4 && tally.refused < tally.inputs);
}

/// Bounds the cost of a few hostile bytes with default limits.
#[test]
fn bombs_by_default() {
    let mut decoder = Decoder::new();
    let encoder = blosc_core::Encoder::new(blosc_core::CParams::blosc2().typesize(4)).unwrap();
    let value = encoder.repeat(&[7; 4], 2_000_000_000).unwrap();
    // Five blocks of zeros, each stored as the same run of four bytes.
    let mut runs = vec![0; 32 + 5 * 4 + 4];
    runs[..4].copy_from_slice(&[5, 1, 0x15, 1]);
    for (at, number) in [(4, i32::MAX), (8, 536_866_816), (12, 56), (32, 52), (36, 52), (40, 52), (44, 52), (48, 52)] {
        runs[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    for bytes in [&value, &runs] {
        let chunk = Chunk::parse(bytes).unwrap();
        let start = Instant::now();
        let (results, usage) = CountingAlloc::measure(|| {
            [
                decoder.decompress(&chunk).map(drop),
                decoder.items(&chunk, 0..chunk.header().nbytes() / chunk.header().typesize()).map(drop),
                blosc_core::decompress_vec::<u8>(bytes).map(drop),
            ]
        });
        for result in results {
            let Err(DecodeError::Limit(over)) = result else { panic!("{result:?}") };
            assert_eq!((over.raise, over.limit), ("max_unearned", 1 << 30));
        }
        assert!(usage.peak < 1 << 10, "{usage:?}");
        assert!(start.elapsed() < Duration::from_secs(1) * testdata::slowness());
    }
    // The chunk is valid all the same. A part of it can be decoded, and with a higher limit all of it.
    let chunk = Chunk::parse(&value).unwrap();
    assert_eq!(chunk.header().special_value(), Some(Special::Value));
    assert_eq!(chunk.items(499_999_000..499_999_001).unwrap(), [7; 4]);
    assert!(decoder.limits(Limits::new().max_unearned(usize::MAX)).decompress(&chunk).unwrap().iter().all(|&b| b == 7));
}

/// Each limit is named in its error. Chunks within the limits are decoded.
#[test]
fn each_limit() {
    let bytes = blosc_core::compress(&[[1; 50_000], [2; 50_000]].concat(), &blosc_core::CParams::new()).unwrap();
    let chunk = Chunk::parse(&bytes).unwrap();
    let raise = |limits: Limits| match Decoder::new().limits(limits).decompress(&chunk) {
        Ok(plain) => {
            assert_eq!(plain.len(), 100_000);
            ""
        }
        Err(DecodeError::Limit(over)) => over.raise,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(raise(Limits::new().max_chunk(100_000).max_nbytes(100_000).max_memory(600_000)), "");
    assert_eq!(raise(Limits::new().max_chunk(99_999)), "max_chunk");
    assert_eq!(raise(Limits::new().max_nbytes(99_999)), "max_nbytes");
    assert_eq!(raise(Limits::new().max_memory(1000)), "max_memory");
    // This chunk expands far less than the ratio that is always allowed.
    assert_eq!(raise(Limits::new().max_unearned(0)), "");
}
