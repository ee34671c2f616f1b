//! Any bytes as a bloscpack file: an error or plain bytes, the same with one thread and with two ways of reading.
#![no_main]

use blosc_core::Limits;
use bloscpack_io::{Threads, UnpackOptions, unpack_bytes, unpack_stream};
use libfuzzer_sys::fuzz_target;

const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let options = || UnpackOptions::new().threads(Threads::Serial).limits(Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8));
    let from_memory = unpack_bytes(bytes, &options());
    let mut streamed = Vec::new();
    let from_stream = unpack_stream(bytes, &mut streamed, &options());
    match (from_memory, from_stream) {
        (Ok((plain, _)), Ok(_)) => assert!(plain == streamed),
        (Err(_), Err(_)) => {}
        (memory, stream) => panic!("memory {:?}, stream {:?}", memory.map(|_| ()), stream.map(|_| ())),
    }
});
