//! Without a request for threads, rayon's global pool is not started. It belongs to the program, which may want to
//! configure it, or may not be allowed to start threads. There is one test, because a process has one global pool.
#![cfg(all(feature = "rayon", not(target_family = "wasm")))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blosc_core::{CParams, Chunk, Decoder, Encoder, Parallelism};

#[test]
fn serial_work_and_small_chunks_start_no_pool() {
    let plain: Vec<u8> = (0..250_000_u32).flat_map(u32::to_le_bytes).collect();
    for (plain, parallelism) in [(&plain[..], Parallelism::Serial), (&plain[..200_000], Parallelism::Ambient)] {
        let mut encoder = Encoder::new(CParams::new().typesize(4)).unwrap().parallelism(parallelism);
        let bytes = encoder.compress(plain).unwrap();
        let chunk = Chunk::parse(&bytes).unwrap();
        assert!(chunk.header().nblocks() > 1 || plain.len() < 256 << 10);
        let mut decoder = Decoder::new().parallelism(parallelism);
        assert!(decoder.decompress(&chunk).unwrap() == plain);
        let mut out = vec![1; plain.len()];
        decoder.decompress_into(&chunk, &mut out).unwrap();
        decoder.decode_block(&chunk, 0, &mut out).unwrap();
        decoder.items(&chunk, 5..10).unwrap();
        assert!(out == plain);
    }
    // The global pool can be built only once. This succeeds because it was not built before.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}
