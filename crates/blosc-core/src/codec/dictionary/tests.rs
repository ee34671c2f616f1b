use testdata::PlainKind;

use super::*;
use crate::codec::lz4;

/// Total size of `plain` compressed in streams of `len` bytes, without a dictionary and with `dict`, which is included.
fn sizes(plain: &[u8], len: usize, dict: &[u8]) -> (usize, usize) {
    let mut out = vec![0; len];
    let mut sum = |table: &mut lz4::DictTable| -> usize {
        let compressed =
            |stream: &[u8]| lz4::compress_fast_with_dict(stream, &mut out, 1, table).unwrap_or(stream.len());
        plain.chunks(len).map(compressed).sum()
    };
    (sum(&mut lz4::DictTable::new(&[]).unwrap()), dict.len() + sum(&mut lz4::DictTable::new(dict).unwrap()))
}

/// The LZ4 dictionary that C-Blosc2 would use: the first twentieth of the bytes.
fn front(plain: &[u8]) -> &[u8] {
    &plain[..(plain.len() / 20).min(MAX_DICT)]
}

/// Records of a few kinds, each with its own number.
fn records(n: usize, seed: u64) -> Vec<u8> {
    let mut rng = testdata::SplitMix64::new(seed);
    let mut record = |i| {
        let kind = ["temperature of the upper layer", "pressure", "wind from the north-east", "humidity"];
        format!(
            "{{\"id\": {i}, \"what\": \"{}\", \"value\": {}}}\n",
            kind[rng.next_u64() as usize % 4],
            rng.next_u64() % 1000
        )
    };
    (0..n).flat_map(|i| record(i).into_bytes()).collect()
}

#[test]
fn a_dictionary_pays_where_streams_are_alike() {
    for plain in [records(4000, 1), testdata::text(300_000, 2)] {
        for len in [256, 1000, 4096] {
            let dict = train(CodecFormat::Lz4, &plain, len, MAX_DICT).unwrap().unwrap();
            let (without, with) = sizes(&plain, len, &dict);
            let (_, with_front) = sizes(&plain, len, front(&plain));
            assert!(with < without * if len < 4096 { 90 } else { 98 } / 100, "{len}: {with} instead of {without}");
            assert!(with < with_front, "{len}: {with}, {with_front} with the front");
        }
    }
}

#[test]
fn where_nothing_repeats_there_is_none() {
    assert_eq!(train(CodecFormat::Lz4, &testdata::noise(1 << 20, 3), 4096, MAX_DICT), Ok(None));
    assert_eq!(train(CodecFormat::Zstd, &testdata::noise(3 << 20, 4), 512, MAX_DICT), Ok(None));
    // A single stream shares nothing with others, however repetitive it is.
    assert_eq!(train(CodecFormat::Lz4, &records(1000, 5), 1 << 20, MAX_DICT), Ok(None));
    assert_eq!(train(CodecFormat::Zlib, &records(1000, 6), 1000, MAX_DICT), Ok(None));
}

#[test]
fn any_samples_give_a_dictionary_within_bounds() {
    for n in (0..40).chain([100, 1000, 30_000]) {
        for kind in PlainKind::ALL {
            let plain = testdata::plain(kind, n, 4, 7);
            for len in [0, 1, 4, 5, 64, 1000, usize::MAX] {
                for max in [0, 1, 4, 5, 7, 8, 100, 600, usize::MAX] {
                    for format in [CodecFormat::Lz4, CodecFormat::Zstd] {
                        let dict = train(format, &plain, len, max).unwrap().unwrap_or(vec![0; 8]);
                        assert!((8..=max.clamp(8, MAX_DICT)).contains(&dict.len()));
                    }
                }
            }
        }
    }
}

#[test]
fn every_nth_stream_stands_for_all() {
    let plain = records(60_000, 8);
    assert!(plain.len() > 3 * MAX_SAMPLES);
    let dict = train(CodecFormat::Lz4, &plain, 1000, MAX_DICT).unwrap().unwrap();
    let (without, with) = sizes(&plain, 1000, &dict);
    assert!(with < without * 9 / 10, "{with} instead of {without}");
}

#[test]
fn content_is_never_taken_for_a_zstd_dictionary() {
    let stream = [&ZSTD_MAGIC[..], &testdata::noise(60, 9)].concat();
    let plain = stream.repeat(100);
    for format in [CodecFormat::Lz4, CodecFormat::Zstd] {
        let dict = train(format, &plain, stream.len(), MAX_DICT).unwrap().unwrap();
        assert_eq!(dict, stream[1..]);
    }
}
