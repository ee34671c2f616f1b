//! Every call of a source, a sink or a store fails in turn, in every way. Short and interrupted calls are not failures.
//! After a failure the old state is intact, and the error names the cause.

use std::io::{Cursor, Write};
use std::num::NonZeroU64;
use std::sync::Arc;

use blosc_core::Special;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Dtype, STAGED_DIR};
use bloscpack_format::frame::{FrameType, Region};
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter, CtableWriter, Directory, MemoryDirectory, Root, verify};
use bloscpack_io::frame::{FrameParams, FrameStore as _, FrameWriter, MemoryFrame};
use bloscpack_io::{
    Archive, Cancel, Error, Input, OpenOptions, PackOptions, PackWriter, ReadDirectory, Sink, Source, Threads,
    UnpackOptions, pack, pack_bytes,
};

use crate::common::faulty::{EACCES, EIO, ENOSPC, Faults, Faulty, How, text_of};
use crate::common::{large_array, large_chunks};

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// Runs `operation` with call 1, 2, … failing until it makes fewer calls. `failed` gets the text of each error.
fn each_call<T: PartialEq>(
    how: How,
    operation: impl Fn(&Arc<Faults>) -> Result<T, Error>,
    expected: &T,
    mut failed: impl FnMut(u64, String),
) -> u64 {
    for at in 1.. {
        let faults = Faults::new(at, how);
        let done = operation(&faults);
        match done {
            Ok(found) => assert!(found == *expected, "call {at}, {how:?}: another result"),
            Err(error) => {
                assert!(faults.met(), "nothing was in its way: {error}");
                assert!(!matches!(how, How::Short | How::Interrupted), "call {at}, {how:?}: {error}");
                failed(at, error.report().to_string());
            }
        }
        if !faults.met() {
            return at - 1;
        }
    }
    unreachable!()
}

/// The same for an operation that needs almost every call. The results of the others only save further calls.
fn each_call_names_its_cause<T: PartialEq>(operation: impl Fn(&Arc<Faults>) -> Result<T, Error>, least: u64) {
    let expected = operation(&Faults::new(u64::MAX, How::Short)).unwrap_or_else(|error| panic!("{error}"));
    for error in [EIO, EACCES, ENOSPC] {
        let mut failures = 0;
        let calls = each_call(How::Error(error), &operation, &expected, |at, text| {
            assert!(text.contains(&text_of(error)), "call {at}: {text}");
            failures += 1;
        });
        assert!(calls >= least && failures * 10 >= calls * 9, "{calls} calls, {failures} failures");
    }
    for how in [How::Short, How::Interrupted] {
        each_call(how, &operation, &expected, |_, _| {});
    }
}

#[test]
fn streams() {
    let plain = testdata::ramp(50_000, 4, 5);
    for offsets in [true, false] {
        let options = PackOptions::new().chunk_size(16 << 10).threads(Threads::Serial).offsets(offsets);
        let packed = pack_bytes(&plain, &options).unwrap();
        for size in [Some(plain.len() as u64), None] {
            let pack = |input: &mut dyn std::io::Read, output: &mut dyn std::io::Write| {
                pack(Source::reader(input).size(size), Sink::writer(output), &options).map(drop)
            };
            let read = |faults: &Arc<Faults>| {
                let mut output = Vec::new();
                pack(&mut Faulty::new(plain.as_slice(), faults), &mut output).map(|()| output)
            };
            let write = |faults: &Arc<Faults>| {
                let mut output = Faulty::new(Vec::new(), faults);
                pack(&mut plain.as_slice(), &mut output).map(|()| output.inner)
            };
            each_call_names_its_cause(read, 4);
            each_call_names_its_cause(write, 2);
            // The source is shorter than before. Without a known size, that is its end.
            if size.is_some() {
                let calls = each_call(How::Shrunk, read, &packed, |at, text| {
                    assert!(text.contains("but its size was 50000"), "call {at}: {text}");
                });
                assert!(calls >= 4);
            }
        }
        let unpack = |faults: &Arc<Faults>| {
            let mut output = Vec::new();
            bloscpack_io::unpack(
                Source::reader(Faulty::new(packed.as_slice(), faults)),
                Sink::writer(&mut output),
                &serial(),
            )
            .map(|_| output)
        };
        each_call_names_its_cause(unpack, 8);
        each_call(How::Shrunk, unpack, &plain, |at, text| {
            assert!(
                text.contains("truncated") || text.contains("not a Blosc file") || text.contains("needs"),
                "{at}: {text}"
            );
        });
        let write = |faults: &Arc<Faults>| {
            let mut output = Faulty::new(Vec::new(), faults);
            bloscpack_io::unpack(Source::reader(packed.as_slice()), Sink::writer(&mut output), &serial())
                .map(|_| output.inner)
        };
        each_call_names_its_cause(write, 4);
        each_call_names_its_cause(
            |faults| bloscpack_io::verify(Source::reader(Faulty::new(packed.as_slice(), faults)), &serial()).map(drop),
            8,
        );
    }
}

/// Pushes bytes in pieces that are not whole chunks. A writer that failed stays failed.
fn push<W: Write>(mut writer: PackWriter<W>, plain: &[u8]) -> Result<(), Error> {
    for piece in plain.chunks(7000) {
        if let Err(error) = writer.write_all(piece) {
            assert!(writer.write_all(piece).is_err() && writer.flush().is_err() && writer.finish().is_err());
            return Err(error.into());
        }
    }
    writer.finish().map(drop)
}

#[test]
fn pushed_bytes() {
    let plain = testdata::ramp(50_000, 4, 5);
    let size = plain.len() as u64;
    for offsets in [true, false] {
        let options = PackOptions::new().chunk_size(16 << 10).threads(Threads::Serial).offsets(offsets);
        for known in [Some(size), None] {
            let write = |faults: &Arc<Faults>| {
                let mut output = Faulty::new(Vec::new(), faults);
                push(PackWriter::new(&mut output, known, &options)?, &plain)?;
                Ok(output.inner)
            };
            each_call_names_its_cause(write, 3);
        }
        let seek = |faults: &Arc<Faults>| {
            let mut output = Faulty::new(Cursor::new(Vec::new()), faults);
            push(PackWriter::seekable(&mut output, size, &options)?, &plain)?;
            Ok(output.inner.into_inner())
        };
        each_call_names_its_cause(seek, 5);
    }
}

/// Calls all reading functions of an archive.
fn read_all<'a>(source: impl Into<Input<'a>>) -> Result<Vec<Vec<u8>>, Error> {
    let archive = Archive::open(source)?;
    archive.verify(&serial())?;
    let mut all = Vec::new();
    archive.unpack(&mut all, &serial())?;
    let end = archive.nbytes();
    let mut found = vec![all, archive.read_range(end / 3..end / 2)?, archive.chunk(archive.nchunks() - 1)?];
    if let Some(array) = archive.array() {
        let stop: Vec<u64> = array.shape.iter().map(|len| len / 2).collect();
        let region = Region { start: vec![1; stop.len()], stop };
        found.push(archive.read_slice(&region)?);
    }
    Ok(found)
}

/// Reads everything in a source while one of its calls fails.
type Reading<'a> = dyn Fn(&Arc<Faults>) -> Result<Vec<Vec<u8>>, Error> + 'a;

#[test]
fn archives_on_sources_that_fail_or_shrink() {
    let packed = pack_bytes(&testdata::ramp(50_000, 4, 5), &PackOptions::new().chunk_size(16 << 10)).unwrap();
    let sparse = frame_of(FrameType::Sparse);
    let (frame, array) = (large_chunks().0, large_array().0);
    let sources: [(&str, &Reading<'_>); 4] = [
        ("bloscpack", &|faults| read_all(Faulty::new(packed.as_slice(), faults))),
        ("frame", &|faults| read_all(Faulty::new(frame.as_slice(), faults))),
        ("array", &|faults| read_all(Faulty::new(array.as_slice(), faults))),
        ("sparse frame", &|faults| {
            read_all(Input::sparse_frame(Faulty::new(&sparse, faults), Faulty::new(&sparse, faults)))
        }),
    ];
    for (name, read) in sources {
        each_call_names_its_cause(read, 8);
        let expected = read(&Faults::new(u64::MAX, How::Short)).unwrap();
        let mut failures = 0;
        each_call(How::Shrunk, read, &expected, |_, _| failures += 1);
        assert!(failures > 5, "{name}: {failures}");
    }
    let mut said = 0;
    let expected = read_all(frame.as_slice()).unwrap();
    each_call(How::Shrunk, sources[1].1, &expected, |_, text| said += u32::from(text.contains("became shorter")));
    assert!(said > 5, "{said}");
}

#[test]
fn directories_that_fail() {
    let (array, _) = bcolz(false);
    let read = |faults: &Arc<Faults>| read_all(Input::directory(Faulty::new(&array, faults)));
    let expected = read_all(Input::directory(&array)).unwrap();
    for error in [EIO, EACCES] {
        let mut failures = 0;
        each_call(How::Error(error), read, &expected, |at, text| {
            assert!(text.contains(&text_of(error)), "call {at}: {text}");
            failures += 1;
        });
        assert!(failures > 10, "{failures}");
        // An access error must not be reported as another kind of directory.
        each_call(
            How::Error(error),
            |faults| Root::open(Faulty::new(&array, faults)).map(drop),
            &(),
            |at, text| {
                assert!(text.contains(&text_of(error)), "call {at}: {text}");
            },
        );
    }
}

fn frame_of(frame_type: FrameType) -> MemoryFrame {
    let mut frame = FrameWriter::start(MemoryFrame::new(frame_type), FrameParams::new(4)).unwrap();
    for start in 0..4 {
        frame.append(&testdata::ramp(4000, 4, start + 2)).unwrap();
    }
    frame.set_vlmetalayer("note", b"old").unwrap();
    frame.commit().unwrap();
    frame.into_store()
}

fn content(store: &MemoryFrame) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let archive = Archive::open(store.input()).unwrap();
    archive.verify(&serial()).unwrap();
    let chunks = (0..archive.nchunks()).map(|chunk| archive.chunk(chunk).unwrap()).collect();
    (chunks, archive.vlmetalayer("note").unwrap())
}

type FrameEdit = fn(&mut FrameWriter<Faulty<MemoryFrame>>) -> Result<(), Error>;

const FRAME_EDITS: [(&str, FrameEdit); 7] = [
    ("append", |frame| frame.append(&testdata::noise(4000, 1)).and_then(|()| frame.append(&testdata::noise(400, 2)))),
    ("stream", |frame| {
        let (plain, cancel) = (testdata::noise(9000, 1), Cancel::new());
        frame.append_stream(plain.as_slice(), None, &Threads::Serial, &cancel).map(drop)
    }),
    ("insert", |frame| frame.insert(1, &testdata::noise(4000, 3))),
    ("update", |frame| frame.update(2, &testdata::noise(4000, 4))),
    ("delete", |frame| frame.delete(0)),
    ("special", |frame| frame.append_special(Special::Zeros, 4000)),
    ("vlmetalayer", |frame| frame.set_vlmetalayer("note", &testdata::noise(900, 5))),
];

/// A disk that is full or fails: the frame is the old one or the new one, and nothing remains of a failed edit.
#[test]
fn frames_edited_on_stores_that_fail() {
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let old = frame_of(frame_type);
        for (name, edit) in FRAME_EDITS {
            let run = |faults: &Arc<Faults>| {
                match FrameWriter::with_store(Faulty::new(old.clone(), faults), &OpenOptions::new()) {
                    Ok(mut frame) => {
                        let done = edit(&mut frame).and_then(|()| frame.commit());
                        if done.is_err() && frame.frame().is_err() {
                            // A failed writer refuses further edits and changes nothing.
                            let again = frame.append_stream([1; 99].as_slice(), None, &Threads::Serial, &Cancel::new());
                            assert!(matches!((again, frame.commit()), (Err(_), Err(Error::EditFailed))));
                        }
                        (frame.into_store().inner, done)
                    }
                    // Opening only reads.
                    Err(error) => (old.clone(), Err(error)),
                }
            };
            let new = content(&run(&Faults::new(u64::MAX, How::Short)).0);
            for how in [How::Error(EIO), How::Full(ENOSPC)] {
                let (mut untouched, mut at) = (0, 0);
                loop {
                    at += 1;
                    let faults = Faults::new(at, how);
                    let (store, done) = run(&faults);
                    let (How::Error(error) | How::Full(error)) = how else { panic!() };
                    match done {
                        Ok(()) => assert!(content(&store) == new, "{frame_type:?}, {name}, call {at}"),
                        Err(failed) => {
                            assert!(
                                failed.report().to_string().contains(&text_of(error)),
                                "{name}, call {at}: {failed}"
                            );
                            let found = content(&store);
                            assert!(
                                found == new || found == content(&old),
                                "{frame_type:?}, {name}, call {at}, {how:?}"
                            );
                            untouched += u32::from(store == old);
                            // The space of the failed edit is free again.
                            assert!(found == new || how == How::Error(EIO) || store == old, "{name}, call {at}");
                        }
                    }
                    if !faults.met() {
                        break;
                    }
                }
                assert!(untouched > 2, "{frame_type:?}, {name}, {how:?}: {untouched} of {at}");
            }
        }
    }
}

/// A carray, or a ctable with two columns, and its content.
fn bcolz(is_table: bool) -> (MemoryDirectory, Vec<Vec<u8>>) {
    let disk = MemoryDirectory::new();
    let params = CarrayParams::new(Dtype::parse("int32").unwrap()).chunklen(10);
    let rows: Vec<u8> = (0..35u32).flat_map(u32::to_le_bytes).collect();
    if is_table {
        let mut table = CtableWriter::create_in(&disk, &[("a", params.clone()), ("b", params)]).unwrap();
        table.append(&[&rows, &rows]).unwrap();
        table.finish().unwrap();
    } else {
        let mut array = CarrayWriter::create_in(&disk, &params).unwrap();
        array.append(&rows).unwrap();
        array.finish().unwrap();
    }
    let rows = rows_of(&disk);
    (disk, rows)
}

/// The names and rows of a directory, which must be whole, and its attributes.
fn rows_of(disk: &MemoryDirectory) -> Vec<Vec<u8>> {
    let report = verify(disk, &serial()).unwrap();
    assert!(report.is_whole(), "{:?}", report.faults);
    match Root::open(disk).unwrap() {
        Root::Carray(array) => vec![array.read_all(&serial()).unwrap(), array.attrs().unwrap().to_bytes().unwrap()],
        Root::Ctable(table) => {
            let mut found = table.read_rows(0..table.len()).unwrap();
            found.extend(table.names().iter().map(|name| name.clone().into_bytes()));
            found.push(table.attrs().unwrap().to_bytes().unwrap());
            found
        }
    }
}

type BcolzEdit = fn(&Faulty<&MemoryDirectory>) -> Result<(), Error>;

const ONE: NonZeroU64 = NonZeroU64::MIN;

fn array(
    dir: &Faulty<&MemoryDirectory>,
    edit: impl FnOnce(&mut CarrayWriter<&dyn Directory>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut writer = CarrayWriter::with_directory(dir as &dyn Directory, &OpenOptions::new())?;
    edit(&mut writer)?;
    writer.flush()
}

fn table(
    dir: &Faulty<&MemoryDirectory>,
    edit: impl FnOnce(&mut CtableWriter<&dyn Directory>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut writer = CtableWriter::with_directory(dir as &dyn Directory, &OpenOptions::new())?;
    edit(&mut writer)?;
    writer.flush()
}

const ARRAY_EDITS: [(&str, BcolzEdit); 5] = [
    ("append", |dir| array(dir, |array| array.append(&[7; 100]))),
    ("assign", |dir| array(dir, |array| array.assign(3..25, ONE, &[1, 2, 3, 4]))),
    ("trim", |dir| array(dir, |array| array.trim(22))),
    ("grow", |dir| array(dir, |array| array.resize(70))),
    ("attrs", |dir| array(dir, |array| array.set_attr("a", Json::Int(1)).map(drop))),
];

const TABLE_EDITS: [(&str, BcolzEdit); 7] = [
    ("append", |dir| table(dir, |table| table.append(&[&[7; 100], &[8; 100]]))),
    ("assign", |dir| table(dir, |table| table.assign("b", 3..25, ONE, &[1, 2, 3, 4]))),
    ("trim", |dir| table(dir, |table| table.resize(13))),
    ("attrs", |dir| table(dir, |table| table.set_attr("a", Json::Int(1)).map(drop))),
    ("add", |dir| {
        let params = CarrayParams::new(Dtype::parse("int8").unwrap());
        table(dir, |table| table.add_column("c", None, &params, [5; 35].as_slice(), &Threads::Serial, &Cancel::new()))
    }),
    ("delete", |dir| table(dir, |table| table.delete_column("a", false))),
    ("rename", |dir| table(dir, |table| table.rename_column("a", "z"))),
];

/// Whatever fails, the state is the old or the new one. The next writer completes or rolls back the change.
#[test]
fn bcolz_edited_in_directories_that_fail() {
    let edits = ARRAY_EDITS.iter().map(|edit| (false, edit)).chain(TABLE_EDITS.iter().map(|edit| (true, edit)));
    for (is_table, (name, edit)) in edits {
        let (old_disk, old) = bcolz(is_table);
        let new_disk = old_disk.clone();
        edit(&Faulty::new(&new_disk, &Faults::new(u64::MAX, How::Short))).unwrap();
        let new = rows_of(&new_disk);
        for how in [How::Error(EIO), How::Full(ENOSPC)] {
            for at in 1.. {
                let (disk, faults) = (old_disk.clone(), Faults::new(at, how));
                let done = edit(&Faulty::new(&disk, &faults));
                let found = rows_of(&disk);
                let (How::Error(error) | How::Full(error)) = how else { panic!() };
                match done {
                    Ok(()) => assert!(found == new, "{name}, call {at}, {how:?}"),
                    Err(failed) => {
                        assert!(failed.report().to_string().contains(&text_of(error)), "{name}, call {at}: {failed}");
                        assert!(found == old || found == new, "{name}, call {at}, {how:?}");
                    }
                }
                // Without faults from here on.
                let nothing = Faults::new(u64::MAX, How::Short);
                let again = Faulty::new(&disk, &nothing);
                match is_table {
                    true => table(&again, |_| Ok(())).unwrap(),
                    false => array(&again, |_| Ok(())).unwrap(),
                }
                assert!(rows_of(&disk) == found, "{name}, call {at}: opening it changed it");
                let expected = if found == old { &old_disk } else { &new_disk };
                let names = |disk: &MemoryDirectory| -> Vec<String> { disk.files().into_keys().collect() };
                let is_appended = |name: &String| name.contains("data/") && found == old;
                let mut left = names(&disk);
                left.retain(|name| !names(expected).contains(name) && !is_appended(name));
                assert!(left.is_empty() && disk.list(STAGED_DIR).is_err(), "{name}, call {at}: {left:?}");
                if !faults.met() {
                    assert!(at > 4, "{name}: {at}");
                    break;
                }
            }
        }
    }
}
