//! What a killed process has left goes with the next one that writes the same output, and what a living one is making stays;
//! what replaces something keeps its permissions, and asks for all of its locks.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use bloscpack_format::bcolz::Dtype;
use bloscpack_format::frame::FrameType;
use bloscpack_io::Error;
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter, CtableWriter};
use bloscpack_io::frame::{FrameParams, FrameWriter, LocalFrame};
use testdata::this_test;

/// Where the process that ends half-way finds its output.
const VICTIM: &str = "BLPK_TEST_OUTPUT_TO_LEAVE";

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn start(path: &Path, overwrite: bool) -> FrameWriter<bloscpack_io::frame::NewFrame> {
    let mut frame = FrameWriter::create(path, FrameType::Sparse, overwrite, FrameParams::new(4)).unwrap();
    frame.append(&[1; 400]).unwrap();
    frame
}

#[test]
fn what_a_killed_process_left_goes_and_what_a_living_one_makes_stays() {
    if let Some(path) = env::var_os(VICTIM) {
        let _frame = start(Path::new(&path), true);
        // Nothing is dropped.
        std::process::abort();
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.sframe");
    let abort = || {
        let victim = &mut this_test("what_a_killed_process_left_goes_and_what_a_living_one_makes_stays");
        assert!(!victim.env(VICTIM, &path).status().unwrap().success());
    };
    // Two of them, of which the second removes what the first has left.
    abort();
    abort();
    assert_eq!(names(dir.path()).len(), 1, "{:?}", names(dir.path()));
    let (first, second) = (start(&path, true), start(&path, true));
    // Both are there, and what was left is not.
    assert_eq!(names(dir.path()).len(), 2, "{:?}", names(dir.path()));
    abort();
    assert_eq!(names(dir.path()).len(), 3);
    first.finish().unwrap();
    second.finish().unwrap();
    assert_eq!(names(dir.path()).len(), 2);
    start(&path, true).finish().unwrap();
    assert_eq!(names(dir.path()), ["out.sframe"]);
}

/// A process that is being started has the files of all threads for a moment, and with them their locks.
#[test]
fn what_is_finished_is_not_locked_while_processes_are_started() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (dir, done) = (tempfile::tempdir().unwrap(), AtomicBool::new(false));
    let (path, file) = (dir.path().join("out.sframe"), dir.path().join("out.b2frame"));
    FrameWriter::create(&file, FrameType::Contiguous, false, FrameParams::new(4))
        .and_then(FrameWriter::finish)
        .unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // What has to be set up in the new process lets it be forked.
                let mut command = Command::new("true");
                let _ = command.current_dir(dir.path()).stdout(Stdio::null()).status();
            }
        });
        let failed: Vec<Error> = (0..200)
            .filter_map(|_| {
                FrameWriter::create(&path, FrameType::Sparse, true, FrameParams::new(4))
                    .and_then(FrameWriter::finish)
                    .and_then(|()| FrameWriter::open(&path).map(drop))
                    .and_then(|()| FrameWriter::open(&file).map(drop))
                    .err()
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(failed.is_empty(), "{failed:?}");
    });
}

/// A link or a pipe that has the name of a leftover is none.
#[test]
fn what_only_looks_like_a_leftover_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.sframe");
    let name = {
        let _frame = start(&path, false);
        names(dir.path()).pop().unwrap()
    };
    fs::create_dir(dir.path().join("elsewhere")).unwrap();
    fs::write(dir.path().join("elsewhere/file"), "x").unwrap();
    std::os::unix::fs::symlink("elsewhere", dir.path().join(&name)).unwrap();
    start(&path, false).finish().unwrap();
    assert_eq!(names(dir.path()), [name.as_str(), "elsewhere", "out.sframe"]);
    assert_eq!(fs::read(dir.path().join("elsewhere/file")).unwrap(), b"x");
}

fn params() -> CarrayParams {
    CarrayParams::new(Dtype::parse("int32").unwrap()).chunklen(10)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_replaced_leaves_its_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.bcolz");
    let mut array = CarrayWriter::create(&path, false, &params()).unwrap();
    array.append(&[1; 100]).unwrap();
    array.finish().unwrap();
    let files = ["meta/sizes", "data/__0.blp"].map(|file| path.join(file));
    for file in &files {
        fs::set_permissions(file, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let mut array = CarrayWriter::open(&path).unwrap();
    array.assign(0..25, std::num::NonZeroU64::MIN, &[9, 0, 0, 0]).unwrap();
    array.append(&[2; 100]).unwrap();
    array.finish().unwrap();
    assert_eq!(files.map(|file| mode(&file)), [0o640; 2]);
    // And a directory too.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    CarrayWriter::create(&path, true, &params()).unwrap().finish().unwrap();
    assert_eq!(mode(&path), 0o750);
}

#[test]
fn who_replaces_a_table_asks_for_the_locks_of_its_columns() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table");
    CtableWriter::create(&path, false, &[("a", params()), ("b", params())]).unwrap().finish().unwrap();
    let column = CarrayWriter::open(&path.join("b")).unwrap();
    let replaced = CtableWriter::create(&path, true, &[("a", params())]).map(drop);
    assert!(matches!(replaced, Err(Error::Locked(at)) if at == path.join("b")));
    drop(column);
    let new = CtableWriter::create(&path, true, &[("a", params())]).unwrap();
    // And nobody gets them meanwhile.
    assert!(matches!(CarrayWriter::open(&path.join("b")).map(drop), Err(Error::Locked(_))));
    new.finish().unwrap();
    assert_eq!(names(dir.path()), ["table"]);
}

/// As after a kill between the new length of an array and the removal of the chunks behind it.
#[test]
fn chunks_behind_the_end_go_with_the_next_flush() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.bcolz");
    let mut array = CarrayWriter::create(&path, false, &params()).unwrap();
    array.append(&[1; 100]).unwrap();
    array.finish().unwrap();
    for number in [3, 4] {
        fs::copy(path.join("data/__0.blp"), path.join(format!("data/__{number}.blp"))).unwrap();
    }
    let mut array = CarrayWriter::open(&path).unwrap();
    array.flush().unwrap();
    array.finish().unwrap();
    assert_eq!(names(&path.join("data")), ["__0.blp", "__1.blp", "__2.blp"]);
}

/// A name that is taken by an empty directory in the meantime is not lost to a new one.
#[test]
fn what_comes_in_between_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.sframe");
    let frame = start(&path, false);
    fs::create_dir(&path).unwrap();
    assert!(matches!(frame.finish(), Err(Error::OutputExists(_))));
    assert_eq!(names(dir.path()), ["out.sframe"]);
    assert!(LocalFrame::open(&path).is_err() && names(&path).is_empty());
}
