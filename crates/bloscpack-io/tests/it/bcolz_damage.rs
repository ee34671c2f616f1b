//! Damaged bcolz directories give an error, never a panic. Memory is bounded by the stored bytes, not by the stated
//! sizes.

use bloscpack_io::bcolz::{MemoryDirectory, Root, verify};
use bloscpack_io::{Error, Threads, UnpackOptions};
use testdata::{CountingAlloc, SplitMix64};

use crate::common::roots::{cases, files_of, golden, name_of};

/// Memory for a decoder's tables, and a few copies of the files, which are small.
const MOST: usize = 4 << 20;

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// Reads everything in a directory.
fn read(dir: MemoryDirectory) -> Result<usize, Error> {
    let _verified = verify(&dir, &serial());
    match Root::open(dir)? {
        Root::Carray(carray) => {
            let _attrs = carray.attrs();
            let _chunk = carray.chunk(carray.rows().nchunks() / 2);
            let _row = carray.read_row(carray.len() / 2);
            Ok(carray.read_all(&serial())?.len())
        }
        Root::Ctable(table) => {
            let _attrs = table.attrs();
            Ok(table.read_rows(0..table.len())?.iter().map(Vec::len).sum())
        }
    }
}

#[test]
fn memory_follows_what_is_there() {
    let (_, usage) = CountingAlloc::measure(|| vec![0_u8; 1 << 20]);
    assert!(usage.largest >= 1 << 20, "the allocator does not count");
    let mut refused = 0;
    for case in cases(None) {
        let name = name_of(&case);
        let dir = golden(name);
        let (found, usage) = CountingAlloc::measure(|| read(dir));
        assert!(usage.peak <= MOST, "{name}: {usage:?}");
        refused += usize::from(found.is_err());
    }
    // The arrays of the manifest, the two arrays of Python objects, which have no rows of bytes, and
    // `reserved_nonzero`.
    assert_eq!(refused, 47 + 12 + 2 + 1);
}

/// Changes any byte of any file, and truncates any file: mostly an error, never a panic or a large allocation.
#[test]
fn changed_bytes_and_cuts() {
    let mut rng = SplitMix64::new(81);
    let (mut refused, mut total) = (0, 0);
    for name in [
        "ref/nd/3d",
        "ref/dtype/U5",
        "ref/dtype/struct_unreadable_by_bcolz",
        "ref/dtype/object_pickles",
        "ref/codec/zlib_sh1_l5",
        "ref/codec/zstd_sh2_l5",
        "ref/mut/append_unflushed_big",
        "ref/tab/odd_names",
        "ref/old/v0.7.0_rootdirs_dirs",
        "ref/old/v1.0_dflt_list",
    ] {
        let files = files_of(name);
        assert!(!files.is_empty(), "{name}");
        for (at, (path, bytes)) in files.iter().enumerate() {
            let times = if path.ends_with(".blp") { 20 } else { 150 };
            for _ in 0..times {
                let mut damaged = files.clone();
                let bytes_of = &mut damaged[at].1;
                match rng.below(4) {
                    0 => bytes_of.truncate(rng.below(bytes.len() + 1)),
                    1 if !bytes.is_empty() => bytes_of[rng.below(bytes.len())] = b'0' + rng.below(10) as u8,
                    _ if !bytes.is_empty() => bytes_of[rng.below(bytes.len().min(400))] = rng.next_u64() as u8,
                    _ => {}
                }
                let dir = MemoryDirectory::of_files(damaged);
                let (found, usage) = CountingAlloc::measure(|| read(dir));
                assert!(usage.peak <= MOST, "{name} {path}: {usage:?}");
                total += 1;
                refused += usize::from(found.is_err_and(|error| !error.report().to_string().contains('\n')));
            }
        }
    }
    assert!(refused > total / 4, "{refused} of {total}");
}

/// Sizes that contradict the files.
#[test]
fn large_words_cost_nothing() {
    let dtypes = ["int32", "|S2000000000", "<U500000000", "|V2147483600", "[('a', '<i4', (1000000, 500))]"];
    let shapes = ["[9000000000000000000]", "[1000000000000]", "[4, 1000000000]", "[2, 0]", "[0]", "[1, 1, 1, 1, 1]"];
    let chunklens = ["1", "1000000", "536870907", "2147483631", "18446744073709551615", "1e15"];
    for dtype in dtypes {
        for shape in shapes {
            for chunklen in chunklens {
                let mut files = files_of("ref/size/n101_cl100");
                let text = format!("{{\"dtype\": \"{dtype}\", \"chunklen\": {chunklen}, \"shape\": {shape}}}");
                for (path, bytes) in &mut files {
                    if path.starts_with("meta/") {
                        *bytes = text.clone().into_bytes();
                    }
                }
                let dir = MemoryDirectory::of_files(files);
                let (found, usage) = CountingAlloc::measure(|| read(dir));
                assert!(usage.peak <= MOST, "{dtype} {shape} {chunklen}: {usage:?}");
                assert!(found.is_err() || found.is_ok_and(|len| len <= 404), "{dtype} {shape} {chunklen}");
            }
        }
    }
}
