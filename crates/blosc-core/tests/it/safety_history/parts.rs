//! Parts of a chunk, and bytes that were never written.

use super::{NOT_SPLIT, decode, numbers, one_block, refused};
use blosc_core::{BlockSize, CParams, Chunk, DecodeError, Decoder, Encoder, Filter, FilterPipeline};

/// C-Blosc2 acd77b18: `start * typesize` and `nitems * typesize` overflow 32 bits.
#[test]
#[allow(clippy::reversed_empty_ranges, reason = "that is what is tried")]
fn item_ranges_whose_arithmetic_overflows() {
    const MAX: usize = usize::MAX;
    let plain = testdata::ramp(4000, 8, 1);
    let special = Encoder::new(CParams::blosc2().typesize(8)).unwrap();
    let chunks = [
        blosc_core::compress(&plain, &CParams::new().typesize(8)).unwrap(),
        blosc_core::compress(&plain, &CParams::blosc2().typesize(8)).unwrap(),
        blosc_core::compress(&plain, &CParams::blosc2().typesize(8).clevel(0)).unwrap(),
        special.zeros(4000).unwrap(),
        special.repeat(&[1, 2, 3, 4, 5, 6, 7, 8], 4000).unwrap(),
    ];
    let (wraps, wraps_32) = (MAX / 8 + 1, (1 << 29) + 1);
    let ranges = [0..501, 500..501, 501..501, 3..2, 500..0, MAX..MAX, 0..MAX, MAX - 1..MAX, wraps..wraps + 2];
    for bytes in &chunks {
        let chunk = Chunk::parse(bytes).unwrap();
        let mut decoder = Decoder::new();
        for range in ranges.iter().cloned().chain([wraps..wraps, wraps_32..wraps_32 + 1, 0..wraps_32]) {
            let (items, usage) = testdata::CountingAlloc::measure(|| decoder.items(&chunk, range.clone()));
            assert!(matches!(items, Err(DecodeError::Range { unit: "items", .. })), "{range:?}");
            assert!(usage.peak < 4096, "{usage:?}");
        }
        assert!(decoder.items(&chunk, 500..500).unwrap().is_empty());
        for range in [0..4001, 4001..4001, 5..4, MAX..MAX, 0..MAX, MAX..0] {
            let mut dst = vec![0; range.len().min(5000)];
            let error = decoder.decode_ranges(&chunk, &[0..0, range.clone()], &mut dst).unwrap_err();
            assert!(matches!(error, DecodeError::Range { unit: "bytes", .. }), "{range:?}");
            assert_eq!(decoder.ranges(&chunk, &[0..0, range]).unwrap_err(), error);
        }
        let parts = decoder.ranges(&chunk, &[3990..4000, 7..7, 0..16, 8..24]).unwrap();
        let all = decoder.decompress(&chunk).unwrap();
        assert_eq!(parts, [&all[3990..], &[], &all[..16], &all[8..24]]);
        let error = decoder.decode_ranges(&chunk, &[0..4000, 0..4000], &mut [0; 7999]).unwrap_err();
        assert_eq!(error, DecodeError::Destination { needed: 8000, found: 7999 });
        for index in [chunk.header().nblocks(), MAX] {
            let error = decoder.decode_block(&chunk, index, &mut [0; 4000]).unwrap_err();
            assert!(matches!(error, DecodeError::Range { unit: "blocks", .. }));
            assert!(chunk.streams(index).is_err());
            assert!(chunk.block_range(index).is_empty());
        }
    }
}

/// The same commit: `cbytes` determines the width of a repeated value, and the typesize the width of an item.
#[test]
fn special_values_of_another_width_than_the_typesize() {
    let value = testdata::noise(12, 1);
    let mut bytes = Encoder::new(CParams::blosc2()).unwrap().repeat(&value, 120).unwrap();
    for typesize in 1..=255 {
        bytes[3] = typesize;
        assert_eq!(decode(&bytes).unwrap(), value.repeat(10));
        let chunk = Chunk::parse(&bytes).unwrap();
        let typesize = usize::from(typesize);
        for first in 0..120 / typesize {
            let items = chunk.items(first..first + 1).unwrap();
            assert_eq!(items, value.repeat(10)[first * typesize..(first + 1) * typesize]);
        }
        assert!(chunk.items(120 / typesize..120 / typesize + 1).is_err());
    }
    // A width that does not divide the plain bytes, a width of 0, and a width over `nbytes`.
    for width in [0, 7, 11, 13, 119, 121, 1000] {
        let mut damaged = bytes[..32].to_vec();
        damaged.resize(32 + width, 1);
        refused(&super::with_cbytes(damaged));
    }
}

/// C-Blosc2 leaves the destination unchanged for uninitialised chunks, and for the bytes of a block that delta and
/// trunc_prec do not cover.
#[test]
fn tails_never_show_what_was_in_the_destination() {
    let files = testdata::archive("chunks");
    let items = testdata::manifest("chunks");
    let mut seen = 0;
    for item in items["items"].as_array().unwrap() {
        let is_one = |category: &str| item["category"] == category;
        if ["special_uninit", "delta_tail", "bytedelta_tail", "trunc_prec", "int_trunc"].into_iter().any(is_one) {
            let chunk = &files[item["file"].as_str().unwrap()];
            if matches!(Chunk::parse(chunk), Err(DecodeError::CodecUnavailable { .. })) {
                continue;
            }
            let plain = decode(chunk).unwrap();
            assert!(!is_one("special_uninit") || plain.iter().all(|byte| *byte == 0));
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen}");
    // Chunks of this crate, with every length of the tail after the last element. The tail must round-trip.
    let filters = [Filter::Delta, Filter::BitShuffle, Filter::TruncPrec(-20), Filter::ByteDelta(8), Filter::Shuffle];
    for filter in filters {
        for nbytes in 600..620 {
            let plain = testdata::steps(nbytes, 8, 1);
            let params = CParams::blosc2().typesize(8).blocksize(BlockSize::Fixed(200));
            let params = params.filters(FilterPipeline::from([filter]));
            let chunk = blosc_core::compress(&plain, &params).unwrap();
            assert!(!Chunk::parse(&chunk).unwrap().header().is_memcpyed());
            let back = decode(&chunk).unwrap();
            let whole = if matches!(filter, Filter::TruncPrec(_)) { nbytes / 8 * 8 } else { 0 };
            assert_eq!(back[whole..], plain[whole..], "{filter} {nbytes}");
        }
    }
}

/// A stream that fails in the middle gives an error and does not affect the next chunk.
#[test]
fn a_decoder_survives_its_errors() {
    let plain = testdata::ramp(3000, 4, 1);
    let good = blosc_core::compress(&plain, &CParams::blosc2().typesize(4)).unwrap();
    let bad = one_block(NOT_SPLIT, 4, 3000, &[numbers(&[20]), testdata::noise(20, 1)].concat());
    let (good, bad) = (Chunk::parse(&good).unwrap(), Chunk::parse(&bad).unwrap());
    let mut decoder = Decoder::new();
    for _ in 0..3 {
        assert!(decoder.decompress(&bad).is_err());
        assert!(decoder.items(&bad, 3..4).is_err());
        assert_eq!(decoder.decompress(&good).unwrap(), plain);
        assert_eq!(decoder.items(&good, 3..4).unwrap(), plain[12..16]);
    }
}
