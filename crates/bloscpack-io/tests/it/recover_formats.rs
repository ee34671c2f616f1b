//! `recover` salvages each format, detected by the content even if that is damaged.

use std::fs;
use std::path::Path;

use bloscpack_format::Format;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, npy};
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter};
use bloscpack_io::blosc_core::{CParams, DecodeError};
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{
    Archive, Damaged, Error, ErrorKind, LocalSource, LostPart, PackOptions, RecoverOptions, pack_bytes, recover,
};

fn bloscpack() -> Vec<u8> {
    pack_bytes(&testdata::noise(5000, 1), &PackOptions::new().chunk_size(1000)).unwrap()
}

fn frame() -> Vec<u8> {
    let mut writer = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    for chunk in testdata::noise(5000, 2).chunks(1000) {
        writer.append(chunk).unwrap();
    }
    writer.commit().unwrap();
    writer.into_store().file
}

fn carray(root: &Path) {
    let params = CarrayParams::new(bloscpack_format::bcolz::Dtype::parse("uint8").unwrap()).chunklen(1000);
    let mut writer = CarrayWriter::create(root, true, &params).unwrap();
    writer.append(&testdata::noise(5000, 3)).unwrap();
    writer.finish().unwrap();
}

#[test]
fn each_format_is_told_by_its_content() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let options = RecoverOptions::new().overwrite(true);
    for (file, kind, format) in [
        (bloscpack(), Damaged::Bloscpack, Format::Bloscpack { version: 3 }),
        (frame(), Damaged::Frame, Format::Blosc2Frame),
    ] {
        let damaged = {
            let archive = Archive::open(file.as_slice()).unwrap();
            let mut damaged = file.clone();
            damaged[archive.chunk_position(2).unwrap() as usize] = 0xff;
            damaged
        };
        for (bytes, kept) in [(&file, 5), (&damaged, 4)] {
            fs::write(&input, bytes).unwrap();
            assert_eq!(Damaged::of(&input).unwrap(), kind);
            let report = recover(&input, &output, &options).unwrap();
            assert_eq!((report.kept, report.total, report.rows), (kept, 5, None), "{report:?}");
            assert_eq!(report.lost.len() as u64, 5 - kept);
            assert_eq!(Archive::open(LocalSource::open(&output).unwrap()).unwrap().format(), format);
        }
    }
    fs::remove_file(&output).unwrap();
    let (input, output) = (dir.path().join("directory"), dir.path().join("out.bcolz"));
    carray(&input);
    let report = recover(&input, &output, &options).unwrap();
    assert_eq!((report.kept, report.total, report.rows, report.nbytes), (5, 5, Some(5000), 5000));
    fs::write(input.join("data/__3.blp"), b"blpk").unwrap();
    let report = recover(&input, &output, &options).unwrap();
    assert_eq!((report.kept, report.total, report.rows), (3, 5, Some(3000)));
    // The files that identify a carray are missing, but the directories remain.
    fs::remove_dir_all(input.join("meta")).unwrap();
    assert_eq!(Damaged::of(&input).unwrap(), Damaged::Bcolz);
    assert!(matches!(recover(&input, &output, &options), Err(Error::NotBcolz { .. } | Error::InFile { .. })));
}

/// A bloscpack file may have lost its magic, and a frame everything but the start of its header.
#[test]
fn names_and_starts_tell_what_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str, bytes: &[u8]| {
        fs::write(dir.path().join(name), bytes).unwrap();
        dir.path().join(name)
    };
    let mut file = bloscpack();
    file[..8].fill(0);
    let report = recover(at("x.blp", &file), dir.path().join("out"), &RecoverOptions::new()).unwrap();
    assert_eq!((report.kept, report.lost[0].part.clone()), (5, LostPart::Header));
    assert_eq!(Damaged::of(at("start", &frame()[..5])).unwrap(), Damaged::Frame);
    assert_eq!(Damaged::of(at("nothing", b"")).unwrap(), Damaged::Frame);
    assert!(matches!(Damaged::of(at("x", &file)), Err(Error::Unrecognised { found }) if found == file[..10]));
    let chunk = blosc_core::compress(&[1; 100], &CParams::new()).unwrap();
    let dtype = Dtype::from_type_string("|u1").unwrap();
    let npy = npy::to_bytes(&NumpyMeta { dtype, shape: vec![0], order: Order::C }).unwrap();
    for (bytes, format) in [(chunk, Format::Blosc1Chunk), (npy, Format::Npy)] {
        let error = recover(at("other", &bytes), dir.path().join("none"), &RecoverOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(matches!(error, Error::Unsupported { format: found } if found == format), "{error}");
    }
    assert!(!dir.path().join("none").exists());
}

/// The reason is the error as a value, and the line ends with its text.
#[test]
fn reasons_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let mut file = frame();
    let at = Archive::open(file.as_slice()).unwrap().chunk_position(2).unwrap() as usize;
    file[at] = 0xff;
    fs::write(&input, &file).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    let [lost] = &report.lost[..] else { panic!("{report:?}") };
    assert_eq!((&lost.part, &lost.column), (&LostPart::Chunk { chunk: 2 }, &None));
    let source = lost.source().unwrap();
    let text = match source.downcast_ref::<Error>() {
        Some(error) => error.report().to_string(),
        None => source.downcast_ref::<DecodeError>().unwrap().report().to_string(),
    };
    assert_eq!(lost.to_string(), format!("chunk 2 is lost: {text}"));
    assert_eq!(lost.part.chunks(), 1);
}
