//! Writing takes the memory of a few chunks, whatever the size of the array. A flush takes a few bytes for each changed
//! chunk.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Read;
use std::num::NonZeroU64;
use std::sync::Arc;

use bloscpack_format::bcolz::Dtype;
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter};
use bloscpack_io::{Cancel, Limits, OpenOptions, Threads};
use testdata::CountingAlloc;

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

const CHUNK: u64 = 64 << 10;
const TOTAL: u64 = 64 << 20;

#[test]
fn a_few_chunks() {
    let dir = tempfile::tempdir().unwrap();
    let params = CarrayParams::new(Dtype::parse("uint8").unwrap()).chunklen(CHUNK);
    let path = dir.path().join("a");
    let mut writer = CarrayWriter::create(&path, false, &params).unwrap();
    let bounded = |what: &str, change: &mut dyn FnMut()| {
        CountingAlloc::reset_peak();
        let before = CountingAlloc::current();
        change();
        let peak = (CountingAlloc::peak() - before) as u64;
        assert!(peak > 0 && peak < 40 * CHUNK, "{what}: {peak} bytes");
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let threads = Threads::Pool(Arc::new(pool));
    bounded("stream", &mut || {
        let input = std::io::repeat(7).take(TOTAL + 5);
        assert_eq!(writer.append_stream(input, &threads, &Cancel::new()).unwrap(), TOTAL + 5);
    });
    bounded("resize up", &mut || writer.resize(2 * TOTAL).unwrap());
    bounded("flush", &mut || writer.flush().unwrap());
    bounded("assign", &mut || writer.assign(1..2 * TOTAL, NonZeroU64::new(3).unwrap(), &[9]).unwrap());
    bounded("flush again", &mut || writer.flush().unwrap());
    bounded("trim", &mut || writer.trim(TOTAL).unwrap());
    bounded("the last flush", &mut || writer.flush().unwrap());
    assert_eq!(writer.len(), TOTAL);
    writer.finish().unwrap();

    // For any number of threads: two chunks in flight, and one that waits.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(32).build().unwrap();
    let threads = Threads::Pool(Arc::new(pool));
    let within = |chunks: u64| {
        let limits = Limits::new().max_memory((chunks * CHUNK) as usize);
        let mut writer = CarrayWriter::open_with(&path, &OpenOptions::new().limits(limits)).unwrap();
        writer.append_stream(std::io::repeat(7).take(100 * CHUNK), &threads, &Cancel::new())
    };
    bounded("within limits", &mut || assert_eq!(within(17).unwrap(), 100 * CHUNK));
    bounded("one at a time", &mut || assert_eq!(within(8).unwrap(), 100 * CHUNK));
    assert_eq!(within(7).unwrap_err().over_limit().unwrap().raise, "max_memory");
}
