//! The requests: few, small, and several at once.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use bloscpack_io::bloscpack_format::numpy::Slice;
use bloscpack_io::{
    Archive, Array, ConvertOptions, ReadAt as _, Source, Target, Threads, UnpackOptions, convert_array,
};

use crate::server::{Reply, Server};
use crate::{file, options, remote};

fn serve(bytes: &[u8]) -> Server {
    let bytes = bytes.to_vec();
    Server::start(move |request| Reply::of_file(request, &bytes, "\"1\""))
}

/// 64 chunks of 256 KiB, each of 8 blocks of 32 KiB.
fn big() -> (Vec<u8>, Vec<u8>) {
    file(Target::Array, 4096, &ConvertOptions::new().chunkshape(vec![64, 1024]).blockshape(vec![8, 1024]))
}

/// Opening takes at most 3 requests. Items take the header, the index, and the blocks that hold them.
#[test]
fn items_take_the_touched_blocks_only() {
    let (bytes, plain) = big();
    let server = serve(&bytes);
    let remote = remote();
    let array = Array::open(remote.open(&server.url("x.b2nd").parse().unwrap()).unwrap()).unwrap();
    let opened = remote.traffic();
    assert!(opened.requests <= 3, "{opened:?}");
    assert!(opened.bytes <= 40 << 10, "{opened:?}");
    // 32 blocks: rows 8 to 263.
    let mut items = Vec::new();
    let range = 8 * 1024..264 * 1024;
    array.copy_items(range.clone(), &mut items, &UnpackOptions::new()).unwrap();
    assert!(items == plain[range.start as usize * 4..range.end as usize * 4]);
    // A block takes about its share of the compressed bytes.
    let touched = bytes.len() as u64 * 256 / 4096;
    let read = remote.traffic().bytes - opened.bytes;
    assert!(read < touched + touched / 10 + (4 << 10), "{read} bytes were read for {touched}");
    // No byte is requested twice.
    let mut ranges: Vec<_> = server.requests().iter().map(|request| request.range().unwrap()).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "{ranges:?}");
}

#[test]
fn one_thread_has_several_requests_in_flight() {
    let (bytes, plain) = big();
    for target in ["frame", "bloscpack"] {
        let bytes = match target {
            "frame" => bytes.clone(),
            _ => file(Target::Bloscpack, 4096, &ConvertOptions::new().chunk_size(256 << 10)).0,
        };
        let len = bytes.len() as u64;
        let server = Server::start(move |request| Reply {
            pause: Duration::from_millis(1),
            ..Reply::of_file(request, &bytes, "\"1\"")
        });
        let remote = bloscpack_io::Remote::new(options().connections(6)).unwrap();
        let archive = Archive::open(remote.open(&server.url("x").parse().unwrap()).unwrap()).unwrap();
        let mut found = Vec::new();
        archive.unpack(&mut found, &UnpackOptions::new().threads(Threads::Serial)).unwrap();
        assert!(found == plain, "{target}");
        assert!((3..=6).contains(&server.most_in_flight()), "{target}: {}", server.most_in_flight());
        let traffic = remote.traffic();
        assert!(traffic.bytes <= len + (1 << 10), "{target}: {traffic:?} of {len}");
        assert!(traffic.requests <= 64 + 40, "{target}: {traffic:?}");
    }
}

/// A `.npy` file has no chunks, and yet one thread has several requests in flight: for all bytes, through a reader, and
/// for items that are far from each other.
#[test]
fn one_thread_has_several_requests_for_an_npy_file() {
    let (bytes, plain) = file(Target::Npy, 4096, &ConvertOptions::new());
    let len = bytes.len() as u64;
    for way in ["all", "reader", "selection", "array"] {
        let served = bytes.clone();
        let server = Server::start(move |request| Reply {
            pause: Duration::from_millis(1),
            ..Reply::of_file(request, &served, "\"1\"")
        });
        let remote = bloscpack_io::Remote::new(options().connections(6)).unwrap();
        let array = Array::open(remote.open(&server.url("x.npy").parse().unwrap()).unwrap()).unwrap();
        let serial = UnpackOptions::new().threads(Threads::Serial);
        let (mut found, mut expected, mut touched) = (Vec::new(), plain.clone(), len);
        match way {
            "all" => _ = array.archive().unpack(&mut found, &serial).unwrap(),
            "reader" => _ = array.archive().reader(&serial).read_to_end(&mut found).unwrap(),
            "selection" => {
                // Rows that are half a MiB apart.
                let selection = "::128".parse::<Slice>().unwrap().select(&[4096, 1024]).unwrap();
                array.copy_selection(&selection, &mut found, &serial).unwrap();
                expected = plain.chunks(4096).step_by(128).collect::<Vec<_>>().concat();
                touched = expected.len() as u64;
            }
            _ => {
                let dir = tempfile::tempdir().unwrap();
                let options = ConvertOptions::new().threads(Threads::Serial).chunkshape(vec![512, 256]);
                convert_array(&array, dir.path().join("x"), Target::Array, &options).unwrap();
                let written = Archive::open(std::fs::read(dir.path().join("x")).unwrap()).unwrap();
                written.unpack(&mut found, &serial).unwrap();
            }
        }
        assert!(found == expected, "{way}");
        assert!((3..=6).contains(&server.most_in_flight()), "{way}: {}", server.most_in_flight());
        let traffic = remote.traffic();
        assert!(traffic.bytes <= touched + touched / 10 + (16 << 10), "{way}: {traffic:?} of {touched}");
        assert!(traffic.requests <= 40, "{way}: {traffic:?}");
    }
}

/// Small chunks share requests: 4096 chunks of 4 KiB take fewer requests than their pieces of 32 KiB.
#[test]
fn small_chunks_share_requests() {
    for (target, options) in [
        (Target::Frame, ConvertOptions::new().chunk_size(4096)),
        (Target::Bloscpack, ConvertOptions::new().chunk_size(4096)),
    ] {
        let (bytes, plain) = file(target, 4096, &options);
        let served = bytes.clone();
        // Without a wait, the decoder would be as fast as the requests.
        let server = Server::start(move |request| Reply {
            pause: Duration::from_millis(2),
            ..Reply::of_file(request, &served, "\"1\"")
        });
        let remote = remote();
        let archive = Archive::open(remote.open(&server.url("x").parse().unwrap()).unwrap()).unwrap();
        let mut found = Vec::new();
        archive.unpack(&mut found, &UnpackOptions::new()).unwrap();
        assert!(found == plain, "{target}");
        let traffic = remote.traffic();
        assert!(traffic.requests < bytes.len() as u64 >> 15, "{target}: {traffic:?} of {}", bytes.len());
        assert!(traffic.bytes <= bytes.len() as u64, "{target}: {traffic:?}");
    }
}

/// From start to end: in large pieces, several at once, every byte once.
#[test]
fn readers_read_every_byte_once() {
    let (bytes, plain) = file(Target::Bloscpack, 2048, &ConvertOptions::new());
    let server = serve(&bytes);
    let remote = remote();
    let file = remote.open(&server.url("x.blp").parse().unwrap()).unwrap();
    let mut unpacked = Vec::new();
    bloscpack_io::unpack(Source::reader(file.reader()), &mut unpacked, &UnpackOptions::new()).unwrap();
    assert!(unpacked == plain);
    assert_eq!(remote.traffic().bytes, bytes.len() as u64);
    assert_eq!(remote.traffic().requests, server.requests().len() as u64);
}

/// Whatever is read in whatever order, it is the bytes of the file, also if the cache holds nothing.
#[test]
fn reads_are_those_of_the_file() {
    let bytes: Arc<[u8]> = crate::plain(300_000).into();
    let total = bytes.as_ref().iter().count();
    for cache in [0, 50_000, 64 << 20] {
        let served = Arc::clone(&bytes);
        let server = Server::start(move |request| Reply::of_file(request, &served, "\"1\""));
        let remote = bloscpack_io::Remote::new(options().cache(cache)).unwrap();
        let file = remote.open(&server.url("x").parse().unwrap()).unwrap();
        assert_eq!(file.len().unwrap(), total as u64);
        let mut state = 7_usize;
        for round in 0..200 {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
            let at = state % total;
            let len = (state >> 8) % 40_000 % (total - at);
            if round % 3 == 0 {
                file.prefetch(&[at as u64..(at + len) as u64, 5..70_000, u64::MAX - 1..u64::MAX]);
            }
            let mut buf = vec![0; len];
            file.read_exact_at(at as u64, &mut buf).unwrap();
            assert!(buf == bytes[at..at + len], "{at}+{len} with {cache}");
        }
        let error = file.read_exact_at(total as u64, &mut [0]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    }
}

#[test]
fn empty_and_small_files_are_files() {
    for len in [0, 1, 100] {
        let server = serve(&vec![7; len]);
        let remote = remote();
        let file = remote.open(&server.url("x").parse().unwrap()).unwrap();
        assert_eq!(file.len().unwrap(), len as u64);
        let mut buf = vec![0; len];
        file.read_exact_at(0, &mut buf).unwrap();
        assert_eq!((buf, remote.traffic().requests), (vec![7; len], 1));
        // The second time, nothing is sent.
        remote.open(&server.url("x").parse().unwrap()).unwrap();
        assert_eq!(remote.traffic().requests, 1);
    }
}
