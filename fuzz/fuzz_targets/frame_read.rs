//! Any bytes as a Blosc2 frame that is read: an error or plain bytes, the same by chunks, by ranges, by slices of an array and
//! as a stream.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, limits, reads, serial};
use bloscpack_io::{Archive, unpack_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = Archive::open(bytes) else { return };
    let archive = archive.limits(limits());
    for name in ["b2nd", "caterva", "x"] {
        let _ = archive.vlmetalayer(name);
    }
    let _ = archive.chunk_range(0);
    let (nbytes, nchunks) = (archive.nbytes(), archive.nchunks());
    // A frame of zeros may promise any number of them: what it takes to write them is no finding.
    if nbytes > MAX_NBYTES as u64 || nchunks > 1000 {
        let _ = archive.read_range(nbytes / 2..nbytes / 2 + 100.min(nbytes - nbytes / 2));
        return;
    }
    let Ok((plain, _)) = unpack_bytes(bytes, &serial()) else { return };
    // The fingerprint at the end means nothing, so it may say what is read.
    let Some(numbers) = bytes.last_chunk::<8>() else { return };
    reads::all_ways(&archive, &plain, *numbers);
});
