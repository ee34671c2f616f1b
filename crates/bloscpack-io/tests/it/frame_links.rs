//! Sparse frames with links, pipes and devices in their directory: nothing is written through them, and opening them
//! does not block.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use bloscpack_io::frame::{FrameWriter, compact};
use bloscpack_io::{Archive, LocalSource, Lost, LostPart, OpenOptions, RecoverOptions, UnpackOptions, recover};

use crate::common::Stored;

const FRAME: &str = "frames/last_partial_sparse.sframe";

/// A sparse frame in the directory `frame`, and the number of its next chunk file.
fn sparse(dir: &Path) -> (PathBuf, u32) {
    let (path, stored) = (dir.join("frame"), Stored::golden(FRAME));
    stored.write_to(&path);
    (path, stored.files.len() as u32)
}

fn chunk_file(frame: &Path, number: u32) -> PathBuf {
    frame.join(format!("{number:08X}.chunk"))
}

fn plain_of(path: &Path) -> Vec<u8> {
    let archive = Archive::open(LocalSource::open(path).unwrap()).unwrap();
    archive.read_range(0..archive.nbytes()).unwrap()
}

/// A link under the name of a new chunk file is replaced, and the file that it links to is unchanged.
#[test]
fn nothing_is_written_through_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let (path, next) = sparse(dir.path());
    let before = plain_of(&path);
    let (victim, nowhere) = (dir.path().join("victim"), dir.path().join("nowhere"));
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, chunk_file(&path, next)).unwrap();
    symlink(&nowhere, chunk_file(&path, next + 1)).unwrap();
    fs::hard_link(&victim, chunk_file(&path, next + 2)).unwrap();
    let plain = testdata::noise(1000, 1);
    let mut writer = FrameWriter::open(&path).unwrap();
    for at in 0..3 {
        writer.insert(at, &plain).unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert!(!nowhere.exists());
    assert!((next..next + 3).all(|number| fs::symlink_metadata(chunk_file(&path, number)).unwrap().is_file()));
    assert!(plain_of(&path) == [&plain, &plain, &plain, before.as_slice()].concat());
}

/// The index is neither replaced nor read through a link. The directory itself may be a link.
#[test]
fn the_index_is_no_link() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = sparse(dir.path());
    let (index, victim, link) = (path.join("chunks.b2frame"), dir.path().join("victim"), dir.path().join("link"));
    symlink(&path, &link).unwrap();
    let mut writer = FrameWriter::open(&link).unwrap();
    writer.append(&[1; 100]).unwrap();
    writer.commit().unwrap();
    writer.append(&[2; 100]).unwrap();
    fs::rename(&index, &victim).unwrap();
    symlink(&victim, &index).unwrap();
    let before = fs::read(&victim).unwrap();
    // The same if it became a link in the meantime.
    let says = "a symbolic link, expected a regular file";
    assert!(writer.commit().unwrap_err().report().to_string().contains(says));
    drop(writer);
    for error in [
        FrameWriter::open(&path).map(drop).unwrap_err(),
        LocalSource::open(&path).map(drop).unwrap_err(),
        compact(&path, &OpenOptions::new()).map(drop).unwrap_err(),
        recover(&path, &dir.path().join("out"), &RecoverOptions::new()).map(drop).unwrap_err(),
    ] {
        assert!(error.report().to_string().contains(says), "{error}");
    }
    assert_eq!(fs::read(&victim).unwrap(), before);
}

/// A pipe has no writer, a device has no end, a link can lead anywhere. The error names each of them, and none is
/// opened.
#[test]
fn chunk_files_are_files() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = sparse(dir.path());
    let secret = dir.path().join("secret");
    fs::rename(chunk_file(&path, 0), &secret).unwrap();
    let link = |to: &Path| symlink(to, chunk_file(&path, 0)).unwrap();
    let pipe = || assert!(Command::new("mkfifo").arg(chunk_file(&path, 0)).status().unwrap().success());
    let cases: [(&dyn Fn(), &str); 4] = [
        (&pipe, "a named pipe"),
        (&|| link(Path::new("/dev/zero")), "a symbolic link"),
        (&|| link(&secret), "a symbolic link"),
        (&|| fs::create_dir(chunk_file(&path, 0)).unwrap(), "a directory"),
    ];
    let index = fs::read(path.join("chunks.b2frame")).unwrap();
    for (make, what) in cases {
        make();
        let says = format!("{what}, expected a regular file");
        let archive = Archive::open(LocalSource::open(&path).unwrap()).unwrap();
        for error in [archive.chunk(0).unwrap_err(), archive.verify(&UnpackOptions::new()).unwrap_err()] {
            assert!(text(&error).contains(&says), "{error}");
        }
        let mut writer = FrameWriter::open(&path).unwrap();
        assert!(text(&writer.chunk(0).unwrap_err()).contains(&says));
        writer.update(0, &[1; 10]).unwrap_err();
        drop(writer);
        // By the index, and by the names of the files.
        for cut in [0, 40] {
            fs::write(path.join("chunks.b2frame"), &index[..index.len() - cut]).unwrap();
            let report = recover(&path, &dir.path().join("out"), &RecoverOptions::new().overwrite(true)).unwrap();
            let lost =
                |lost: &Lost| lost.part == LostPart::Chunk { chunk: 0 } && text(lost.source().unwrap()).contains(&says);
            assert!(report.lost.iter().any(lost), "{report:?}");
        }
        fs::write(path.join("chunks.b2frame"), &index).unwrap();
        let file = chunk_file(&path, 0);
        if file.is_dir() { fs::remove_dir(&file) } else { fs::remove_file(&file) }.unwrap();
    }
}

/// The text of an error and of its sources.
fn text(error: &dyn std::error::Error) -> String {
    let source = error.source().map_or(String::new(), text);
    format!("{error}: {source}")
}
