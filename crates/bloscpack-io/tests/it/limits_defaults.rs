//! The cost of a few hostile bytes under default limits. Legal files open, and each exceeded limit is named.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use blosc_core::{CParams, Special};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{Dtype, dflt};
use bloscpack_format::frame::{ChunkSize, Entry, Frame, FrameError, FrameType, Header, Index, Trailer};
use bloscpack_io::bcolz::{
    Below, Carray, CarrayParams, CarrayWriter, Ctable, CtableWriter, Directory, MemoryDirectory, Root,
};
use bloscpack_io::frame::{FrameWriter, MemoryFrame};
use bloscpack_io::{
    Archive, Cancel, Error, Limits, LocalSource, OpenOptions, PackOptions, RecoverOptions, Source, Target, Threads,
    UnpackOptions, convert, frame, pack_bytes, unpack_bytes, verify,
};
use testdata::CountingAlloc;

use crate::common::Stored;
use crate::common::roots::{files_of, golden};

/// The bytes of a frame without stored chunks.
fn frame_of(header: Header, index: &Index) -> Vec<u8> {
    let (index, trailer) = (index.encode().unwrap(), Trailer::default().to_bytes().unwrap());
    let mut header = header;
    header.frame_len = header.header_len() + (index.len() + trailer.len()) as u64;
    [header.to_bytes().unwrap(), index, trailer].concat()
}

/// `nchunks` chunks of zeros, as `blosc2.zeros` makes them.
fn zeros(nchunks: u64, chunksize: u32) -> Vec<u8> {
    let mut header = Header::new(FrameType::Contiguous, 1);
    let nbytes = nchunks * u64::from(chunksize);
    (header.nbytes, header.chunksize) = (nbytes, ChunkSize::Fixed(chunksize));
    frame_of(header, &Index::repeat(Special::Zeros, nchunks))
}

fn over(error: Error) -> &'static str {
    error.over_limit().unwrap_or_else(|| panic!("{error}")).raise
}

fn within<T>(most: usize, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let (found, usage) = CountingAlloc::measure(call);
    assert!(usage.peak <= most, "{usage:?}");
    assert!(start.elapsed() < Duration::from_secs(5) * testdata::slowness(), "{:?}", start.elapsed());
    found
}

/// 8 MiB are read at a time, to a list that grows.
const MOST_WINDOW: usize = 20 << 20;

/// A terabyte in 150 bytes is legal. It opens, verifies, and any part of it can be read, but it is not assembled in
/// memory.
#[test]
fn a_terabyte_of_zeros() {
    let file = zeros(1 << 20, 1 << 20);
    assert!(file.len() < 200);
    let serial = UnpackOptions::new().threads(Threads::Serial);
    within(MOST_WINDOW, || {
        let archive = Archive::open(file.as_slice()).unwrap();
        archive.verify(&serial).unwrap();
        assert_eq!(archive.read_range((1 << 40) - 100..1 << 40).unwrap(), [0; 100]);
        let mut reader = archive.reader(&serial);
        io::copy(&mut reader.by_ref().take(1000), &mut io::sink()).unwrap();
    });
    within(16 << 20, || {
        let archive = Archive::open(file.as_slice()).unwrap();
        let raised = over(archive.read_range(0..1 << 40).unwrap_err());
        assert_eq!(raised, if usize::BITS < 64 { "max_nbytes" } else { "max_unearned" });
    });
}

/// Maximum number of chunks: an index is one chunk.
const MOST: u64 = blosc_core::Header::MAX_NBYTES_BLOSC2 as u64 / 8;

/// The maximum number of chunks in a frame, of one byte each, takes no longer than their bytes.
#[test]
fn the_most_chunks_there_can_be() {
    let file = zeros(MOST, 1);
    let serial = UnpackOptions::new().threads(Threads::Serial);
    within(1 << 20, || {
        let archive = Archive::open(file.as_slice()).unwrap();
        archive.verify(&serial).unwrap();
        assert_eq!(archive.unpack(io::sink(), &serial).unwrap(), MOST);
    });
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("zeros.b2frame");
    std::fs::write(&path, &file).unwrap();
    within(1 << 20, || verify(Source::file(&path), &UnpackOptions::new()).unwrap());
    // A report about each chunk would take more memory.
    let saved = within(1 << 20, || bloscpack_io::recover(&path, &dir.path().join("saved"), &RecoverOptions::new()));
    assert_eq!(over(saved.unwrap_err()), "max_unearned");
}

/// If sizes vary, an index of zeros names the first chunk in each entry. The list of where each chunk ends takes
/// memory.
#[test]
fn the_same_chunk_again_and_again() {
    let chunk = blosc_core::compress(&[1; 100], &CParams::blosc2().clevel(0)).unwrap();
    for (nchunks, refused) in [(1_u64 << 10, false), (1 << 28, true)] {
        let nchunks = nchunks - 100;
        let index =
            blosc_core::Encoder::new(CParams::blosc2().typesize(8)).unwrap().zeros(8 * nchunks as usize).unwrap();
        let trailer = Trailer::default().to_bytes().unwrap();
        let mut header = Header::new(FrameType::Contiguous, 1);
        (header.nbytes, header.cbytes) = (100 * nchunks, chunk.len() as u64);
        header.chunksize = ChunkSize::Variable;
        header.frame_len = header.header_len() + (chunk.len() + index.len() + trailer.len()) as u64;
        let file = [header.to_bytes().unwrap(), chunk.clone(), index, trailer].concat();
        assert_eq!(Frame::parse(&file, Limits::new()).unwrap().nchunks(), nchunks);
        within(1 << 20, || {
            let archive = Archive::open(file.as_slice()).unwrap();
            archive.verify(&UnpackOptions::new().threads(Threads::Serial)).unwrap();
            match archive.chunk_range(5) {
                Ok(range) => assert_eq!((range, refused), (500..600, false)),
                Err(error) => assert_eq!((over(error), refused), ("max_chunks", true)),
            }
        });
    }
}

/// Compacting copies a chunk once, however often the index names it. Overlapping chunks are refused, also by verifying.
#[test]
fn compacting_costs_what_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frame.b2frame");
    let frame = |nbytes, chunksize, data: &[u8], index: &[u8]| {
        let mut header = Header::new(FrameType::Contiguous, 1);
        let trailer = Trailer::default().to_bytes().unwrap();
        (header.nbytes, header.cbytes, header.chunksize) = (nbytes, data.len() as u64, chunksize);
        header.frame_len = header.header_len() + (data.len() + index.len() + trailer.len()) as u64;
        let file = [header.to_bytes().unwrap(), data.to_vec(), index.to_vec(), trailer].concat();
        std::fs::write(&path, &file).unwrap();
        file
    };
    let chunk = blosc_core::Encoder::new(CParams::blosc2().typesize(1)).unwrap().repeat(b"A", 1).unwrap();
    let index = blosc_core::Encoder::new(CParams::blosc2().typesize(8)).unwrap();
    let nchunks = MOST - 100;
    let file = frame(nchunks, ChunkSize::Fixed(1), &chunk, &index.zeros(8 * nchunks as usize).unwrap());
    let report = within(1 << 20, || frame::compact(&path, &OpenOptions::new()).unwrap());
    // An index of C-Blosc2 contains its entry even if it is 0.
    assert_eq!((report.before, report.after), (file.len() as u64, file.len() as u64 + 8));
    assert_eq!(Archive::open(LocalSource::open(&path).unwrap()).unwrap().chunk(nchunks - 1).unwrap(), b"A");
    // The same number of special values.
    std::fs::write(&path, zeros(MOST, 1)).unwrap();
    within(1 << 20, || frame::compact(&path, &OpenOptions::new()).unwrap());
    let archive = Archive::open(LocalSource::open(&path).unwrap()).unwrap();
    assert_eq!((archive.nchunks(), archive.chunk(5).unwrap()), (MOST, vec![0]));

    // Shared chunks stay shared, and are stored in the order of their numbers.
    let stored = |plain: &[u8]| blosc_core::compress(plain, &CParams::blosc2().clevel(0)).unwrap();
    let (dead, a, b) = (stored(&[0; 500]), stored(&testdata::noise(100, 1)), stored(&testdata::noise(100, 2)));
    let (at_a, at_b) = (dead.len() as u64, (dead.len() + a.len()) as u64);
    let entries =
        |places: &[u64]| Index::from_entries(places.iter().copied().map(Entry::Stored)).unwrap().encode().unwrap();
    frame(
        500,
        ChunkSize::Fixed(100),
        &[dead, a.clone(), b.clone()].concat(),
        &entries(&[at_b, at_a, at_b, at_b, at_a]),
    );
    let plain = |path: &std::path::Path| {
        let archive = Archive::open(LocalSource::open(path).unwrap()).unwrap();
        archive.read_range(0..archive.nbytes()).unwrap()
    };
    let before = plain(&path);
    let report = frame::compact(&path, &OpenOptions::new()).unwrap();
    assert!(plain(&path) == before && report.before > report.after + 400, "{report:?}");
    let archive = Archive::open(LocalSource::open(&path).unwrap()).unwrap();
    assert_eq!(archive.frame().unwrap().header.cbytes, (a.len() + b.len()) as u64);
    // Recovery copies them separately, within the limits.
    let saved = |limits| {
        bloscpack_io::recover(&path, &dir.path().join("saved"), &RecoverOptions::new().overwrite(true).limits(limits))
    };
    assert_eq!(saved(Limits::new()).unwrap().kept, 5);
    assert_eq!(over(saved(Limits::new().max_unearned(0)).unwrap_err()), "max_unearned");
    // A chunk that contains others, and these others.
    let mut outer = [stored(&[1; 20]), stored(&[2; 20])].concat();
    outer = stored(&outer);
    let inner = |number: u64| outer.len() as u64 - 104 + 52 * number;
    let file = frame(144, ChunkSize::Variable, &outer, &entries(&[0, inner(0), inner(1)]));
    let archive = Archive::open(file.as_slice()).unwrap();
    let verified = archive.verify(&UnpackOptions::new().threads(Threads::Serial));
    for error in [frame::compact(&path, &OpenOptions::new()).unwrap_err(), verified.unwrap_err()] {
        assert!(
            matches!(error, Error::Format(FormatError::Frame(FrameError::ChunkLength { chunk: 1, .. }))),
            "{error}"
        );
    }
    assert!(std::fs::read(&path).unwrap() == file);
    assert_eq!(
        over(frame::compact(&path, &OpenOptions::new().limits(Limits::new().max_chunks(2))).unwrap_err()),
        "max_chunks"
    );
    let called_off = Cancel::new();
    called_off.cancel();
    assert!(matches!(frame::compact(&path, &OpenOptions::new().cancel(called_off.clone())), Err(Error::Cancelled)));
}

/// A chunk that is named twice is decoded once, and each damaged chunk is found.
#[test]
fn chunks_that_are_named_twice() {
    for name in
        ["frames/mix_zqvr_contiguous.b2frame", "frames/mix_rzr_sparse.sframe", "frames/fill_nan_contiguous_37.b2frame"]
    {
        let stored = Stored::golden(name);
        Archive::open(&stored).unwrap().verify(&UnpackOptions::new()).unwrap();
    }
    let plain = testdata::noise(3000, 1);
    let chunks: Vec<_> =
        plain.chunks(1000).map(|plain| blosc_core::compress(plain, &CParams::blosc2()).unwrap()).collect();
    let whole = crate::common::frame_of(Header::new(FrameType::Contiguous, 1), &[], &chunks);
    let frame = Frame::parse(&whole, Limits::new()).unwrap();
    let places: Vec<_> = (0..3).map(|chunk| frame.index.get(chunk).unwrap()).collect();
    // The data, and an index that names its chunks out of order and repeatedly.
    for (order, sizes) in [([2, 0, 0, 1, 0], 5), ([1, 1, 1, 1, 1], 5), ([0, 1, 2, 1, 2], 5)] {
        let index = Index::from_entries(order.map(|chunk: usize| places[chunk])).unwrap().encode().unwrap();
        let mut header = frame.header.clone();
        let trailer = Trailer::default().to_bytes().unwrap();
        let data = whole[header.header_len() as usize..][..header.cbytes as usize].to_vec();
        header.nbytes = sizes * 1000;
        header.frame_len = header.header_len() + (data.len() + index.len() + trailer.len()) as u64;
        let file = [header.to_bytes().unwrap(), data, index, trailer].concat();
        let archive = Archive::open(file.as_slice()).unwrap();
        archive.verify(&UnpackOptions::new()).unwrap();
        let expected: Vec<u8> = order.iter().flat_map(|chunk| plain[chunk * 1000..][..1000].to_vec()).collect();
        assert!(archive.read_range(0..5000).unwrap() == expected);
        for chunk in order {
            let mut damaged = file.clone();
            // The version of a chunk.
            damaged[header.header_len() as usize + [0, chunks[0].len(), chunks[0].len() + chunks[1].len()][chunk]] = 99;
            assert!(Archive::open(damaged).unwrap().verify(&UnpackOptions::new()).is_err());
        }
    }
}

/// A frame without chunks whose vlmetalayers are these chunks. Each has its own position, or all share the first one's.
fn layers_of(chunks: &[Vec<u8>], shared: bool) -> Vec<u8> {
    let mut trailer = Trailer::default();
    for (number, chunk) in chunks.iter().enumerate() {
        trailer.vlmetalayers.set(&format!("{number:03}"), chunk, 1 << 10).unwrap();
    }
    let mut header = Header::new(FrameType::Contiguous, 1);
    header.has_vlmetalayers = true;
    let mut trailer = trailer.to_bytes().unwrap();
    if shared {
        // Nine bytes, then nine for each entry: four for its name, and five for the position of its content.
        let place = |entry: usize| 9 + 9 * entry + 5..9 + 9 * entry + 9;
        let first = trailer[place(0)].to_vec();
        (1..chunks.len()).for_each(|entry| trailer[place(entry)].copy_from_slice(&first));
    }
    header.frame_len = header.header_len() + trailer.len() as u64;
    [header.to_bytes().unwrap(), trailer].concat()
}

/// Checking many vlmetalayers takes no longer than their stored size justifies.
#[test]
fn vlmetalayers_of_a_few_bytes() {
    let encoder = blosc_core::Encoder::new(CParams::blosc2().typesize(1)).unwrap();
    // Runs, which must be decoded, unlike a repeated value.
    let runs = |nbytes: usize| {
        let plain: Vec<u8> = (0..nbytes).map(|at| u8::from(at * 2 > nbytes)).collect();
        blosc_core::compress(&plain, &CParams::blosc2().typesize(1)).unwrap()
    };
    let dir = tempfile::tempdir().unwrap();
    let (path, saved) = (dir.path().join("layers.b2frame"), dir.path().join("saved"));
    let options = UnpackOptions::new().threads(Threads::Serial);
    let cases = [
        // One shared chunk of 1 GiB for all.
        (vec![encoder.zeros(1 << 30).unwrap(); 500], true, false),
        (vec![encoder.zeros(16 << 20).unwrap(); 500], false, true),
        (vec![runs(4 << 20); 500], true, true),
        (vec![runs(4 << 20); 65], false, false),
        (vec![runs((16 << 20) + 1)], false, false),
    ];
    for (chunks, shared, is_whole) in cases {
        let file = layers_of(&chunks, shared);
        std::fs::write(&path, &file).unwrap();
        let archive = Archive::open(file.as_slice()).unwrap();
        assert_eq!(archive.frame().unwrap().trailer.vlmetalayers.iter().len(), chunks.len());
        let verified = within(40 << 20, || archive.verify(&options));
        assert_eq!(verified.map_err(over), if is_whole { Ok(()) } else { Err("max_metadata") });
        let report =
            within(40 << 20, || bloscpack_io::recover(&path, &saved, &RecoverOptions::new().overwrite(true)).unwrap());
        assert_eq!(report.lost.is_empty(), is_whole, "{report:?}");
        let is_small = blosc_core::Header::parse(&chunks[0]).unwrap().nbytes() <= 16 << 20;
        assert_eq!(within(40 << 20, || archive.vlmetalayer("000")).is_ok(), is_small);
    }
}

/// A bare chunk of 2 GB is written while it is decoded, and not assembled in memory.
#[test]
fn a_bare_chunk_that_repeats_a_value() {
    let encoder = blosc_core::Encoder::new(CParams::blosc2().typesize(4)).unwrap();
    let chunk = encoder.repeat(&[1, 2, 3, 4], 400_000_000).unwrap();
    let options = UnpackOptions::new().threads(Threads::Serial);
    let report = within(1 << 20, || {
        bloscpack_io::unpack(
            bloscpack_io::Source::reader(chunk.as_slice()),
            bloscpack_io::Sink::writer(io::sink()),
            &options,
        )
        .unwrap()
    });
    assert_eq!(report.nbytes, 400_000_000);
    let chunk = encoder.repeat(&[1, 2, 3, 4], 2_000_000_000).unwrap();
    let found = unpack_bytes(&chunk, &UnpackOptions::new().limits(Limits::new().max_unearned(1 << 20)));
    assert_eq!(over(found.unwrap_err()), "max_unearned");
}

/// A default value for an item of 2 GiB is not expanded to check whether it can be.
#[test]
fn default_values_of_huge_items() {
    for dtype in ["|V2147483600", "|S2147483600", "<U536870900", "[('a', '|V1000000', (2000,))]"] {
        let dtype = Dtype::parse(dtype).unwrap();
        within(4 << 20, || dflt::check(&dflt::zero(&dtype), &dtype, &[]).unwrap());
        assert!(dflt::check(&bloscpack_format::Json::Array(vec![]), &dtype, &[]).is_err());
    }
    let mut files = files_of("ref/size/n101_cl100");
    for (path, bytes) in &mut files {
        if path.starts_with("meta/") {
            *bytes = br#"{"dtype": "|V2147483600", "chunklen": 1, "shape": [0], "dflt": "", "cparams": {"clevel": 5}}"#
                .to_vec();
        }
    }
    let mut writer =
        CarrayWriter::with_directory(MemoryDirectory::of_files(files.clone()), &OpenOptions::new()).unwrap();
    let grown = within(4 << 20, || writer.resize(1));
    assert_eq!(over(grown.unwrap_err()), "max_unearned");
    // A row, a chunk of rows and its compressed form are in memory. The chunk has one row or several, and one row
    // follows the last full chunk.
    for (itemsize, chunklen, refused) in [(16 << 20, 1, false), (4 << 20, 4, false), (1 << 29, 1, true)] {
        let params = CarrayParams::new(Dtype::parse(&format!("|V{itemsize}")).unwrap()).chunklen(chunklen);
        let mut writer = CarrayWriter::create_in(MemoryDirectory::new(), &params).unwrap();
        let chunk = itemsize * chunklen as usize;
        let grown = within(3 * chunk + (1 << 20), || writer.resize(2 * chunklen + 1));
        assert_eq!(grown.err().map(over), refused.then_some("max_unearned"));
    }
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in &files {
        let path = dir.path().join("in").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let input = LocalSource::open(&dir.path().join("in")).unwrap();
    let options = bloscpack_io::ConvertOptions::new().threads(Threads::Serial);
    within(4 << 20, || convert(input, &dir.path().join("out.bcolz"), Target::Bcolz, &options).unwrap());
}

/// The metadata of all columns that are held in memory count together.
#[test]
fn many_columns() {
    let columns: Vec<String> = (0..8).map(|n| format!("column {n}")).collect();
    let params = CarrayParams::new(Dtype::parse("uint8").unwrap());
    let columns: Vec<_> = columns.iter().map(|name| (name.as_str(), params.clone())).collect();
    let dir = MemoryDirectory::new();
    CtableWriter::create_in(&dir, &columns).unwrap().flush().unwrap();
    for (name, _) in &columns {
        let path = format!("{name}/meta/storage");
        let mut storage = dir.files()[&path].to_vec();
        storage.resize(10_000, b' ');
        dir.create(&path, &storage).unwrap();
    }
    let limits = |columns: usize| Limits::new().max_memory(columns * 36 * 11_000);
    assert!(Carray::open_with(Below::new(&dir, "column 7"), &OpenOptions::new().limits(limits(1))).is_ok());
    assert_eq!(over(Ctable::open_with(&dir, &OpenOptions::new().limits(limits(4))).unwrap_err()), "max_memory");
    assert_eq!(
        over(CtableWriter::with_directory(&dir, &OpenOptions::new().limits(limits(4))).map(drop).unwrap_err()),
        "max_memory"
    );
    assert!(Ctable::open_with(&dir, &OpenOptions::new().limits(limits(8))).is_ok());
    assert!(CtableWriter::with_directory(&dir, &OpenOptions::new().limits(limits(8))).is_ok());
}

/// Every function keeps each limit and names it in the error.
#[test]
fn each_limit_by_each_way() {
    let plain = testdata::ramp(100_000, 4, 1);
    let metadata = bloscpack_format::Json::parse(br#"{"a": "a description"}"#).unwrap();
    let packed = pack_bytes(&plain, &PackOptions::new().chunk_size(50_000).metadata(Some(metadata))).unwrap();
    let unpack = |limits| over(unpack_bytes(&packed, &UnpackOptions::new().limits(limits)).unwrap_err());
    assert_eq!(unpack(Limits::new().max_nbytes(plain.len() - 1)), "max_nbytes");
    assert_eq!(unpack(Limits::new().max_chunk(49_999)), "max_chunk");
    assert_eq!(unpack(Limits::new().max_metadata(10)), "max_metadata");
    assert_eq!(unpack(Limits::new().max_memory(100_000)), "max_memory");
    assert!(unpack_bytes(&packed, &UnpackOptions::new().limits(Limits::new().max_nbytes(plain.len()))).is_ok());
    let open = |limits| Archive::open_with(packed.as_slice(), &OpenOptions::new().limits(limits));
    assert_eq!(over(open(Limits::new().max_metadata(10)).unwrap_err()), "max_metadata");
    let archive = open(Limits::new().max_nbytes(1000)).unwrap();
    assert_eq!(archive.read_range(70_000..71_000).unwrap(), plain[70_000..71_000]);
    assert_eq!(over(archive.read_range(70_000..71_001).unwrap_err()), "max_nbytes");
    assert_eq!(over(archive.chunk(0).unwrap_err()), "max_nbytes");
    // Streamed output is not held in memory.
    let mut written = Vec::new();
    archive.unpack(&mut written, &UnpackOptions::new().limits(Limits::new().max_nbytes(1000))).unwrap();
    assert!(written == plain);

    let stored = Stored::golden("frames/mix_zqvr_contiguous.b2frame");
    let opened = |limits| over(Archive::open_with(&stored, &OpenOptions::new().limits(limits)).map(drop).unwrap_err());
    assert_eq!(opened(Limits::new().max_chunks(3)), "max_chunks");
    assert_eq!(opened(Limits::new().max_memory(100)), "max_memory");
    let edited = |limits| {
        let file = stored.file.clone();
        FrameWriter::with_store(
            MemoryFrame { file, ..MemoryFrame::new(FrameType::Contiguous) },
            &OpenOptions::new().limits(limits),
        )
    };
    assert_eq!(over(edited(Limits::new().max_chunks(3)).map(drop).unwrap_err()), "max_chunks");
    assert_eq!(over(edited(Limits::new().max_chunk(3)).unwrap().chunk(0).unwrap_err()), "max_chunk");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frame.b2frame");
    stored.write_to(&path);
    let limits = Limits::new().max_chunk(3);
    let unpacked = bloscpack_io::unpack(Source::file(&path), &mut Vec::new(), &UnpackOptions::new().limits(limits));
    assert_eq!(over(unpacked.unwrap_err()), "max_chunk");
    let report =
        bloscpack_io::recover(&path, &dir.path().join("saved"), &RecoverOptions::new().limits(limits)).unwrap();
    assert!(!report.lost.is_empty());
    let options = bloscpack_io::ConvertOptions::new().limits(limits);
    let converted =
        convert(LocalSource::open(&path).unwrap(), &dir.path().join("out.blp"), Target::Bloscpack, &options);
    assert_eq!(over(converted.unwrap_err()), "max_chunk");

    let carray = |limits| Carray::open_with(golden("ref/size/n1200_cl100"), &OpenOptions::new().limits(limits));
    assert_eq!(over(carray(Limits::new().max_metadata(10)).unwrap_err()), "max_metadata");
    assert_eq!(over(carray(Limits::new().max_chunk(399)).unwrap().read_rows(0..10).unwrap_err()), "max_chunk");
    assert_eq!(over(carray(Limits::new().max_nbytes(39)).unwrap().read_rows(0..10).unwrap_err()), "max_nbytes");
    assert!(carray(Limits::new().max_nbytes(40)).unwrap().read_rows(0..10).is_ok());
    assert!(
        Root::open_with(golden("ref/tab/odd_names"), &OpenOptions::new().limits(Limits::new().max_metadata(10)))
            .is_err()
    );
    let writer = CarrayWriter::with_directory(
        golden("ref/size/n1200_cl100"),
        &OpenOptions::new().limits(Limits::new().max_metadata(9)),
    );
    assert_eq!(over(writer.map(drop).unwrap_err()), "max_metadata");
}
