//! Frames that C-Blosc2 wrote, contiguous, sparse and in memory, and arrays in them, read as archives.

use std::fs;

use blosc_core::Limits;
use bloscpack_format::frame::{B2nd, ChunkSize, Region};
use bloscpack_io::{
    Archive, Error, LocalSource, Sink, Source, Tail, Threads, UnpackOptions, unpack, unpack_bytes, verify,
};
use testdata::{SplitMix64, sha256_hex};

use crate::common::{Recorded, Stored, each_frame};

#[test]
fn every_frame_gives_the_recorded_bytes() {
    let mut arrays = 0;
    each_frame(|path, item, stored| {
        let archive = Archive::open(stored).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(item["nchunks"], archive.nchunks(), "{path}");
        assert_eq!(item["typesize"], archive.typesize(), "{path}");
        let chunks: Vec<Vec<u8>> = (0..archive.nchunks()).map(|chunk| archive.chunk(chunk).unwrap()).collect();
        let mut end = 0;
        for (number, chunk) in (0..).zip(&chunks) {
            let start = end;
            end += chunk.len() as u64;
            assert_eq!(archive.chunk_range(number).unwrap(), start..end, "{path}");
            let compressed = archive.compressed_chunk(number).unwrap();
            assert_eq!(blosc_core::Header::parse(&compressed).unwrap().nbytes(), chunk.len(), "{path}");
        }
        assert!(archive.chunk_range(archive.nchunks()).is_err());
        assert_eq!(item["nbytes"], end, "{path}");
        if item["uninit"].is_null() {
            assert_eq!(item["sha256"], sha256_hex(&chunks.concat()), "{path}");
        }
        let mut plain = Vec::new();
        let written = archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
        assert_eq!((written, archive.nbytes()), (plain.len() as u64, plain.len() as u64), "{path}");
        archive.verify(&UnpackOptions::new()).unwrap();
        match archive.array() {
            Some(_) => {
                arrays += 1;
                assert_eq!(item["b2nd"]["array_sha256"], sha256_hex(&plain), "{path}");
                assert_eq!(archive.numpy().unwrap().nbytes(), Some(written), "{path}");
            }
            None => assert!(plain == chunks.concat(), "{path}"),
        }
        for (name, fact) in item["vlmetalayers"].as_object().unwrap() {
            let content = archive.vlmetalayer(name).unwrap().unwrap();
            assert_eq!(fact["sha256"], sha256_hex(&content), "{path}: {name}");
        }
        for (name, fact) in item["metalayers"].as_object().unwrap() {
            assert_eq!(fact["sha256"], sha256_hex(archive.metalayer(name).unwrap()), "{path}: {name}");
        }
        assert_eq!(archive.vlmetalayer("no such name").unwrap(), None);
    });
    assert_eq!(arrays, 85);
}

#[test]
fn ranges_are_slices_of_the_whole() {
    let mut rng = SplitMix64::new(21);
    each_frame(|path, _, stored| {
        let archive = Archive::open(stored).unwrap();
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &UnpackOptions::new().threads(Threads::Serial)).unwrap();
        for _ in 0..12 {
            let mut place = || rng.next_u64() % (plain.len() as u64 + 1);
            let (a, b) = (place(), place());
            let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 5000));
            let found = archive.read_range(start..end).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(found == plain[start as usize..end as usize], "{path} {start}..{end}");
        }
        let after = plain.len() as u64 + 1;
        assert!(matches!(archive.read_range(0..after), Err(Error::Range { unit: "bytes", .. })), "{path}");
    });
}

/// The items of a region, computed by the definition.
fn slice_of(array: &B2nd, whole: &[u8], itemsize: usize, region: &Region) -> Vec<u8> {
    let mut slice = Vec::new();
    for (number, item) in whole.chunks(itemsize).enumerate() {
        let mut rest = number as u64;
        let inside = array.shape.iter().enumerate().rev().all(|(axis, len)| {
            let at = rest % len;
            rest /= len;
            (region.start[axis]..region.stop[axis]).contains(&at)
        });
        if inside {
            slice.extend(item);
        }
    }
    slice
}

#[test]
fn slices_of_any_axes() {
    let mut rng = SplitMix64::new(22);
    let mut seen = 0;
    each_frame(|path, _, stored| {
        let archive = Archive::open(stored).unwrap();
        let Some(array) = archive.array() else {
            assert!(matches!(
                archive.read_slice(&Region { start: vec![], stop: vec![] }),
                Err(Error::NotANumpyArray { .. })
            ));
            return;
        };
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
        for _ in 0..6 {
            let axes = array.shape.iter().map(|len| {
                let (a, b) = (rng.next_u64() % (len + 1), rng.next_u64() % (len + 1));
                (a.min(b), a.max(b))
            });
            let (start, stop) = axes.unzip();
            let region = Region { start, stop };
            let found = archive.read_slice(&region).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(found == slice_of(array, &plain, archive.typesize(), &region), "{path} {region:?}");
            let mut copied = Vec::new();
            archive.copy_slice(&region, &mut copied, &UnpackOptions::new()).unwrap();
            assert!(copied == found, "{path} {region:?}");
            seen += usize::from(!found.is_empty());
        }
    });
    assert!(seen > 200, "{seen}");
}

/// On the disk, in memory, and at an offset inside a file; on one thread and on many.
#[test]
fn wherever_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    each_frame(|path, item, stored| {
        if !path.contains("mix_") && !path.contains("b2nd_0") {
            return;
        }
        let target = dir.path().join(path);
        stored.write_to(&target);
        let archive = Archive::open(LocalSource::open(&target).unwrap()).unwrap();
        let mut expected = Vec::new();
        archive.unpack(&mut expected, &UnpackOptions::new().threads(Threads::Serial)).unwrap();
        let digest = item["b2nd"]["array_sha256"].as_str().or(item["sha256"].as_str());
        assert_eq!(digest, Some(&*sha256_hex(&expected)), "{path}");
        let output = dir.path().join("output");
        let report = unpack(Source::file(&target), Sink::file(&output), &UnpackOptions::new().overwrite(true)).unwrap();
        assert!(fs::read(&output).unwrap() == expected, "{path}");
        assert_eq!(report.nbytes, expected.len() as u64);
        verify(Source::file(&target), &UnpackOptions::new()).unwrap();
        if item["kind"] != "sparse" {
            assert!(unpack_bytes(&stored.file, &UnpackOptions::new()).unwrap().0 == expected, "{path}");
            let inside = [b"in front".as_slice(), &stored.file, b"after"].concat();
            let archive = Archive::open(Tail::new(inside, 8)).unwrap();
            assert!(archive.read_range(0..archive.nbytes()).unwrap() == expected, "{path}");
        }
    });
}

#[test]
fn a_frame_of_the_other_kind_is_refused() {
    let sparse = Stored::golden("frames/mix_zqvr_sparse.sframe");
    assert!(Archive::open(sparse.file.clone()).is_err());
    let contiguous = Stored::golden("frames/mix_zqvr_contiguous.b2frame");
    assert!(Archive::open(Stored { files: sparse.files.clone(), sparse: true, ..contiguous }).is_err());
    let missing = Stored { files: Default::default(), ..sparse };
    let archive = Archive::open(&missing).unwrap();
    let error = archive.verify(&UnpackOptions::new()).unwrap_err();
    assert!(error.report().to_string().contains(".chunk'"), "{error}");
}

/// Opening reads no chunk, and reading a few bytes of a large chunk takes a few reads.
#[test]
fn only_what_is_wanted_is_read() {
    let (file, plain) = crate::common::large_chunks();
    let recorded = Recorded::new(&file);
    let archive = Archive::open(&recorded).unwrap();
    let data = archive.frame().unwrap().layout().unwrap().data;
    let of_data = || recorded.take().into_iter().filter(|read| data.contains(&read.start)).collect::<Vec<_>>();
    assert_eq!(of_data(), []);
    assert_eq!(archive.read_range(1_500_000..1_500_010).unwrap(), plain[1_500_000..1_500_010]);
    let reads = of_data();
    let bytes: u64 = reads.iter().map(|read| read.end - read.start).sum();
    // Of chunk 0 one read of the header, for its kind. Of chunk 1 the header, the block starts and a block of 32 KiB.
    assert!(reads.len() == 4 && bytes < 40_000, "{reads:?}");
    assert_eq!(archive.read_range(999_999..1_000_001).unwrap(), plain[999_999..1_000_001]);
    let bytes: u64 = of_data().iter().map(|read| read.end - read.start).sum();
    assert!(bytes < 80_000, "{bytes}");
}

/// A slice reads and decodes only the blocks that it touches.
#[test]
fn slices_read_only_their_blocks() {
    let (file, plain, shape) = crate::common::large_array();
    let recorded = Recorded::new(&file);
    let archive = Archive::open(&recorded).unwrap();
    let len = recorded.take().iter().map(|read| read.end - read.start).sum::<u64>();
    assert!(len < 2000, "{len}");
    let region = Region { start: vec![10, 10], stop: vec![11, 12] };
    let at = (10 * shape[1] as usize + 10) * 8;
    assert_eq!(archive.read_slice(&region).unwrap(), plain[at..at + 16]);
    let bytes: u64 = recorded.take().iter().map(|read| read.end - read.start).sum();
    assert!(bytes < 10_000 && file.len() > 1_000_000, "{bytes} of {}", file.len());
}

#[test]
fn limits_are_kept() {
    let stored = Stored::golden("frames/cf_lz4_shuffle_f8_walk.b2frame");
    let archive = Archive::open(&stored).unwrap();
    let Some(ChunkSize::Fixed(size)) = archive.frame().map(|frame| frame.header.chunksize) else { panic!() };
    let limited = |max| UnpackOptions::new().limits(Limits::new().max_chunk(max));
    assert!(archive.unpack(Vec::new(), &limited(size as usize)).is_ok());
    assert!(archive.unpack(Vec::new(), &limited(size as usize - 1)).is_err());
    let zeros = Archive::open(Stored::golden("frames/fill_zero_contiguous_37.b2frame")).unwrap();
    assert!(zeros.unpack(Vec::new(), &limited(100)).is_err());
    assert!(zeros.limits(Limits::new().max_chunk(100)).chunk(0).is_err());
}

#[test]
fn chunks_of_two_kinds_are_refused() {
    let stored = Stored::golden("frames/batcharray.b2b");
    let archive = Archive::open(&stored).unwrap();
    let place = archive.chunk_position(1).unwrap() as usize;
    // A regular chunk of the same sizes replaces the second: its plain bytes are stored unchanged.
    let mut mixed = stored.clone();
    let nbytes = archive.chunk(1).unwrap().len();
    let old = archive.compressed_chunk(1).unwrap().len();
    let regular = blosc_core::Encoder::new(blosc_core::CParams::blosc2().typesize(1)).unwrap().zeros(nbytes).unwrap();
    assert!(regular.len() <= old);
    mixed.file[place..place + regular.len()].copy_from_slice(&regular);
    let archive = Archive::open(&mixed).unwrap();
    assert!(archive.chunk(0).is_ok());
    assert!(matches!(archive.chunk(1), Err(Error::MixedChunks { chunk: 1 })));
    assert!(archive.verify(&UnpackOptions::new()).is_err());
}
