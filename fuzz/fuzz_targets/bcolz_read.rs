//! Fuzzes reading the files of a carray: either an error, or the same rows at once, in parts and one by one.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, carray_files, limits, serial};
use bloscpack_io::bcolz::{Carray, MemoryDirectory, verify};
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU64;

const STEP: NonZeroU64 = NonZeroU64::new(3).unwrap();

fuzz_target!(|bytes: &[u8]| {
    let dir = MemoryDirectory::of_files(carray_files(bytes));
    let Ok(carray) = Carray::open(&dir) else { return };
    let carray = carray.limits(limits());
    let _ = carray.attrs();
    if carray.nbytes() > MAX_NBYTES as u64 || carray.len() > 100_000 {
        let _ = carray.read_row(carray.len() / 2);
        return;
    }
    let _ = verify(&dir, &serial());
    let Ok(all) = carray.read_all(&serial()) else { return };
    let half = carray.len() / 2;
    let parts = [carray.read_rows(0..half), carray.read_rows(half..carray.len())];
    let parts = parts.map(|part| part.expect("a part of what was read")).concat();
    assert!(all == parts);

    // Reads rows one by one through a cursor that caches a chunk, then every third row, then several at a time.
    let atomsize = carray.rows().atomsize() as usize;
    let mut cursor = carray.cursor();
    for row in (0..carray.len()).step_by(1 + carray.len() as usize / 64) {
        let expected = &all[row as usize * atomsize..][..atomsize];
        assert!(cursor.row(row).expect("a row of what was read") == expected);
        assert!(carray.read_row(row).expect("a row of what was read") == expected);
    }
    let third = carray.read_rows_by(0..carray.len(), STEP).expect("rows of what was read");
    assert!(third.chunks(atomsize).eq(all.chunks(atomsize).step_by(3)));
    let blocks = carray.blocks(STEP, &serial()).map(|block| block.expect("rows of what was read"));
    assert!(blocks.flatten().eq(all.iter().copied()));
});
