//! Runs every public entry point with an allocator that refuses memory. The result is right, or an error that names the
//! memory. A refused infallible allocation would abort the test.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::single_range_in_vec_init, reason = "one range is a list of ranges")]
use blosc_core::memory::MIN_CHECKED;
use blosc_core::{
    BlockSize, CParams, Chunk, Codec, DecodeError, Decoder, EncodeError, Encoder, Filter, FilterPipeline,
    decompress_vec,
};
use testdata::FailingAlloc;

#[global_allocator]
static ALLOC: FailingAlloc = FailingAlloc::new();

/// Runs `run` with the allocator refusing all allocations of at least `smallest` bytes, first from the first one on,
/// then from the second on, and so on, until none is refused. `run` returns whether it succeeded.
fn sweep(what: &str, smallest: usize, run: impl Fn() -> bool) {
    let mut refused = 0;
    for from in 0.. {
        ALLOC.refuse(smallest, from);
        let works = run();
        let all = ALLOC.refuse_none() <= from || smallest > MIN_CHECKED;
        if all {
            // Codecs of other crates abort if an allocation after their check is refused. So all are refused, or none.
            assert!(works || smallest > MIN_CHECKED, "{what}: failed though nothing was refused");
            assert!(refused > 0 || from == 0, "{what}: nothing was refused");
            return;
        }
        refused += usize::from(!works);
    }
}

fn decoded<T>(result: Result<T, DecodeError>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(DecodeError::OutOfMemory(error)) => {
            assert!(error.nbytes > 0 && error.to_string().starts_with("out of memory: "));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn encoded<T>(result: Result<T, EncodeError>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(EncodeError::OutOfMemory(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Checks that an encoder that was refused memory for a long chunk compresses a short one as before.
fn an_encoder_goes_on(params: CParams, plain: &[u8]) {
    let short = &plain[..64 << 10];
    let is_last = |from| {
        let mut encoder = Encoder::new(params).unwrap();
        let expected = encoder.compress(short).unwrap();
        ALLOC.refuse(64 << 10, from);
        let made = encoder.compress(plain);
        ALLOC.refuse_none();
        assert!(encoder.compress(short).unwrap() == expected, "{params:?}, {from} allocations");
        // The encoder of zstd is of another crate, which aborts if it is refused memory after its claim.
        let is_claim = matches!(&made, Err(EncodeError::OutOfMemory(error)) if error.nbytes >= 3 << 20);
        is_claim && params.get_codec() == Codec::Zstd || encoded(made).is_some()
    };
    // A new thread has no buffers of an encoder before.
    let in_thread = |from| std::thread::scope(|scope| scope.spawn(|| is_last(from)).join().unwrap());
    assert!((0..100).any(in_thread), "{params:?}");
}

/// There is one test, because all threads share the allocator.
#[test]
fn refused_memory_is_an_error() {
    let plain: Vec<u8> = (0..300_000_u32).flat_map(|n| (n / 3 * 7).to_le_bytes()).collect();
    let filters =
        [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::from([Filter::Delta, Filter::BitShuffle])];
    let codecs = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd];
    let codecs = codecs.into_iter().filter(|codec| codec.is_available());
    let cases = codecs.flat_map(|codec| filters.iter().map(move |filters| (codec, filters)));
    for (codec, filters) in cases {
        for (generation, dictionary) in [(1, false), (2, false), (2, true)] {
            if generation == 1 && filters.as_slice().len() > 1 {
                continue;
            }
            let format = if generation == 1 { CParams::new() } else { CParams::blosc2() };
            if dictionary && matches!(codec, Codec::BloscLz | Codec::Zlib) {
                continue;
            }
            let params = format.codec(codec).clevel(6).typesize(4).filters(*filters).dictionary(dictionary);
            let params = params.blocksize(BlockSize::Fixed(256 << 10));
            let what = format!("{params:?}");
            // The encoder of zstd is of another crate.
            let smallest = MIN_CHECKED / 2;
            let smallest_of_encoder = if codec == Codec::Zstd { 900 << 10 } else { smallest };
            if !dictionary {
                an_encoder_goes_on(params, &plain);
            }
            let chunk = blosc_core::compress(&plain, &params).unwrap();
            sweep(&what, smallest_of_encoder, || {
                let made = encoded(blosc_core::compress(&plain, &params));
                made.is_some_and(|made| {
                    assert_eq!(made, chunk);
                    true
                })
            });
            let parsed = Chunk::parse(&chunk).unwrap();
            sweep(&what, smallest, || {
                let found = decoded(Decoder::new().decompress(&parsed));
                found.is_some_and(|found| {
                    assert_eq!(found, plain);
                    true
                })
            });
            sweep(&what, smallest, || decoded(Decoder::new().items(&parsed, 1000..290_000)).is_some());
            let part = std::cell::RefCell::new(vec![0; 70_000]);
            sweep(&what, smallest, || {
                let mut decoder = Decoder::new();
                decoded(decoder.decode_ranges(&parsed, &[300_000..370_000], &mut part.borrow_mut())).is_some()
            });
        }
    }
    let zeros = Encoder::new(CParams::blosc2().typesize(4)).unwrap().zeros(700_000_000).unwrap();
    sweep("zeros", 1 << 20, || decoded(decompress_vec::<u32>(&zeros[..])).is_some());
    let lines: Vec<&[u8]> = plain.chunks(100_000).collect();
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(1);
    sweep("vlblocks", MIN_CHECKED / 2, || {
        encoded(Encoder::new(params).and_then(|mut encoder| encoder.compress_vlblocks(&lines))).is_some()
    });
    let chunk = Encoder::new(params).unwrap().compress_vlblocks(&lines).unwrap();
    sweep("vlblocks", MIN_CHECKED / 2, || decoded(blosc_core::decompress(&chunk)).is_some());
}
