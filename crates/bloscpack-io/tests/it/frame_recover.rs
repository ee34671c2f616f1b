//! Recovery of torn frames, and compaction of frames with dead bytes.

use std::fs;

use bloscpack_format::frame::B2nd;
use bloscpack_io::frame::{FrameParams, FrameWriter, compact};
use bloscpack_io::{
    Archive, Error, LocalSource, LostPart, OpenOptions, RecoverOptions, RecoverReport, UnpackOptions, recover,
};

use crate::common::{Stored, each_frame};

fn parts(report: &RecoverReport) -> Vec<LostPart> {
    report.lost.iter().map(|lost| lost.part.clone()).collect()
}

fn plain_of(path: &std::path::Path) -> Vec<u8> {
    let archive = Archive::open(LocalSource::open(path).unwrap()).unwrap();
    archive.verify(&UnpackOptions::new()).unwrap();
    let mut plain = Vec::new();
    archive.unpack(&mut plain, &UnpackOptions::new()).unwrap();
    plain
}

#[test]
fn compacted_frames_hold_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let mut shorter = 0;
    each_frame(|path, _, stored| {
        let target = dir.path().join(path);
        stored.write_to(&target);
        let before = plain_of(&target);
        let metalayers =
            |path| Archive::open(LocalSource::open(path).unwrap()).unwrap().frame().unwrap().header.metalayers.clone();
        let old = metalayers(&target);
        let report = compact(&target, &OpenOptions::new()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(plain_of(&target) == before, "{path}");
        assert_eq!(metalayers(&target), old, "{path}");
        shorter += usize::from(report.after < report.before);
        if !stored.sparse {
            assert_eq!(fs::metadata(&target).unwrap().len(), report.after);
            assert_eq!(report.before, stored.file.len() as u64);
        }
        // If the index is not larger than that of C-Blosc2, no frame grows.
        assert!(report.after <= report.before + report.before / 8 + 64, "{path}: {report:?}");
        if fs::metadata(&target).unwrap().is_file() { fs::remove_file(&target) } else { fs::remove_dir_all(&target) }
            .unwrap();
    });
    assert!(shorter > 10, "{shorter}");
}

#[test]
fn dead_bytes_go() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["frames/last_partial_contiguous.b2frame", "frames/last_partial_sparse.sframe"] {
        let target = dir.path().join(path);
        Stored::golden(path).write_to(&target);
        let clean = compact(&target, &OpenOptions::new()).unwrap().after;
        let plain = testdata::noise(1000, 7);
        for _ in 0..20 {
            let mut writer = FrameWriter::open(&target).unwrap();
            writer.insert(0, &plain).unwrap();
            writer.commit().unwrap();
            writer.delete(0).unwrap();
            writer.commit().unwrap();
        }
        if !path.contains("sparse") {
            assert!(fs::metadata(&target).unwrap().len() > 20_000);
        }
        let report = compact(&target, &OpenOptions::new()).unwrap();
        // Chunk sizes vary after the edits. This sets a bit in the header and requires a list as the index.
        assert!(report.after <= clean + 100, "{report:?}, {clean}");
    }
}

/// Frames left by a killed C-Blosc2: the chunks before the fourth one are kept, and the fourth if it is complete.
#[test]
fn torn_frames_of_c_blosc2() {
    let dir = tempfile::tempdir().unwrap();
    let archive = testdata::archive("frames");
    // The last write only truncates the file.
    let whole = Archive::open(archive["malformed/torn_trailer.b2frame"].clone()).unwrap();
    let chunks: Vec<Vec<u8>> = (0..4).map(|chunk| whole.chunk(chunk).unwrap()).collect();
    for (name, kept, lost) in [
        ("half_chunk", 3, vec!["vlmetalayers", "index", "bytes"]),
        ("chunk", 4, vec!["vlmetalayers", "index"]),
        ("chunk_index", 4, vec!["vlmetalayers"]),
        ("header", 4, vec!["vlmetalayers"]),
        ("trailer", 4, vec![]),
    ] {
        let (input, output) = (dir.path().join(format!("{name}.b2frame")), dir.path().join(name));
        fs::write(&input, &archive[&format!("malformed/torn_{name}.b2frame")]).unwrap();
        let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
        let found: Vec<&str> = report
            .lost
            .iter()
            .map(|lost| match &lost.part {
                LostPart::VlMetalayers => "vlmetalayers",
                LostPart::Index => "index",
                LostPart::Trailing { .. } => "bytes",
                other => panic!("{name}: {other}"),
            })
            .collect();
        assert_eq!((report.kept, found.clone()), (kept, lost), "{name}: {report:?}");
        assert!(plain_of(&output) == chunks[..kept as usize].concat(), "{name}");
        assert!(recover(&input, &output, &RecoverOptions::new()).is_err(), "{name}: written over");
    }
}

#[test]
fn chunks_that_do_not_decode_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["frames/cf_lz4_shuffle_f8_walk.b2frame", "frames/b2nd_006_u1_2x3x2x2.b2nd"] {
        let mut stored = Stored::golden(path);
        let archive = Archive::open(stored.clone()).unwrap();
        let (nchunks, at) = (archive.nchunks(), archive.chunk_position(0).unwrap() as usize);
        // An invalid chunk version.
        stored.file[at] = 0xff;
        let (input, output) = (dir.path().join("in"), dir.path().join("out"));
        stored.write_to(&input);
        let report = recover(&input, &output, &RecoverOptions::new().overwrite(true)).unwrap();
        assert_eq!((report.kept, report.total), (nchunks - 1, nchunks), "{path}");
        assert!(
            parts(&report) == [LostPart::Chunk { chunk: 0 }] && report.lost[0].source().is_some(),
            "{path}: {report:?}"
        );
        let salvaged = Archive::open(LocalSource::open(&output).unwrap()).unwrap();
        assert_eq!(salvaged.array().is_some(), archive.array().is_some());
        // An array keeps its shape; zeros replace the chunk.
        let expected = if archive.array().is_some() { nchunks } else { nchunks - 1 };
        assert_eq!(salvaged.nchunks(), expected, "{path}");
        assert_eq!(salvaged.chunk(expected - 1).unwrap(), archive.chunk(nchunks - 1).unwrap(), "{path}");
    }
}

/// Recovery to the same path would replace its input.
#[test]
fn a_frame_is_not_recovered_to_itself() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["frames/last_partial_sparse.sframe", "frames/last_partial_contiguous.b2frame"] {
        let input = dir.path().join(path);
        Stored::golden(path).write_to(&input);
        let before = plain_of(&input);
        let link = dir.path().join("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&input, &link).unwrap();
        let mut outputs = vec![input.clone()];
        outputs.extend(link.exists().then_some(link.clone()));
        if input.is_dir() {
            outputs.extend([input.join("chunks.b2frame"), input.join("00000000.chunk"), input.join("new")]);
        }
        for output in outputs {
            let error = recover(&input, &output, &RecoverOptions::new().overwrite(true)).unwrap_err();
            assert!(matches!(error, Error::SameFile(_) | Error::InputReplaced { .. }), "{path}: {error}");
        }
        assert!(plain_of(&input) == before, "{path}");
        let _ = fs::remove_file(&link);
    }
}

#[test]
fn sparse_frames_without_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let mut stored = Stored::golden("frames/last_partial_sparse.sframe");
    let plain: Vec<u8> = {
        let archive = Archive::open(stored.clone()).unwrap();
        archive.read_range(0..archive.nbytes()).unwrap()
    };
    stored.file.truncate(stored.file.len() - 40);
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    stored.write_to(&input);
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert_eq!(parts(&report), [LostPart::VlMetalayers, LostPart::Index]);
    assert!(plain_of(&output) == plain);
    assert!(output.is_dir());
    fs::write(input.join("chunks.b2frame"), b"nothing").unwrap();
    assert!(recover(&input, &dir.path().join("none"), &RecoverOptions::new()).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

/// Stored zeros, as in frames with varying chunk sizes, look like an index that names only the first chunk.
#[test]
fn stored_zeros_are_no_index() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let chunks = [testdata::noise(800, 1), vec![0; 1600], testdata::noise(800, 2), vec![0; 800], vec![0; 8]];
    let mut writer = FrameWriter::in_memory(FrameParams::new(8)).unwrap();
    for chunk in &chunks {
        writer.append(chunk).unwrap();
    }
    writer.commit().unwrap();
    let frame = writer.into_store().file;
    // The trailer has 35 bytes, the index 57.
    for (cut, kept) in [(1, 5), (20, 5), (40, 5), (92, 5), (93, 4)] {
        fs::write(&input, &frame[..frame.len() - cut]).unwrap();
        let report = recover(&input, &output, &RecoverOptions::new().overwrite(true)).unwrap();
        assert!(plain_of(&output) == chunks[..kept].concat(), "{cut} bytes less: {report:?}");
    }
}

#[test]
fn vlmetalayers_that_do_not_decode_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let mut writer = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    writer.append(&[1; 100]).unwrap();
    for name in ["a", "\u{fc}", "c"] {
        writer.set_vlmetalayer(name, &testdata::noise(500, 3)).unwrap();
    }
    writer.commit().unwrap();
    let mut frame = writer.into_store().file;
    let chunk = {
        let archive = Archive::open(frame.clone()).unwrap();
        archive.frame().unwrap().trailer.vlmetalayers.get("\u{fc}").unwrap().to_vec()
    };
    // The second of three equal ones.
    let places = frame.windows(chunk.len()).enumerate().filter(|(_, bytes)| *bytes == chunk).map(|(at, _)| at);
    let at = places.collect::<Vec<_>>()[1];
    frame[at] = 0xff;
    fs::write(&input, &frame).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert!(parts(&report) == [LostPart::VlMetalayer { name: "\u{fc}".into() }], "{report:?}");
    assert_eq!(plain_of(&output), [1; 100]);
    let archive = Archive::open(LocalSource::open(&output).unwrap()).unwrap();
    let names: Vec<_> = archive.frame().unwrap().trailer.vlmetalayers.iter().map(|layer| layer.name.to_vec()).collect();
    assert_eq!(names, [b"a", b"c"]);
}

/// A codec of another library is not damage.
#[test]
fn chunks_of_an_unknown_codec_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let mut stored = Stored::golden("frames/cf_lz4_shuffle_f8_walk.b2frame");
    let archive = Archive::open(stored.clone()).unwrap();
    let (nchunks, at) = (archive.nchunks(), archive.chunk_position(1).unwrap() as usize);
    // The flags say that byte 22 names the codec.
    stored.file[at + 2] = stored.file[at + 2] & 0x1f | 0xc0;
    stored.file[at + 22] = 200;
    stored.write_to(&input);
    let changed = Archive::open(stored).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert!(parts(&report) == [LostPart::Unchecked { chunk: 1 }], "{report:?}");
    assert_eq!(report.kept, nchunks);
    let salvaged = Archive::open(LocalSource::open(&output).unwrap()).unwrap();
    for chunk in 0..nchunks {
        assert!(salvaged.compressed_chunk(chunk).unwrap() == changed.compressed_chunk(chunk).unwrap(), "{chunk}");
    }
}

/// Only the shape gives the number of chunks of an array. No chunks are created for it without any evidence.
#[test]
fn a_shape_that_promises_too_much_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let mut stored = Stored::golden("frames/b2nd_002_u1_50.b2frame");
    let shape = stored.file.windows(9).position(|bytes| bytes == [0xd3, 0, 0, 0, 0, 0, 0, 0, 50]).unwrap();
    stored.file[shape + 1] = 0x40;
    stored.write_to(&input);
    let error = recover(&input, &output, &RecoverOptions::new()).unwrap_err().report().to_string();
    assert!(error.contains("chunks of an array, of which most are lost"), "{error}");
    assert!(!output.exists());
}

/// Each commit leaves an old index and trailer. The search reads about their size, not the largest possible size.
#[test]
fn a_frame_of_many_commits() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let chunk = testdata::noise(20_000, 4);
    let mut writer = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    for number in 0..200 {
        writer.append(&chunk).unwrap();
        // A trailer that is larger than the first search window.
        if number == 100 {
            writer.set_vlmetalayer("note", &testdata::noise(30_000, 5)).unwrap();
        }
        writer.commit().unwrap();
    }
    let frame = writer.into_store().file;
    fs::write(&input, &frame[..frame.len() - 1]).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert_eq!(report.kept, 200);
    assert!(plain_of(&output) == chunk.repeat(200));
}

/// The chunks of an array have padding, which is not counted.
#[test]
fn the_report_counts_the_items_of_an_array() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let array = B2nd::new(vec![5], vec![4], vec![4]);
    let mut writer = FrameWriter::array_in_memory(array, FrameParams::new(2)).unwrap();
    writer.commit().unwrap();
    fs::write(&input, writer.into_store().file).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert_eq!((report.kept, report.nbytes), (2, 10));
    assert_eq!(Archive::open(LocalSource::open(&output).unwrap()).unwrap().nbytes(), 10);
}

#[test]
fn a_short_last_chunk_of_zeros_stays_short() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in"), dir.path().join("out"));
    let chunks = [testdata::noise(800, 1), vec![0; 800], testdata::noise(800, 2), vec![0; 160]];
    let mut writer = FrameWriter::in_memory(FrameParams::new(8)).unwrap();
    for chunk in &chunks {
        writer.append(chunk).unwrap();
    }
    writer.commit().unwrap();
    let frame = writer.into_store().file;
    assert_eq!(Archive::open(frame.clone()).unwrap().chunk_position(3), None);
    fs::write(&input, &frame[..frame.len() - 1]).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new()).unwrap();
    assert_eq!((report.kept, report.nbytes), (4, 2560));
    assert!(plain_of(&output) == chunks.concat());
}
