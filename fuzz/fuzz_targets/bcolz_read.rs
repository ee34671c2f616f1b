//! Any bytes as the files of a carray: an error, or rows, the same at once, in parts and one by one.
#![no_main]

use blosc_core::Limits;
use bloscpack_io::bcolz::{Carray, MemoryDirectory, verify};
use bloscpack_io::{Threads, UnpackOptions};
use libfuzzer_sys::fuzz_target;

const MAX_NBYTES: usize = 1 << 20;

/// The files, in the order in which an input has them; each ends with four bytes of 0xFF.
const FILES: [&str; 6] = ["meta/storage", "meta/sizes", "__attrs__", "data/__0.blp", "data/__1.blp", "__pending__"];

fuzz_target!(|bytes: &[u8]| {
    let mut files = Vec::new();
    let mut rest = bytes;
    for name in FILES {
        if rest.is_empty() {
            break;
        }
        let end = rest.windows(4).position(|four| four == [0xff; 4]).unwrap_or(rest.len());
        files.push((name.to_owned(), rest[..end].to_vec()));
        rest = rest.get(end + 4..).unwrap_or_default();
    }
    let dir = MemoryDirectory::of_files(files);
    let options = UnpackOptions::new().threads(Threads::Serial).limits(Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8));
    let Ok(carray) = Carray::open(&dir) else { return };
    let carray = carray.limits(Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8));
    let _ = carray.attrs();
    if carray.nbytes() > MAX_NBYTES as u64 || carray.len() > 100_000 {
        let _ = carray.read_row(carray.len() / 2);
        return;
    }
    let _ = verify(&dir, &options);
    let Ok(all) = carray.read_all(&options) else { return };
    let half = carray.len() / 2;
    let parts = [carray.read_rows(0..half), carray.read_rows(half..carray.len())];
    let parts = parts.map(|part| part.expect("a part of what was read")).concat();
    assert!(all == parts);
});
