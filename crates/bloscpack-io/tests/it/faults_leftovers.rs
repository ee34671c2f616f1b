//! The next process that writes the same output removes the leftovers of a killed one, but not the files of a live one.
//! A replacement keeps the permissions of the old output, and takes all of its locks.

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

/// The environment variable with the output path for the process that aborts.
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
        // An abort drops nothing.
        std::process::abort();
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.sframe");
    let abort = || {
        let victim =
            &mut this_test("faults_leftovers::what_a_killed_process_left_goes_and_what_a_living_one_makes_stays");
        assert!(!victim.env(VICTIM, &path).status().unwrap().success());
    };
    // Two aborts: the second process removes the leftovers of the first.
    abort();
    abort();
    assert_eq!(names(dir.path()).len(), 1, "{:?}", names(dir.path()));
    let (first, second) = (start(&path, true), start(&path, true));
    // Both temporary directories exist, and the leftover is gone.
    assert_eq!(names(dir.path()).len(), 2, "{:?}", names(dir.path()));
    abort();
    assert_eq!(names(dir.path()).len(), 3);
    first.finish().unwrap();
    second.finish().unwrap();
    assert_eq!(names(dir.path()).len(), 2);
    start(&path, true).finish().unwrap();
    assert_eq!(names(dir.path()), ["out.sframe"]);
}

/// A process that is being started briefly holds the open files of all threads, and with them their locks.
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
                // Settings for the new process make the standard library use `fork`.
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

/// A link or a pipe with the name of a leftover is not a leftover.
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
    // The same for a directory.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    CarrayWriter::create(&path, true, &params()).unwrap().finish().unwrap();
    assert_eq!(mode(&path), 0o750);
}

#[test]
fn replacing_a_table_takes_the_locks_of_its_columns() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table");
    CtableWriter::create(&path, false, &[("a", params()), ("b", params())]).unwrap().finish().unwrap();
    let column = CarrayWriter::open(&path.join("b")).unwrap();
    let replaced = CtableWriter::create(&path, true, &[("a", params())]).map(drop);
    assert!(matches!(replaced, Err(Error::Locked(at)) if at == path.join("b")));
    drop(column);
    let new = CtableWriter::create(&path, true, &[("a", params())]).unwrap();
    // The locks are held until the replacement is finished.
    assert!(matches!(CarrayWriter::open(&path.join("b")).map(drop), Err(Error::Locked(_))));
    new.finish().unwrap();
    assert_eq!(names(dir.path()), ["table"]);
}

/// The state after a kill between setting the new length of an array and removing the chunks past its end.
#[test]
fn chunks_past_the_end_are_removed_by_the_next_flush() {
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

/// An empty directory created under the target's name in the meantime is not replaced by a new output.
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
