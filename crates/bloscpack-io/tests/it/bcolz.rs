//! Directories written by bcolz are read as the manifest says, in whole and in part. Damaged ones are refused with an
//! error that names the file.

use std::fs;
use std::num::NonZeroU64;
use std::sync::Arc;

use blosc_core::{BlockSize, CParams, Codec, Encoder, Limits};
use bloscpack_format::bcolz::{ChunkFileHeader, Dtype, SIZES_FILE, STORAGE_FILE, Sizes, Storage};
use bloscpack_format::{Format, Json};
use bloscpack_io::bcolz::{Below, Carray, Ctable, Directory, LocalDirectory, MemoryDirectory, Root, verify};
use bloscpack_io::{
    Archive, Cancel, ConvertOptions, Error, Input, LocalSource, ReadDirectory, Sink, Source, Target, Threads,
    UnpackOptions, convert, unpack, unpack_bytes,
};
use testdata::serde_json::Value;
use testdata::{SplitMix64, sha256_hex};

use crate::common::roots::{cases, files_of, golden, name_of, write_to};

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// Checks all facts of the manifest about an array.
fn check_array<D: ReadDirectory>(name: &str, fact: &Value, carray: &Carray<D>) {
    let shape: Vec<u64> = fact["shape"].as_array().unwrap().iter().map(|len| len.as_u64().unwrap()).collect();
    assert_eq!(carray.shape(), shape, "{name}");
    let plain = carray.read_all(&serial()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(fact["sha256"], sha256_hex(&plain), "{name}");
    assert_eq!(fact["nbytes"], plain.len(), "{name}");
    if let Some(dtype) = fact["dtype"].as_str() {
        assert_eq!(dtype, carray.dtype().to_string(), "{name}");
    }
    if let Some(attrs) = fact["attrs_json"].as_str() {
        assert_eq!(carray.attrs().unwrap().to_bytes().unwrap(), attrs.as_bytes(), "{name}");
    }
    for slice in fact["slices"].as_array().into_iter().flatten() {
        let number = |at: usize| slice[at].as_u64().unwrap();
        // Slices end at the end of the array, as in Python.
        let end = number(1).min(carray.len());
        let step = NonZeroU64::new(number(2)).unwrap();
        let found = carray.read_rows_by(number(0).min(end)..end, step).unwrap();
        assert_eq!(slice[4], sha256_hex(&found), "{name} {slice}");
        let rows = (number(0)..end).step_by(number(2) as usize).count();
        assert_eq!((&slice[3], found.len() as u64), (&rows.into(), rows as u64 * carray.rows().atomsize()), "{name}");
    }
}

#[test]
fn arrays_and_tables_are_what_was_written() {
    let (mut arrays, mut columns) = (0, 0);
    for case in cases(None).iter().filter(|case| case["expect"] != "error") {
        let name = name_of(case);
        match Root::open(golden(name)).unwrap_or_else(|error| panic!("{name}: {error}")) {
            Root::Carray(carray) => {
                assert_eq!(case["kind"], "carray", "{name}");
                if *carray.dtype() == Dtype::Object {
                    continue;
                }
                if name.ends_with("reserved_nonzero") {
                    // bcolz does not check this byte; this crate does.
                    let error = carray.read_all(&serial()).unwrap_err().report().to_string();
                    assert!(error.starts_with("data/__0.blp: offset 5: reserved is 0x1"), "{error}");
                    continue;
                }
                check_array(name, case, &carray);
                arrays += 1;
            }
            Root::Ctable(table) => {
                assert_eq!(case["kind"], "ctable", "{name}");
                assert_eq!(case["names"], Value::from(table.names().to_vec()), "{name}");
                if let Some(attrs) = case["attrs_json"].as_str() {
                    assert_eq!(table.attrs().unwrap().to_bytes().unwrap(), attrs.as_bytes(), "{name}");
                }
                for (column, fact) in case["columns"].as_object().unwrap() {
                    let found = table.column(column).unwrap();
                    assert_eq!(found.len(), table.len(), "{name}");
                    check_array(name, fact, found);
                    columns += 1;
                }
                let half = table.read_rows(0..table.len() / 2).unwrap();
                for (rows, column) in half.iter().zip(table.columns()) {
                    assert_eq!(*rows, column.read_all(&serial()).unwrap()[..rows.len()], "{name}");
                }
                assert!(table.column("no such column").is_none());
            }
        }
    }
    assert_eq!((arrays, columns), (196, 66));
}

#[test]
fn damaged_ones_are_refused_and_the_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arrays, mut tables) = (0, 0);
    for case in cases(None).iter().filter(|case| case["expect"] == "error") {
        let name = name_of(case);
        let root = dir.path().join(name);
        write_to(name, &root);
        fs::create_dir_all(&root).unwrap();
        if name.ends_with("chunk_is_directory") {
            fs::create_dir(root.join("data/__0.blp")).unwrap();
        }
        // A neighbouring directory that must not be reached.
        fs::create_dir_all(dir.path().join("ref/badtab/column_dir_missing/a/meta")).unwrap();
        let all = |root: &Root<LocalDirectory>| match root {
            Root::Carray(carray) => carray.read_all(&serial()).map(|_| ()),
            Root::Ctable(table) => table.read_rows(0..table.len()).map(|_| ()),
        };
        let local = LocalDirectory::open(&root).unwrap();
        let error = Root::open(local).and_then(|root| all(&root)).unwrap_err();
        let text = error.report().to_string();
        let named =
            ["/meta/storage", "/meta/sizes", ".blp: ", "/__rootdirs__", "/b: "].iter().any(|file| text.contains(file));
        assert!(named || matches!(error, Error::NotBcolz { .. }), "{name}: {text}");
        assert!(text.contains(root.to_str().unwrap()), "{name}: {text}");
        assert!(!text.contains("/etc/"), "{name}: {text}");
        // The same as an archive, and by verifying.
        if let Ok(report) = verify(&LocalDirectory::open(&root).unwrap(), &serial()) {
            assert!(!report.is_whole(), "{name}");
        }
        let archived = LocalSource::open(&root).and_then(Archive::open).and_then(|archive| archive.verify(&serial()));
        assert!(archived.is_err(), "{name}");
        match case["kind"].as_str() {
            Some("carray") => arrays += 1,
            _ => tables += 1,
        }
    }
    assert_eq!((arrays, tables), (47, 12));
}

/// Errors state the location, the found and the expected value.
#[test]
fn errors_say_what_was_found_and_what_was_expected() {
    let read = |name: &str| {
        let opened = Root::open(golden(name)).and_then(|root| match root {
            Root::Carray(carray) => carray.read_all(&serial()).map(|_| ()),
            Root::Ctable(table) => table.read_rows(0..table.len()).map(|_| ()),
        });
        opened.unwrap_err().report().to_string()
    };
    for (name, text) in [
        ("ref/bad/shape_grows_in_last_chunk", "data/__2.blp: chunk 2: 88 bytes, expected 96..=256 in rows of 4"),
        ("ref/bad/dtype_wider", "data/__0.blp: chunk 0: 256 bytes, expected 512..=512 in rows of 8"),
        ("ref/bad/bad_magic", "data/__0.blp: offset 0: magic is b'BLPK', expected b'blpk'"),
        ("ref/bad/nchunks_5", "data/__0.blp: chunk file, offset 8: nchunks is 5, expected 1..=1"),
        ("ref/bad/chunk_cut_at_7", "data/__0.blp: chunk file: 7 bytes, expected 16"),
        ("ref/bad/chunklen_zero", "meta/storage: \"chunklen\" is 0, expected a number of rows"),
        ("ref/bad/missing_sizes", "meta/sizes: reading: entity not found"),
        ("ref/bad/sizes_empty_file", "meta/sizes, offset 0: the text is truncated"),
        ("ref/badtab/column_length_mismatch", "b: 29 rows, but the first column has 30"),
        ("ref/badtab/names_absolute", "__rootdirs__: \"/etc\" cannot be the name of a column: it is a path"),
    ] {
        assert_eq!(read(name), text, "{name}");
    }
}

#[test]
fn objects_give_their_pickles() {
    for name in ["ref/dtype/object_pickles", "fork/dtype/object_pickles"] {
        let carray = Carray::open(golden(name)).unwrap();
        assert_eq!((carray.len(), carray.rows().nchunks()), (5, 5));
        let mut nbytes = 0;
        for number in 0..5 {
            let pickle = carray.chunk(number).unwrap();
            assert_eq!(carray.cursor().row(number).unwrap(), pickle);
            // A pickle starts with the protocol marker and ends with STOP.
            assert!(pickle.starts_with(b"\x80") && pickle.ends_with(b"."), "{name} {number}");
            nbytes += pickle.len() as u64;
        }
        assert_eq!(carray.nbytes(), nbytes, "{name}");
        assert!(matches!(carray.chunk(5), Err(Error::Range { unit: "chunks", start: 5, end: 6, len: 5 })));
        assert!(matches!(carray.read_rows(0..1), Err(Error::Format(_))));
        assert!(Archive::open(Input::directory(golden(name))).is_err());
        let report = verify(&golden(name), &serial()).unwrap();
        assert_eq!((report.chunks, report.nbytes, report.is_whole()), (5, nbytes, true));
    }
}

/// Any range of rows equals the slice of the whole, for every way to read it.
#[test]
fn ranges_steps_and_blocks_are_of_the_whole() {
    let mut rng = SplitMix64::new(71);
    let pool = Threads::Pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap()));
    for case in cases(Some("carray")).iter().filter(|case| case["slices"].is_array()) {
        let name = name_of(case);
        let carray = Carray::open(golden(name)).unwrap();
        if *carray.dtype() == Dtype::Object {
            continue;
        }
        let (plain, atom) = (carray.read_all(&serial()).unwrap(), carray.rows().atomsize() as usize);
        assert!(carray.read_all(&UnpackOptions::new().threads(pool.clone())).unwrap() == plain, "{name}");
        let rows_of = |rows: std::ops::Range<u64>, step: usize| -> Vec<u8> {
            rows.step_by(step).flat_map(|row| plain[row as usize * atom..][..atom].to_vec()).collect()
        };
        for _ in 0..8 {
            let len = carray.len();
            let (a, b) = (rng.next_u64() % (len + 1), rng.next_u64() % (len + 1));
            let rows = a.min(b)..a.max(b);
            let step = 1 + rng.next_u64() % [3, 70, 3000][rng.below(3)];
            assert!(carray.read_rows(rows.clone()).unwrap() == rows_of(rows.clone(), 1), "{name} {rows:?}");
            let found = carray.read_rows_by(rows.clone(), NonZeroU64::new(step).unwrap()).unwrap();
            assert!(found == rows_of(rows.clone(), step as usize), "{name} {rows:?} {step}");
            if !rows.is_empty() {
                assert!(carray.read_row(rows.start).unwrap() == rows_of(rows.start..rows.start + 1, 1));
            }
            let mut threaded = Vec::new();
            let options = UnpackOptions::new().threads(pool.clone());
            carray.copy_rows(rows.clone(), NonZeroU64::new(step).unwrap(), &mut threaded, &options).unwrap();
            assert!(threaded == found, "{name}");
        }
        let blocklen = NonZeroU64::new(1 + rng.next_u64() % 90).unwrap();
        let blocks: Vec<Vec<u8>> = carray.blocks(blocklen, &serial()).collect::<Result<_, _>>().unwrap();
        assert!(blocks.concat() == plain, "{name}");
        assert_eq!(blocks.len() as u64, carray.len().div_ceil(blocklen.get()));
        let chunks: Vec<Vec<u8>> = (0..carray.rows().nchunks()).map(|chunk| carray.chunk(chunk).unwrap()).collect();
        assert!(chunks.concat() == plain, "{name}");
        let mut cursor = carray.cursor();
        for row in (0..carray.len()).chain((0..carray.len()).rev().step_by(7)).step_by(5) {
            assert!(cursor.row(row).unwrap() == rows_of(row..row + 1, 1), "{name} {row}");
        }
        assert!(cursor.row(carray.len()).is_err());
        let after = carray.len() + 1;
        assert!(matches!(carray.read_rows(0..after), Err(Error::Range { unit: "rows", .. })), "{name}");
    }
}

/// Directories open as archives.
#[test]
fn as_archives() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["ref/nd/3d", "ref/mut/append_unflushed_big", "ref/dtype/be_U3", "ref/size/n0_cl100", "fork/nd/2d_wide"]
    {
        let root = dir.path().join("root");
        let _ = fs::remove_dir_all(&root);
        write_to(name, &root);
        // The archive with the test data has no empty directories.
        fs::create_dir_all(root.join("data")).unwrap();
        let carray = Carray::open(golden(name)).unwrap();
        let plain = carray.read_all(&serial()).unwrap();
        let archive = Archive::open(LocalSource::open(&root).unwrap()).unwrap();
        assert_eq!((archive.format(), archive.nbytes()), (Format::Carray, plain.len() as u64));
        assert_eq!(archive.numpy().unwrap().shape, carray.shape());
        assert_eq!(archive.numpy(), carray.numpy().ok().as_ref());
        assert_eq!(archive.nchunks(), carray.rows().nchunks());
        assert_eq!(archive.carray().unwrap().0.chunklen, carray.chunklen());
        archive.verify(&UnpackOptions::new()).unwrap();
        let middle = plain.len() as u64 / 3..plain.len() as u64 / 2;
        assert_eq!(archive.read_range(middle.clone()).unwrap(), plain[middle.start as usize..middle.end as usize]);
        let mut unpacked = Vec::new();
        archive.unpack(&mut unpacked, &UnpackOptions::new()).unwrap();
        assert!(unpacked == plain, "{name}");
        let mut read = Vec::new();
        std::io::Read::read_to_end(&mut archive.reader(&serial()), &mut read).unwrap();
        assert!(read == plain, "{name}");
        for chunk in 0..archive.nchunks() {
            let range = archive.chunk_range(chunk).unwrap();
            assert_eq!(archive.chunk(chunk).unwrap(), plain[range.start as usize..range.end as usize]);
            assert!(archive.compressed_chunk(chunk).unwrap().len() >= 16);
        }
        assert!(archive.chunk_range(archive.nchunks()).is_err() && archive.chunk(archive.nchunks()).is_err());

        let output = dir.path().join("output");
        unpack(Source::file(&root), Sink::file(&output), &UnpackOptions::new().overwrite(true)).unwrap();
        assert!(fs::read(&output).unwrap() == plain, "{name}");
        assert_eq!(bloscpack_io::verify(Source::file(&root), &UnpackOptions::new()).unwrap().format, Format::Carray);
        for target in [Target::Bloscpack, Target::Frame, Target::Array, Target::Npy] {
            let options = ConvertOptions::new().overwrite(true);
            let report = convert(LocalSource::open(&root).unwrap(), &output, target, &options).unwrap();
            assert_eq!(report.array, carray.numpy().ok(), "{name}");
            if target != Target::Npy {
                let archive = Archive::open(LocalSource::open(&output).unwrap()).unwrap();
                assert!(archive.read_range(0..archive.nbytes()).unwrap() == plain, "{name} {target:?}");
            }
        }
    }
    let table = Ctable::open(golden("ref/tab/mixed")).unwrap();
    for (name, column) in table.names().iter().zip(table.columns()) {
        let archive = table.column_archive(name).unwrap();
        assert!(archive.read_range(0..archive.nbytes()).unwrap() == column.read_all(&serial()).unwrap());
    }
    assert!(matches!(table.column_archive("x"), Err(Error::NoSuchColumn { .. })));
    let root = dir.path().join("table");
    write_to("ref/tab/mixed", &root);
    let table = Archive::open(LocalSource::open(&root).unwrap());
    assert!(matches!(table, Err(Error::Unsupported { format: Format::Ctable })));
    let verified = bloscpack_io::verify(Source::file(&root), &UnpackOptions::new());
    assert!(matches!(verified, Err(Error::Unsupported { format: Format::Ctable })));
    assert_eq!(bloscpack_io::verify(Source::file(&root.join("f")), &UnpackOptions::new()).unwrap().nbytes, 4000);
}

/// A chunk file alone is a bloscpack file of format version 1.
#[test]
fn a_lone_chunk_file_opens() {
    let carray = Carray::open(golden("ref/nd/2d")).unwrap();
    for number in 0..carray.rows().nchunks() {
        let file = carray.directory().files()[&format!("data/__{number}.blp")].to_vec();
        let chunk = carray.chunk(number).unwrap();
        assert_eq!(unpack_bytes(&file, &UnpackOptions::new()).unwrap().0, chunk);
        let archive = Archive::open(file).unwrap();
        assert_eq!(archive.format(), Format::Bloscpack { version: 1 });
        assert_eq!(archive.read_range(0..chunk.len() as u64).unwrap(), chunk);
    }
}

#[test]
fn attributes_are_read_when_asked_for() {
    for (name, expected) in [
        ("ref/bad/attrs_missing", Some(0)),
        ("ref/bad/attrs_empty_file", None),
        ("ref/bad/attrs_garbage", None),
        ("ref/bad/attrs_not_object", None),
    ] {
        let carray = Carray::open(golden(name)).unwrap();
        let attrs = carray.attrs().map(bloscpack_format::bcolz::Attrs::len);
        assert_eq!(attrs.as_ref().ok().copied(), expected, "{name}");
        assert!(attrs.is_ok() || attrs.unwrap_err().report().to_string().starts_with("__attrs__"), "{name}");
        assert_eq!(carray.read_all(&serial()).unwrap().len(), 600, "{name}");
        assert_eq!(verify(&golden(name), &serial()).unwrap().faults.len(), usize::from(expected.is_none()), "{name}");
    }
    let daily = Ctable::open(golden("ref/zipline/daily_equities.bcolz")).unwrap();
    let last_row = daily.attrs().unwrap().get("last_row").unwrap();
    assert_eq!(last_row.get("24"), Some(&Json::Int(119)));
}

#[test]
fn names_do_not_lead_out_of_the_table() {
    let column = files_of("ref/tab/mixed/i");
    for name in ["../other/i", "..", ".", "/other/i", "i/../i", "i\\..", "C:", "C:\\x", "a\0", "", "__attrs__"] {
        let names = Json::Object(vec![("names".into(), Json::Array(vec![Json::String(name.into())]))]);
        let rootdirs = ("t/__rootdirs__".to_owned(), names.dumps().into_bytes());
        let inside = column.iter().map(|(path, bytes)| (format!("t/i/{path}"), bytes.clone()));
        let outside = column.iter().map(|(path, bytes)| (format!("other/i/{path}"), bytes.clone()));
        let dir = MemoryDirectory::of_files(inside.chain(outside).chain([rootdirs]));
        let table = Below::new(dir, "t");
        let report = verify(&table, &serial()).unwrap();
        assert!(report.faults.len() == 1 && report.columns == 0, "{name:?}");
        let error = Root::open(table).map(|_| ()).unwrap_err().report().to_string();
        assert!(
            error.starts_with("t/__rootdirs__: ") && error.contains("cannot be the name of a column"),
            "{name:?}: {error}"
        );
    }
}

/// Verifying continues after the first fault.
#[test]
fn every_fault_is_found() {
    let mut files: Vec<(String, Vec<u8>)> = files_of("ref/size/n1200_cl100");
    assert!(verify(&MemoryDirectory::of_files(files.clone()), &serial()).unwrap().is_whole());
    files.retain(|(path, _)| !matches!(path.as_str(), "data/__3.blp" | "data/__4.blp" | "data/__9.blp"));
    for (path, bytes) in &mut files {
        match path.as_str() {
            "data/__1.blp" => bytes[0] = b'B',
            "data/__6.blp" => bytes.truncate(30),
            "data/__7.blp" => bytes.truncate(100),
            "__attrs__" => bytes.clear(),
            _ => {}
        }
    }
    files.push(("data/__12.blp".into(), Vec::new()));
    for threads in [Threads::Serial, Threads::Ambient] {
        let dir = MemoryDirectory::of_files(files.clone());
        let report = verify(&dir, &UnpackOptions::new().threads(threads)).unwrap();
        let faults: Vec<String> = report.faults.iter().map(|fault| fault.report().to_string()).collect();
        let expected = [
            "__attrs__, offset 0: ",
            "data/__3.blp: no such file, for 2 chunks from chunk 3 on",
            "data/__9.blp: no such file, for 1 chunk from chunk 9 on",
            "data/__1.blp: offset 0: magic",
            "data/__6.blp: ",
            "data/__7.blp: ",
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        faults.iter().zip(expected).for_each(|(fault, start)| assert!(fault.starts_with(start), "{fault}"));
        assert_eq!((report.chunks, report.nbytes), (6, 2400));
        assert_eq!(report.spare_files, ["data/__12.blp"]);
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(matches!(verify(&dir, &serial().cancel(cancel)), Err(Error::Cancelled)));
    }
    // A table reports the faults of all columns, and of their lengths.
    let mut files = files_of("ref/badtab/column_length_mismatch");
    files.iter_mut().filter(|(path, _)| path == "a/data/__0.blp").for_each(|(_, bytes)| bytes.truncate(20));
    let report = verify(&MemoryDirectory::of_files(files), &serial()).unwrap();
    assert_eq!((report.faults.len(), report.columns), (2, 2));
    assert!(matches!(verify(&MemoryDirectory::new(), &serial()), Err(Error::NotBcolz { .. })));
}

#[test]
fn limits_are_kept() {
    let carray = Carray::open(golden("ref/size/n1200_cl100")).unwrap();
    let limited = |max| serial().limits(Limits::new().max_chunk(max));
    assert!(carray.read_all(&limited(400)).is_ok());
    assert!(carray.read_all(&limited(399)).is_err());
    let carray = carray.limits(Limits::new().max_chunk(399));
    assert!(carray.read_rows(0..1).is_err() && carray.chunk(0).is_err() && carray.compressed_chunk(0).is_err());
    assert_eq!(verify(carray.directory(), &limited(399)).unwrap().faults.len(), 12);
    let archive = Archive::open(Input::directory(golden("ref/size/n1200_cl100"))).unwrap();
    assert!(archive.unpack(Vec::new(), &limited(399)).is_err());
}

/// Damaged blocks of a chunk do not matter if they are not read.
#[test]
fn other_blocks_are_not_decoded() {
    let plain: Vec<u8> = (0..1u32 << 18).flat_map(|number| (number * 3).to_le_bytes()).collect();
    let params = CParams::new().codec(Codec::Lz4).typesize(4).blocksize(BlockSize::Fixed(1 << 15));
    let mut chunk = Encoder::new(params).unwrap().compress(&plain).unwrap();
    let header = blosc_core::Header::parse(&chunk).unwrap();
    let (nblocks, block) = (header.nblocks(), header.blocksize() / 4);
    assert!(nblocks > 4);
    // The size of the first stream of the last block, at the position that the block's start gives.
    let at = 16 + 4 * (nblocks - 1);
    let start = u32::from_le_bytes(chunk[at..at + 4].try_into().unwrap()) as usize;
    chunk[start..start + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    let sizes = Sizes::new([1 << 18]);
    let storage = Storage::new(Dtype::parse("uint32").unwrap(), 1 << 18);
    let carray = Carray::open(MemoryDirectory::of_files([
        (SIZES_FILE.to_owned(), sizes.to_bytes()),
        (STORAGE_FILE.to_owned(), storage.to_bytes()),
        ("data/__0.blp".to_owned(), [ChunkFileHeader::NEW.to_bytes().as_slice(), &chunk].concat()),
    ]))
    .unwrap();
    let whole = (plain.len() / 4 - block) as u64;
    assert_eq!(carray.read_rows(0..whole).unwrap(), plain[..4 * whole as usize]);
    assert_eq!(carray.read_rows(100_000..100_001).unwrap(), plain[400_000..400_004]);
    let by = carray.read_rows_by(0..whole, NonZeroU64::new(50_000).unwrap()).unwrap();
    assert_eq!(by, (0..whole).step_by(50_000).flat_map(|row| (row as u32 * 3).to_le_bytes()).collect::<Vec<_>>());
    let error = carray.read_rows(0..whole + 1).unwrap_err().report().to_string();
    assert!(error.starts_with("data/__0.blp: chunk 0 at offset 16: "), "{error}");
}

#[test]
fn rows_are_decoded_where_they_belong() {
    let carray = Carray::open(golden("ref/size/n1200_cl100")).unwrap();
    let plain = carray.read_all(&serial()).unwrap();
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    for options in [serial(), UnpackOptions::new().threads(Threads::Pool(pool))] {
        for rows in [0..1200, 0..0, 1200..1200, 99..101, 150..150, 7..1193, 100..200, 1100..1200] {
            let (from, to) = (4 * rows.start as usize, 4 * rows.end as usize);
            let mut place = vec![0xa5; to - from];
            carray.read_rows_into(rows.clone(), &mut place, &options).unwrap();
            assert!(place == plain[from..to], "{rows:?}");
        }
        for (rows, size) in [(0..2, 7), (0..2, 9), (0..0, 1), (0..1200, 0)] {
            let refused = carray.read_rows_into(rows, &mut vec![0; size], &options);
            assert!(matches!(refused, Err(Error::NotRows { .. })), "{refused:?}");
        }
        let refused = carray.read_rows_into(1200..1201, &mut [0; 4], &options);
        assert!(matches!(refused, Err(Error::Range { .. })), "{refused:?}");
    }
}

/// No memory is allocated for rows without chunks.
#[test]
fn lengths_are_not_believed() {
    for (rows, chunklen) in [(1_u64 << 60, 1_u64 << 20), (1 << 40, 100), (u64::MAX >> 4, 1 << 28)] {
        let carray = Carray::open(golden("ref/size/n1200_cl100")).unwrap();
        let sizes = Sizes::new([rows]);
        let mut storage = carray.storage().clone();
        storage.chunklen = chunklen;
        let dir = carray.directory();
        dir.create(SIZES_FILE, &sizes.to_bytes()).unwrap();
        dir.create(STORAGE_FILE, &storage.to_bytes()).unwrap();
        let carray = match Carray::open(dir) {
            Ok(carray) => carray,
            Err(error) => panic!("{error}"),
        };
        // On 32-bit systems this number of bytes cannot be addressed.
        let is_told = |error: Error| {
            error.report().to_string().contains("data/__") || usize::BITS < 64 && error.over_limit().is_some()
        };
        assert!(is_told(carray.read_all(&serial()).unwrap_err()));
        assert!(is_told(carray.read_rows(0..rows).unwrap_err()));
    }
}

/// Reading the rows of one chunk opens no other chunk.
#[test]
fn other_chunks_are_not_opened() {
    let files = files_of("ref/size/n1200_cl100");
    let kept = files.into_iter().filter(|(path, _)| !path.starts_with("data/") || path == "data/__5.blp");
    let carray = Carray::open(MemoryDirectory::of_files(kept)).unwrap();
    assert_eq!(carray.read_rows(500..600).unwrap().len(), 400);
    assert_eq!(carray.read_rows(599..600).unwrap().len(), 4);
    assert!(carray.read_rows(500..601).is_err());
    // bcolz does not read Blosc2 chunks.
    let chunk = Encoder::new(CParams::blosc2().typesize(4)).unwrap().compress(&[7; 400]).unwrap();
    let file = [ChunkFileHeader::NEW.to_bytes().as_slice(), &chunk].concat();
    carray.directory().create("data/__5.blp", &file).unwrap();
    let error = carray.read_rows(500..501).unwrap_err();
    assert!(error.report().to_string().starts_with("data/__5.blp: chunk 5 is of Blosc chunk version"), "{error}");
}
