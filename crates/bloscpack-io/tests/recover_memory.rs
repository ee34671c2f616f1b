//! With an allocator that refuses memory, recovery of a bloscpack file gives the whole report or an error that names
//! the memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use blosc_core::memory::MIN_CHECKED;
use blosc_core::{CParams, Codec};
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{PackOptions, RecoverOptions, RecoverReport, pack_bytes, recover};
use testdata::FailingAlloc;

#[global_allocator]
static ALLOC: FailingAlloc = FailingAlloc::new();

/// All contents of a report.
fn told(report: &RecoverReport) -> (u64, u64, u64, Vec<String>) {
    (report.kept, report.total, report.nbytes, report.lost.iter().map(ToString::to_string).collect())
}

/// A single test, because all threads share the allocator.
#[test]
fn refused_memory_is_no_damage() {
    let plain = testdata::noise(1 << 20, 8);
    let dir = tempfile::tempdir().unwrap();
    let [input, output] = ["in.blp", "out.blp"].map(|name| dir.path().join(name));
    for checksum in [Checksum::Adler32, Checksum::None] {
        let params = CParams::new().codec(Codec::Lz4).typesize(4);
        let options = PackOptions::new().chunk_size(200_000).checksum(checksum).params(params);
        let mut file = pack_bytes(&plain, &options).unwrap();
        // Damage in the header of a chunk, so that recovery searches for chunks and writes zeros.
        let third = file.len() / 2;
        file[third - 120_000..third].fill(0xff);
        fs::write(&input, &file).unwrap();
        let expected = recover(&input, &output, &RecoverOptions::new().overwrite(true)).unwrap();
        let recovered = fs::read(&output).unwrap();
        let mut refused = 0;
        for from in 0.. {
            // The buffer of the output has this size, which does not depend on the input.
            ALLOC.refuse(MIN_CHECKED + 1, from);
            let result = recover(&input, &output, &RecoverOptions::new().overwrite(true));
            let asked = ALLOC.refuse_none();
            match result {
                Ok(report) => {
                    assert!(told(&report) == told(&expected), "{checksum:?}, request {from}: {:?}", report.lost)
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.out_of_memory().is_some(), "{checksum:?}, request {from}: {error}");
                }
            }
            assert!(fs::read(&output).unwrap() == recovered, "{checksum:?}, request {from}");
            if asked <= from {
                break;
            }
        }
        assert!(refused > 3, "{checksum:?}: {refused}");
    }
}
