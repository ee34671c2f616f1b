//! Any data with any Blosc2 parameters round-trips in every way. The chunk does not depend on parallelism.

use blosc_core::{
    BlockSize, CParams, Codec, Decoder, Encoder, Filter, FilterPipeline, Header, SplitMode, compress_slice,
    decompress_vec, max_cbytes,
};
use core::num::NonZeroU8;
use proptest::prelude::*;

/// Filters that are lossless for any typesize.
fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![
        Just(Filter::Shuffle),
        (1..=255u8).prop_map(|group| Filter::ShuffleGroups(NonZeroU8::new(group).unwrap())),
        Just(Filter::BitShuffle),
        Just(Filter::Delta),
        Just(Filter::ByteDelta(0)),
        (1..=255u8).prop_map(Filter::ByteDelta),
    ]
}

fn codecs() -> Vec<Codec> {
    Codec::ALL.into_iter().filter(|&codec| codec.is_available() && codec != Codec::Snappy).collect()
}

fn params() -> impl Strategy<Value = CParams> {
    let blocksize = prop_oneof![
        Just(BlockSize::Auto),
        (0..400usize).prop_map(BlockSize::Fixed),
        (400..70_000usize).prop_map(BlockSize::Fixed),
    ];
    let split =
        prop::sample::select(vec![SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat]);
    let typesize = prop_oneof![1..=20usize, prop::sample::select(vec![32, 255, 256, 300, 1024])];
    let filters = prop::collection::vec(filter(), 0..=FilterPipeline::MAX_LEN);
    let codec = (prop::sample::select(codecs()), 0..=9u8, typesize);
    (codec, filters, blocksize, split, any::<bool>()).prop_map(
        |((codec, clevel, typesize), filters, blocksize, split, dictionary)| {
            let params = CParams::blosc2().codec(codec).clevel(clevel).typesize(typesize);
            let params = params.filters(FilterPipeline::try_from(&filters[..]).unwrap()).blocksize(blocksize);
            let dictionary = dictionary && matches!(codec, Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd);
            params.split(split).dictionary(dictionary).portable(false)
        },
    )
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    let nbytes = prop_oneof![2 => 0..300usize, 4 => 0..20_000usize, 1 => 0..100_000usize];
    (prop::sample::select(&testdata::PlainKind::ALL[..]), nbytes, 1..20usize, any::<u64>())
        .prop_map(|(kind, nbytes, typesize, seed)| testdata::plain(kind, nbytes, typesize, seed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_goes_in_comes_out(plain in data(), params in params()) {
        let mut encoder = Encoder::new(params)?;
        let chunk = encoder.compress(&plain)?;
        prop_assert!(chunk.len() <= max_cbytes(plain.len()));
        prop_assert!(encoder.compress(&plain)? == chunk, "an encoder used again");
        crate::outside::check(&mut encoder, &plain, &chunk);
        crate::ways::check(&chunk, &plain, Decoder::new);
    }
}

#[test]
fn every_typesize_around_its_blocks() {
    for typesize in (1..=20).chain([32, 255, 256, 300, 1024]) {
        for filters in
            [&[Filter::Shuffle][..], &[Filter::BitShuffle], &[Filter::Delta, Filter::Shuffle, Filter::BitShuffle]]
        {
            let filters = FilterPipeline::try_from(filters).unwrap();
            for blocksize in [40 * typesize, 64 * typesize + 1] {
                let params = CParams::blosc2().codec(Codec::Lz4).typesize(typesize).filters(filters);
                let mut encoder = Encoder::new(params.blocksize(BlockSize::Fixed(blocksize))).unwrap();
                for nbytes in [0, 1, typesize - 1, typesize, 31, 32, 33, blocksize - 1, blocksize, blocksize + 1] {
                    let plain = testdata::ramp(nbytes, typesize, 1);
                    crate::ways::check(&encoder.compress(&plain).unwrap(), &plain, Decoder::new);
                    let plain = testdata::steps(3 * blocksize + nbytes, typesize, 1);
                    crate::ways::check(&encoder.compress(&plain).unwrap(), &plain, Decoder::new);
                }
            }
        }
    }
}

#[test]
fn every_codec_and_level() {
    let plain = testdata::linspace_f64(0.0, 1.0, 20_000);
    for codec in codecs() {
        for clevel in 0..=9 {
            for split in [SplitMode::Always, SplitMode::Never] {
                let params = CParams::blosc2().codec(codec).clevel(clevel).split(split);
                let chunk = blosc_core::compress(&plain, &params).unwrap();
                let header = Header::parse(&chunk).unwrap();
                assert_eq!((header.is_memcpyed(), header.version()), (clevel == 0, 5));
                if clevel > 0 {
                    assert_eq!((header.codec(), header.is_split()), (Some(codec), split == SplitMode::Always));
                }
                crate::ways::check(&chunk, &plain, Decoder::new);
            }
        }
    }
}

#[test]
fn with_a_dictionary() {
    let plain = testdata::text(3000, 5).repeat(60);
    for codec in [Codec::Lz4, Codec::Lz4Hc, Codec::Zstd].into_iter().filter(|codec| codec.is_available()) {
        for (typesize, split) in [(1, SplitMode::Never), (4, SplitMode::Always)] {
            for filters in [FilterPipeline::none(), FilterPipeline::from([Filter::Delta])] {
                let params = CParams::blosc2().codec(codec).typesize(typesize).split(split).filters(filters);
                let params = params.dictionary(true).blocksize(BlockSize::Fixed(4096));
                let chunk = blosc_core::compress(&plain, &params).unwrap();
                if filters == FilterPipeline::none() {
                    assert!(Header::parse(&chunk).unwrap().has_dictionary(), "{codec} {split:?}");
                }
                crate::ways::check(&chunk, &plain, Decoder::new);
            }
        }
    }
}

/// Large enough to be parallel, and with so few bytes to save that the chunk just fits or just does not.
#[cfg(feature = "rayon")]
#[test]
fn parallel_and_serial_chunks_are_equal() {
    let filters = [Filter::Delta, Filter::Shuffle, Filter::ByteDelta(0)];
    for codec in codecs() {
        for saved in [0, 40, 60, 80, 100, 200, 100_000] {
            let mut plain = testdata::noise(300_000, 5);
            let len = plain.len();
            plain[len - saved..].fill(3);
            for (filters, dictionary) in [(&filters[..0], false), (&filters[..], false), (&filters[..0], true)] {
                let dictionary = dictionary && matches!(codec, Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd);
                let filters = FilterPipeline::try_from(filters).unwrap();
                let params = CParams::blosc2().codec(codec).clevel(4).typesize(4).filters(filters);
                let params = params.blocksize(BlockSize::Fixed(40_000)).dictionary(dictionary);
                let serial = blosc_core::compress(&plain, &params).unwrap();
                let mut encoder = Encoder::new(params).unwrap().parallelism(blosc_core::Parallelism::Ambient);
                assert!(encoder.compress(&plain).unwrap() == serial, "{codec} {saved}");
                crate::ways::check(&serial, &plain, Decoder::new);
            }
        }
    }
}

/// With threads, data that may be random is copied while it is tested. Here the copy is then dropped, as one plane of eight
/// has only seven bits. The quick test of 64 values does not show that.
#[cfg(feature = "rayon")]
#[test]
fn data_that_turns_out_to_be_compressible_is_compressed() {
    let mut plain = testdata::noise(1 << 20, 6);
    plain.iter_mut().skip(7).step_by(8).for_each(|byte| *byte &= 0x7F);
    let pool = std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    for codec in codecs() {
        let params = CParams::blosc2().codec(codec).clevel(4).typesize(8).filters(FilterPipeline::shuffle());
        let serial = blosc_core::compress(&plain, &params).unwrap();
        let mut encoder = Encoder::new(params).unwrap().parallelism(blosc_core::Parallelism::Ambient);
        let mut chunk = vec![7; 2 << 20];
        blosc_core::with_pool(&pool, || {
            encoder.compress_to(&plain, &mut chunk).unwrap();
            assert!(chunk == serial, "{codec}");
            // zlib and zstd make it smaller; other codecs try, and store it.
            for len in [serial.len(), serial.len() + 1, blosc_core::max_cbytes(plain.len()).max(serial.len())] {
                let mut room = vec![7; len];
                let written = encoder.compress_into(&plain, &mut room).unwrap();
                assert!(room[..written] == serial, "{codec}, room for {len} bytes");
            }
        });
        crate::ways::check(&serial, &plain, Decoder::new);
    }
}

/// Numbers round-trip, and their size determines the typesize.
#[test]
fn numbers() {
    fn check<T: bytemuck::Pod + PartialEq + core::fmt::Debug>(numbers: &[T]) {
        for params in [CParams::new(), CParams::blosc2(), CParams::blosc2().clevel(0)] {
            let chunk = compress_slice(numbers, &params).unwrap();
            assert_eq!(Header::parse(&chunk).unwrap().typesize(), size_of::<T>());
            assert_eq!(decompress_vec::<T>(&chunk).unwrap(), numbers);
            assert_eq!(blosc_core::decompress(&chunk).unwrap(), bytemuck::cast_slice::<T, u8>(numbers));
            assert_eq!(decompress_vec::<[u8; 7]>(&chunk).is_ok(), size_of_val(numbers).is_multiple_of(7));
            decompress_vec::<T>(&chunk[..chunk.len() - 1]).unwrap_err();
        }
    }
    check::<u8>(&[]);
    check(&[1u8, 2, 3]);
    check(&(0..5000).map(|number| number as i16 * 3).collect::<Vec<_>>());
    check(&(0..5000).map(|number| number as f32 / 7.0).collect::<Vec<_>>());
    check(&(0..5000).map(f64::from).collect::<Vec<_>>());
    check(&(0..5000).map(|number| [number, -number, 7]).collect::<Vec<[i64; 3]>>());
    assert_eq!(decompress_vec::<()>(&compress_slice::<()>(&[], &CParams::new()).unwrap()).unwrap(), []);
}
