//! Damaged and hostile Zarr stores: all ways to read one agree, give errors that name the file, and cost little memory.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write};

use bloscpack_format::numpy::Selection;
use bloscpack_io::bcolz::MemoryDirectory;
use bloscpack_io::zarr::{Group, ZipDirectory};
use bloscpack_io::{Archive, Array, Error, Input, Limits, OpenOptions, Threads, UnpackOptions};
use testdata::{CountingAlloc, SplitMix64};

use crate::zarr::files_of;

type Files = BTreeMap<String, Vec<u8>>;

/// Plain bytes after which the sink is full.
const FULL: usize = 16 << 10;

fn limits() -> Limits {
    Limits::new().max_memory(8 << 20).max_unearned(128 << 10)
}

/// Memory with these limits: the chunks in flight, the items in memory, and copies of the files, which are small.
const MOST: usize = 24 << 20;

fn options() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial).limits(limits())
}

#[derive(Default)]
struct Sink(Vec<u8>);

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.0.len() + buf.len() > FULL {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(files: &Files) -> Result<Archive<'static>, Error> {
    let dir = MemoryDirectory::of_files(files.clone());
    Archive::open_with(Input::directory(dir), &OpenOptions::new().limits(limits()))
}

type Bytes = Result<Vec<u8>, Error>;

fn collect(fill: impl FnOnce(&mut Sink) -> Result<(), Error>) -> Bytes {
    let mut sink = Sink::default();
    fill(&mut sink).map(|()| sink.0)
}

/// Reads a store in all ways, which must agree. Returns the result of one.
fn read(name: &str, files: &Files) -> Bytes {
    let unpacked = collect(|sink| open(files)?.unpack(sink, &options()).map(drop));
    let ranged = collect(|sink| {
        let archive = open(files)?;
        archive.copy_range(0..archive.nbytes(), sink)
    });
    let streamed = collect(|sink| {
        let archive = open(files)?;
        let mut reader = archive.reader(&options()).take(archive.nbytes());
        io::copy(&mut reader, sink).map(drop).map_err(Error::from)
    });
    let selected = collect(|sink| {
        let dir = MemoryDirectory::of_files(files.clone());
        let array = Array::open_with(Input::directory(dir), &OpenOptions::new().limits(limits()))?;
        array.copy_selection(&Selection::all(&array.meta().shape), sink, &options())
    });
    for (way, found) in [("ranges", ranged), ("reader", streamed), ("selection", selected)] {
        match (&unpacked, &found) {
            (Ok(expected), Ok(found)) => assert!(expected == found, "{name}: {way} gives other bytes"),
            (Err(_), Err(_)) => {}
            (expected, found) => {
                let say = |bytes: &Bytes| bytes.as_ref().map(Vec::len).map_err(|error| error.report().to_string());
                panic!("{name}: unpack {:?}, {way} {:?}", say(expected), say(found));
            }
        }
    }
    let verified = open(files).and_then(|archive| archive.verify(&options()));
    match (&unpacked, &verified) {
        (Ok(_), Ok(())) | (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) => panic!("{name}: verify refuses: {}", error.report()),
        // A full sink, and items without stored bytes, are no faults of the store.
        (Err(error), Ok(())) => {
            let text = error.report().to_string();
            assert!(
                text.contains("no storage space") || error.over_limit().is_some(),
                "{name}: verify accepts: {text}"
            );
        }
    }
    unpacked
}

/// Reads a store, and checks memory and the error.
fn check(name: &str, files: &Files) -> bool {
    let (found, usage) = CountingAlloc::measure(|| read(name, files));
    assert!(usage.peak <= MOST, "{name}: {usage:?}");
    let Err(error) = found else { return false };
    let text = error.report().to_string();
    assert!(!text.contains('\n'), "{name}: {text}");
    let names_file = files.keys().any(|file| text.contains(file.as_str())) || text.contains("no storage space");
    assert!(names_file || error.over_limit().is_some() || text.contains("zarr.json"), "{name}: {text}");
    true
}

const SMALL: [&str; 12] = [
    "v2/ndim/2",
    "v2/fill/0",
    "v2/codec/gzip_F",
    "v2/codec/zlib_C",
    "v2/codec/zstd_checksum_C",
    "v2/codec/blosc_lz4_1_C",
    "v2/dtype/struct",
    "v3/ndim/1",
    "v3/codec/crc_zstd",
    "v3/shard/4",
    "v3/shard/11",
    "v3/dtype/nS5",
];

/// Every truncation of every file.
#[test]
fn every_cut() {
    for name in SMALL {
        let files = files_of(name);
        let (mut refused, mut total) = (0, 0);
        for (path, bytes) in &files {
            let step = (bytes.len() / 200).max(1);
            for len in (0..bytes.len()).step_by(step) {
                let mut damaged = files.clone();
                damaged.insert(path.clone(), bytes[..len].to_vec());
                refused += usize::from(check(&format!("{name}: {path} cut at {len}"), &damaged));
                total += 1;
            }
        }
        assert!(refused * 10 > total * 9, "{name}: {refused} of {total}");
    }
}

/// A changed bit in every byte of every file: a different one from byte to byte.
#[test]
fn changed_bits() {
    let mut rng = SplitMix64::new(7);
    let (mut refused, mut total) = (0, 0);
    for name in SMALL {
        let files = files_of(name);
        for (path, bytes) in &files {
            let step = (bytes.len() / 300).max(1);
            for at in (0..bytes.len()).step_by(step) {
                let mut damaged = files.clone();
                let bit = rng.below(8);
                damaged.get_mut(path).unwrap()[at] ^= 1 << bit;
                refused += usize::from(check(&format!("{name}: {path} bit {bit} of {at}"), &damaged));
                total += 1;
            }
        }
    }
    assert!(refused > total / 4, "{refused} of {total}");
}

/// A checksum or an exact size finds every change of the stored chunks.
#[test]
fn checksums_find_all_changes() {
    for name in ["v3/codec/gzip_crc", "v3/codec/crc", "v2/codec/zlib_C"] {
        let files = files_of(name);
        let expected = read(name, &files).unwrap();
        for (path, bytes) in files.iter().filter(|(path, _)| !path.contains("zarr.json") && !path.starts_with(".z")) {
            for at in (0..bytes.len()).step_by((bytes.len() / 50).max(1)) {
                let mut damaged = files.clone();
                damaged.get_mut(path).unwrap()[at] ^= 0x10;
                match read(name, &damaged) {
                    Err(error) => assert!(error.report().to_string().contains(path.as_str()), "{}", error.report()),
                    // The header of gzip has fields without meaning for the content.
                    Ok(found) => assert!(found == expected, "{name}: {path} at {at}"),
                }
            }
        }
    }
}

fn v2(shape: &str, chunks: &str, dtype: &str, fill: &str, more: &str) -> Files {
    let zarray = format!(
        r#"{{"zarr_format": 2, "shape": {shape}, "chunks": {chunks}, "dtype": {dtype}, "fill_value": {fill}, "compressor": null{more}}}"#
    );
    Files::from([(".zarray".to_owned(), zarray.into_bytes())])
}

fn sharded(shard: &str, chunk: &str, stored: &[u8]) -> Files {
    let text = format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": {shard}, "data_type": "uint8", "fill_value": 0,
            "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": {shard}}}}},
            "chunk_key_encoding": {{"name": "default"}},
            "codecs": [{{"name": "sharding_indexed", "configuration": {{"chunk_shape": {chunk}, "codecs": ["bytes"],
            "index_codecs": ["bytes", "crc32c"]}}}}]}}"#
    );
    Files::from([("zarr.json".to_owned(), text.into_bytes()), ("c/0".to_owned(), stored.to_vec())])
}

/// Sizes and nesting that contradict the files.
#[test]
fn hostile_metadata_costs_nothing() {
    let shapes = [
        "[1152921504606846976]",
        "[4294967296, 2147483648]",
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
        "[0, 9223372036854775807]",
        "[9223372036854775807]",
        "[18446744073709551616]",
        "[1e300]",
        "[]",
    ];
    for shape in shapes {
        for chunks in
            ["[1]", "[2147483647]", "[2147483648]", "[9223372036854775807]", "[65536, 32767]", "[0, 0]", "[]", shape]
        {
            for (dtype, fill) in
                [("\"|u1\"", "7"), ("\"|S2147483647\"", "\"YQ==\""), ("\"<U536870911\"", "\"a\""), ("\"<f8\"", "null")]
            {
                for (at, stored) in [b"".as_slice(), b"x"].into_iter().enumerate() {
                    let mut files = v2(shape, chunks, dtype, fill, "");
                    files.insert("0".into(), stored.to_vec());
                    check(&format!("{shape} {chunks} {dtype} {at}"), &files);
                }
            }
        }
    }
    let nested = |depth: usize| format!("{}\"<i4\"{}", "[[\"a\", ".repeat(depth), "]]".repeat(depth));
    for depth in [20, 31, 32, 100, 10_000] {
        check("nested", &v2("[1]", "[1]", &nested(depth), "0", ""));
        let fill = format!("{}1{}", "{\"a\": ".repeat(depth), "}".repeat(depth));
        check("nested fill", &v2("[1]", "[1]", &nested(20), &fill, ""));
        let order = format!(", \"filters\": {}{}", "[".repeat(depth), "]".repeat(depth));
        check("nested filters", &v2("[1]", "[1]", "\"<i4\"", "0", &order));
    }
    for (shard, chunk) in [
        ("[1099511627776]", "[1]"),
        ("[9223372036854775807]", "[1]"),
        ("[1000]", "[999]"),
        ("[1000]", "[1001]"),
        ("[1000]", "[0]"),
        ("[1099511627776]", "[1073741824]"),
    ] {
        for stored in [vec![], vec![0; 20], vec![255; 20_000]] {
            check(&format!("{shard} in {chunk}"), &sharded(shard, chunk, &stored));
        }
    }
}

/// An index whose entries lead past the shard, or overlap.
#[test]
fn hostile_shard_indexes() {
    use bloscpack_format::zarr::{ShardEntry, ShardIndex, Sharding};
    let sharding = Sharding::new(vec![8]);
    for (offset, len, is_good) in [
        (0, 4, true),
        (3, 4, false),
        (0, 5, false),
        (u64::MAX, 4, false),
        (4, u64::MAX, false),
        (1 << 63, 1 << 63, false),
    ] {
        let entry = Some(ShardEntry { offset, len });
        let index = ShardIndex::from_entries([entry, entry]).unwrap();
        let mut stored = vec![1, 2, 3, 4];
        stored.extend(index.to_bytes(&sharding).unwrap());
        let files = sharded("[8]", "[4]", &stored);
        // The bytes of the index itself are within the shard.
        let expected = is_good || offset == 3;
        assert_eq!(read("index", &files).is_ok(), expected, "{offset} {len}");
        check("index", &files);
    }
}

/// Cuts and changed bytes of zip archives: an error or a store, never a panic or a large allocation.
#[test]
fn damaged_zip_archives() {
    let mut rng = SplitMix64::new(3);
    for name in ["v2/zip/stored.zip", "v3/zip/deflated.zip", "v3/zip/stored_array.zip"] {
        let bytes = testdata::archive("zarr").remove(name).unwrap();
        let read = |bytes: Vec<u8>| {
            let all = |bytes: Vec<u8>| -> Result<(), Error> {
                let options = OpenOptions::new().limits(limits()).column("x/y");
                let zip = ZipDirectory::open_with(bytes.clone(), &options)?;
                let _nodes = Group::open_with(zip, &options).and_then(|group| group.nodes());
                Archive::open_with(bytes, &options)?.unpack(io::sink(), &self::options()).map(drop)
            };
            let (found, usage) = CountingAlloc::measure(|| all(bytes));
            assert!(usage.peak <= MOST, "{name}: {usage:?}");
            found.is_err()
        };
        assert!(!read(bytes.clone()), "{name}");
        let mut refused = 0;
        for _ in 0..1500 {
            let mut damaged = bytes.clone();
            if rng.below(4) == 0 {
                damaged.truncate(rng.below(bytes.len()));
            } else {
                // Half of the changes are in the directory at the end.
                let from = if rng.below(2) == 0 { bytes.len() - bytes.len().min(600) } else { 0 };
                damaged[from + rng.below(bytes.len() - from)] = rng.next_u64() as u8;
            }
            refused += usize::from(read(damaged));
        }
        assert!(refused > 500, "{name}: {refused}");
    }
}
