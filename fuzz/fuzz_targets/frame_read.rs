//! Any bytes as a Blosc2 frame that is read: an error or plain bytes, the same by chunks, by ranges and as a stream.
#![no_main]

use blosc_core::Limits;
use bloscpack_io::{Archive, Threads, UnpackOptions, unpack_bytes};
use libfuzzer_sys::fuzz_target;

const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8);
    let Ok(archive) = Archive::open(bytes.to_vec()) else { return };
    let archive = archive.limits(limits);
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
    let options = UnpackOptions::new().threads(Threads::Serial).limits(limits);
    let Ok((plain, _)) = unpack_bytes(bytes, &options) else { return };
    assert_eq!(plain.len() as u64, nbytes);
    let (first, last) = (nbytes / 3, nbytes - nbytes / 4);
    if first <= last {
        let range = archive.read_range(first..last).expect("a part of what was read");
        assert!(range == plain[first as usize..last as usize]);
    }
    if let Some(grid) = archive.grid() {
        let slice = archive.read_slice(&grid.all()).expect("all of the array");
        assert!(slice == plain);
    }
});
