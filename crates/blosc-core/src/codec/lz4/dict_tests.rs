//! Tests of blocks with a dictionary: against `lz4_flex`, with blocks of the C library, and damaged.

use proptest::prelude::*;

use super::tests::{kinds, random, text, worst};
use super::*;
use crate::codec::{CodecFormat, CorruptStream};

/// Decodes over two buffers of different contents, with scratch after the block, and checks that the results are equal.
fn decoded(block: &[u8], len: usize, dict: &[u8]) -> Result<Vec<u8>, CorruptStream> {
    let [first, second] = [0x00, 0xA5].map(|fill| {
        let mut dst = vec![fill; len + 40];
        decompress_with_dict(block, &mut dst, len, dict).map(|()| dst[..len].to_vec())
    });
    assert_eq!(first, second);
    first
}

/// Decodes a block with `lz4_flex`.
fn theirs(block: &[u8], len: usize, dict: &[u8]) -> Option<Vec<u8>> {
    let mut dst = vec![0; len];
    (lz4_flex::block::decompress_into_with_dict(block, &mut dst, dict).ok()? == len).then_some(dst)
}

/// Both encoders with the same dictionary.
struct Encoders<'a> {
    dict: &'a [u8],
    fast: DictTable,
    hc: HcDictTable,
}

/// Accelerations and, as negative numbers, levels.
const MODES: [i32; 6] = [1, 5, 9, -1, -5, -9];

impl<'a> Encoders<'a> {
    fn new(dict: &'a [u8]) -> Self {
        Encoders { dict, fast: DictTable::new(dict).unwrap(), hc: HcDictTable::new(dict).unwrap() }
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8], mode: i32) -> Option<usize> {
        match mode {
            1.. => compress_fast_with_dict(src, dst, mode as u32, &mut self.fast),
            _ => compress_hc_with_dict(src, dst, -mode as u8, &mut self.hc),
        }
    }

    /// Compresses with room for the worst case and checks that both decoders return `src`.
    fn round_trip(&mut self, src: &[u8], mode: i32) -> Vec<u8> {
        let mut block = vec![0; worst(src.len())];
        let n = self.compress(src, &mut block, mode).unwrap();
        block.truncate(n);
        let what = (mode, src.len(), self.dict.len());
        assert!(decoded(&block, src.len(), self.dict).as_deref() == Ok(src), "{what:?}");
        assert!(theirs(&block, src.len(), self.dict).as_deref() == Some(src), "{what:?}");
        block
    }
}

#[test]
fn blocks_round_trip_with_dictionaries_of_any_length() {
    for dict_len in [0, 1, 2, 3, 4, 5, 7, 8, 17, 64, 500, 5000, 32_767, 32_768] {
        for dict in [random(dict_len, 21), text(dict_len)] {
            let mut encoders = Encoders::new(&dict);
            for len in (0..40).chain([100, 1000, 4096]) {
                let mut blocks = vec![random(len, 22), text(len), vec![0; len]];
                blocks.push(dict.iter().copied().cycle().take(if dict.is_empty() { 0 } else { len }).collect());
                // A match that continues in the block where the dictionary ends.
                let tail = &dict[dict.len().saturating_sub(9)..];
                blocks.push([tail, tail, tail, b"and that is all"].concat());
                for src in blocks {
                    for mode in MODES {
                        encoders.round_trip(&src, mode);
                    }
                }
            }
        }
    }
}

#[test]
fn long_blocks_and_short_ones_take_turns() {
    let dict = text(32_768);
    let mut encoders = Encoders::new(&dict);
    for len in [200, 32_768, 32_769, 300, 70_000, 4096, 140_000, 1] {
        for src in kinds(len) {
            for mode in MODES {
                encoders.round_trip(&src, mode);
            }
        }
    }
}

#[test]
fn a_block_does_not_depend_on_those_before_it() {
    let dict = [random(3000, 1), text(20_000)].concat();
    let blocks = [text(4096), dict[7..2000].to_vec(), random(600, 2), vec![9; 5000], dict[2900..9000].to_vec()];
    let mut used = Encoders::new(&dict);
    for mode in MODES {
        let alone: Vec<_> = blocks.iter().map(|src| Encoders::new(&dict).round_trip(src, mode)).collect();
        for _ in 0..3 {
            for (src, alone) in blocks.iter().zip(&alone) {
                assert!(used.round_trip(src, mode) == *alone, "{mode}: {} bytes", src.len());
                // Nor on a block that did not fit.
                assert_eq!(used.compress(src, &mut [0; 20][..alone.len().min(20) - 1], mode), None);
            }
        }
    }
}

#[test]
fn what_stands_in_the_dictionary_costs_next_to_nothing() {
    let dict = random(32_768, 5);
    let mut encoders = Encoders::new(&dict);
    for mode in MODES {
        // The oldest bytes, the newest ones, and some of the middle.
        for from in [0, 1, 20_000, 32_768 - 600] {
            let block = encoders.round_trip(&dict[from..from + 600], mode);
            assert!(block.len() < 30, "{mode} from {from}: {}", block.len());
        }
    }
}

#[test]
fn offsets_reach_the_first_byte_of_the_dictionary_and_no_further() {
    let dict = random(32_768, 6);
    for len in [32_700, 32_767, 32_768, 40_000] {
        // The first bytes of the dictionary again; each of them is `dict.len() + len` back.
        let src = [&random(len, 7)[..], &dict[..5000], b"the last bytes"].concat();
        for mode in MODES {
            let block = Encoders::new(&dict).round_trip(&src, mode);
            let found = block.len() < src.len() - 2000;
            assert_eq!(found, len <= 32_767, "{mode}, {len}: {}", block.len());
        }
    }
}

#[test]
fn a_block_fits_exactly_where_it_has_room() {
    let dict = text(3000);
    let mut encoders = Encoders::new(&dict);
    for src in [text(400), random(300, 9), vec![3; 600], Vec::new()] {
        for mode in MODES {
            let block = encoders.round_trip(&src, mode);
            for room in 0..=block.len() + 20 {
                let mut dst = vec![0xEE; room + 64];
                let fits = encoders.compress(&src, &mut dst[..room], mode);
                assert!(dst[room..].iter().all(|&byte| byte == 0xEE), "{mode} writes past {room} bytes");
                assert_eq!(fits, (room >= block.len()).then_some(block.len()), "{mode}, {room} bytes");
            }
        }
    }
}

#[test]
fn blocks_of_the_c_library_decode() {
    // LZ4 1.9.4, fast and high compression.
    let dict = b"sea shells she sells by the sea shore; a row of numbers: 12.5, 13.25, 14.75";
    let plain = b"she sells sea shells by the shore of the sea; a row of numbers: 13.25 numbers: 14.75 she sells by";
    let hex = |hex: &str| -> Vec<u8> {
        hex.as_bytes().chunks(2).map(|x| u8::from_str_radix(str::from_utf8(x).unwrap(), 16).unwrap()).collect()
    };
    let fast = hex("064000075500044b0074686f7265206f6658000f52000247332e3235610053342e3735205500506c73206279");
    let hc = hex("064000075500044b000047000040000358000f520002004c00070f00005400049500506c73206279");
    assert_eq!(decoded(&fast, plain.len(), dict).as_deref(), Ok(&plain[..]));
    assert_eq!(decoded(&hc, plain.len(), dict).as_deref(), Ok(&plain[..]));
    // A match that starts in the dictionary and continues in the block, past its own first byte.
    let dict = b"0123456789abcdef".repeat(4);
    let plain = [&b"0123456789abcdef".repeat(6)[..], b"the end."].concat();
    assert_eq!(decoded(b"\x0f\x20\x00\x4d\x80the end.", plain.len(), &dict).as_deref(), Ok(&plain[..]));
    assert_eq!(decoded(b"\x0f\x10\x00\x4d\x80the end.", plain.len(), &dict).as_deref(), Ok(&plain[..]));
}

#[test]
fn what_the_format_forbids_is_an_error() {
    let what = |block: &[u8], len, dict: &[u8]| decoded(block, len, dict).unwrap_err().what;
    assert_eq!(decoded(b"\x04\x08\x00\x50vwxyz", 13, b"abcdefgh").as_deref(), Ok(&b"abcdefghvwxyz"[..]));
    assert_eq!(decoded(b"\x04\x01\x00\x50vwxyz", 13, b"h").as_deref(), Ok(&b"hhhhhhhhvwxyz"[..]));
    assert_eq!(what(b"\x04\x09\x00\x50vwxyz", 13, b"abcdefgh"), "offset outside of the block");
    assert_eq!(what(b"\x04\x01\x00\x50vwxyz", 13, b""), "offset outside of the block");
    assert_eq!(what(b"\x04\x00\x00\x50vwxyz", 13, b"abcdefgh"), "offset outside of the block");
    assert_eq!(what(b"\x05\x08\x00\x40wxyz", 13, b"abcdefgh"), "match reaches too far");
    assert_eq!(what(b"\x04\x08\x00", 13, b"abcdefgh"), "no literals after the last match");
    assert_eq!(what(b"", 0, b"abcdefgh"), "empty block");
    assert_eq!(
        decompress_with_dict(b"\0", &mut [0; 3], 4, b"ab").unwrap_err().what,
        "the output is too small for the decoded bytes"
    );
}

#[test]
fn damage_is_an_error_or_bytes_that_another_decoder_reads_the_same() {
    let dict = [text(150), random(100, 3)].concat();
    let plain = [&dict[..60], &text(200), &dict[200..], &dict[120..190], &[7; 90], b"the end"].concat();
    for mode in MODES {
        let mut block = Encoders::new(&dict).round_trip(&plain, mode);
        for end in 0..block.len() {
            assert!(decoded(&block[..end], plain.len(), &dict).is_err(), "{mode}: the first {end} bytes");
        }
        for wrong in [0, plain.len() - 1, plain.len() + 1, plain.len() + 500] {
            assert!(decoded(&block, wrong, &dict).is_err(), "{mode}: {wrong} bytes");
        }
        for cut in 0..dict.len() {
            if let Ok(ours) = decoded(&block, plain.len(), &dict[cut..]) {
                assert!(ours == plain, "{mode}: without the dictionary's first {cut} bytes");
            }
        }
        for i in 0..block.len() {
            for flip in [0x01, 0x10, 0x0F, 0x80, 0xF0, 0xFF] {
                block[i] ^= flip;
                if let Ok(ours) = decoded(&block, plain.len(), &dict) {
                    assert!(theirs(&block, plain.len(), &dict) == Some(ours), "{mode}: byte {i}");
                }
                block[i] ^= flip;
            }
        }
    }
}

#[test]
fn streams_of_c_blosc2_decode() {
    let chunks = crate::codec::dict_chunks::of(CodecFormat::Lz4);
    assert_eq!(chunks.len(), 5);
    for chunk in chunks {
        assert!(chunk.compressed().count() > 10);
        chunk.plain(|stream, len| decoded(stream, len, &chunk.dict).unwrap());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_an_error_or_what_another_decoder_reads(
        block in prop::collection::vec(any::<u8>(), 0..80), len in 0..300usize, dict in prop::collection::vec(any::<u8>(), 0..600)
    ) {
        if let Ok(ours) = decoded(&block, len, &dict) {
            prop_assert_eq!(theirs(&block, len, &dict), Some(ours));
        }
    }

    #[test]
    fn cuttings_of_the_dictionary_round_trip(
        dict in prop::collection::vec(0..4u8, 0..300), pieces in prop::collection::vec((any::<u16>(), 0..60usize, any::<u8>()), 0..30), mode in -9..10i32
    ) {
        let mut src = Vec::new();
        for (from, len, byte) in pieces {
            let from = usize::from(from) % (dict.len() + 1);
            src.extend(&dict[from..(from + len).min(dict.len())]);
            src.push(byte);
        }
        Encoders::new(&dict).round_trip(&src, mode);
    }
}
