//! Repeated `kill -9` of a process that changes a ctable and a carray. Each time they have the state of some flush, and
//! never an older one than before. Two concurrent writers exclude each other.

use std::env;
use std::num::NonZeroU64;
use std::path::Path;
use std::time::{Duration, Instant};

use bloscpack_format::Json;
use bloscpack_format::bcolz::{Attrs, Dtype, LOCK_FILE};
use bloscpack_io::bcolz::{Carray, CarrayParams, CarrayWriter, Ctable, CtableWriter, LocalDirectory, verify};
use bloscpack_io::{Error, UnpackOptions};
use testdata::{end_of_victim, slowness, this_test};

/// The environment variable with the directory for the process to be killed.
const VICTIM: &str = "BLPK_TEST_BCOLZ_TO_CHANGE";

const ONE: NonZeroU64 = NonZeroU64::MIN;

/// The number of rows after a number of flushes: up to 96, then 0 again.
fn len(flushes: u64) -> u64 {
    flushes % 33 * 3
}

/// Each flush appends, or removes all rows. It writes its number to every third row of the table and every row of the
/// array.
fn change_until_killed(root: &Path) {
    let end = end_of_victim();
    while Instant::now() < end {
        let mut flushes = flushes(root);
        let mut table = CtableWriter::open(&root.join("table")).unwrap();
        let mut array = CarrayWriter::open(&root.join("array")).unwrap();
        for _ in 0..10 {
            flushes += 1;
            let (len, value) = (len(flushes), flushes.to_le_bytes());
            table.resize(len).unwrap();
            for name in ["a", "b", "c"] {
                table.assign(name, 0..len, NonZeroU64::new(3).unwrap(), &value).unwrap();
            }
            table.set_attr("flushes", Json::Int(flushes as i64)).unwrap();
            table.flush().unwrap();
            array.resize(len).unwrap();
            array.assign(0..len, ONE, &value).unwrap();
            array.set_attr("flushes", Json::Int(flushes as i64)).unwrap();
            array.flush().unwrap();
        }
    }
}

fn flushes_of(attrs: &Attrs) -> u64 {
    attrs.get("flushes").and_then(Json::as_u64).unwrap_or(0)
}

/// Returns the number of flushes of table and array, after checking that the rows match it.
fn flushes(root: &Path) -> u64 {
    for name in ["table", "array"] {
        let report = verify(&LocalDirectory::open(&root.join(name)).unwrap(), &UnpackOptions::new()).unwrap();
        assert!(report.is_whole(), "{:?}", report.faults);
    }
    let table = Ctable::open(LocalDirectory::open(&root.join("table")).unwrap()).unwrap();
    let flushes = flushes_of(table.attrs().unwrap());
    assert_eq!(table.len(), len(flushes));
    for column in table.read_rows(0..table.len()).unwrap() {
        assert!(column.chunks(24).all(|rows| rows[..8] == flushes.to_le_bytes()));
    }
    let array = Carray::open(LocalDirectory::open(&root.join("array")).unwrap()).unwrap();
    let of_array = flushes_of(array.attrs().unwrap());
    assert!(array.read_rows(0..len(of_array)).unwrap() == of_array.to_le_bytes().repeat(len(of_array) as usize));
    assert!(of_array <= flushes, "{flushes} {of_array}");
    flushes
}

fn make(root: &Path) {
    let params = CarrayParams::new(Dtype::parse("uint64").unwrap()).chunklen(20);
    let columns = ["a", "b", "c"].map(|name| (name, params.clone()));
    CtableWriter::create(&root.join("table"), false, &columns).unwrap().finish().unwrap();
    CarrayWriter::create(&root.join("array"), false, &params).unwrap().finish().unwrap();
}

/// A machine on which the process does nothing in that many rounds is too slow for the test.
const MAX_ROUNDS: u64 = 1000;

#[test]
fn killed_at_any_moment_it_is_that_of_some_flush() {
    if let Some(path) = env::var_os(VICTIM) {
        change_until_killed(Path::new(&path));
        return;
    }
    // The test kills the process, not the disk. In memory it can do more flushes.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    make(dir.path());
    // A loaded machine needs more rounds to kill the process at work.
    let (mut last, mut left, mut round) = (0, 0, 0);
    while round < 40 || last <= 40 || left <= 10 {
        assert!(round < MAX_ROUNDS, "{last} flushes only, {left} locks left");
        let victim = &mut this_test("bcolz_kill::killed_at_any_moment_it_is_that_of_some_flush");
        let mut victim = victim.env(VICTIM, dir.path()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30 + round % 40) * slowness());
        assert!(victim.try_wait().unwrap().is_none(), "round {round}: it gave up");
        victim.kill().unwrap();
        victim.wait().unwrap();
        left += u32::from(dir.path().join("table").join(LOCK_FILE).exists());
        let now = flushes(dir.path());
        assert!(now >= last, "round {round}: {now} flushes, but there had been {last}");
        last = now;
        round += 1;
    }
}

#[test]
fn one_writer_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path());
    let (table, array) = (dir.path().join("table"), dir.path().join("array"));
    let mut first = CarrayWriter::open(&array).unwrap();
    first.append(&[1; 80]).unwrap();
    assert!(matches!(CarrayWriter::open(&array), Err(Error::Locked(at)) if at == array.join("")));
    let params = CarrayParams::new(Dtype::parse("int8").unwrap());
    assert!(matches!(CarrayWriter::create(&array, true, &params), Err(Error::Locked(_))));
    first.flush().unwrap();
    assert!(matches!(CarrayWriter::open(&array), Err(Error::Locked(_))), "a flush is not the end");
    // Readers do not take the lock.
    assert_eq!(Carray::open(LocalDirectory::open(&array).unwrap()).unwrap().len(), 10);
    drop(first);
    CarrayWriter::open(&array).unwrap();
    // A table locks its columns, and they lock the table.
    let mut writer = CtableWriter::open(&table).unwrap();
    assert!(matches!(CtableWriter::open(&table), Err(Error::Locked(_))));
    assert!(matches!(CarrayWriter::open(&table.join("b")), Err(Error::Locked(_))));
    writer.rename_column("b", "d").unwrap();
    assert!(matches!(CarrayWriter::open(&table.join("d")), Err(Error::Locked(_))));
    drop(writer);
    let column = CarrayWriter::open(&table.join("d")).unwrap();
    assert!(matches!(CtableWriter::open(&table), Err(Error::Locked(at)) if at == table.join("d")));
    drop(column);
    drop(CtableWriter::open(&table).unwrap());
    for path in [&array, &table, &table.join("a"), &table.join("d")] {
        assert!(!path.join(LOCK_FILE).exists(), "{}", path.display());
    }
}
