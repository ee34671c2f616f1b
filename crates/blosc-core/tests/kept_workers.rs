//! A thread keeps the tables of all workers between calls. The counts are those of the process, so there is one test.
#![cfg(all(feature = "rayon", feature = "zstd", not(feature = "zstd-c"), not(target_family = "wasm")))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use blosc_core::{BlockSize, CParams, Codec, Encoder, Parallelism, with_pool};
use testdata::CountingAlloc;

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

const THREADS: usize = 4;

/// Before it allocates tables, zstd's encoder tests whether that much memory is free. Blocks and chunks are smaller.
const TRIAL: usize = 3 << 20;

/// Each worker needs its tables once, whatever was compressed on the thread before.
#[test]
fn every_worker_allocates_once() {
    let plain: Vec<u8> = (0..1 << 19).flat_map(|i: u32| (i.wrapping_mul(i) / 977).to_le_bytes()).collect();
    let params = CParams::new().typesize(4).codec(Codec::Zstd).clevel(5).blocksize(BlockSize::Fixed(128 << 10));
    let mut chunk = vec![0; plain.len() + 1000];
    let mut compress = |parallelism| {
        CountingAlloc::reset_peak();
        let mut encoder = Encoder::new(params).unwrap().parallelism(parallelism);
        encoder.compress_into(&plain, &mut chunk).unwrap();
        drop(encoder);
        CountingAlloc::largest() >= TRIAL
    };
    assert!(compress(Parallelism::Serial), "tables are allocated");
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap());
    let calls = (0..30).filter(|_| with_pool(&pool, || compress(Parallelism::Ambient))).count();
    assert!(calls < THREADS, "{calls} calls allocated tables");
}
