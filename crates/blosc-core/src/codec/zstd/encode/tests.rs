use super::super::level_of;
use super::dict::dict_memory;
use super::frame::FrameEncoder;
use super::fse;
use super::{EncodeDict, ZstdEncoder};
use crate::codec::zstd::ZstdDecoder;
use crate::codec::zstd::decode::fse::Distribution;
use crate::codec::zstd::decode::tests::plains;
use crate::codec::{DecodeTask, few_words};

#[global_allocator]
static ALLOC: testdata::CountingAlloc = testdata::CountingAlloc;

fn decoded(frame: &[u8], len: usize) -> Vec<u8> {
    let mut dst = vec![0xA5; len];
    ZstdDecoder::default().decompress(DecodeTask { src: frame, dst: &mut dst, len }, None).unwrap();
    dst
}

fn by_rust_zstd(level: i32, plain: &[u8]) -> Vec<u8> {
    let options = rust_zstd::CompressOptions { level, ..rust_zstd::CompressOptions::default() };
    rust_zstd::Compressor::new(options).compress_to_vec(plain)
}

#[test]
fn frames_of_every_level_decode_and_are_as_small_as_by_rust_zstd() {
    for level in (-5..=22).filter(|level| *level != 0) {
        let mut encoder = ZstdEncoder::new(level);
        let (mut ours, mut theirs) = (0, 0);
        for plain in plains() {
            let reference = by_rust_zstd(level, &plain);
            let mut frame = vec![0; plain.len() + 100];
            let Some(len) = encoder.compress(&plain, 1, &mut frame).unwrap() else {
                // Taken for random bytes.
                assert!(reference.len() >= plain.len(), "{} of {} bytes", reference.len(), plain.len());
                continue;
            };
            let frame = &frame[..len];
            assert_eq!(decoded(frame, plain.len()), plain);
            assert_eq!(rust_zstd::decompress(frame).unwrap(), plain);
            assert!(len <= reference.len() + reference.len() / 50 + 16, "{len} instead of {}", reference.len());
            ours += len;
            theirs += reference.len();
        }
        assert!(ours < theirs + theirs / 500, "level {level}: {ours} instead of {theirs}");
    }
}

#[test]
fn independent_bytes_are_literals() {
    let digits: Vec<u8> = testdata::noise(100_000, 8).iter().map(|byte| b'0' + byte % 10).collect();
    let mut frame = vec![0; digits.len()];
    for level in (-5..=22).filter(|level| *level != 0) {
        let len = ZstdEncoder::new(level).compress(&digits, 1, &mut frame).unwrap().unwrap();
        assert_eq!(decoded(&frame[..len], digits.len()), digits);
        assert_eq!(rust_zstd::decompress(&frame[..len]).unwrap(), digits);
        // The bits of a digit, with codes of three or four.
        assert!((len as f64) < 3.45 / 8.0 * digits.len() as f64, "level {level}: {len}");
    }
}

/// Streams of planes, some of which are not searched, with the number of planes.
fn planes() -> impl Iterator<Item = (usize, Vec<u8>)> {
    [1, 100, 5000, 20_000, 140_000].into_iter().map(|len| {
        let noise = testdata::noise(len, 1);
        let digits: Vec<u8> = testdata::noise(len, 2).iter().map(|byte| b'0' + byte % 10).collect();
        let planes = [
            testdata::noise(len, 3),
            noise.clone(),
            testdata::steps(len, 2, 3),
            digits.clone(),
            testdata::text(len, 4),
            noise,
            vec![7; len],
            digits,
            testdata::noise(len, 5).iter().map(|byte| byte.count_ones() as u8).collect(),
            testdata::ramp(len, 4, 77),
        ];
        (planes.len(), planes.concat())
    })
}

#[test]
fn frames_with_planes_decode_and_are_as_small_as_by_rust_zstd() {
    for level in (-5..=22).filter(|level| *level != 0) {
        let mut encoder = ZstdEncoder::new(level);
        for (planes, plain) in planes() {
            let mut frame = vec![0; plain.len() + 100];
            let reference = by_rust_zstd(level, &plain).len();
            let Some(len) = encoder.compress(&plain, planes, &mut frame).unwrap() else {
                assert!(reference >= plain.len(), "level {level}: {reference}");
                continue;
            };
            let mut narrow = vec![0; len];
            assert_eq!(encoder.compress(&plain, planes, &mut narrow).unwrap(), Some(len));
            assert!(frame[..len] == narrow && decoded(&narrow, plain.len()) == plain);
            assert!(rust_zstd::decompress(&narrow).unwrap() == plain);
            assert_eq!(encoder.compress(&plain, planes, &mut narrow[1..]).unwrap(), None);
            assert!(len <= reference + reference / 100 + 16, "level {level}: {len} instead of {reference}");
        }
    }
}

#[test]
fn frames_do_not_depend_on_earlier_streams_or_levels() {
    let mut reused = ZstdEncoder::new(1);
    let mut frames = [vec![0; 300_100], vec![0; 300_100]];
    for (plain, level) in plains().zip([9, -3, 1, 15, 3, 22, 1, 19].into_iter().cycle()) {
        let [first, second] = &mut frames;
        assert!(reused.set_level(level));
        let len = reused.compress(&plain, 1, first).unwrap();
        assert_eq!(len, ZstdEncoder::new(level).compress(&plain, 1, second).unwrap());
        assert!(len.is_none_or(|len| first[..len] == second[..len]));
    }
}

/// Text of few words changes the parameters of the search, but not those by which tables are allocated and kept.
#[test]
fn frames_do_not_depend_on_text_of_few_words_before() {
    let (few, many) = (few_words::text(12, 600_000), few_words::text(2000, 600_000));
    assert!(few_words::has_few_words(&few) && !few_words::has_few_words(&many));
    for level in [1, 5, 7, 9, 11] {
        let mut reused = ZstdEncoder::new(level);
        let mut frames = [vec![0; 600_000], vec![0; 600_000]];
        for len in [600_000, 60_000, 200_000, 10_000] {
            for plain in [&few[..len], &many[..len], &few[..len]] {
                let [first, second] = &mut frames;
                let written = reused.compress(plain, 1, first).unwrap().unwrap();
                assert_eq!(ZstdEncoder::new(level).compress(plain, 1, second).unwrap(), Some(written));
                assert!(first[..written] == second[..written], "level {level}, {len} bytes");
                assert!(decoded(&first[..written], len) == plain);
            }
        }
    }
}

/// Returns the peak of the memory that compressing takes.
fn peak(encoder: &mut FrameEncoder, plain: &[u8], planes: usize) -> usize {
    let mut frame = vec![0; plain.len() + 1000];
    testdata::CountingAlloc::measure(|| encoder.encode(plain, planes, &mut frame).unwrap()).1.peak
}

#[test]
fn memory_is_claimed_when_it_is_first_needed() {
    let (digits, text) =
        (testdata::noise(300_000, 1).iter().map(|byte| byte % 10).collect::<Vec<u8>>(), testdata::text(300_000, 2));
    for level in [9, 19] {
        let mut encoder = FrameEncoder::new(level);
        // Digits are not searched, so the crate needs no tables yet.
        assert!(peak(&mut encoder, &digits, 1) < 1 << 20 && encoder.tables() == 0);
        // A claim is an allocation of the whole amount.
        assert!(peak(&mut encoder, &text, 1) > 3 << 20 && encoder.tables() > 0);
        assert_eq!(peak(&mut encoder, &text, 1), 0, "nothing is claimed again");
        encoder.set_level(level + 1);
        assert!(peak(&mut encoder, &digits, 1) < 1 << 20);
        assert!(peak(&mut encoder, &text, 1) >= 3 << 20, "another level");
    }
}

/// Frames of up to 256 KiB have another strategy at level 13, and longer ones a smaller table at level 1.
#[test]
fn memory_is_claimed_for_shorter_frames_that_need_other_memory() {
    for (level, long, short) in [(13, 300_000, 200_000), (1, 100_000, 10_000)] {
        let text = testdata::text(long, 3);
        let mut encoder = FrameEncoder::new(level);
        peak(&mut encoder, &text, 1);
        assert!(peak(&mut encoder, &text[..short], 1) >= 3 << 20, "level {level}");
        for len in [long, short, long] {
            assert_eq!(peak(&mut encoder, &text[..len], 1), 0, "level {level}, {len} bytes");
        }
    }
}

#[test]
fn memory_is_claimed_again_when_tables_change() {
    let mut encoder = FrameEncoder::new(9);
    let (long, short) = (testdata::text(1 << 20, 1), testdata::text(1000, 2));
    for len in [long.len(), 500_000] {
        peak(&mut encoder, &long[..len], 1);
    }
    let tables = encoder.tables();
    for _ in 0..1000 {
        assert_eq!(peak(&mut encoder, &long[..500_000], 1), 0);
        peak(&mut encoder, &short, 1);
        if encoder.tables() < tables {
            break;
        }
    }
    assert!(encoder.tables() < tables, "the tables of a long stream are kept");
    // Frames of one length follow each other when the tables are replaced.
    let mut encoder = FrameEncoder::new(9);
    for _ in 0..130 {
        peak(&mut encoder, &long[..100_000], 1);
        peak(&mut encoder, &short, 1);
    }
    let tables = encoder.tables();
    let peaks = [0; 3].map(|_| (peak(&mut encoder, &short, 1), encoder.tables()));
    assert!(peaks.iter().any(|(peak, now)| *peak >= 3 << 20 && *now < tables), "{peaks:?}, {tables}");
    assert!(peaks.is_sorted_by(|one, next| next.1 == one.1 || next.0 >= 3 << 20), "{peaks:?}");
    encoder.samples_of(long.len());
    assert!(peak(&mut encoder, &short, 1) > 3 << 20, "the next tables are larger");
}

/// Claims for the crate are upper bounds, with and without a dictionary.
#[test]
fn the_crate_allocates_no_more_than_is_claimed() {
    let plain = [testdata::text(400_000, 1), testdata::noise(50_000, 2), testdata::text(150_000, 3)].concat();
    let check = |mut encoder: ZstdEncoder, plain: &[u8]| {
        let mut frame = vec![0; plain.len() + 1000];
        let (len, usage) = testdata::CountingAlloc::measure(|| encoder.compress(plain, 1, &mut frame).unwrap());
        assert!(usage.kept <= encoder.held(), "{} bytes: {usage:?}, {}", plain.len(), encoder.held());
        assert_eq!(len.is_some() || plain.len() > 10, usage.peak > 0);
        assert!(usage.peak <= encoder.claimed(), "{} bytes: {usage:?}, {}", plain.len(), encoder.claimed());
    };
    for len in [10, 5_000, 131_073, plain.len()] {
        for level in [-5, 1, 3, 5, 9, 12, 15, 16, 18, 19, 22] {
            check(ZstdEncoder::new(level), &plain[..len]);
        }
        for clevel in [1, 5, 9] {
            let (dict, usage) = testdata::CountingAlloc::measure(|| EncodeDict::new(&plain[..32_000], clevel).unwrap());
            assert!(usage.peak <= dict_memory(32_000, clevel), "dictionary, {clevel}: {usage:?}");
            check(ZstdEncoder::with_dict(&dict, len), &plain[..len]);
        }
    }
}

#[test]
fn a_frame_that_does_not_fit_is_not_written() {
    let plain = testdata::text(3000, 1);
    let mut encoder = ZstdEncoder::new(level_of(1, true));
    let mut frame = vec![0; 4000];
    let len = encoder.compress(&plain, 1, &mut frame).unwrap().unwrap();
    for room in 0..len {
        assert_eq!(encoder.compress(&plain, 1, &mut frame[..room]).unwrap(), None);
    }
    assert_eq!(encoder.compress(&plain, 1, &mut frame[..len]).unwrap(), Some(len));
}

#[test]
fn a_frame_of_several_blocks_is_the_same_in_any_room() {
    let plain = [testdata::text(290_000, 1), testdata::noise(140_000, 2), testdata::text(40_000, 3)].concat();
    for level in [1, 3, 9] {
        let (mut wide, mut narrow) = (vec![0; plain.len() + 10_000], vec![0; plain.len()]);
        let len = ZstdEncoder::new(level).compress(&plain, 1, &mut wide).unwrap().unwrap();
        assert!(len < plain.len());
        for room in [len, len + 1, len + 7, len + 511, len + 5_000] {
            let found = ZstdEncoder::new(level).compress(&plain, 1, &mut narrow[..room]).unwrap();
            assert_eq!(found, Some(len), "level {level}, {room} bytes");
            assert!(narrow[..len] == wide[..len], "level {level}, {room} bytes");
        }
        for room in [len - 1, len - 8, len / 2, 20] {
            let found = ZstdEncoder::new(level).compress(&plain, 1, &mut narrow[..room]).unwrap();
            assert_eq!(found, None, "level {level}, {room} of {len} bytes");
        }
    }
}

#[test]
fn blocks_follow_a_block_that_is_stored() {
    // The middle is stored, so its tables are unknown to the decoder.
    let text = testdata::text(200_000, 3);
    let plain = [&text[..131_072], &testdata::noise(131_072, 4), &text[..], &vec![5; 140_000]].concat();
    for clevel in [1, 2, 5, 8] {
        let mut frame = vec![0; plain.len()];
        let len = ZstdEncoder::new(level_of(clevel, true)).compress(&plain, 1, &mut frame).unwrap().unwrap();
        assert_eq!(decoded(&frame[..len], plain.len()), plain);
        assert_eq!(rust_zstd::decompress(&frame[..len]).unwrap(), plain);
    }
}

#[test]
fn distributions_are_read_as_they_were_written() {
    let noise = testdata::noise(53 * 300, 9);
    for (i, bytes) in noise.chunks_exact(53).enumerate() {
        // From two symbols to all, from even counts to very uneven ones.
        let counts: Vec<u32> =
            bytes[..2 + i % 52].iter().map(|&byte| 1 + (1 << (u32::from(byte) % (1 + i as u32 % 17)))).collect();
        let counts: Vec<u32> =
            counts.iter().enumerate().map(|(j, &n)| if j > 1 && (i + j) % 3 == 0 { 0 } else { n }).collect();
        for log in 6..=9 {
            let distribution = fse::normalized(&counts, log);
            assert_eq!(distribution.states.iter().map(|&states| i32::from(states)).sum::<i32>(), 1 << log);
            let mut header = [0; 200];
            let len = fse::put_header(&distribution, &mut header).unwrap();
            let (read, read_len) = Distribution::read(&header[..len], 9, 53).unwrap();
            assert_eq!((read.log, read.len, read.states, read_len), (log, distribution.len, distribution.states, len));
        }
    }
}
