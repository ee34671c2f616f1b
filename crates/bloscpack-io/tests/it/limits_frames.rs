//! The cost of writing frames and reading sparse ones if the sizes are untrusted.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use blosc_core::{CParams, Codec};
use bloscpack_format::frame::{B2nd, ChunkSize, Entry, FrameType, Header, Index, Region, Trailer};
use bloscpack_io::frame::{ArrayItems, FrameParams, FrameWriter};
use bloscpack_io::{Archive, Array, Cancel, ChunkFiles, Error, Input, Limits, OpenOptions, ReadAt, Threads};
use testdata::CountingAlloc;

use crate::common::{Stored, large_array};

fn over(error: Error) -> &'static str {
    error.over_limit().unwrap_or_else(|| panic!("{error}")).raise
}

/// Items of 200 MB that a few bytes describe do not make chunks of that size. Smaller items stay whole.
#[test]
fn huge_items_are_cut() {
    let written = |typesize, nbytes, chunk_size| {
        let mut frame = FrameWriter::in_memory(FrameParams::new(typesize).codec(Codec::Lz4)).unwrap();
        let zeros = io::repeat(0).take(nbytes);
        frame.append_stream(zeros, chunk_size, &Threads::Serial, &Cancel::new()).unwrap();
        frame.frame().unwrap().header.chunksize
    };
    let (size, usage) = CountingAlloc::measure(|| written(200_000_000, 12 << 20, None));
    assert_eq!(size, ChunkSize::Fixed(1 << 20));
    assert!(usage.peak < 8 << 20, "{usage:?}");
    assert_eq!(written(200_000_000, 3000, Some(1000)), ChunkSize::Fixed(1000));
    assert_eq!(written(3 << 20, 6 << 20, None), ChunkSize::Fixed(3 << 20));
    assert_eq!(written(7, 3000, Some(1000)), ChunkSize::Fixed(994));
}

/// New chunks count against the memory limit, too.
#[test]
fn writers_keep_their_limits() {
    let (file, plain, shape) = large_array();
    let whole = Array::open(file).unwrap();
    let (array, small) = (whole.archive().array().unwrap(), Limits::new().max_memory(1 << 20));
    let write = |limits| {
        let mut frame = FrameWriter::array_in_memory(array.clone(), FrameParams::new(8)).unwrap().limits(limits);
        frame.write_items(&whole, &Threads::Ambient, &Cancel::new())
    };
    write(Limits::new()).unwrap();
    assert_eq!(over(write(small).unwrap_err()), "max_memory");
    let append = |limits| {
        let mut frame = FrameWriter::in_memory(FrameParams::new(8)).unwrap().limits(limits);
        frame.append_stream(plain.as_slice(), None, &Threads::Ambient, &Cancel::new())
    };
    append(Limits::new()).unwrap();
    assert_eq!(over(append(small).unwrap_err()), "max_memory");
    // Bytes decoded for a region: blocks of 20 x 20, chunks of 200 x 200.
    let held = |stop: &[u64]| whole.held(&Region { start: vec![0, 0], stop: stop.to_vec() });
    assert_eq!((held(&[10, 10]), held(&shape)), (8 * 40 * 40, 8 * 200 * 200));
    let plain = Stored::golden("frames/last_partial_contiguous.b2frame");
    let untouched = Array::open(plain).unwrap();
    assert_eq!(
        (
            untouched.archive().array().map(|array: &B2nd| array.shape.len()),
            untouched.held(&Region { start: vec![], stop: vec![] })
        ),
        (None, 0)
    );
}

/// A sparse frame that counts how often a chunk file is opened.
struct Opens<'a>(&'a Stored, AtomicU64);

impl ChunkFiles for Opens<'_> {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        self.1.fetch_add(1, Relaxed);
        self.0.open_chunk(number)
    }
}

/// A file counts once for the expansion limit, however often the index names it. After a missing file no more are
/// opened.
#[test]
fn files_that_are_named_often() {
    const NBYTES: u32 = 10_000;
    let mut chunk = blosc_core::Encoder::new(CParams::blosc2()).unwrap().repeat(b"A", NBYTES as usize).unwrap();
    chunk.resize(300, 0);
    let frame = |numbers: &[u64], files: &[u32]| {
        let index = Index::from_entries(numbers.iter().copied().map(Entry::Stored)).unwrap().encode().unwrap();
        let (mut header, trailer) = (Header::new(FrameType::Sparse, 1), Trailer::default().to_bytes().unwrap());
        header.nbytes = numbers.len() as u64 * u64::from(NBYTES);
        (header.cbytes, header.chunksize) = (5000, ChunkSize::Fixed(NBYTES));
        header.frame_len = header.header_len() + (index.len() + trailer.len()) as u64;
        let files = files.iter().map(|number| (*number, chunk.clone())).collect();
        Stored { file: [header.to_bytes().unwrap(), index, trailer].concat(), files, sparse: true }
    };
    let limits = Limits::new().max_unearned(1 << 20);
    let read = |stored: &Stored| {
        let opens = Opens(stored, AtomicU64::new(0));
        let archive =
            Archive::open_with(Input::sparse_frame(&stored.file, &opens), &OpenOptions::new().limits(limits)).unwrap();
        let read = archive.read_range(0..archive.nbytes());
        (read.map(|plain| plain.len()), opens.1.load(Relaxed))
    };
    let often = [vec![0; 500], vec![1; 500]].concat();
    let (refused, opens) = read(&frame(&often, &[0, 1]));
    assert_eq!((over(refused.unwrap_err()), opens), ("max_unearned", 2));
    let each: Vec<u64> = (0..1000).collect();
    let (refused, opens) = read(&frame(&each, &[]));
    assert_eq!((over(refused.unwrap_err()), opens), ("max_unearned", 1));
    let all: Vec<u32> = (0..1000).collect();
    assert_eq!(read(&frame(&each, &all)).0.unwrap(), 1000 * NBYTES as usize);
}
