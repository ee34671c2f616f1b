//! `kill -9` at any moment: the old or the new file is intact, and no temporary files remain.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use bloscpack_io::{PackOptions, Sink, Source, UnpackOptions, pack, unpack_bytes};

/// Runs `blpk` with `args` and kills it after `delay`. Returns whether it had finished by then.
fn run_and_kill(args: &[&str], dir: &Path, delay: Duration) -> bool {
    let mut command = testdata::program(Path::new(env!("CARGO_BIN_EXE_blpk")));
    command.args(args).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(delay);
    // Fails if the process has already finished.
    let _ = child.kill();
    child.wait().unwrap().success()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn append_is_all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("a.blp");
    let (old, new) = (testdata::noise(6 << 20, 1), testdata::noise(3 << 20, 2));
    let options = PackOptions::new().chunk_size(1 << 16);
    fs::write(dir.path().join("new"), &new).unwrap();
    let (mut unchanged, mut appended) = (0, 0);
    for round in 0..40 {
        pack(Source::bytes(&old), Sink::file(&archive), &options.clone().overwrite(true)).unwrap();
        // 0 to 39 ms: from before the start to after the end.
        let finished =
            run_and_kill(&["append", "a.blp", "new"], dir.path(), Duration::from_millis(round) * testdata::slowness());
        let (plain, _) = unpack_bytes(&fs::read(&archive).unwrap(), &UnpackOptions::new()).unwrap();
        if plain == old {
            assert!(!finished, "round {round}: success without effect");
            unchanged += 1;
        } else {
            assert!(plain == [&*old, &*new].concat(), "round {round}: neither the old nor the new content");
            appended += 1;
        }
        let leftovers: Vec<_> = names(dir.path()).into_iter().filter(|name| name != "a.blp" && name != "new").collect();
        // A temporary name may exist only between two system calls.
        assert!(leftovers.iter().all(|name| name.starts_with(".blpk-")), "round {round}: {leftovers:?}");
        assert!(leftovers.len() <= 1);
        leftovers.iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
    }
    assert!(unchanged > 0 && unchanged + appended == 40, "never killed in time");
}

#[test]
fn an_output_is_whole_or_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let plain = testdata::noise(6 << 20, 3);
    fs::write(dir.path().join("in"), &plain).unwrap();
    for round in 0..25 {
        let finished = run_and_kill(
            &["compress", "in", "out.blp"],
            dir.path(),
            Duration::from_millis(round) * testdata::slowness(),
        );
        match fs::read(dir.path().join("out.blp")) {
            Ok(packed) => {
                assert!(unpack_bytes(&packed, &UnpackOptions::new()).unwrap().0 == plain, "round {round}");
                fs::remove_file(dir.path().join("out.blp")).unwrap();
            }
            Err(_) => assert!(!finished, "round {round}"),
        }
        if cfg!(target_os = "linux") {
            assert_eq!(names(dir.path()), ["in"], "round {round}");
        }
    }
}
