//! Calls in a caller's thread pool, also from within its jobs, without deadlocks.

use std::sync::mpsc;
use std::time::Duration;

use blosc_core::{CParams, Decoder, Encoder, Parallelism};
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{Archive, Cancel, PackOptions, Threads, UnpackOptions, pack_bytes, unpack_bytes};
use rayon::prelude::*;

/// More than enough for work that takes a second: longer waits are deadlocks.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs `work` in a pool of `threads` threads, and fails if it does not end.
fn in_pool(threads: usize, work: impl Fn() + Send + Sync + 'static) {
    let (sender, done) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(work);
        sender.send(()).unwrap();
    });
    done.recv_timeout(PATIENCE * testdata::slowness())
        .unwrap_or_else(|error| panic!("a pool of {threads} threads: {error}"));
}

fn plain(seed: u32) -> Vec<u8> {
    (0..20_000_u32).flat_map(|number| ((number / 3) ^ seed).to_le_bytes()).collect()
}

/// Calls everything that uses threads, in the current pool.
fn everything(seed: u32) {
    let plain = plain(seed);
    let options = PackOptions::new().chunk_size(5000).threads(Threads::Ambient);
    let packed = pack_bytes(&plain, &options).unwrap();
    let unpacked = unpack_bytes(&packed, &UnpackOptions::new().threads(Threads::Ambient)).unwrap();
    assert!(unpacked.0 == plain);
    let archive = Archive::open(packed).unwrap();
    let mut out = Vec::new();
    archive.unpack(&mut out, &UnpackOptions::new().threads(Threads::Ambient)).unwrap();
    assert!(out == plain);
    let mut frame = FrameWriter::in_memory(FrameParams::new(4).clevel(1)).unwrap();
    frame.append_stream(plain.as_slice(), Some(8000), &Threads::Ambient, &Cancel::new()).unwrap();
    frame.commit().unwrap();
    let archive = Archive::open(frame.into_store().file).unwrap();
    assert!(archive.read_range(0..plain.len() as u64).unwrap() == plain);
}

#[test]
fn many_at_once_in_one_pool() {
    for threads in [1, 2, 3, 64] {
        in_pool(threads, || (0..60_u32).into_par_iter().for_each(everything));
    }
}

#[test]
fn within_scopes_and_joins() {
    in_pool(2, || {
        rayon::scope(|scope| {
            for seed in 0..16 {
                scope.spawn(move |_| {
                    rayon::join(|| everything(seed), || everything(seed + 100));
                });
            }
        });
    });
}

#[test]
fn blocks_of_a_chunk_within_jobs_of_the_caller() {
    in_pool(3, || {
        (0..100_u32).into_par_iter().for_each(|seed| {
            let plain: Vec<u8> = plain(seed).repeat(8);
            let params = CParams::new().typesize(4).clevel(1);
            let mut encoder = Encoder::new(params).unwrap().parallelism(Parallelism::Ambient);
            let chunk = encoder.compress(&plain).unwrap();
            let chunk = blosc_core::Chunk::parse(&chunk).unwrap();
            let mut decoder = Decoder::new().parallelism(Parallelism::Ambient);
            assert!(decoder.decompress(&chunk).unwrap() == plain);
        });
    });
}

/// Each job waits for its chunks and executes other jobs meanwhile, which may also wait. The nesting must not exhaust
/// the stack.
#[test]
fn thousands_of_jobs_do_not_pile_up() {
    in_pool(2, || {
        (0..5000_u32).into_par_iter().for_each(|seed| {
            let plain = seed.to_le_bytes().repeat(500);
            let options = PackOptions::new().chunk_size(100).threads(Threads::Ambient);
            let packed = pack_bytes(&plain, &options).unwrap();
            let unpacked = unpack_bytes(&packed, &UnpackOptions::new().threads(Threads::Ambient)).unwrap();
            assert!(unpacked.0 == plain);
        });
    });
}
