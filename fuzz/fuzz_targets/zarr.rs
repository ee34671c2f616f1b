//! Fuzzes Zarr: metadata survive writing and parsing again; a store gives an error, or the same items in all ways; a
//! zip archive gives an error or files.
#![no_main]

use blosc_fuzz::{MAX_NBYTES, limits, reads, serial, zarr};
use bloscpack_format::zarr::{ArrayMeta, Consolidated, GroupMeta, Node, ShardIndex, Sharding, Version};
use bloscpack_io::bcolz::MemoryDirectory;
use bloscpack_io::zarr::{Group, ZipDirectory};
use bloscpack_io::{Archive, Input, OpenOptions, ReadDirectory};
use libfuzzer_sys::fuzz_target;

/// Parsed metadata are written, and read back as the same.
fn metadata(bytes: &[u8]) {
    let written = |meta: &ArrayMeta| match meta.version {
        Version::V2 => meta.to_zarray(),
        Version::V3 => meta.to_zarr_json(),
    };
    let array = |meta: &ArrayMeta| {
        // Nothing but floats of 12 and 16 bytes, and strings that are not text, has no JSON.
        let Ok(text) = written(meta) else { return };
        let again = match meta.version {
            Version::V2 => ArrayMeta::parse_v2(&text, None).expect("what was written"),
            Version::V3 => match Node::parse(&text).expect("what was written") {
                Node::Array(meta) => *meta,
                Node::Group(_) => panic!("an array became a group"),
            },
        };
        // Compares text, because attributes of NaN are not equal to themselves.
        assert_eq!(written(&again).as_deref(), Ok(&*text));
    };
    if let Ok(meta) = ArrayMeta::parse_v2(bytes, None) {
        array(&meta);
    }
    match Node::parse(bytes) {
        Ok(Node::Array(meta)) => array(&meta),
        Ok(Node::Group(meta)) => {
            let text = meta.to_zarr_json().expect("memory");
            assert!(matches!(Node::parse(&text), Ok(Node::Group(_))));
        }
        Err(_) => {}
    }
    let _ = GroupMeta::parse_v2(bytes, Some(bytes), Some(bytes));
    if let Ok(consolidated) = Consolidated::parse_v2(bytes) {
        for (path, _) in consolidated.nodes() {
            let _ = consolidated.array(path);
        }
    }
    let sharding = Sharding::new(vec![1]);
    for nchunks in [0, 1, 5, bytes.len() as u64 / 16, u64::MAX] {
        if let Ok(index) = ShardIndex::parse(bytes, nchunks, &sharding) {
            assert_eq!(index.to_bytes(&sharding).as_deref(), Ok(bytes));
        }
    }
}

fn archive(bytes: &[u8], options: &OpenOptions) {
    let Ok(zip) = ZipDirectory::open_with(bytes, options) else { return };
    for name in zip.list("").unwrap_or_default() {
        let _ = zip.open(&name).and_then(|file| file.len());
    }
    let _ = Group::open_with(zip, options).and_then(|group| group.nodes());
    let _ = Archive::open_with(bytes, options).map(|archive| read(&archive, bytes));
}

fn read(archive: &Archive<'_>, bytes: &[u8]) {
    if archive.nbytes() > MAX_NBYTES as u64 || archive.nchunks() > 10_000 {
        let _ = archive.read_range(archive.nbytes() / 2..archive.nbytes() / 2 + 1);
        return;
    }
    let verified = archive.verify(&serial());
    let mut plain = Vec::new();
    if archive.unpack(&mut plain, &serial()).is_err() {
        return;
    }
    assert!(verified.is_ok(), "verify refuses what was read");
    let mut numbers = [0; 8];
    numbers.iter_mut().zip(bytes.iter().rev()).for_each(|(number, byte)| *number = *byte);
    reads::all_ways(archive, &plain, numbers);
}

fuzz_target!(|bytes: &[u8]| {
    metadata(bytes);
    let options = OpenOptions::new().limits(limits()).column("x/y");
    if bytes.starts_with(b"PK") {
        return archive(bytes, &options);
    }
    let dir = MemoryDirectory::of_files(zarr::files(bytes));
    if let Ok(archive) = Archive::open_with(Input::directory(dir), &options) {
        read(&archive, bytes);
    }
});
