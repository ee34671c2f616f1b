//! Fuzzes reading a Blosc2 frame: either an error, or the same data by chunks, by ranges, by array slices and as a
//! stream.
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
    // A frame of zeros may declare any size. The time to write the zeros is not a finding.
    if nbytes > MAX_NBYTES as u64 || nchunks > 1000 {
        let _ = archive.read_range(nbytes / 2..nbytes / 2 + 100.min(nbytes - nbytes / 2));
        return;
    }
    let Ok((plain, _)) = unpack_bytes(bytes, &serial()) else { return };
    // The fingerprint at the end has no other use, so it selects the reads.
    let Some(numbers) = bytes.last_chunk::<8>() else { return };
    reads::all_ways(&archive, &plain, *numbers);
});
