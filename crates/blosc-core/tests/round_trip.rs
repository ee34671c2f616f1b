//! Any data with any parameters comes back, whatever the room and whoever works.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use blosc_core::{
    BlockSize, CParams, Chunk, ChunkFormat, Codec, Decoder, EncodeError, Encoder, Filter, FilterPipeline, Header,
    Parallelism, SplitMode, max_cbytes,
};
use proptest::prelude::*;

fn params() -> impl Strategy<Value = CParams> {
    let blocksize = prop_oneof![Just(BlockSize::Auto), (1..70_000usize).prop_map(BlockSize::Fixed)];
    let split = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
    let codec = (prop::sample::select(&Codec::ALL[..]), 0..=9u8, 1..=300usize);
    (codec, 0..3usize, blocksize, prop::sample::select(split.to_vec())).prop_map(
        |((codec, clevel, typesize), filter, blocksize, split)| {
            let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][filter];
            let params = CParams::new().codec(codec).clevel(clevel).typesize(typesize);
            params.filters(filters).blocksize(blocksize).split(split)
        },
    )
}

/// The same for Blosc2, with up to six filters that lose nothing.
fn params_blosc2() -> impl Strategy<Value = CParams> {
    let kinds = [Filter::Shuffle, Filter::BitShuffle, Filter::Delta, Filter::ByteDelta(0), Filter::ByteDelta(3)];
    let filters = prop::collection::vec(prop::sample::select(kinds.to_vec()), 0..=6);
    (params(), prop::sample::select(&CODECS_BLOSC2[..]), filters, any::<bool>()).prop_map(
        |(params, codec, filters, dictionary)| {
            let dictionary = dictionary && codec != Codec::BloscLz && codec != Codec::Zlib;
            let filters = FilterPipeline::from_slice(&filters).unwrap();
            params.format(ChunkFormat::Blosc2).codec(codec).filters(filters).dictionary(dictionary)
        },
    )
}

const CODECS_BLOSC2: [Codec; 5] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd];

fn data() -> impl Strategy<Value = Vec<u8>> {
    let nbytes = prop_oneof![0..300usize, 0..200_000usize];
    (prop::sample::select(&testdata::PlainKind::ALL[..]), nbytes, 1..20usize, any::<u64>())
        .prop_map(|(kind, nbytes, typesize, seed)| testdata::plain(kind, nbytes, typesize, seed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_goes_in_comes_out(
        plain in data(), params in prop_oneof![params(), params_blosc2()], place in any::<(u64, u64)>()
    ) {
        let chunk = blosc_core::compress(&plain, &params)?;
        prop_assert!(chunk.len() <= max_cbytes(plain.len()));
        prop_assert!(blosc_core::decompress(&chunk)? == plain);

        // Bytes behind the chunk mean nothing, and a longer destination is fine.
        let longer = [&*chunk, &[0xAB; 7]].concat();
        let mut dst = vec![0xCD; plain.len() + 9];
        prop_assert_eq!(blosc_core::decompress_into(&longer, &mut dst)?, plain.len());
        prop_assert!(dst[..plain.len()] == plain && dst[plain.len()..] == [0xCD; 9]);

        let mut encoder = Encoder::new(params.clone())?.parallelism(Parallelism::Ambient);
        prop_assert!(encoder.compress(&plain)? == chunk);
        prop_assert!(encoder.compress(&plain)? == chunk, "an encoder used again");
        let parsed = Chunk::parse(&chunk)?;
        let mut decoder = Decoder::new().parallelism(Parallelism::Ambient);
        prop_assert!(decoder.decompress(&parsed)? == plain);

        let len = plain.len() as u64 + 1;
        let (a, b) = ((place.0 % len) as usize, (place.1 % len) as usize);
        let range = a.min(b)..a.max(b);
        let mut part = vec![0; range.len()];
        decoder.decode_ranges(&parsed, std::slice::from_ref(&range), &mut part)?;
        prop_assert!(part == plain[range]);
    }
}

/// Blosc has written behind its destination before: into every size, one byte more is never touched.
#[test]
fn every_destination_size_is_respected() {
    for codec in Codec::ALL {
        for plain in [testdata::noise(700, 1), testdata::ramp(700, 4, 1), vec![7; 700], testdata::text(100, 2)] {
            let params = CParams::new().codec(codec).clevel(5).typesize(4).blocksize(BlockSize::Fixed(256));
            let mut encoder = Encoder::new(params).unwrap();
            let whole = encoder.compress(&plain).unwrap();
            for room in 0..max_cbytes(plain.len()) + 80 {
                let mut dst = vec![0x5A; room + 1];
                match encoder.compress_into(&plain, &mut dst[..room]) {
                    Ok(cbytes) => assert!(dst[..cbytes] == whole, "{codec} {room}"),
                    Err(EncodeError::Destination { .. }) => assert!(room < whole.len(), "{codec} {room}"),
                    Err(error) => panic!("{codec} {room}: {error}"),
                }
                assert_eq!(dst[room], 0x5A, "{codec} {room}");
            }
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |params| Encoder::new(params).unwrap_err();
    assert_eq!(refused(CParams::new().clevel(10)), EncodeError::Clevel { found: 10 });
    assert_eq!(refused(CParams::new().typesize(0)), EncodeError::Typesize);
}

/// C-Blosc2 splits such blocks into streams of no bytes.
#[test]
fn blocks_of_less_than_an_element_are_not_split() {
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(255).blocksize(BlockSize::Fixed(100));
    let plain = testdata::ramp(1023, 4, 1);
    let chunk = blosc_core::compress(&plain, &params.split(SplitMode::Always)).unwrap();
    assert!(!Chunk::parse(&chunk).unwrap().header().is_split());
    assert!(blosc_core::decompress(&chunk).unwrap() == plain);
}

/// Where the block starts alone take more room than the bytes, as in C-Blosc2 the header tells of no attempt.
#[test]
fn nothing_is_tried_without_room_for_the_block_starts() {
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(4).blocksize(BlockSize::Fixed(3));
    let chunk = blosc_core::compress(&[7; 128], &params).unwrap();
    assert_eq!(Chunk::parse(&chunk).unwrap().header().flags(), 0x07);
}

/// What C-Blosc2 3.3.5 makes of no bytes when it is asked for a dictionary: memcpyed, and zeros as well.
#[test]
fn nothing_may_be_stored_in_two_ways() {
    let mut chunk = blosc_core::compress(&[], &CParams::blosc2().codec(Codec::Lz4)).unwrap();
    assert_eq!((chunk.len(), chunk[2]), (Header::EXTENDED_LEN, 0x07));
    chunk[31] = 0x10;
    assert!(blosc_core::decompress(&chunk).unwrap().is_empty());
}
