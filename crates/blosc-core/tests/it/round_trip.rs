//! Any data with any Blosc1 parameters round-trips in every way, for any destination size and parallelism.

use blosc_core::{BlockSize, CParams, Codec, Decoder, EncodeError, Encoder, FilterPipeline, SplitMode, max_cbytes};
use proptest::prelude::*;

fn codecs() -> Vec<Codec> {
    Codec::ALL.into_iter().filter(|codec| codec.is_available()).collect()
}

fn params() -> impl Strategy<Value = CParams> {
    let blocksize = prop_oneof![Just(BlockSize::Auto), (1..70_000usize).prop_map(BlockSize::Fixed)];
    let split = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
    let codec = (prop::sample::select(codecs()), 0..=9u8, 1..=300usize);
    (codec, 0..3usize, blocksize, prop::sample::select(split.to_vec())).prop_map(
        |((codec, clevel, typesize), filter, blocksize, split)| {
            let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][filter];
            let params = CParams::new().codec(codec).clevel(clevel).typesize(typesize);
            params.filters(filters).blocksize(blocksize).split(split)
        },
    )
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    let nbytes = prop_oneof![0..300usize, 0..200_000usize];
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

/// Large enough to be parallel, and with so few bytes to save that the chunk just fits or just does not.
#[cfg(feature = "rayon")]
#[test]
fn parallel_and_serial_chunks_are_equal() {
    for codec in codecs() {
        for saved in [0, 40, 60, 80, 100, 200, 100_000] {
            let mut plain = testdata::noise(300_000, 5);
            let len = plain.len();
            plain[len - saved..].fill(3);
            let params = CParams::new().codec(codec).typesize(4).blocksize(BlockSize::Fixed(40_000));
            let serial = blosc_core::compress(&plain, &params).unwrap();
            let mut encoder = Encoder::new(params).unwrap().parallelism(blosc_core::Parallelism::Ambient);
            assert!(encoder.compress(&plain).unwrap() == serial, "{codec} {saved}");
            crate::ways::check(&serial, &plain, Decoder::new);
        }
    }
}

/// The caller's thread and a pool: the same bytes, the same errors, and no pool after the call.
#[cfg(feature = "rayon")]
#[test]
fn a_pool_and_its_caller_share_the_blocks() {
    use blosc_core::{Chunk, Decoder, Parallelism::Ambient, with_pool};
    use std::sync::{Arc, Mutex};
    let pool = |count| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap());
    let plain = testdata::noise(300_000, 5);
    for count in [1, 2, 3, 8] {
        let pool = pool(count);
        for codec in codecs() {
            let params = CParams::new().codec(codec).typesize(4).blocksize(BlockSize::Fixed(20_000));
            let serial = blosc_core::compress(&plain, &params).unwrap();
            let mut encoder = Encoder::new(params).unwrap().parallelism(Ambient);
            assert!(with_pool(&pool, || encoder.compress(&plain)).unwrap() == serial, "{codec} {count}");
            let mut decoder = Decoder::new().parallelism(Ambient);
            assert!(
                with_pool(&pool, || decoder.decompress(&Chunk::parse(&serial).unwrap())).unwrap() == plain,
                "{codec} {count}"
            );
            // The offset of the first block. A chunk of plain bytes has none, so it is no error there.
            let mut damaged = blosc_core::compress(&testdata::text(300_000, 1), encoder.params()).unwrap();
            damaged[16..20].fill(0xFF);
            let damaged = Chunk::parse(&damaged).unwrap();
            let pooled = with_pool(&pool, || decoder.decompress(&damaged)).map_err(|error| error.to_string());
            let serial = Decoder::new().decompress(&damaged).map_err(|error| error.to_string());
            assert!(pooled == serial, "{codec} {count}: {:?}", pooled.err());
        }
    }
    // The other thread of the pool suffices while one is busy with something else.
    let (pool, gate) = (pool(2), Arc::new(Mutex::new(())));
    let closed = gate.lock().unwrap();
    let waits = Arc::clone(&gate);
    pool.spawn(move || drop(waits.lock()));
    let chunk = blosc_core::compress(&plain, &CParams::new().blocksize(BlockSize::Fixed(20_000))).unwrap();
    assert!(
        with_pool(&pool, || Decoder::new().parallelism(Ambient).decompress(&Chunk::parse(&chunk).unwrap())).unwrap()
            == plain
    );
    drop(closed);
}

/// Blosc has written past the end of its destination before. For every size, the next byte must stay unchanged.
#[test]
fn every_destination_size_is_respected() {
    for codec in codecs() {
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
