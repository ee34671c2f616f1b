//! The library without the feature `write`: `cargo test --no-default-features --test without_writing`.
#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use bloscpack_io::blosc_core::{CParams, compress};
use bloscpack_io::{
    Archive, Array, Codec, LocalSource, OpenOptions, PackOptions, PackWriter, Sink, Source, Threads, UnpackOptions,
    pack, pack_bytes, unpack, unpack_bytes,
};

fn options() -> PackOptions {
    PackOptions::new().codec(Codec::Lz4).typesize(4).chunk_size(10_000).threads(Threads::Serial)
}

/// Without a known size, and to an output that cannot seek, the chunks are kept in memory until they are counted.
#[test]
fn streams_are_packed_in_memory() {
    let plain = testdata::ramp(50_000, 4, 3);
    let expected = pack_bytes(&plain, &options()).unwrap();
    for size in [None, Some(plain.len() as u64)] {
        let mut packed = Vec::new();
        pack(Source::reader(plain.as_slice()).size(size), Sink::writer(&mut packed), &options()).unwrap();
        assert!(packed == expected, "{size:?}");
        let mut pushed = Vec::new();
        let mut writer = PackWriter::new(&mut pushed, size, &options()).unwrap();
        plain.chunks(777).for_each(|piece| writer.write_all(piece).unwrap());
        writer.finish().unwrap();
        assert!(pushed == expected, "{size:?}");
    }
    assert!(unpack_bytes(&expected, &UnpackOptions::new()).unwrap().0 == plain);
}

#[test]
fn files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("numbers.blp");
    let plain = testdata::ramp(50_000, 4, 3);
    std::fs::write(&path, pack_bytes(&plain, &options()).unwrap()).unwrap();
    let archive = Archive::open(LocalSource::open(&path).unwrap()).unwrap();
    assert!(archive.read_range(30_000..30_100).unwrap() == plain[30_000..30_100]);
    let mut unpacked = Vec::new();
    unpack(path.as_path(), &mut unpacked, &UnpackOptions::new()).unwrap();
    assert!(unpacked == plain);
}

/// Frames need random access: a stream is buffered in memory.
#[test]
fn frames_are_unpacked_from_streams() {
    let files = testdata::archive("frames");
    let (name, frame) =
        files.iter().find(|(name, _)| name.ends_with(".b2frame") && !name.ends_with("chunks.b2frame")).unwrap();
    let archive = Archive::open(Cursor::new(frame)).unwrap();
    let expected = archive.read_range(0..archive.nbytes()).unwrap();
    let mut unpacked = Vec::new();
    unpack(Source::reader(frame.as_slice()), &mut unpacked, &UnpackOptions::new()).unwrap();
    assert!(unpacked == expected, "{name}");
}

#[test]
fn arrays_of_bare_chunks_are_selected() {
    let chunk = compress(&testdata::ramp(4000, 4, 3), &CParams::new().codec(Codec::Lz4).typesize(4)).unwrap();
    let array = Array::open_with(chunk, &OpenOptions::new()).unwrap();
    assert_eq!(array.archive().nbytes(), 4000);
}
