//! Appending: the result is the concatenation, or the file is unchanged.

use std::fs;
use std::path::PathBuf;

use blosc_core::{CParams, Codec};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{MaxAppChunks, MetadataRewrite};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::{
    AppendOptions, Archive, Error, PackOptions, Sink, Source, UnpackOptions, append_rows, pack, pack_bytes,
    rewrite_metadata, unpack_bytes, verify,
};

struct Scratch {
    _dir: tempfile::TempDir,
    archive: PathBuf,
    new: PathBuf,
}

impl Scratch {
    fn new(packed: &[u8], new: &[u8]) -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        let (archive, input) = (dir.path().join("a.blp"), dir.path().join("new"));
        fs::write(&archive, packed).unwrap();
        fs::write(&input, new).unwrap();
        Scratch { _dir: dir, archive, new: input }
    }

    fn plain(&self) -> Vec<u8> {
        verify(Source::file(&self.archive), &UnpackOptions::new()).unwrap();
        unpack_bytes(&fs::read(&self.archive).unwrap(), &UnpackOptions::new()).unwrap().0
    }

    fn entries(&self) -> usize {
        fs::read_dir(self.archive.parent().unwrap()).unwrap().count()
    }
}

fn ramp(len: usize) -> Vec<u8> {
    testdata::ramp(len, 4, 5)
}

#[test]
fn the_result_is_the_concatenation() {
    let sizes = [0, 1, 999, 1000, 1001, 2500, 10_000];
    for offsets in [true, false] {
        for old in sizes {
            for new in sizes {
                let options =
                    PackOptions::new().chunk_size(1000).offsets(offsets).max_app_chunks(MaxAppChunks::Exact(99_999));
                let scratch = Scratch::new(&pack_bytes(&ramp(old), &options).unwrap(), &ramp(new));
                let append = AppendOptions::new().codec(Codec::Lz4);
                let report = bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &append).unwrap();
                let expected = [ramp(old), ramp(new)].concat();
                assert!(scratch.plain() == expected, "{old} + {new}");
                assert_eq!(report.new_size, new as u64);
                assert_eq!(report.after, fs::metadata(&scratch.archive).unwrap().len());
                assert_eq!(scratch.entries(), 2);

                // A second append, from a stream of unknown length.
                bloscpack_io::append(&scratch.archive, Source::reader(&*ramp(777)), &append).unwrap();
                assert!(scratch.plain() == [expected, ramp(777)].concat());
            }
        }
    }
}

#[test]
fn nothing_appended_changes_nothing() {
    let packed = pack_bytes(&ramp(2500), &PackOptions::new().chunk_size(1000)).unwrap();
    let scratch = Scratch::new(&packed, b"");
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &AppendOptions::new()).unwrap();
    assert!(fs::read(&scratch.archive).unwrap() == packed);
}

#[test]
fn the_typesize_of_the_file_is_kept() {
    let options = PackOptions::new().params(CParams::new().typesize(2)).chunk_size(1000);
    let scratch = Scratch::new(&pack_bytes(&ramp(2000), &options).unwrap(), &ramp(1000));
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &AppendOptions::new()).unwrap();
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &AppendOptions::new().typesize(Some(4)))
        .unwrap();
    let archive = Archive::open(fs::read(&scratch.archive).unwrap()).unwrap();
    let typesize = |chunk| blosc_core::Header::parse(&archive.compressed_chunk(chunk).unwrap()).unwrap().typesize();
    assert_eq!([typesize(0), typesize(2), typesize(3)], [2, 2, 4]);
    assert_eq!(archive.header().unwrap().typesize, 2);
}

#[test]
fn bytes_after_the_last_chunk_are_dropped() {
    let mut packed = pack_bytes(&ramp(2500), &PackOptions::new().chunk_size(1000)).unwrap();
    packed.extend([0xAB; 5000]);
    let scratch = Scratch::new(&packed, &ramp(10));
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &AppendOptions::new()).unwrap();
    assert!(fs::metadata(&scratch.archive).unwrap().len() < 5000);
    assert_eq!(scratch.plain().len(), 2510);
}

/// A refusal leaves the file unchanged, and no other file next to it.
#[test]
fn a_refusal_changes_nothing() {
    let metadata = |text| Some(Json::parse(text).unwrap());
    let options = PackOptions::new().chunk_size(1000).metadata(metadata(r#"{"a": 1}"#));
    let packed = pack_bytes(&ramp(2500), &options).unwrap();
    let full = pack_bytes(&ramp(2500), &options.clone().max_app_chunks(MaxAppChunks::Exact(0))).unwrap();
    let bare = pack_bytes(&ramp(2500), &PackOptions::new()).unwrap();
    let damaged = |at: usize| {
        let mut damaged = packed.clone();
        damaged[at] ^= 0x01;
        damaged
    };
    let append = AppendOptions::new();
    let long = format!("\"{}\"", testdata::noise(2000, 1).iter().map(|b| format!("{b:02x}")).collect::<String>());
    let cases = [
        (full, append.clone()),
        (bare, append.clone().metadata(metadata("2"))),
        (packed.clone(), append.clone().metadata(metadata(r#"{"a": 1}"#))),
        (packed.clone(), append.clone().metadata(metadata(&long))),
        (packed.clone(), append.clone().clevel(10)),
        // The last digest, a byte of the last chunk, and a truncated file.
        (damaged(packed.len() - 1), append.clone()),
        (damaged(packed.len() - 20), append.clone()),
        (packed[..packed.len() - 1].to_vec(), append.clone()),
        (ramp(500), append),
    ];
    for (number, (packed, options)) in cases.into_iter().enumerate() {
        let scratch = Scratch::new(&packed, &ramp(3000));
        let result = bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &options);
        assert!(result.is_err(), "case {number}");
        assert!(fs::read(&scratch.archive).unwrap() == packed, "case {number}");
        assert_eq!(scratch.entries(), 2, "case {number}");
    }
}

#[test]
fn metadata_is_rewritten_in_its_place() {
    let options = PackOptions::new().chunk_size(1000).metadata(Some(Json::parse(r#"{"a": 1}"#).unwrap()));
    let packed = pack_bytes(&ramp(2500), &options).unwrap();
    let scratch = Scratch::new(&packed, &ramp(100));
    let new = Json::parse(r#"{"b": [true, null]}"#).unwrap();
    rewrite_metadata(&scratch.archive, new.clone(), MetadataRewrite::default()).unwrap();
    let archive = Archive::open(fs::read(&scratch.archive).unwrap()).unwrap();
    assert_eq!(archive.metadata(), Some(&new));
    assert_eq!(fs::metadata(&scratch.archive).unwrap().len(), packed.len() as u64);
    assert!(scratch.plain() == ramp(2500));
    let same = rewrite_metadata(&scratch.archive, new, MetadataRewrite::default());
    assert!(matches!(same, Err(Error::NoChangeInMetadata)));

    let both = AppendOptions::new().metadata(Some(Json::Null));
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &both).unwrap();
    assert_eq!(Archive::open(fs::read(&scratch.archive).unwrap()).unwrap().metadata(), Some(&Json::Null));
    assert!(scratch.plain() == [ramp(2500), ramp(100)].concat());
}

/// A reader with fewer or more bytes than its size, after a full last chunk and after one that is filled up.
#[test]
fn a_wrong_size_of_the_new_bytes_is_refused() {
    for old in [1000, 1003] {
        let packed = pack_bytes(&ramp(old), &PackOptions::new().chunk_size(100)).unwrap();
        let scratch = Scratch::new(&packed, &[]);
        let append = |len: usize, size: u64| {
            let new = ramp(len);
            let source = Source::reader(&new[..]).size(size);
            bloscpack_io::append(&scratch.archive, source, &AppendOptions::new()).map(|report| report.new_size)
        };
        for (len, size) in [(0, 5), (5, 0), (5, 2), (5, 6), (250, 200), (250, 97), (250, 251)] {
            match append(len, size) {
                Err(Error::InputChanged { expected, found }) => {
                    let reached = (len as u64).min(size + 1);
                    assert_eq!((expected, found), (size, reached), "{len} bytes, size {size}");
                }
                other => panic!("{len} bytes, size {size}: {other:?}"),
            }
            assert!(fs::read(&scratch.archive).unwrap() == packed && scratch.entries() == 2);
        }
        assert_eq!((append(0, 0).unwrap(), append(250, 250).unwrap()), (0, 250));
    }
}

#[test]
fn a_file_is_not_appended_to_itself() {
    let scratch = Scratch::new(&pack_bytes(&ramp(100), &PackOptions::new()).unwrap(), b"");
    let result = bloscpack_io::append(&scratch.archive, Source::file(&scratch.archive), &AppendOptions::new());
    assert!(matches!(result, Err(Error::SameFile(_))));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let (real, link, new) = (dir.path().join("real.blp"), dir.path().join("link.blp"), dir.path().join("new"));
    pack(Source::bytes(&ramp(100)), Sink::file(&real), &PackOptions::new()).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    fs::write(&new, ramp(10)).unwrap();
    bloscpack_io::append(&link, Source::file(&new), &AppendOptions::new()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(Archive::open(fs::read(&real).unwrap()).unwrap().nbytes(), 110);
}

/// The rows of an array in Fortran order are not next to each other, and one without axes has none.
#[test]
fn arrays_that_cannot_grow_are_refused() {
    for (shape, order, can_grow) in [
        (vec![3, 2], Order::F, false),
        (vec![], Order::C, false),
        (vec![6], Order::F, true),
        (vec![6, 1, 1], Order::C, true),
    ] {
        let meta = NumpyMeta { dtype: Dtype::parse("'<i2'").unwrap(), shape, order };
        let nbytes = meta.nbytes().unwrap() as usize;
        let options = PackOptions::new().metadata(Some(meta.to_json().unwrap())).max_app_chunks(MaxAppChunks::Exact(9));
        let scratch = Scratch::new(&pack_bytes(&ramp(nbytes), &options).unwrap(), &[]);
        let before = fs::read(&scratch.archive).unwrap();
        let rows = ramp(meta.row_nbytes() as usize);
        match append_rows(&scratch.archive, 1, &rows, &AppendOptions::new()) {
            Ok(_) => assert!(can_grow && scratch.plain().len() == nbytes + rows.len()),
            Err(error) => {
                assert!(matches!(error, Error::NotANumpyArray { .. }) && !can_grow, "{error}");
                assert_eq!(fs::read(&scratch.archive).unwrap(), before);
            }
        }
    }
}

#[test]
fn rows_are_not_appended_after_bytes_outside_the_array() {
    let meta = NumpyMeta { dtype: Dtype::parse("'|u1'").unwrap(), shape: vec![4], order: Order::C };
    let options = PackOptions::new().metadata(Some(meta.to_json().unwrap())).max_app_chunks(MaxAppChunks::Exact(9));
    let scratch = Scratch::new(&pack_bytes(&ramp(4), &options).unwrap(), &[8; 2]);
    bloscpack_io::append(&scratch.archive, Source::file(&scratch.new), &AppendOptions::new()).unwrap();
    let before = fs::read(&scratch.archive).unwrap();
    let error = append_rows(&scratch.archive, 1, &[9], &AppendOptions::new()).unwrap_err();
    assert_eq!(error.report().to_string(), "not a NumPy array: 6 bytes, but its dtype and shape require 4");
    assert_eq!(fs::read(&scratch.archive).unwrap(), before);
}

/// The shape comes from the locked file, so no append of another thread is lost.
#[test]
fn appended_rows_grow_the_array() {
    let meta = NumpyMeta { dtype: Dtype::parse("'<i2'").unwrap(), shape: vec![3, 2], order: Order::C };
    let Json::Object(mut members) = meta.to_json().unwrap() else { panic!("metadata are an object") };
    members.push(("unit".into(), Json::String("m".into())));
    let options = PackOptions::new().metadata(Some(Json::Object(members))).max_app_chunks(MaxAppChunks::Exact(999));
    let scratch = Scratch::new(&pack_bytes(&ramp(12), &options).unwrap(), &[]);
    let before = fs::read(&scratch.archive).unwrap();
    let append = |rows, plain: &[u8]| append_rows(&scratch.archive, rows, plain, &AppendOptions::new());
    for (rows, nbytes) in [(1, 8), (2, 4), (u64::MAX, 4), (0, 4)] {
        assert!(matches!(append(rows, &ramp(nbytes)), Err(Error::NotRows { .. })), "{rows}");
    }
    append(0, &[]).unwrap();
    assert_eq!(fs::read(&scratch.archive).unwrap(), before);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for rows in 1..20 {
                    while matches!(append(rows, &ramp(rows as usize * 4)), Err(Error::Locked(_))) {}
                }
            });
        }
    });
    let archive = Archive::open(fs::read(&scratch.archive).unwrap()).unwrap();
    assert_eq!(archive.numpy().unwrap().shape, [3 + 2 * 190, 2]);
    assert_eq!(archive.metadata().unwrap().get("unit"), Some(&Json::String("m".into())));
    assert_eq!(scratch.plain().len(), 4 * 383);
}
