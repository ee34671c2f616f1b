//! Any bytes as a bloscpack file: an error or plain bytes, the same from memory, as a stream and in all
//! ways that give parts.
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
            // Offsets may lie, and then the chunks are found by walking; what is behind the last one is not looked at.
            let Ok(archive) = Archive::open_with(bytes, &OpenOptions::new().walk(true)) else { return };
            if plain.len() <= MAX_NBYTES && archive.nchunks() <= 1000 {
                reads::all_ways(&archive.limits(limits()), &plain, *bytes.last_chunk().expect("longer than a header"));
            }
        }
        (Err(_), Err(_)) => {}
        // Only what is put together in memory is bounded as a whole.
        (Err(memory), Ok(_)) if memory.over_limit().is_some_and(|over| over.raise == "max_nbytes") => {}
        (memory, stream) => panic!("memory {:?}, stream {:?}", memory.map(|_| ()), stream.map(|_| ())),
    }
});
