//! Repeated `kill -9` of a process that changes a frame. Each time it is the frame of some commit, and never an older
//! one than before. Two concurrent writers exclude each other.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameParams, FrameWriter, compact};
use bloscpack_io::{Archive, Error, LocalSource, OpenOptions, UnpackOptions};
use testdata::{end_of_victim, slowness, this_test};

/// The environment variable with the path of the frame for the process to be killed.
const VICTIM: &str = "BLPK_TEST_FRAME_TO_CHANGE";

/// Number of chunks in a frame after many commits.
const KEPT: u64 = 6;

fn chunk(commit: u64) -> Vec<u8> {
    commit.to_le_bytes().repeat(500)
}

/// The chunks after a number of commits.
fn expected(commits: u64) -> Vec<Vec<u8>> {
    (commits.saturating_sub(KEPT) + 1..=commits).map(chunk).collect()
}

/// Commits again and again, and compacts the frame now and then, until the process is killed.
fn change_until_killed(path: &Path) {
    let end = end_of_victim();
    while Instant::now() < end {
        let mut commits = commits(path);
        let mut frame = FrameWriter::open(path).unwrap();
        for _ in 0..20 {
            commits += 1;
            if frame.frame().unwrap().nchunks() == KEPT {
                frame.delete(0).unwrap();
            }
            frame.append(&chunk(commits)).unwrap();
            frame.set_vlmetalayer("commits", &commits.to_le_bytes()).unwrap();
            frame.commit().unwrap();
        }
        drop(frame);
        compact(path, &OpenOptions::new()).unwrap();
    }
}

/// Returns the number of commits of the frame, after checking that its chunks match it.
fn commits(path: &Path) -> u64 {
    let archive = Archive::open(LocalSource::open(path).unwrap()).unwrap();
    archive.verify(&UnpackOptions::new()).unwrap();
    let commits = archive.vlmetalayer("commits").unwrap().unwrap_or(vec![0; 8]);
    let commits = u64::from_le_bytes(commits.try_into().unwrap());
    let chunks: Vec<_> = (0..archive.nchunks()).map(|chunk| archive.chunk(chunk).unwrap()).collect();
    assert!(chunks == expected(commits), "after {commits} commits");
    commits
}

/// A machine on which the process does nothing in that many rounds is too slow for the test.
const MAX_ROUNDS: u64 = 1000;

#[test]
fn killed_at_any_moment_it_is_the_frame_of_some_commit() {
    if let Some(path) = env::var_os(VICTIM) {
        change_until_killed(Path::new(&path));
        return;
    }
    // The test kills the process, not the disk. In memory it can do more commits.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let path = dir.path().join(format!("{frame_type:?}"));
        FrameWriter::create(&path, frame_type, false, FrameParams::new(8)).unwrap().finish().unwrap();
        // A loaded machine needs more rounds to kill the process at work.
        let (mut last, mut round) = (0, 0);
        while round < 30 || last <= 30 {
            assert!(round < MAX_ROUNDS, "{last} commits only");
            let victim = &mut this_test("frame_kill::killed_at_any_moment_it_is_the_frame_of_some_commit");
            let mut victim = victim.env(VICTIM, &path).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(20 + round % 30) * slowness());
            assert!(victim.try_wait().unwrap().is_none(), "round {round}: it gave up");
            victim.kill().unwrap();
            victim.wait().unwrap();
            let now = commits(&path);
            assert!(now >= last, "round {round}: {now} commits, but there had been {last}");
            last = now;
            round += 1;
        }
    }
}

#[test]
fn one_writer_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let path = dir.path().join(format!("{frame_type:?}"));
        FrameWriter::create(&path, frame_type, false, FrameParams::new(8)).unwrap().finish().unwrap();
        let mut first = FrameWriter::open(&path).unwrap();
        first.append(&[1; 80]).unwrap();
        assert!(matches!(FrameWriter::open(&path), Err(Error::Locked(at)) if at == path));
        assert!(matches!(compact(&path, &OpenOptions::new()), Err(Error::Locked(_))));
        if frame_type == FrameType::Sparse {
            // The writer of the old frame would continue in the new one.
            let new = FrameWriter::create(&path, frame_type, true, FrameParams::new(8)).map(drop);
            assert!(matches!(new, Err(Error::Locked(_))));
        }
        first.commit().unwrap();
        assert!(matches!(FrameWriter::open(&path), Err(Error::Locked(_))), "a commit is not the end");
        // Readers do not take the lock.
        assert_eq!(Archive::open(LocalSource::open(&path).unwrap()).unwrap().nbytes(), 80);
        drop(first);
        FrameWriter::open(&path).unwrap();
    }
}

/// A frame that is opened through a link is replaced at the link's target.
#[test]
fn a_link_stays_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let (path, link) = (inner.join(format!("{frame_type:?}")), dir.path().join(format!("{frame_type:?}")));
        FrameWriter::create(&path, frame_type, false, FrameParams::new(8)).unwrap().finish().unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut frame = FrameWriter::create(&link, frame_type, true, FrameParams::new(8)).unwrap();
        frame.append(&[1; 80]).unwrap();
        frame.finish().unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(Archive::open(LocalSource::open(&path).unwrap()).unwrap().nbytes(), 80);
    }
    assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 2);
}
