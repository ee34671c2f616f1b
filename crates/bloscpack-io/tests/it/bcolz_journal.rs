//! Interrupted changes are replayed, or refused if another program has changed the directory since.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bloscpack_format::bcolz::{Dtype, JOURNAL_FILE, Journal, JournalStep, staged_name};
use bloscpack_io::bcolz::{
    CarrayParams, CarrayWriter, Ctable, CtableWriter, Directory, MemoryDirectory, Replayed, Root, verify,
};
use bloscpack_io::{Error, Limits, OpenOptions, ReadDirectory, UnpackOptions};
use testdata::SplitMix64;

use crate::common::recording::{Op, Recording};

type Files = BTreeMap<String, Arc<Vec<u8>>>;

/// A table of two columns of bytes, and its state after an append that was killed right after its commit.
fn interrupted() -> (MemoryDirectory, MemoryDirectory) {
    let disk = Recording::new();
    let params = CarrayParams::new(Dtype::parse("uint8").unwrap()).chunklen(4);
    let mut table = CtableWriter::create_in(&disk, &[("a", params.clone()), ("b", params)]).unwrap();
    table.append(&[&[1; 6], &[2; 6]]).unwrap();
    table.flush().unwrap();
    let killed = disk.dir.clone();
    let _made = disk.take_ops();
    table.append(&[&[3; 5], &[4; 5]]).unwrap();
    table.flush().unwrap();
    for op in disk.take_ops() {
        op.apply(&killed).unwrap();
        if matches!(op, Op::Rename { to, .. } if to == JOURNAL_FILE) {
            break;
        }
    }
    drop(table);
    (killed, disk.dir)
}

fn rows(dir: &MemoryDirectory) -> Vec<Vec<u8>> {
    let table = Ctable::open(dir).unwrap();
    table.read_rows(0..table.len()).unwrap()
}

#[test]
fn it_is_read_through_and_completed() {
    let (killed, done) = interrupted();
    let before = killed.files();
    let expected = [[1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3], [2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4]];
    assert_eq!(rows(&killed), expected);
    assert_eq!(rows(&done), expected);
    let report = verify(&killed, &UnpackOptions::new()).unwrap();
    assert!(report.is_whole() && report.spare_files.is_empty(), "{report:?}");
    assert!(killed.files() == before, "reading writes nothing");
    let replayed = Replayed::open(&killed).unwrap();
    assert!(replayed.open("a/data/__2.blp").is_ok());
    let mut names = replayed.list("a/data").unwrap();
    names.sort();
    assert_eq!(names, ["__0.blp", "__1.blp", "__2.blp"]);
    drop(CtableWriter::with_directory(&killed, &OpenOptions::new()).unwrap());
    let contents = |dir: &MemoryDirectory| -> Files { dir.files() };
    assert_eq!(contents(&killed), contents(&done));
}

#[test]
fn changes_by_a_concurrent_writer_are_not_overwritten() {
    let (killed, _) = interrupted();
    // Python bcolz has appended: it writes meta/sizes in place.
    killed.create("b/meta/sizes", b"{\"shape\": [7], \"nbytes\": 7, \"cbytes\": 7}\n").unwrap();
    let before = killed.files();
    assert!(matches!(Ctable::open(&killed), Err(Error::Pending { .. })));
    assert!(matches!(CtableWriter::with_directory(&killed, &OpenOptions::new()), Err(Error::Pending { .. })));
    let report = verify(&killed, &UnpackOptions::new()).unwrap();
    assert!(matches!(report.faults.first(), Some(Error::Pending { .. })), "{report:?}");
    assert_eq!(killed.files(), before);
}

#[test]
fn what_is_lost_is_missed() {
    let (killed, _) = interrupted();
    let staged = killed.list("__staged__").unwrap();
    assert!(staged.len() > 3);
    for name in staged {
        let disk = killed.clone();
        disk.remove_file(&format!("__staged__/{name}")).unwrap();
        let before = disk.files();
        let read = Ctable::open(&disk).map(|table| table.len());
        let written = CtableWriter::with_directory(&disk, &OpenOptions::new()).map(drop);
        // If the new file of an existing chunk is missing, it looks as if it had been moved already. The chunk then has
        // too few rows.
        match read {
            Err(error) => assert!(matches!(error, Error::Pending { .. }) && written.is_err() && disk.files() == before),
            Ok(_) => assert!(!verify(&disk, &UnpackOptions::new()).unwrap().is_whole() || rows(&disk).is_empty()),
        }
    }
}

/// A directory that fails to open one file.
struct Failing<'a>(&'a MemoryDirectory, &'static str);

impl ReadDirectory for Failing<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn bloscpack_io::ReadAt + '_>> {
        if path == self.1 { Err(io::ErrorKind::TimedOut.into()) } else { self.0.open(path) }
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.0.list(path)
    }
}

#[test]
fn what_cannot_be_read_now_is_not_lost() {
    let (killed, _) = interrupted();
    let kind = |path| Replayed::open(Failing(&killed, path)).map(drop).map_err(|error| io::Error::from(error).kind());
    // The change leaves the first chunk alone.
    assert_eq!(kind("a/data/__0.blp"), Ok(()));
    assert_eq!(kind("a/meta/sizes"), Err(io::ErrorKind::TimedOut));
    let journal = Journal::parse(&killed.files()[JOURNAL_FILE]).unwrap();
    let step = journal.steps.iter().find_map(|step| match step {
        JournalStep::Move { from, to } if to == "a/data/__1.blp" => Some(*from),
        _ => None,
    });
    killed.rename(&staged_name(step.unwrap()), "a/data/__1.blp").unwrap();
    assert_eq!(kind("a/data/__1.blp"), Err(io::ErrorKind::TimedOut));
    assert!(Replayed::open(&killed).is_ok());
}

/// If the caller's limits are too small for the change, it is left alone.
#[test]
fn it_is_read_within_the_limits_of_the_caller() {
    let (killed, _) = interrupted();
    let (before, limits) = (killed.files(), Limits::new().max_metadata(20));
    assert!(before[JOURNAL_FILE].len() > 16 * 20);
    let over = |error: Error| error.over_limit().unwrap().raise;
    let written = CtableWriter::with_directory(&killed, &OpenOptions::new().limits(limits)).map(drop);
    assert_eq!(over(written.unwrap_err()), "max_metadata");
    assert_eq!(killed.files(), before);
    assert_eq!(
        over(bloscpack_io::bcolz::column_names(&killed, &OpenOptions::new().limits(limits)).unwrap_err()),
        "max_metadata"
    );
}

/// Twice the number of steps takes twice the time. A linear search for each step would take minutes.
#[test]
fn many_steps() {
    let replayed = |files: Vec<String>, steps: Vec<JournalStep>| {
        let pending = Journal { steps, sizes: Vec::new() }.to_bytes();
        let files = files.into_iter().map(|path| (path, Vec::new())).chain([(JOURNAL_FILE.into(), pending)]);
        Replayed::open(MemoryDirectory::of_files(files)).unwrap()
    };
    let (count, start) = (20_000, Instant::now());
    let moves = (0..count).map(|n| JournalStep::Move { from: 0, to: format!("data/__{n}.blp") });
    let files = (0..count).map(|n| format!("data/__{}.blp", count / 2 + n)).chain(["__staged__/0".into()]);
    let names = replayed(files.collect(), moves.collect()).list("data").unwrap();
    assert_eq!(names.len(), count + count / 2);
    let renames = (0..count).map(|n| JournalStep::RenameColumn { from: format!("a{n}"), to: format!("b{n}") });
    let names = replayed((0..count).map(|n| format!("a{n}/meta/sizes")).collect(), renames.collect()).list("").unwrap();
    assert_eq!(names.iter().filter(|name| name.starts_with('b')).count(), count);
    assert!(start.elapsed() < Duration::from_secs(10) * testdata::slowness(), "{:?}", start.elapsed());
}

/// Forged journals: never a panic, and only files of the format are touched.
#[test]
fn hostile_ones() {
    let (killed, _) = interrupted();
    let honest = killed.files()[JOURNAL_FILE].to_vec();
    let keep: [&str; 3] = ["secret", "a/secret", "__staged__x"];
    let mut rng = SplitMix64::new(81);
    let words: [&[u8]; 12] = [
        b"..",
        b"/",
        b"\"secret\"",
        b"\"a/secret\"",
        b"\"drop\"",
        b"\"rename\"",
        b"\"remove\"",
        b"\"b\"",
        b"[",
        b"]",
        b"18446744073709551615",
        b"\"__rootdirs__\"",
    ];
    let mut accepted = 0;
    for _ in 0..3000 {
        let disk = killed.clone();
        for name in keep {
            disk.create(name, b"keep").unwrap();
        }
        let mut bytes = honest.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len());
            let word = words[rng.below(words.len())];
            match rng.below(4) {
                0 => bytes[at] = rng.next_u64() as u8,
                1 => bytes.truncate(at),
                2 => drop(bytes.splice(at..at, word.iter().copied())),
                _ => drop(bytes.splice(at..(at + rng.below(40)).min(bytes.len()), word.iter().copied())),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        disk.create(JOURNAL_FILE, &bytes).unwrap();
        let _opened = Root::open(&disk).map(drop);
        accepted += u32::from(CtableWriter::with_directory(&disk, &OpenOptions::new()).map(drop).is_ok());
        let _as_array = CarrayWriter::with_directory(&disk, &OpenOptions::new()).map(drop);
        for name in keep {
            assert_eq!(disk.files().get(name).map(|bytes| bytes.to_vec()), Some(b"keep".to_vec()), "{name}");
        }
    }
    assert!(accepted > 10, "{accepted}");
    for text in [
        "{\"version\": 1, \"steps\": [[\"remove\", \"../x\"]], \"sizes\": []}",
        "{\"version\": 1, \"steps\": [[\"move\", 1, \"/etc/x\"]], \"sizes\": []}",
        "{\"version\": 1, \"steps\": [[\"drop\", \"..\"]], \"sizes\": []}",
        "{\"version\": 1, \"steps\": [[\"rename\", \"a\", \"b\"]], \"sizes\": []}",
        "",
    ] {
        let disk = killed.clone();
        disk.create(JOURNAL_FILE, text.as_bytes()).unwrap();
        assert!(
            Ctable::open(&disk).is_err() && CtableWriter::with_directory(&disk, &OpenOptions::new()).is_err(),
            "{text}"
        );
    }
}
