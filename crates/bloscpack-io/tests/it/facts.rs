//! How chunks are stored: the facts of every chunk of the golden data agree with its bytes.

use bloscpack_io::blosc_core::Header;
use bloscpack_io::{Archive, ErrorKind, Input, ReadAt, bcolz};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use testdata::serde_json::Value;

/// Compares the facts of all chunks with their headers. Returns the number of chunks.
fn check(archive: &Archive<'_>, name: &str) -> u64 {
    for number in 0..archive.nchunks() {
        let facts = archive.chunk_facts(number).unwrap_or_else(|error| panic!("{name} {number}: {error}"));
        let chunk = archive.compressed_chunk(number).unwrap();
        let header = Header::parse(&chunk).unwrap();
        assert_eq!(facts.nbytes, header.nbytes() as u64, "{name} {number}");
        assert_eq!(facts.special, header.special_value(), "{name} {number}");
        if facts.cbytes > 0 {
            assert_eq!(facts.cbytes, chunk.len() as u64, "{name} {number}");
            assert_eq!((facts.filters, facts.is_stored_plain), (header.filters(), header.is_memcpyed()), "{name}");
        }
        match facts.special {
            Some(_) => assert_eq!(facts.codec, None, "{name} {number}"),
            None => assert_eq!(facts.codec, header.codec(), "{name} {number}"),
        }
    }
    assert!(archive.chunk_facts(archive.nchunks()).is_err(), "{name}");
    archive.nchunks()
}

/// The files of a directory in an archive.
fn directory(archive: &str, path: &str) -> bcolz::MemoryDirectory {
    let prefix = format!("{path}/");
    let files = testdata::archive(archive).into_iter();
    bcolz::MemoryDirectory::of_files(
        files.filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?.to_owned(), bytes))),
    )
}

fn list(archive: &str, key: &str) -> Vec<Value> {
    testdata::manifest(archive)[key].as_array().unwrap().clone()
}

#[test]
fn the_facts_of_every_chunk_agree_with_its_bytes() {
    let mut chunks = 0;
    let files = testdata::archive("bloscpack");
    for item in list("bloscpack", "files") {
        let name = item["file"].as_str().unwrap();
        chunks += check(&Archive::open(files[name].as_slice()).unwrap(), name);
    }
    let files = testdata::archive("frames");
    for item in list("frames", "frames") {
        let name = item["path"].as_str().unwrap();
        let archive = match files.get(name) {
            Some(file) => Archive::open(file.as_slice()).unwrap(),
            None => Archive::open(Input::directory(directory("frames", name))).unwrap(),
        };
        chunks += check(&archive, name);
    }
    let is_array = |item: &Value| item["kind"] == "carray" && item["expect"] == "ok" && item["dtype"] != "object";
    for item in list("bcolz", "cases").into_iter().filter(is_array) {
        let name = item["name"].as_str().unwrap();
        chunks += check(&Archive::open(Input::directory(directory("bcolz", name))).unwrap(), name);
    }
    assert!(chunks > 2000, "{chunks} chunks");
}

#[test]
fn a_zarr_chunk_that_is_not_stored_is_a_special_value() {
    let dir = directory("zarr", "v2/codec/blosc_blosclz_0_C");
    let archive = Archive::open(Input::directory(dir)).unwrap();
    let stored = archive.chunk_facts(0).unwrap();
    assert!(stored.codec.is_some() && stored.cbytes > 0, "{stored:?}");
    let zarray = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "fill_value": 7}"#;
    let dir = bcolz::MemoryDirectory::of_files([(".zarray".to_owned(), zarray.as_bytes().to_vec())]);
    let facts = Archive::open(Input::directory(dir)).unwrap().chunk_facts(0).unwrap();
    assert_eq!((facts.nbytes, facts.cbytes, facts.special.is_some()), (3, 0, true));
}

#[test]
fn a_zarr_chunk_whose_header_is_damaged_is_an_error() {
    let zarray = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "fill_value": 7,
        "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}}"#;
    for chunk in [vec![0xff; 40], vec![2; 5], Vec::new()] {
        let files = [(".zarray".to_owned(), zarray.as_bytes().to_vec()), ("0".to_owned(), chunk)];
        let archive = Archive::open(Input::directory(bcolz::MemoryDirectory::of_files(files))).unwrap();
        let error = archive.chunk_facts(0).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Truncated | ErrorKind::Unsupported),
            "{error:?}"
        );
    }
}

/// A source that counts the bytes read.
struct Counted<'a>(Vec<u8>, &'a AtomicU64);

impl ReadAt for Counted<'_> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.1.fetch_add(buf.len() as u64, Ordering::Relaxed);
        self.0.read_exact_at(offset, buf)
    }
}

#[test]
fn facts_need_no_more_than_headers() {
    let options = bloscpack_io::PackOptions::new().chunk_size(100_000).clevel(0);
    let packed = bloscpack_io::pack_bytes(&vec![7; 1_000_000], &options).unwrap();
    let read = AtomicU64::new(0);
    let archive = Archive::open(Counted(packed, &read)).unwrap();
    let opened = read.load(Ordering::Relaxed);
    for number in 0..archive.nchunks() {
        assert!(archive.chunk_facts(number).unwrap().is_stored_plain);
    }
    let facts = read.load(Ordering::Relaxed) - opened;
    assert!(facts <= 10 * 64, "{facts} bytes");
}
