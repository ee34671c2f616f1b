//! Tests of both encoders and the decoder together: on generated data, against `lz4_flex`, and with blocks of the C
//! library.

use proptest::prelude::*;

use super::*;
use crate::codec::CorruptStream;

/// The tables of both encoders, and every setting that selects another code path.
struct Encoders {
    fast: HashTable,
    bytes: HashTable,
    long: HashTable,
    hc: HcTable,
}

impl Default for Encoders {
    fn default() -> Self {
        Encoders {
            fast: HashTable::new(Search::All).unwrap(),
            bytes: HashTable::new(Search::Bytes).unwrap(),
            long: HashTable::new(Search::Long).unwrap(),
            hc: HcTable::new().unwrap(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Fast(u32),
    Bytes(u32),
    Long(u32),
    Hc(u8),
}

const MODES: [Mode; 12] = [
    Mode::Fast(1),
    Mode::Fast(5),
    Mode::Fast(9),
    Mode::Bytes(5),
    Mode::Long(1),
    Mode::Long(5),
    Mode::Long(9),
    Mode::Hc(1),
    Mode::Hc(3),
    Mode::Hc(5),
    Mode::Hc(8),
    Mode::Hc(9),
];

impl Encoders {
    fn compress(&mut self, src: &[u8], dst: &mut [u8], mode: Mode) -> Option<usize> {
        match mode {
            Mode::Fast(acceleration) => compress_fast(src, dst, acceleration, &mut self.fast),
            Mode::Bytes(acceleration) => compress_fast(src, dst, acceleration, &mut self.bytes),
            Mode::Long(acceleration) => compress_fast(src, dst, acceleration, &mut self.long),
            Mode::Hc(level) => compress_hc(src, dst, level, &mut self.hc),
        }
    }

    /// Compresses with room for the worst case and checks that both decoders return `src`.
    fn round_trip(&mut self, src: &[u8], mode: Mode) -> Vec<u8> {
        let mut block = vec![0; worst(src.len())];
        let n =
            self.compress(src, &mut block, mode).unwrap_or_else(|| panic!("{mode:?}: {} bytes do not fit", src.len()));
        block.truncate(n);
        assert!(decoded(&block, src.len()).as_deref() == Ok(src), "{mode:?}: {} bytes", src.len());
        assert!(theirs(&block, src.len()).as_deref() == Some(src), "{mode:?}: {} bytes", src.len());
        block
    }
}

/// The size of a block that consists only of literals.
pub(super) fn worst(len: usize) -> usize {
    1 + len + if len < 15 { 0 } else { 1 + (len - 15) / 255 }
}

/// Decodes over buffers of different contents: without room after the block, with little, and with enough for copies of
/// fixed width. Checks that all results are equal.
fn decoded(block: &[u8], len: usize) -> Result<Vec<u8>, CorruptStream> {
    let into = |fill: u8, room: usize| {
        let mut dst = vec![fill; len + room];
        decompress(block, &mut dst, len).map(|()| dst[..len].to_vec())
    };
    let first = into(0x00, 0);
    for (fill, room) in [(0xA5, 40), (0x5A, 64)] {
        assert_eq!(first, into(fill, room), "{room} bytes of room");
    }
    first
}

/// Decodes a block with `lz4_flex`.
fn theirs(block: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut dst = vec![0; len];
    (lz4_flex::block::decompress_into(block, &mut dst).ok()? == len).then_some(dst)
}

pub(super) fn random(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(step).take(len).collect()
}

fn periodic(len: usize, period: usize) -> Vec<u8> {
    random(period, period as u64).into_iter().cycle().take(len).collect()
}

pub(super) fn text(len: usize) -> Vec<u8> {
    let words = ["the ", "block ", "of ", "a ", "chunk, ", "shuffled ", "bytes; ", "12.5 ", "stream\n", "offset "];
    random(len, 7).iter().flat_map(|&byte| words[usize::from(byte) % words.len()].bytes()).take(len).collect()
}

/// The byte planes of slowly rising 32-bit numbers, one after the other: the output of shuffle.
pub(super) fn planes(len: usize) -> Vec<u8> {
    let numbers: Vec<u32> = (0..len.div_ceil(4) as u64).map(|i| (i * 37 + i * i / 1000) as u32).collect();
    (0..4).flat_map(|byte| numbers.iter().map(move |n| n.to_le_bytes()[byte])).take(len).collect()
}

/// Runs of random length with few values.
pub(super) fn runs(len: usize) -> Vec<u8> {
    random(len, 3).chunks(2).flat_map(|x| vec![x[0] & 3; usize::from(x[x.len() - 1]) + 1]).take(len).collect()
}

pub(super) fn kinds(len: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<_> = [1, 2, 3, 4, 5, 7, 8, 11, 16].into_iter().map(|period| periodic(len, period)).collect();
    all.extend([random(len, 1), text(len), planes(len), runs(len)]);
    all
}

/// Bytes of 16 values in which groups of four repeat and longer ones hardly: a group, then a random byte.
fn fours(len: usize) -> Vec<u8> {
    let groups = random(4 * 64, 11);
    let group = |byte: u8| groups.chunks(4).nth(usize::from(byte & 63)).unwrap_or_default();
    let bytes = random(len.div_ceil(5) * 2, 12);
    bytes.chunks(2).flat_map(|x| [group(x[0]), &x[1..]].concat()).map(|byte| byte & 15).take(len).collect()
}

#[test]
fn above_level_5_four_bytes_are_searched_where_six_find_nothing() {
    let mut encoders = Encoders::default();
    for len in [20_000, 65_536, 65_547, 200_000] {
        let src = fours(len);
        let cbytes = [1, 4, 5, 9].map(|acceleration| encoders.round_trip(&src, Mode::Long(acceleration)).len());
        assert!(cbytes[1] < len / 8 * 7, "{len}: {cbytes:?}");
        assert!(cbytes[0] < cbytes[1] && cbytes[2] > len / 20 * 19 && cbytes[3] > len / 20 * 19, "{len}: {cbytes:?}");
        // If even four bytes save nothing, or less than six, the result fits or not as before.
        for room in [0, len / 2, cbytes[1] - 1] {
            let mut dst = vec![0; room];
            assert_eq!(encoders.compress(&src, &mut dst, Mode::Long(4)), None, "{len} in {room}");
        }
    }
}

/// Long matches save an eighth, and those of four bytes more. A block for which there is no room is not replaced by them.
#[test]
fn the_search_above_level_5_does_not_depend_on_the_room() {
    let mut encoders = Encoders::default();
    for (len, four) in [(15_000, 45_000), (30_000, 90_000)] {
        let src = [text(len), fours(four)].concat();
        let cbytes = encoders.round_trip(&src, Mode::Long(4)).len();
        assert!(cbytes < src.len() / 8 * 7);
        for room in [cbytes - 1, cbytes - cbytes / 100, cbytes - cbytes / 20, cbytes / 2] {
            assert_eq!(encoders.compress(&src, &mut vec![0; room], Mode::Long(4)), None, "{cbytes} bytes in {room}");
        }
        let mut dst = vec![0; cbytes];
        assert_eq!(encoders.compress(&src, &mut dst, Mode::Long(4)), Some(cbytes));
    }
}

#[test]
fn every_short_length_round_trips() {
    let mut encoders = Encoders::default();
    for len in 0..=300 {
        for src in kinds(len) {
            for mode in MODES {
                encoders.round_trip(&src, mode);
            }
        }
    }
}

#[test]
fn long_inputs_round_trip_with_tables_in_use() {
    let mut encoders = Encoders::default();
    // Around the size limits of the fast encoder's three tables, and beyond the reach of an offset.
    for len in [4096, 8191, 8192, 8193, 65_535, 65_546, 65_547, 65_548, 131_077, 300_000] {
        for src in kinds(len) {
            for mode in MODES {
                let block = encoders.round_trip(&src, mode);
                assert!(block.len() <= worst(len));
            }
        }
    }
}

#[test]
fn every_level_and_acceleration_compresses_text_and_planes() {
    let mut encoders = Encoders::default();
    for src in [text(100_000), planes(100_000), runs(100_000)] {
        let mut sizes: Vec<_> = (1..=9).rev().map(|n| encoders.round_trip(&src, Mode::Fast(n)).len()).collect();
        sizes.extend((0..=10).map(|level| encoders.round_trip(&src, Mode::Hc(level)).len()));
        assert!(sizes.iter().all(|&size| size < src.len() / 2), "{sizes:?}");
        // With growing effort, blocks become smaller from end to end, and never much larger between two settings.
        // (Longer hashes and rows find other matches, and may lose some bytes.)
        let smaller = |a: usize, b: usize| sizes[a] <= sizes[b] + sizes[b] / 1000;
        assert!(smaller(8, 0) && smaller(19, 12) && sizes[19] < sizes[8], "{sizes:?}");
    }
}

#[test]
fn runs_and_periods_shrink_to_next_to_nothing_in_no_time() {
    let mut encoders = Encoders::default();
    for period in 1..=16 {
        // Quadratic search would take hours for this.
        let src = periodic(4 << 20, period);
        for mode in MODES {
            let block = encoders.round_trip(&src, mode);
            assert!(block.len() < src.len() / 250, "{mode:?}, period {period}: {} bytes", block.len());
        }
    }
    // Growing runs: each is the longest match of all before it.
    let src: Vec<u8> = (1..1500).flat_map(|n| std::iter::repeat_n(b'x', n).chain([b'y'])).collect();
    for mode in MODES {
        let block = encoders.round_trip(&src, mode);
        assert!(block.len() < src.len() / 50, "{mode:?}: {} bytes", block.len());
    }
}

#[test]
fn matches_reach_back_65535_bytes_and_no_further() {
    let mut encoders = Encoders::default();
    for distance in 65_533..=65_538 {
        // Long enough that a search with wide steps, as in incompressible data, meets a position it has stored.
        let again = random(20_000, 11);
        let src = [&again[..], &random(distance - again.len(), 12), &again, b"the end"].concat();
        for mode in MODES {
            let block = encoders.round_trip(&src, mode);
            let found = block.len() < src.len() - 2000;
            assert_eq!(found, distance <= 65_535, "{mode:?}, {distance} back: {} of {} bytes", block.len(), src.len());
        }
    }
}

#[test]
fn a_block_fits_exactly_where_it_has_room() {
    let mut encoders = Encoders::default();
    for src in [text(400), planes(700), random(300, 9), runs(2000), periodic(40, 1), periodic(600, 13), Vec::new()] {
        for mode in MODES {
            let block = encoders.round_trip(&src, mode);
            for room in 0..=worst(src.len()) + 3 {
                let mut dst = vec![0xEE; room + 64];
                let fits = encoders.compress(&src, &mut dst[..room], mode);
                assert!(dst[room..].iter().all(|&byte| byte == 0xEE), "{mode:?} writes past {room} bytes");
                assert_eq!(fits, (room >= block.len()).then_some(block.len()), "{mode:?}, {room} bytes");
                if let Some(n) = fits {
                    assert_eq!(dst[..n], block, "{mode:?}, {room} bytes");
                }
            }
        }
    }
}

#[test]
fn blocks_of_others_decode() {
    for len in (0..100).chain([1000, 65_536, 200_000]) {
        for src in kinds(len) {
            let block = lz4_flex::block::compress(&src);
            assert!(decoded(&block, len).as_deref() == Ok(&src), "{len} bytes");
        }
    }
    // LZ4 1.10, fast and high compression.
    let sea = b"sea shells she sells by the sea shore, she sells sea shells by the sea";
    let fast = b"\xf1\x01sea shells she s\x0a\x00Aby t\x0d\x00\x87a shore,\x1c\x00\x02\x15\x00\x06\x27\x00Pe sea";
    let hc = b"\xa0sea shells\x07\x00\x21 s\x0a\x00Aby t\x0d\x00\x00\x1c\x00Gore,\x1c\x00\x07\x31\x00\xa0by the sea";
    assert_eq!(decoded(fast, sea.len()).as_deref(), Ok(&sea[..]));
    assert_eq!(decoded(hc, sea.len()).as_deref(), Ok(&sea[..]));
    let run = [b"ab".repeat(40), vec![0; 300], b"xyzzy".to_vec()].concat();
    let block = b"\x2fab\x02\x00\x3b\x1f\x00\x01\x00\xff\x19Pxyzzy";
    assert_eq!(decoded(block, run.len()), Ok(run));
}

#[test]
fn what_the_format_forbids_is_an_error() {
    let what = |block: &[u8], len| decoded(block, len).unwrap_err().what;
    assert_eq!(decoded(b"\0", 0), Ok(Vec::new()));
    assert_eq!(what(b"", 0), "empty block");
    assert_eq!(what(b"\0\0", 0), "unfinished offset");
    assert_eq!(what(b"\x10a", 2), "the block is truncated");
    assert_eq!(what(b"\x30ab", 3), "fewer literals than announced");
    assert_eq!(what(b"\x30abc", 2), "more literals than bytes to decode");
    assert_eq!(what(b"\xf0\xff\xff", 9), "unfinished literal length");
    assert_eq!(what(b"\x10a\x00\x00\x50bcdef", 14), "offset outside of the block");
    assert_eq!(what(b"\x10a\x02\x00\x50bcdef", 14), "offset outside of the block");
    assert_eq!(what(b"\x1fa\x01\x00\xff", 600), "unfinished match length");
    assert_eq!(what(b"\x14a\x01\x00", 30), "no literals after the last match");
    // A match must not start less than 12 bytes, or end less than 5 bytes, before the end.
    assert_eq!(decoded(b"\x13a\x01\x00\x50bcdef", 13).as_deref(), Ok(&b"aaaaaaaabcdef"[..]));
    assert_eq!(what(b"\x12a\x01\x00\x50bcdef", 12), "match too near to the end");
    assert_eq!(what(b"\x14a\x01\x00\x40bcde", 13), "match reaches too far");
    for short in 4..15 {
        let block =
            |tail: &[u8]| [&[0xE0 | short], &b"abcdefghijklmn\x01\x00"[..], &[(tail.len() as u8) << 4], tail].concat();
        let len = 14 + MIN_MATCH + usize::from(short);
        assert!(decoded(&block(b"vwxyz"), len + 5).is_ok_and(|plain| plain.ends_with(b"nvwxyz")), "{short}");
        assert_eq!(what(&block(b"wxyz"), len + 4), "match reaches too far");
    }
    assert!(decoded(b"\xefabcdefghijklmn\x01\x00\xff\x07\x50vwxyz", 300).is_ok());
    assert_eq!(what(b"\xefabcdefghijklmn\x01\x00\xff\x07\x40wxyz", 299), "match reaches too far");
    let error = decoded(b"\x10a\x02\x00\x50bcdef", 14).unwrap_err();
    assert_eq!(error.at, 2);
    assert_eq!(decompress(b"\0", &mut [0; 3], 4).unwrap_err().what, "the output is too small for the decoded bytes");
}

/// Blocks with every kind of sequence, and the length they decode to.
fn victims() -> Vec<(Vec<u8>, usize)> {
    let mut encoders = Encoders::default();
    let mixed = [text(90), random(300, 2), periodic(700, 1), periodic(90, 3), planes(400)].concat();
    [text(200), planes(600), runs(900), random(60, 5), mixed]
        .iter()
        .flat_map(|src| [Mode::Fast(1), Mode::Hc(9)].map(|mode| (encoders.round_trip(src, mode), src.len())))
        .collect()
}

#[test]
fn no_truncation_and_no_other_length_decodes() {
    for (block, len) in victims() {
        for end in 0..block.len() {
            assert!(decoded(&block[..end], len).is_err(), "the first {end} of {} bytes", block.len());
        }
        for wrong in [0, len - 1, len + 1, len + 500] {
            assert!(decoded(&block, wrong).is_err(), "{wrong} instead of {len} bytes");
        }
        assert!(decoded(&[&block[..], b"\0"].concat(), len).is_err());
    }
}

#[test]
fn any_byte_changed_is_an_error_or_bytes_that_another_decoder_reads_the_same() {
    for (mut block, len) in victims() {
        for i in 0..block.len() {
            let was = block[i];
            for flip in [0x01, 0x10, 0x0F, 0x80, 0xF0, 0xFF] {
                block[i] = was ^ flip;
                if let Ok(ours) = decoded(&block, len) {
                    assert!(theirs(&block, len) == Some(ours), "byte {i} changed from {was:#x} to {:#x}", block[i]);
                }
            }
            block[i] = was;
        }
    }
}

#[test]
fn matches_of_every_offset_and_length_copy_like_bytes_one_by_one() {
    let start = random(80, 4);
    for offset in (1..=40).chain([63, 64, 65, 80]) {
        for length in (4..=100).chain([255, 511, 512, 513, 530, 2000]) {
            let mut block = vec![0xFF; 1];
            block.push(start.len() as u8 - 15);
            block.extend(&start);
            block.extend((offset as u16).to_le_bytes());
            let mut more = length - MIN_MATCH;
            if more < LONG {
                block[0] = 0xF0 | more as u8;
            } else {
                more -= LONG;
                block.extend(std::iter::repeat_n(255, more / 255));
                block.push((more % 255) as u8);
            }
            let mut plain = start.clone();
            (0..length).for_each(|_| plain.push(plain[plain.len() - offset]));
            // At the end of the buffer, and with more room after it.
            for tail in [8, 60] {
                let literals = random(tail, 6);
                let mut block = block.clone();
                block.extend(if tail < 15 { vec![(tail as u8) << 4] } else { vec![0xF0, tail as u8 - 15] });
                block.extend(&literals);
                let plain = [&plain[..], &literals].concat();
                assert!(decoded(&block, plain.len()) == Ok(plain), "offset {offset}, length {length}, {tail} after it");
            }
        }
    }
}

#[test]
fn blocks_are_the_same_whatever_was_compressed_before() {
    let mut used = Encoders::default();
    for len in [100_000, 700, 5000, 65_536, 20] {
        for src in kinds(len) {
            for mode in MODES {
                let fresh = Encoders::default().round_trip(&src, mode);
                assert!(used.round_trip(&src, mode) == fresh, "{mode:?}, {len} bytes");
            }
        }
    }
}

#[test]
fn what_returns_in_noise_is_found() {
    let mut encoders = Encoders::default();
    // In incompressible data, few positions are searched.
    let piece = random(100, 21);
    let noise = random(60_000, 22);
    let src: Vec<u8> = noise.chunks(3000).flat_map(|noise| [noise, &piece].concat()).collect();
    for level in 3..=9 {
        let block = encoders.round_trip(&src, Mode::Hc(level));
        assert!(block.len() < noise.len() + 100 + 20 * 30, "level {level}: {} bytes", block.len());
    }
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![(0..70_000u32).prop_map(Mode::Fast), any::<u8>().prop_map(Mode::Hc)]
}

/// Literals, runs and copies of earlier data, at random.
fn mixture() -> impl Strategy<Value = Vec<u8>> {
    let piece = (0..3u8, any::<u16>(), 1..600usize, any::<u64>());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| {
        let mut bytes = Vec::new();
        for (kind, back, len, seed) in pieces {
            match kind {
                0 => bytes.extend(random(len, seed)),
                1 => bytes.extend(std::iter::repeat_n(seed as u8, len)),
                _ if bytes.is_empty() => {}
                _ => {
                    let from = bytes.len() - 1 - usize::from(back) % bytes.len();
                    (0..len).for_each(|i| bytes.push(bytes[from + i]));
                }
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn mixtures_round_trip(src in mixture(), mode in mode()) {
        Encoders::default().round_trip(&src, mode);
    }

    #[test]
    fn any_bytes_are_an_error_or_what_another_decoder_reads(block in prop::collection::vec(any::<u8>(), 0..80), len in 0..300usize) {
        if let Ok(ours) = decoded(&block, len) {
            prop_assert_eq!(theirs(&block, len), Some(ours));
        }
    }
}
