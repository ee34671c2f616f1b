//! Conversions between containers of Blosc1 chunks copy compressed bytes, and check what they copy.

use std::fs;
use std::path::{Path, PathBuf};

use bloscpack_format::bcolz::Dtype;
use bloscpack_format::checksum::Checksum;
use bloscpack_format::zarr::Version;
use bloscpack_io::bcolz::{Carray, CarrayParams, CarrayWriter, CtableWriter, LocalDirectory};
use bloscpack_io::blosc_core::{CParams, Codec, FilterPipeline, Header, SplitMode, compress};
use bloscpack_io::{
    Archive, Auto, ConvertOptions, ConvertReport, Error, Event, Goal, LocalSource, PackOptions, Target, Threads,
    Typing, UnpackOptions, convert, pack_bytes,
};

const ROWS: u64 = 1050;
const CHUNKLEN: u64 = 100;

/// Numbers that compress, but not to the same bytes with other parameters.
fn plain() -> Vec<u8> {
    (0..ROWS as u32).flat_map(|row| (row.wrapping_mul(2_654_435_761) >> (row % 23)).to_le_bytes()).collect()
}

fn params() -> CarrayParams {
    CarrayParams::new(Dtype::parse("int32").unwrap()).chunklen(CHUNKLEN).codec(Codec::Zlib).clevel(3)
}

fn carray(path: &Path) {
    let mut writer = CarrayWriter::create(path, false, &params()).unwrap();
    writer.append(&plain()).unwrap();
    writer.set_attr("unit", "m".into()).unwrap();
    writer.finish().unwrap();
}

fn open(path: &Path) -> Archive<'static> {
    Archive::open(LocalSource::open(path).unwrap()).unwrap()
}

fn target(path: &Path) -> Target {
    Target::of_name(path).unwrap()
}

fn run(from: &Path, to: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    convert(LocalSource::open(from).unwrap(), to, target(to), options)
}

/// The stored bytes of the full chunks.
fn chunks(path: &Path) -> Vec<Vec<u8>> {
    let archive = open(path);
    (0..(ROWS / CHUNKLEN).min(archive.nchunks())).map(|chunk| archive.compressed_chunk(chunk).unwrap()).collect()
}

fn unpacked(path: &Path) -> Vec<u8> {
    open(path).read_range(0..open(path).nbytes()).unwrap()
}

/// Full chunks keep their bytes on the way through all containers and back. The last one is encoded where the format
/// wants padding.
#[test]
fn full_chunks_keep_their_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("0.bcolz"));
    let first = chunks(&at("0.bcolz"));
    let path = ["bcolz", "blp", "bcolz", "zarr", "blp", "zarr", "bcolz", "bcolz", "zarr", "zarr", "blp", "blp"];
    for (step, extension) in path.into_iter().enumerate() {
        let (from, to) = (if step == 0 { at("0.bcolz") } else { at(&format!("{step}.{}", path[step - 1])) }, step + 1);
        let to = at(&format!("{to}.{extension}"));
        let version = (extension == "zarr").then_some(if step % 2 == 0 { Version::V2 } else { Version::V3 });
        let report = run(&from, &to, &ConvertOptions::new().zarr_format(version)).unwrap();
        assert_eq!((report.nbytes, report.dropped.len()), (ROWS * 4, 0), "{to:?}");
        assert!(chunks(&to) == first && unpacked(&to) == plain(), "{from:?} to {to:?}");
        open(&to).verify(&UnpackOptions::new()).unwrap();
        let attrs = bloscpack_io::Attributes::of(&open(&to)).unwrap();
        assert_eq!(attrs.values.get("unit").and_then(|unit| unit.as_str()), Some("m"), "{to:?}");
    }
    // The metadata of the output states the compression of its chunks.
    let back = Carray::open(LocalDirectory::open(at("7.bcolz")).unwrap()).unwrap();
    assert_eq!((back.cparams().cname.as_str(), back.rows().chunklen()), ("zlib", CHUNKLEN));
}

#[test]
fn tables_keep_their_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let wide = params().atom_shape(&[2]).chunklen(CHUNKLEN / 2);
    let mut table = CtableWriter::create(at("t.bcolz"), false, &[("a", params()), ("b", wide)]).unwrap();
    table.append(&[&plain()[..ROWS as usize * 2], &plain()]).unwrap();
    table.finish().unwrap();
    for to in ["u.bcolz", "u.zarr"] {
        run(&at("t.bcolz"), &at(to), &ConvertOptions::new()).unwrap();
        for (name, full) in [("a", 5), ("b", 10)] {
            let (old, new) = (open(&at("t.bcolz").join(name)), open(&at(to).join(name)));
            for chunk in 0..full {
                assert!(old.compressed_chunk(chunk).unwrap() == new.compressed_chunk(chunk).unwrap(), "{to} {name}");
            }
            assert_eq!(old.read_range(0..old.nbytes()).unwrap(), new.read_range(0..new.nbytes()).unwrap());
        }
    }
    // One column alone.
    let column = ConvertOptions::new().column("b");
    run(&at("t.bcolz"), &at("b.zarr"), &column).unwrap();
    assert!(chunks(&at("b.zarr")) == chunks(&at("t.bcolz/b")));
}

/// Any option that asks for another compression is obeyed. Others are compatible with copying.
#[test]
fn options_of_compression_force_encoding() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    let first = chunks(&at("a.bcolz"));
    let new = ConvertOptions::new;
    for to in ["b.blp", "b.bcolz", "b.zarr"] {
        let mut cases = vec![
            (new().recompress(true).codec(Codec::Lz4), false),
            (new().codec(Codec::Zstd), false),
            (new().clevel(9), false),
            (new().filters(FilterPipeline::none()), false),
            (new().auto(Auto::new(Goal::Balanced)), false),
            (new().threads(Threads::Serial), true),
            (new(), true),
        ];
        if to != "b.bcolz" {
            cases.push((new().split(SplitMode::Never).codec(Codec::BloscLz), false));
            cases.push((new().typesize(2), false));
        }
        if to == "b.blp" {
            cases.push((new().checksum(Checksum::Sha256).offsets(false), true));
            cases.push((new().verify(true), true));
            cases.push((new().chunk_size(4 * CHUNKLEN as u32), true));
        } else {
            cases.push((new().chunkshape(vec![CHUNKLEN as u32]), true));
        }
        for (options, is_copied) in cases {
            run(&at("a.bcolz"), &at(to), &options.clone().overwrite(true)).unwrap();
            assert_eq!(chunks(&at(to)) == first, is_copied, "{to}: {options:?}");
            assert!(unpacked(&at(to)) == plain(), "{to}: {options:?}");
        }
    }
    // Other chunks than those of the input.
    for (to, options) in [
        ("c.blp", new().chunk_size(800)),
        ("c.bcolz", new().chunkshape(vec![70])),
        ("c.zarr", new().chunkshape(vec![70])),
        ("d.bcolz", new().typing(Typing::new().shape(vec![Some(525), Some(2)]))),
        ("d.zarr", new().typing(Typing::new().shape(vec![Some(350), Some(3)]))),
    ] {
        run(&at("a.bcolz"), &at(to), &options).unwrap();
        assert!(unpacked(&at(to)) == plain(), "{to}");
    }
    assert_eq!(open(&at("c.zarr")).array().unwrap().chunkshape, [70]);
    // A chunk of 100 numbers is not a whole number of rows of 3, but one of 50 rows of 2.
    assert!(chunks(&at("d.bcolz")) == first);
    assert_eq!(open(&at("d.zarr")).array().unwrap().shape, [350, 3]);
}

/// Chunks that do not start at a row are decoded.
#[test]
fn chunks_that_cut_rows_are_decoded() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.blp"), pack_bytes(&plain(), &PackOptions::new().chunk_size(1001)).unwrap()).unwrap();
    for to in ["a.bcolz", "a.zarr"] {
        let typing = Typing::new().dtype(bloscpack_format::numpy::Dtype::from_type_string("<i4").ok());
        run(&at("a.blp"), &at(to), &ConvertOptions::new().typing(typing)).unwrap();
        assert!(unpacked(&at(to)) == plain(), "{to}");
    }
}

/// The first chunk does not decide about a file whose chunks differ in size.
#[test]
fn chunks_of_several_sizes_are_decoded() {
    use bloscpack_format::bloscpack::{Header as FileHeader, Version};
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let mut header = FileHeader::new(Version::V3);
    (header.typesize, header.nchunks) = (4, Some(2));
    let params = CParams::new().typesize(4);
    let mut file = header.to_bytes().unwrap().to_vec();
    file.extend(compress(&plain()[..4], &params).unwrap());
    file.extend(compress(&plain()[4..], &params).unwrap());
    fs::write(at("a.blp"), file).unwrap();
    for to in ["a.bcolz", "a.zarr", "b.blp"] {
        run(&at("a.blp"), &at(to), &ConvertOptions::new()).unwrap();
        assert!(unpacked(&at(to)) == plain(), "{to}");
        assert!(open(&at(to)).nchunks() < 5, "{to}: {}", open(&at(to)).nchunks());
    }
}

/// A bare chunk is a container of one.
#[test]
fn a_bare_chunk_is_copied() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let chunk = compress(&plain(), &CParams::new().typesize(4).codec(Codec::Zstd)).unwrap();
    fs::write(at("a.chunk"), &chunk).unwrap();
    for to in ["a.blp", "a.bcolz", "a.zarr"] {
        run(&at("a.chunk"), &at(to), &ConvertOptions::new()).unwrap();
        assert!(open(&at(to)).compressed_chunk(0).unwrap() == chunk, "{to}");
    }
    // Blosc2 chunks are not.
    fs::write(at("b.chunk"), compress(&plain(), &CParams::blosc2().typesize(4)).unwrap()).unwrap();
    for to in ["b.blp", "b.bcolz", "b.zarr"] {
        run(&at("b.chunk"), &at(to), &ConvertOptions::new()).unwrap();
        let chunk = open(&at(to)).compressed_chunk(0).unwrap();
        assert!(Header::parse_blosc1(&chunk).is_ok() && unpacked(&at(to)) == plain(), "{to}");
    }
}

/// zarr-python has no Snappy, so such chunks are encoded for Zarr, and copied otherwise.
#[cfg(feature = "snappy")]
#[test]
fn chunks_of_unknown_codecs_are_encoded() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let options = PackOptions::new().typesize(4).codec(Codec::Snappy).chunk_size(400);
    fs::write(at("a.blp"), pack_bytes(&plain(), &options).unwrap()).unwrap();
    run(&at("a.blp"), &at("a.bcolz"), &ConvertOptions::new()).unwrap();
    run(&at("a.blp"), &at("a.zarr"), &ConvertOptions::new()).unwrap();
    assert!(chunks(&at("a.blp")) == chunks(&at("a.bcolz")));
    assert!(chunks(&at("a.zarr")).iter().all(|chunk| Header::parse(chunk).unwrap().codec() == Some(Codec::Lz4)));
    assert!(unpacked(&at("a.zarr")) == plain());
}

/// Changes one chunk of each kind of input. Returns how to put it back.
fn damage(path: &Path, change: impl FnOnce(&mut [u8])) -> (PathBuf, Vec<u8>) {
    let (file, at) = match path.extension().unwrap().to_str().unwrap() {
        "bcolz" => (path.join("data/__3.blp"), 16),
        "zarr" => (path.join("c/3"), 0),
        _ => (path.to_owned(), open(path).chunk_position(3).unwrap() as usize),
    };
    let old = fs::read(&file).unwrap();
    let mut bytes = old.clone();
    change(&mut bytes[at..]);
    fs::write(&file, bytes).unwrap();
    (file, old)
}

/// Every changed bit of a chunk's header either is refused, leaving no output, or gives an output with the content that
/// the input has for its readers.
#[test]
fn a_header_that_lies_gives_no_wrong_output() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    run(&at("a.bcolz"), &at("a.zarr"), &ConvertOptions::new()).unwrap();
    run(&at("a.bcolz"), &at("a.blp"), &ConvertOptions::new().checksum(Checksum::None)).unwrap();
    let (mut refused, mut same, mut damaged) = (0, 0, 0);
    for (from, bit) in ["a.bcolz", "a.zarr", "a.blp"].iter().flat_map(|from| (0..128).map(move |bit| (from, bit))) {
        let restore = damage(&at(from), |chunk| chunk[bit / 8] ^= 1 << (bit % 8));
        let read = |path: &Path| {
            let archive = Archive::open(LocalSource::open(path).ok()?).ok()?;
            archive.read_range(0..archive.nbytes()).ok()
        };
        let content = read(&at(from));
        for to in [["b.bcolz", "b.zarr", "b.blp"][bit % 3]] {
            match run(&at(from), &at(to), &ConvertOptions::new()) {
                Err(_) => {
                    refused += 1;
                    assert!(
                        !at(to).exists() && content.as_ref().is_none_or(|content| *content != plain()),
                        "{from} {bit}"
                    );
                }
                Ok(_) => {
                    // A copied chunk is as damaged as it was.
                    let found = read(&at(to));
                    assert_eq!(found, content, "{from} to {to}, bit {bit}");
                    if found.is_some() {
                        same += 1
                    } else {
                        damaged += 1
                    }
                    let removed = if at(to).is_dir() { fs::remove_dir_all(at(to)) } else { fs::remove_file(at(to)) };
                    removed.unwrap();
                }
            }
        }
        fs::write(&restore.0, restore.1).unwrap();
    }
    assert!(refused > 100 && same > 20 && damaged > 5, "{refused} {same} {damaged}");
}

/// Sizes that differ from those of the metadata are refused, whatever else the header says.
#[test]
fn wrong_sizes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    run(&at("a.bcolz"), &at("a.zarr"), &ConvertOptions::new()).unwrap();
    run(&at("a.bcolz"), &at("a.blp"), &ConvertOptions::new().checksum(Checksum::None)).unwrap();
    let set = |at: usize, value: i32| move |chunk: &mut [u8]| chunk[at..at + 4].copy_from_slice(&value.to_le_bytes());
    for (from, to) in
        ["a.bcolz", "a.zarr", "a.blp"].iter().flat_map(|from| ["b.bcolz", "b.zarr", "b.blp"].map(|to| (from, to)))
    {
        for nbytes in [0, 1, 396, 399, 401, 404, 800, i32::MAX, -1] {
            let (file, old) = damage(&at(from), set(4, nbytes));
            let error = run(&at(from), &at(to), &ConvertOptions::new()).unwrap_err();
            assert!(!at(to).exists(), "{from} to {to}, {nbytes}: {error}");
            fs::write(file, old).unwrap();
        }
        for cbytes in [0, 15, i32::MAX, -1] {
            let (file, old) = damage(&at(from), set(12, cbytes));
            run(&at(from), &at(to), &ConvertOptions::new()).unwrap_err();
            assert!(!at(to).exists(), "{from} to {to}, {cbytes}");
            fs::write(file, old).unwrap();
        }
    }
    // A missing chunk of bcolz is an error.
    fs::remove_file(at("a.bcolz/data/__3.blp")).unwrap();
    for to in ["b.bcolz", "b.zarr", "b.blp"] {
        run(&at("a.bcolz"), &at(to), &ConvertOptions::new()).unwrap_err();
        assert!(!at(to).exists(), "{to}");
    }
}

/// A chunk file of more rows than are used, as an interrupted bcolz leaves it: the last chunk is encoded.
#[test]
fn a_last_chunk_with_more_rows_is_encoded() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    let sizes = fs::read_to_string(at("a.bcolz/meta/sizes")).unwrap();
    fs::write(at("a.bcolz/meta/sizes"), sizes.replace("1050", "1007")).unwrap();
    for to in ["b.bcolz", "b.zarr", "b.blp"] {
        run(&at("a.bcolz"), &at(to), &ConvertOptions::new()).unwrap();
        assert!(chunks(&at(to)) == chunks(&at("a.bcolz")) && unpacked(&at(to)) == plain()[..1007 * 4], "{to}");
    }
}

/// The same output for any number of threads, and progress that adds up.
#[test]
fn threads_and_progress() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    for to in ["b.bcolz", "b.zarr", "b.blp"] {
        let mut outputs = Vec::new();
        for threads in [Threads::Serial, Threads::Ambient] {
            let told = Arc::new(AtomicU64::new(0));
            let count = told.clone();
            let options = ConvertOptions::new().threads(threads).overwrite(true).observe(move |event| {
                if let Event::Plain(nbytes) = event {
                    count.fetch_add(nbytes, Relaxed);
                }
            });
            run(&at("a.bcolz"), &at(to), &options).unwrap();
            assert_eq!(told.load(Relaxed), ROWS * 4, "{to}");
            outputs.push((chunks(&at(to)), unpacked(&at(to))));
        }
        assert!(outputs[0] == outputs[1], "{to}");
    }
}

#[test]
fn cancelling_leaves_no_output() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    carray(&at("a.bcolz"));
    for to in ["b.bcolz", "b.zarr", "b.blp"] {
        let options = ConvertOptions::new();
        let cancel = bloscpack_io::Cancel::new();
        let switch = cancel.clone();
        let options = options.cancel(cancel).observe(move |event| {
            if matches!(event, Event::Plain(_)) {
                switch.cancel();
            }
        });
        assert!(matches!(run(&at("a.bcolz"), &at(to), &options), Err(Error::Cancelled)), "{to}");
        let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.bcolz"], "{to}");
    }
}
