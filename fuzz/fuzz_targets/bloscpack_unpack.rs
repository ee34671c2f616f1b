//! Fuzzes unpacking a bloscpack file: either an error, or the same data from memory, as a stream, and by every partial
//! read.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, limits, reads, serial};
use bloscpack_io::{Archive, OpenOptions, Sink, Source, unpack, unpack_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let from_memory = unpack_bytes(bytes, &serial());
    let mut streamed = Vec::new();
    let from_stream = unpack(Source::reader(bytes), Sink::writer(&mut streamed), &serial());
    match (from_memory, from_stream) {
        (Ok((plain, _)), Ok(_)) => {
            assert!(plain == streamed);
            // Offsets may be wrong; chunks are then found by walking the file. Bytes after the last chunk are ignored.
            let Ok(archive) = Archive::open_with(bytes, &OpenOptions::new().walk(true)) else { return };
            if plain.len() <= MAX_NBYTES && archive.nchunks() <= 1000 {
                reads::all_ways(&archive.limits(limits()), &plain, *bytes.last_chunk().expect("longer than a header"));
            }
        }
        (Err(_), Err(_)) => {}
        // The total size is limited only when unpacking into memory.
        (Err(memory), Ok(_)) if memory.over_limit().is_some_and(|over| over.raise == "max_nbytes") => {}
        (memory, stream) => panic!("memory {:?}, stream {:?}", memory.map(|_| ()), stream.map(|_| ())),
    }
});
