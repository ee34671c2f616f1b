//! Sparse frames, carrays and ctables over HTTP and S3.

use std::collections::BTreeMap;
use std::time::Duration;

use bloscpack_io::bcolz::{Carray, Ctable, MemoryDirectory};
use bloscpack_io::bloscpack_format::numpy::Slice;
use bloscpack_io::{
    Archive, Array, ConvertOptions, OpenOptions, ReadDirectory as _, Remote, Target, UnpackOptions, convert,
};

use crate::s3::Store;
use crate::server::{Reply, Server};
use crate::{options, remote};

type Files = BTreeMap<String, Vec<u8>>;

/// The files of a bcolz directory that a reference wrote.
fn bcolz(path: &str) -> Files {
    let files = testdata::archive("bcolz").into_iter();
    files.filter_map(|(name, bytes)| Some((name.strip_prefix(path)?.to_owned(), bytes))).collect()
}

/// A sparse frame of several chunks, and its plain bytes.
fn sparse() -> (Files, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.b2frame");
    let plain = crate::plain(1 << 20);
    let params = bloscpack_io::frame::FrameParams::new(4);
    let sparse = bloscpack_io::bloscpack_format::frame::FrameType::Sparse;
    let mut writer = bloscpack_io::frame::FrameWriter::create(&path, sparse, false, params).unwrap();
    let (threads, cancel) = (bloscpack_io::Threads::Serial, bloscpack_io::Cancel::new());
    writer.append_stream(plain.as_slice(), Some(100_000), &threads, &cancel).unwrap();
    writer.finish().unwrap();
    let entries = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap());
    let files = entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()));
    (files.collect(), plain)
}

/// Serves files below `/d/` by HTTP, or below `s3://bucket/d/`.
fn serve(files: &Files, is_s3: bool) -> (Server, Remote, String) {
    if is_s3 {
        let store = Store::default();
        for (name, bytes) in files {
            store.insert(&format!("d/{name}"), bytes);
        }
        let server = store.serve();
        let remote = Remote::new(options().s3_endpoint(&server.url(""))).unwrap();
        return (server, remote, "s3://bucket/d".into());
    }
    let files = files.clone();
    let server =
        Server::start(move |request| match request.path().strip_prefix("/d/").and_then(|name| files.get(name)) {
            Some(bytes) => Reply { pause: Duration::from_millis(3), ..Reply::of_file(request, bytes, "\"1\"") },
            None => Reply::status(404),
        });
    let url = server.url("d");
    (server, remote(), url)
}

#[test]
fn sparse_frames_are_read() {
    let (files, plain) = sparse();
    for is_s3 in [false, true] {
        let (server, remote, url) = serve(&files, is_s3);
        for url in [url.clone(), format!("{url}/")] {
            let source = remote.open_source(&url.parse().unwrap(), &OpenOptions::new()).unwrap();
            let archive = Archive::open(source).unwrap();
            let mut found = Vec::new();
            archive.unpack(&mut found, &UnpackOptions::new()).unwrap();
            assert!(found == plain);
            assert_eq!(archive.read_range(123_456..123_999).unwrap(), plain[123_456..123_999]);
        }
        assert!(is_s3 || server.most_in_flight() > 1);
    }
}

#[test]
fn carrays_and_ctables_are_read() {
    for is_s3 in [false, true] {
        let files = bcolz("ref/nd/2d/");
        let (_server, remote, url) = serve(&files, is_s3);
        let url = url.parse().unwrap();
        let source = remote.open_source(&url, &OpenOptions::new()).unwrap();
        assert!(source.is_directory());
        let mut found = Vec::new();
        let array = Array::open(&source).unwrap();
        array.copy_items(0..array.len(), &mut found, &UnpackOptions::new()).unwrap();
        let expected = Carray::open(MemoryDirectory::of_files(files)).unwrap().read_all(&UnpackOptions::new()).unwrap();
        assert!(found == expected);
    }
}

#[test]
fn tables_are_converted() {
    let all = testdata::archive("bcolz");
    let path = all.keys().find_map(|name| name.strip_suffix("__rootdirs__")).expect("a table");
    let files = bcolz(path);
    let table = Ctable::open(MemoryDirectory::of_files(files.clone())).unwrap();
    for is_s3 in [false, true] {
        let (_server, remote, url) = serve(&files, is_s3);
        let url = url.parse().unwrap();
        let name = table.names()[0].clone();
        let column = remote.open_source(&url, &OpenOptions::new().column(name.as_str())).unwrap();
        let expected = table.column(&name).unwrap().read_all(&UnpackOptions::new());
        match (Array::open(column), expected) {
            (Ok(array), Ok(expected)) => {
                let mut found = Vec::new();
                array.copy_items(0..array.len(), &mut found, &UnpackOptions::new()).unwrap();
                assert!(found == expected, "{path}");
            }
            (found, expected) => assert_eq!(found.is_ok(), expected.is_ok()),
        }
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("x.bcolz");
        let source = remote.open_source(&url, &OpenOptions::new()).unwrap();
        convert(source, &output, Target::Bcolz, &ConvertOptions::new()).unwrap();
        assert!(output.join("__rootdirs__").is_file());
    }
}

#[test]
fn http_has_no_lists_and_names_lead_nowhere_else() {
    let (_server, remote, url) = serve(&bcolz("ref/nd/2d/"), false);
    let directory = remote.directory(&url.parse().unwrap());
    assert_eq!(directory.list("").unwrap_err().kind(), std::io::ErrorKind::Unsupported);
    for path in ["../d/meta/sizes", "meta/../meta/sizes", "/etc/passwd", "a//b", "a\\b", "./x"] {
        assert!(directory.open(path).map(|_| ()).is_err(), "{path}");
    }
    let none = remote.open_source(&format!("{url}/none?sig=secret").parse().unwrap(), &OpenOptions::new());
    let text = none.unwrap_err().report().to_string();
    assert!(text.contains("d/none?sig=…") && text.contains("404"), "{text}");
}

#[test]
fn a_page_about_a_directory_is_no_file() {
    let files = bcolz("ref/nd/2d/");
    let server =
        Server::start(move |request| match request.path().strip_prefix("/d/").map(|name| (name, files.get(name))) {
            Some((_, Some(bytes))) => Reply::of_file(request, bytes, "\"1\""),
            Some(("", None)) => Reply::status(200).body(*b"<html>index</html>"),
            Some(_) => Reply::status(404),
            None => Reply::status(301).with("Location", "/d/"),
        });
    let source = remote().open_source(&server.url("d").parse().unwrap(), &OpenOptions::new()).unwrap();
    assert!(source.is_directory());
}

/// The stores that zarr-python wrote, as directories and zip archives.
#[test]
fn zarr_is_read() {
    let manifest = testdata::manifest("zarr");
    let facts = manifest["stores"].as_array().unwrap().iter().filter(|fact| fact["refused"].is_null());
    let (mut read, mut zipped) = (0, 0);
    for (number, fact) in facts.enumerate() {
        let name = fact["name"].as_str().unwrap();
        let files: Files = match name.ends_with(".zip") {
            true => [("a.zip".to_owned(), testdata::archive("zarr").remove(name).unwrap())].into(),
            false => testdata::archive("zarr")
                .into_iter()
                .filter_map(|(path, bytes)| Some((path.strip_prefix(&format!("{name}/"))?.to_owned(), bytes)))
                .collect(),
        };
        let (_server, remote, url) = serve(&files, number % 2 == 0);
        let url = if name.ends_with(".zip") { format!("{url}/a.zip") } else { url };
        let options = OpenOptions::new().column(fact["member"].as_str());
        let source = remote.open_source(&url.parse().unwrap(), &options);
        let source = source.unwrap_or_else(|error| panic!("{name}: {}", error.report()));
        let archive = Archive::open(source).unwrap_or_else(|error| panic!("{name}: {}", error.report()));
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
        assert_eq!(testdata::sha256_hex(&plain), fact["sha256"].as_str().unwrap(), "{name}");
        read += 1;
        zipped += u32::from(name.ends_with(".zip"));
    }
    assert!(read > 50 && zipped > 1, "{read} {zipped}");
}

/// Chunks that are read ahead are files that stay open until they are decoded: each is requested once.
#[test]
fn each_chunk_of_zarr_is_requested_once() {
    const CHUNKS: u64 = 300;
    let zarr_json = format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": [{}], "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [100]}}}},
        "chunk_key_encoding": {{"name": "default"}}, "codecs": [{{"name": "bytes"}}]}}"#,
        CHUNKS * 100
    );
    let plain = crate::plain(CHUNKS as usize * 100);
    let mut files: Files = [("zarr.json".to_owned(), zarr_json.into_bytes())].into();
    files.extend(plain.chunks(100).enumerate().map(|(number, chunk)| (format!("c/{number}"), chunk.to_vec())));
    let (_server, remote, url) = serve(&files, false);
    let source = remote.open_source(&url.parse().unwrap(), &OpenOptions::new()).unwrap();
    let archive = Archive::open(source).unwrap();
    let before = remote.traffic().requests;
    let mut unpacked = Vec::new();
    archive.unpack(&mut unpacked, &UnpackOptions::new()).unwrap();
    assert!(unpacked == plain);
    assert_eq!(remote.traffic().requests - before, CHUNKS);
}

/// The sizes of chunks come from lists, and a directory that was opened before is recognised without a request.
#[test]
fn sizes_of_chunks_come_from_lists() {
    const CHUNKS: u64 = 300;
    let zarr_json = r#"{"zarr_format": 3, "node_type": "array", "shape": [3, 10000], "data_type": "uint8", "fill_value": 7,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 100]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}"#;
    let mut files: Files = [("zarr.json".to_owned(), zarr_json.into())].into();
    files.extend((0..CHUNKS).map(|number| (format!("c/{}/{}", number % 3, number / 3), vec![1; 100])));
    let (_server, remote, url) = serve(&files, true);
    let url = url.parse().unwrap();
    let open = || Archive::open(remote.open_source(&url, &OpenOptions::new()).unwrap()).unwrap();
    let archive = open();
    let opened = remote.traffic().requests;
    assert_eq!(archive.stored_files().unwrap(), Some((CHUNKS, CHUNKS * 100)));
    let listed = remote.traffic().requests - opened;
    // A page of the list has three names.
    assert!(listed < CHUNKS / 3 + 10, "{listed}");
    assert_eq!(open().nchunks(), CHUNKS);
    assert_eq!(remote.traffic().requests, opened + listed);
}

/// Chunks of a shard that are close to each other share requests, and of chunks that are not compressed only the rows
/// that are wanted are read.
#[test]
fn chunks_of_a_shard_share_requests() {
    const CHUNKS: usize = 256;
    let zarr_json = r#"{"zarr_format": 3, "node_type": "array", "shape": [4194304], "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4194304]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [16384], "codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes"}]}}]}"#;
    let plain = crate::plain(CHUNKS << 14);
    let index = (0..CHUNKS as u64).flat_map(|number| [number << 14, 1 << 14]).flat_map(u64::to_le_bytes);
    let shard: Vec<u8> = plain.iter().copied().chain(index).collect();
    let files: Files = [("zarr.json".to_owned(), zarr_json.into()), ("c/0".to_owned(), shard)].into();
    let (_server, remote, url) = serve(&files, false);
    let source = remote.open_source(&url.parse().unwrap(), &OpenOptions::new()).unwrap();
    let archive = Archive::open(source).unwrap();
    let before = remote.traffic().requests;
    let mut unpacked = Vec::new();
    archive.unpack(&mut unpacked, &UnpackOptions::new()).unwrap();
    assert!(unpacked == plain);
    let requests = remote.traffic().requests - before;
    assert!(requests < CHUNKS as u64 / 8, "{requests}");
}

/// Of chunks that are not compressed, only the items that are wanted are read, also ahead.
#[test]
fn parts_of_plain_chunks_are_read() {
    let zarr_json = r#"{"zarr_format": 3, "node_type": "array", "shape": [64, 1048576], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 1048576]}}, "fill_value": 0,
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}"#;
    let plain = crate::plain(64 << 20);
    let mut files: Files = [("zarr.json".to_owned(), zarr_json.into())].into();
    files.extend(plain.chunks(4 << 20).enumerate().map(|(number, rows)| (format!("c/{number}/0"), rows.to_vec())));
    let (_server, remote, url) = serve(&files, false);
    let source = remote.open_source(&url.parse().unwrap(), &OpenOptions::new()).unwrap();
    let array = Array::open(&source).unwrap();
    let selection = "::2, 500000:501000".parse::<Slice>().unwrap().select(&[64, 1 << 20]).unwrap();
    let mut found = Vec::new();
    array.copy_selection(&selection, &mut found, &UnpackOptions::new()).unwrap();
    let expected: Vec<&[u8]> = plain.chunks(1 << 20).step_by(2).map(|row| &row[500_000..501_000]).collect();
    assert!(found == expected.concat());
    // Two blocks of 32 KiB in each row, and the start of each file.
    let traffic = remote.traffic();
    assert!(traffic.bytes < 32 * (64 << 10) + 17 * (17 << 10), "{traffic:?}");
}
