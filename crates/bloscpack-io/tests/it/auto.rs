//! Automatic choice of parameters: everything round-trips, parts of a file get parameters of their own, and nothing
//! depends on the threads.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use blosc_core::{Chunk, CodecFormat, FilterPipeline};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{
    AppendOptions, Archive, Auto, Cancel, Codec, ConvertOptions, Event, Goal, LocalSource, PackOptions, PackWriter,
    Sink, Source, Target, Threads, UnpackOptions, append, convert, pack, pack_bytes, unpack_bytes,
};
use proptest::prelude::*;

/// Two parts text, two parts smooth `f64`.
fn mixture(part: usize) -> Vec<u8> {
    let (text, smooth) = (testdata::text(2 * part, 1), testdata::linspace_f64(0.0, 1e6, 2 * part / 8));
    [&text[..part], &smooth[..part], &text[part..], &smooth[part..]].concat()
}

fn pool(threads: usize) -> Threads {
    Threads::Pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()))
}

/// The settings of all chunks of a packed file.
fn settings(packed: &[u8]) -> Vec<(usize, FilterPipeline, CodecFormat)> {
    let archive = Archive::open(packed).unwrap();
    let setting = |number| {
        let chunk = archive.compressed_chunk(number).unwrap();
        let header = Chunk::parse(&chunk).unwrap().header();
        (header.typesize(), header.filters(), header.codec_format().unwrap())
    };
    (0..archive.nchunks()).map(setting).collect()
}

#[test]
fn parts_of_a_file_get_parameters_of_their_own() {
    let plain = mixture(1 << 20);
    for goal in Goal::NAMED {
        let choices = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&choices);
        let options = PackOptions::new().chunk_size(256 << 10).auto(Auto::new(goal)).observe(move |event| {
            if let Event::Choice { chunk, params, tried } = event {
                assert!(tried.iter().any(|candidate| candidate.params == *params));
                told.lock().unwrap().push(chunk);
            }
        });
        let packed = pack_bytes(&plain, &options).unwrap();
        assert!(unpack_bytes(&packed, &UnpackOptions::new()).unwrap().0 == plain);
        let settings = settings(&packed);
        assert_eq!(settings.len(), 16);
        assert!((4..8).chain(12..16).all(|chunk| settings[chunk].0 == 8), "{goal}: {settings:?}");
        assert!((0..4).all(|chunk| settings[chunk].1 == FilterPipeline::none()), "{goal}: {settings:?}");
        assert_eq!(settings.iter().collect::<HashSet<_>>().len(), 2, "{goal}: {settings:?}");
        assert_eq!(*choices.lock().unwrap(), [0, 4, 8, 12], "{goal}");
    }
}

#[test]
fn the_bytes_depend_on_neither_the_threads_nor_the_way_they_come() {
    let plain = mixture(700_001);
    let options = PackOptions::new().chunk_size(100_000).auto(Auto::new(Goal::Balanced));
    let expected = pack_bytes(&plain, &options.clone().threads(Threads::Serial)).unwrap();
    for threads in [1, 3, 8] {
        assert!(pack_bytes(&plain, &options.clone().threads(pool(threads))).unwrap() == expected);
    }
    // Without a known size, and written in pieces.
    let mut packed = Vec::new();
    pack(Source::reader(plain.as_slice()), Sink::writer(&mut packed), &options).unwrap();
    assert!(packed == expected);
    let mut packed = std::io::Cursor::new(Vec::new());
    let mut writer = PackWriter::seekable(&mut packed, plain.len() as u64, &options).unwrap();
    plain.chunks(33_333).for_each(|piece| writer.write_all(piece).unwrap());
    let report = writer.finish().unwrap();
    assert!(packed.into_inner() == expected);
    assert_eq!(report.header, *Archive::open(expected).unwrap().header().unwrap());
}

#[test]
fn the_header_has_the_typesize_that_was_detected() {
    let plain = testdata::ramp(1 << 20, 4, 0);
    let typesize = |options: &PackOptions| {
        let packed = pack_bytes(&plain, options).unwrap();
        Archive::open(packed).unwrap().header().unwrap().typesize
    };
    let options = PackOptions::new().auto(Auto::new(Goal::Fast));
    assert_eq!(typesize(&options), 4);
    assert_eq!(typesize(&options.clone().offsets(false)), 4);
    assert_eq!(typesize(&options.auto(Auto::new(Goal::Fast).typesize(2))), 2);
}

#[test]
fn fixed_parameters_are_kept() {
    let plain = mixture(1 << 20);
    let auto = Auto::new(Goal::Small).codec(Codec::Lz4Hc).filters(FilterPipeline::bitshuffle()).typesize(2).clevel(3);
    let packed = pack_bytes(&plain, &PackOptions::new().auto(auto)).unwrap();
    let expected = (2, FilterPipeline::bitshuffle(), CodecFormat::Lz4);
    assert!(settings(&packed).iter().all(|setting| *setting == expected));
}

#[test]
fn appended_chunks_are_chosen_for_the_new_data() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.blp");
    let (text, smooth) = (testdata::text(300_000, 1), testdata::linspace_f64(0.0, 9.0, 100_000));
    let options = PackOptions::new().chunk_size(100_000).auto(Auto::new(Goal::Balanced));
    pack(text.as_slice(), Sink::file(&path), &options).unwrap();
    append(&path, smooth.as_slice(), &AppendOptions::new().auto(Auto::new(Goal::Balanced))).unwrap();
    let packed = std::fs::read(&path).unwrap();
    assert!(unpack_bytes(&packed, &UnpackOptions::new()).unwrap().0 == [text, smooth].concat());
    let settings = settings(&packed);
    assert!(settings[..3].iter().all(|setting| setting.1 == FilterPipeline::none()), "{settings:?}");
    assert!(settings[3..].iter().all(|setting| setting.0 == 8), "{settings:?}");
}

#[test]
fn chunks_of_a_frame_have_its_typesize() {
    let plain = mixture(1 << 20);
    for goal in Goal::NAMED {
        let write = |threads: Threads| {
            let frame = FrameWriter::in_memory(FrameParams::new(8)).unwrap();
            let mut frame = frame.auto(Auto::new(goal).typesize(2));
            frame.append_stream(plain.as_slice(), Some(256 << 10), &threads, &Cancel::new()).unwrap();
            frame.append(&plain[..256 << 10]).unwrap();
            frame.commit().unwrap();
            frame.into_store().file
        };
        let frame = write(pool(3));
        assert!(frame == write(Threads::Serial));
        let archive = Archive::open(frame).unwrap();
        assert!(archive.read_range(0..plain.len() as u64).unwrap() == plain);
        let filters = (0..17).map(|chunk| {
            let bytes = archive.compressed_chunk(chunk).unwrap();
            let chunk = Chunk::parse(&bytes).unwrap();
            assert_eq!(chunk.header().typesize(), 8);
            chunk.header().filters()
        });
        assert_eq!(filters.collect::<HashSet<_>>().len(), 2, "{goal}");
    }
}

#[test]
fn arrays_and_carrays_are_chosen_by_the_size_of_an_item() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let plain = testdata::ramp(1 << 20, 4, 0);
    let meta = NumpyMeta { dtype: Dtype::parse("'<i4'").unwrap(), shape: vec![256, 1024], order: Order::C };
    let mut npy = bloscpack_format::numpy::npy::to_bytes(&meta).unwrap();
    npy.extend_from_slice(&plain);
    std::fs::write(path("a.npy"), npy).unwrap();
    let options = ConvertOptions::new().auto(Auto::new(Goal::Balanced));
    for (output, target) in [("a.b2nd", Target::Array), ("a.blp", Target::Bloscpack), ("a.bcolz", Target::Bcolz)] {
        convert(LocalSource::open(path("a.npy")).unwrap(), path(output), target, &options).unwrap();
        let archive = Archive::open(LocalSource::open(path(output)).unwrap()).unwrap();
        assert_eq!(archive.typesize(), 4, "{output}");
        assert!(archive.cbytes() < 20_000, "{output}: {}", archive.cbytes());
        let npy = path("back.npy");
        let back = ConvertOptions::new().overwrite(true);
        convert(LocalSource::open(path(output)).unwrap(), &npy, Target::Npy, &back).unwrap();
        assert!(std::fs::read(npy).unwrap() == std::fs::read(path("a.npy")).unwrap(), "{output}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_data_survives_any_goal(
        kind in prop::sample::select(&testdata::PlainKind::ALL[..]),
        (nbytes, typesize, seed) in (0..60_000usize, 1..300usize, any::<u64>()),
        (chunk_size, known) in (1..30_000u64, any::<bool>()),
        goal in prop_oneof![
            Just(Goal::Fast), Just(Goal::Balanced), Just(Goal::Small),
            (1..5000u32).prop_map(Goal::Speed), (0.5..100.0).prop_map(Goal::Ratio)
        ],
        speed in prop::option::of(1..20_000u32),
    ) {
        let plain = testdata::plain(kind, nbytes, typesize, seed);
        let typesize = Some(typesize).filter(|size| known && *size < 256);
        let auto = Auto::new(goal).typesize(typesize).min_decompress(speed);
        let packed = pack_bytes(&plain, &PackOptions::new().chunk_size(chunk_size).auto(auto))?;
        prop_assert!(unpack_bytes(&packed, &UnpackOptions::new())?.0 == plain);
        let mut frame = FrameWriter::in_memory(FrameParams::new(typesize.unwrap_or(1) as u32))?.auto(auto);
        frame.append_stream(plain.as_slice(), Some(chunk_size as u32), &Threads::Serial, &Cancel::new())?;
        frame.commit()?;
        let archive = Archive::open(frame.into_store().file)?;
        prop_assert!(archive.read_range(0..nbytes as u64)? == plain);
    }
}
