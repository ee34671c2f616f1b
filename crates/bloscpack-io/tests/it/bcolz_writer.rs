//! Carrays and ctables that are created and changed: reading returns what was written. A process that is killed at any
//! moment leaves the state of the last flush or of the next.

use std::num::NonZeroU64;

use bloscpack_format::Json;
use bloscpack_format::bcolz::{Dtype, JOURNAL_FILE, Shuffle};
use bloscpack_io::bcolz::{
    Carray, CarrayParams, CarrayWriter, Ctable, CtableWriter, Directory, LocalDirectory, MemoryDirectory, Root, verify,
};
use bloscpack_io::{Cancel, Error, OpenOptions, ReadDirectory, Threads, UnpackOptions};
use testdata::SplitMix64;

use crate::common::crash::crashes;
use crate::common::recording::Recording;
use crate::common::roots::{cases, golden, name_of, write_to};

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

fn step(step: u64) -> NonZeroU64 {
    NonZeroU64::new(step).unwrap()
}

type Attrs = Vec<(String, Json)>;

fn attrs_of(attrs: &bloscpack_format::bcolz::Attrs) -> Attrs {
    attrs.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// A model of an array: the atoms of its rows.
#[derive(Debug, Clone, PartialEq, Default)]
struct Array {
    rows: Vec<Vec<u8>>,
    atomsize: usize,
    dflt: Vec<u8>,
    attrs: Attrs,
}

impl Array {
    fn of<D: ReadDirectory>(carray: &Carray<D>, dflt: &[u8]) -> Array {
        let atomsize = carray.rows().atomsize() as usize;
        let rows = carray.read_all(&serial()).unwrap().chunks(atomsize).map(<[u8]>::to_vec).collect();
        Array { rows, atomsize, dflt: dflt.to_vec(), attrs: attrs_of(carray.attrs().unwrap()) }
    }

    fn some_rows(&self, rng: &mut SplitMix64, count: usize) -> Vec<u8> {
        let start = rng.next_u64() as u32;
        (start..).flat_map(u32::to_le_bytes).take(count * self.atomsize).collect()
    }

    fn append(&mut self, rows: &[u8]) {
        self.rows.extend(rows.chunks(self.atomsize).map(<[u8]>::to_vec));
    }

    fn resize(&mut self, len: usize) {
        self.rows.resize(len, self.dflt.clone());
    }

    fn assign(&mut self, start: usize, stop: usize, step: usize, rows: &[u8]) {
        let mut atoms = rows.chunks(self.atomsize).cycle();
        for row in (start..stop).step_by(step) {
            self.rows[row] = atoms.next().unwrap().to_vec();
        }
    }
}

fn read_array(dir: &MemoryDirectory, dflt: &[u8]) -> Array {
    let report = verify(dir, &serial()).unwrap();
    assert!(report.is_whole(), "{:?}", report.faults);
    Array::of(&Carray::open(dir).unwrap(), dflt)
}

fn some_slice(rng: &mut SplitMix64, len: usize) -> (usize, usize, usize) {
    let start = rng.below(len + 1);
    let most = 1 + rng.below(9);
    (start, start + rng.below(len - start + 1), 1 + rng.below(most))
}

fn change<D: Directory>(writer: &mut CarrayWriter<D>, model: &mut Array, rng: &mut SplitMix64) {
    let len = model.rows.len();
    match rng.below(8) {
        0 | 1 => {
            let count = rng.below(12);
            let rows = model.some_rows(rng, count);
            writer.append(&rows).unwrap();
            model.append(&rows);
        }
        2 => {
            let count = rng.below(25);
            let rows = model.some_rows(rng, count);
            let found = writer.append_stream(rows.as_slice(), &Threads::Serial, &Cancel::new()).unwrap();
            assert_eq!(found, count as u64);
            model.append(&rows);
        }
        3 => {
            let len = rng.below(len + 1);
            writer.resize(len as u64).unwrap();
            model.resize(len);
        }
        4 => {
            let more = rng.below(15);
            writer.resize((len + more) as u64).unwrap();
            model.resize(len + more);
        }
        5 | 6 => {
            let (start, stop, by) = some_slice(rng, len);
            let count = if rng.below(3) == 0 { 1 } else { (stop - start).div_ceil(by) };
            let rows = model.some_rows(rng, count);
            writer.assign(start as u64..stop as u64, step(by as u64), &rows).unwrap();
            if start < stop {
                model.assign(start, stop, by, &rows);
            }
        }
        _ => {
            let value = Json::Int(rng.below(1000) as i64);
            if rng.below(3) == 0 && !model.attrs.is_empty() {
                let (name, old) = model.attrs.remove(0);
                assert_eq!(writer.remove_attr(&name).unwrap(), Some(old));
            } else {
                let name = format!("a{}", rng.below(4));
                writer.set_attr(&name, value.clone()).unwrap();
                match model.attrs.iter_mut().find(|(found, _)| *found == name) {
                    Some((_, place)) => *place = value,
                    None => model.attrs.push((name, value)),
                }
            }
        }
    }
    assert_eq!(writer.len(), model.rows.len() as u64);
}

/// Checks a state that a crash may leave, as a reader and as the next writer.
fn survives<T: PartialEq + std::fmt::Debug>(
    disk: &MemoryDirectory,
    end: bool,
    (before, after): (&T, &T),
    read: impl Fn(&MemoryDirectory) -> T,
    reopen: impl Fn(&MemoryDirectory),
) -> bool {
    let found = read(disk);
    assert!(found == *before || found == *after, "neither the old nor the new state: {found:?}\n{before:?}\n{after:?}");
    assert!(!end || found == *after, "all is done, but not the change");
    reopen(disk);
    assert!(read(disk) == found, "the next writer sees something else than a reader");
    for path in disk.files().keys() {
        assert!(!path.contains("__staged__") && !path.contains(JOURNAL_FILE), "{path} is left");
    }
    found == *after
}

const ARRAYS: [(&str, &[u64], &str, &[u8]); 3] = [
    ("int32", &[], "7", &[7, 0, 0, 0]),
    ("|S3", &[2], "\"ab\"", b"ab\0ab\0"),
    ("float64", &[], "NaN", &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
];

#[test]
fn an_array_killed_at_any_moment_is_the_old_or_the_new_one() {
    let mut rng = SplitMix64::new(71);
    let (mut states, mut journals) = (0, 0);
    for (dtype, atom_shape, dflt, atom) in ARRAYS {
        let params = CarrayParams::new(Dtype::parse(dtype).unwrap()).atom_shape(atom_shape).chunklen(5);
        let params = params.dflt(Json::parse(dflt).unwrap());
        let disk = Recording::new();
        let mut model = Array { atomsize: atom.len(), dflt: atom.to_vec(), ..Array::default() };
        CarrayWriter::create_in(&disk, &params).unwrap();
        let _ops = disk.take_ops();
        for _ in 0..25 {
            let (old, before) = (disk.dir.clone(), model.clone());
            let mut writer = CarrayWriter::with_directory(&disk, &OpenOptions::new()).unwrap();
            for _ in 0..1 + rng.below(3) {
                change(&mut writer, &mut model, &mut rng);
            }
            writer.flush().unwrap();
            let done = disk.take_ops();
            journals += u32::from(format!("{done:?}").contains(JOURNAL_FILE));
            assert_eq!(read_array(&disk.dir, atom), model);
            let mut committed = false;
            crashes(&old, &done, &mut rng, |disk, end| {
                states += 1;
                let reopen =
                    |disk: &MemoryDirectory| drop(CarrayWriter::with_directory(disk, &OpenOptions::new()).unwrap());
                committed |= survives(disk, end, (&before, &model), |disk| read_array(disk, atom), reopen);
            });
            assert!(committed);
            drop(writer);
            // Unflushed changes are lost.
            let mut writer = CarrayWriter::with_directory(&disk, &OpenOptions::new()).unwrap();
            change(&mut writer, &mut model.clone(), &mut rng);
            drop(writer);
            assert_eq!(read_array(&disk.dir, atom), model);
            let _ops = disk.take_ops();
        }
    }
    assert!(states > 3000 && journals > 20, "{states} {journals}");
}

/// A model of a table.
#[derive(Debug, Clone, PartialEq, Default)]
struct Table {
    names: Vec<String>,
    columns: Vec<Array>,
    attrs: Attrs,
}

fn read_table(dir: &MemoryDirectory) -> Table {
    let report = verify(dir, &serial()).unwrap();
    assert!(report.is_whole(), "{:?}", report.faults);
    let table = Ctable::open(dir).unwrap();
    let columns = table.columns().iter().map(|column| {
        let atomsize = column.rows().atomsize() as usize;
        Array::of(column, &vec![0; atomsize])
    });
    Table { names: table.names().to_vec(), columns: columns.collect(), attrs: attrs_of(table.attrs().unwrap()) }
}

fn change_table<D: Directory>(writer: &mut CtableWriter<D>, model: &mut Table, rng: &mut SplitMix64) {
    let len = model.columns.first().map_or(0, |column| column.rows.len());
    let any = |rng: &mut SplitMix64| model.names[rng.below(model.names.len())].clone();
    match rng.below(7) {
        0..=2 => {
            let count = rng.below(12);
            let rows: Vec<Vec<u8>> = model.columns.iter().map(|column| column.some_rows(rng, count)).collect();
            if rng.below(2) == 0 {
                writer.append(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
            } else {
                let inputs = rows.iter().map(Vec::as_slice);
                writer.append_streams(inputs, &Threads::Serial, &Cancel::new()).unwrap();
            }
            model.columns.iter_mut().zip(&rows).for_each(|(column, rows)| column.append(rows));
        }
        3 => {
            let len = rng.below(len + 10);
            writer.resize(len as u64).unwrap();
            model.columns.iter_mut().for_each(|column| column.resize(len));
        }
        4 => {
            let (name, (start, stop, by)) = (any(rng), some_slice(rng, len));
            let column = model.columns.iter_mut().zip(&model.names).find(|(_, found)| **found == name).unwrap().0;
            let rows = column.some_rows(rng, (stop - start).div_ceil(by));
            writer.assign(&name, start as u64..stop as u64, step(by as u64), &rows).unwrap();
            if start < stop {
                column.assign(start, stop, by, &rows);
            }
        }
        5 => {
            let name = any(rng);
            let column = model.columns.iter_mut().zip(&model.names).find(|(_, found)| **found == name).unwrap().0;
            let value = Json::Int(rng.below(1000) as i64);
            writer.set_column_attr(&name, "x", Some(value.clone())).unwrap();
            column.attrs = vec![("x".into(), value)];
        }
        _ => {
            let value = Json::Int(rng.below(1000) as i64);
            writer.set_attr("last_row", value.clone()).unwrap();
            model.attrs = vec![("last_row".into(), value)];
        }
    }
    assert_eq!(writer.len(), model.columns.first().map_or(0, |column| column.rows.len() as u64));
}

fn restructure<D: Directory>(writer: &mut CtableWriter<D>, model: &mut Table, rng: &mut SplitMix64, round: u32) {
    let at = rng.below(model.names.len());
    let name = format!("n{round}");
    match rng.below(3) {
        0 => {
            let params = CarrayParams::new(Dtype::parse("int16").unwrap()).chunklen(4);
            let len = model.columns[0].rows.len();
            let mut column = Array { atomsize: 2, dflt: vec![0; 2], ..Array::default() };
            let rows = column.some_rows(rng, len);
            writer.add_column(&name, Some(at), &params, rows.as_slice(), &Threads::Serial, &Cancel::new()).unwrap();
            column.append(&rows);
            model.names.insert(at, name);
            model.columns.insert(at, column);
        }
        1 if model.names.len() > 1 => {
            writer.delete_column(&model.names[at].clone(), rng.below(4) == 0).unwrap();
            model.names.remove(at);
            model.columns.remove(at);
        }
        _ => {
            writer.rename_column(&model.names[at].clone(), &name).unwrap();
            model.names[at] = name;
        }
    }
    assert_eq!(writer.names(), model.names);
}

fn bars() -> Vec<(&'static str, CarrayParams)> {
    let params = |dtype: &str, chunklen| CarrayParams::new(Dtype::parse(dtype).unwrap()).chunklen(chunklen);
    vec![
        ("open", params("uint32", 4)),
        ("close", params("|S3", 7)),
        ("data", params("float64", 3).shuffle(Shuffle::Bit)),
    ]
}

#[test]
fn a_table_killed_at_any_moment_is_the_old_or_the_new_one() {
    let mut rng = SplitMix64::new(72);
    let mut states = 0;
    let disk = Recording::new();
    drop(CtableWriter::create_in(&disk, &bars()).unwrap());
    let _ops = disk.take_ops();
    let mut model = read_table(&disk.dir);
    assert_eq!(model.names, ["open", "close", "data"]);
    for round in 0..36 {
        let (old, before) = (disk.dir.clone(), model.clone());
        let mut writer = CtableWriter::with_directory(&disk, &OpenOptions::new()).unwrap();
        if round % 3 == 2 {
            restructure(&mut writer, &mut model, &mut rng, round);
        } else {
            for _ in 0..1 + rng.below(3) {
                change_table(&mut writer, &mut model, &mut rng);
            }
            writer.flush().unwrap();
        }
        let done = disk.take_ops();
        assert_eq!(read_table(&disk.dir), model);
        let mut committed = false;
        crashes(&old, &done, &mut rng, |disk, end| {
            states += 1;
            let reopen =
                |disk: &MemoryDirectory| drop(CtableWriter::with_directory(disk, &OpenOptions::new()).unwrap());
            committed |= survives(disk, end, (&before, &model), read_table, reopen);
        });
        assert!(committed);
        drop(writer);
        let _ops = disk.take_ops();
    }
    assert!(states > 4000, "{states}");
}

#[test]
fn what_is_being_made_is_not_there_or_whole() {
    let mut rng = SplitMix64::new(73);
    let disk = Recording::new();
    let mut writer = CtableWriter::create_in(&disk, &bars()).unwrap();
    let (empty, mut model) = (read_table(&disk.dir), read_table(&disk.dir));
    let rows: Vec<Vec<u8>> = model.columns.iter().map(|column| column.some_rows(&mut rng, 30)).collect();
    writer.append(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    model.columns.iter_mut().zip(&rows).for_each(|(column, rows)| column.append(rows));
    writer.flush().unwrap();
    let (mut absent, mut found_empty) = (0, 0);
    crashes(&MemoryDirectory::new(), &disk.take_ops(), &mut rng, |disk, end| match Root::open(disk) {
        Ok(Root::Ctable(_)) => {
            let found = read_table(disk);
            found_empty += u32::from(found == empty);
            assert!(found == model || found == empty && !end);
        }
        Err(Error::NotBcolz { .. }) => absent += 1,
        other => panic!("{other:?}"),
    });
    assert!(absent > 20 && found_empty > 5, "{absent} {found_empty}");
}

/// Every dtype of the golden set is read, rewritten and read again. The directories that bcolz wrote are appended to.
#[test]
fn what_bcolz_wrote_is_written_anew_and_appended_to() {
    let dir = tempfile::tempdir().unwrap();
    let (mut written, mut refused) = (0, 0);
    for case in cases(None).iter().filter(|case| case["expect"] != "error" && case["kind"] == "carray") {
        let name = name_of(case);
        let carray = Carray::open(golden(name)).unwrap();
        let Ok(plain) = carray.read_all(&serial()) else { continue };
        let (root, dtype) = (dir.path().join(name), carray.dtype());
        let params = CarrayParams::new(dtype.clone()).atom_shape(&carray.shape()[1..]).chunklen(carray.chunklen());
        let mut cparams = carray.cparams().clone();
        cparams.quantize = 0;
        let params = params.cparams(cparams).dflt(carray.dflt().clone());
        std::fs::create_dir_all(root.parent().unwrap()).unwrap();
        match CarrayWriter::create(&root, false, &params) {
            Ok(mut writer) => {
                writer.append_stream(plain.as_slice(), &Threads::Ambient, &Cancel::new()).unwrap();
                assert!(!root.exists());
                writer.finish().unwrap();
                let anew = Carray::open(LocalDirectory::open(&root).unwrap()).unwrap();
                assert!(anew.read_all(&serial()).unwrap() == plain, "{name}");
                assert_eq!(
                    (anew.shape(), anew.dtype(), anew.dflt().dumps()),
                    (carray.shape(), dtype, carray.dflt().dumps())
                );
                written += 1;
            }
            Err(error) => {
                assert!(!dtype.is_readable_by_bcolz() || carray.cparams().codec().is_none(), "{name}: {error}");
                refused += 1;
            }
        }
        // The same rows after those that bcolz wrote.
        let root = dir.path().join("appended").join(name);
        write_to(name, &root);
        let mut writer = CarrayWriter::open(&root).unwrap();
        if carray.attrs().is_err() {
            continue;
        }
        let quantized = carray.cparams().quantize > 0;
        if carray.cparams().codec().is_none() {
            assert!(matches!(writer.append(&plain), Err(Error::CarrayParams { .. })));
            continue;
        }
        writer.append(&plain).unwrap();
        writer.finish().unwrap();
        let found = Carray::open(LocalDirectory::open(&root).unwrap()).unwrap();
        let report = verify(found.directory(), &serial()).unwrap();
        assert!(report.is_whole(), "{name}: {:?}", report.faults);
        let expected = [plain.as_slice(), plain.as_slice()].concat();
        assert!(quantized || found.read_all(&serial()).unwrap() == expected, "{name}");
        assert_eq!(found.attrs().unwrap().to_bytes().unwrap(), carray.attrs().unwrap().to_bytes().unwrap(), "{name}");
    }
    assert!(written > 150 && refused < 20, "{written} {refused}");
}

#[test]
fn objects_are_trimmed_and_not_appended_to() {
    let name = cases(None)
        .iter()
        .find(|case| case["dtype"] == "object" && case["expect"] != "error")
        .map(|case| name_of(case).to_owned());
    let disk = golden(&name.unwrap());
    let before = Carray::open(&disk).unwrap();
    let (len, first) = (before.len(), before.chunk(0).unwrap());
    let mut writer = CarrayWriter::with_directory(&disk, &OpenOptions::new()).unwrap();
    assert!(matches!(writer.append(b"12345678"), Err(Error::NotWritable { .. })));
    assert!(matches!(writer.resize(len + 1), Err(Error::NotWritable { .. })));
    assert!(matches!(writer.assign(0..1, step(1), b"12345678"), Err(Error::NotWritable { .. })));
    writer.resize(len).unwrap();
    writer.trim(len - 1).unwrap();
    writer.set_attr("a", Json::Null).unwrap();
    writer.flush().unwrap();
    let after = Carray::open(&disk).unwrap();
    assert_eq!((after.len(), after.chunk(0).unwrap()), (1, first));
    assert_eq!(disk.files().keys().filter(|path| path.starts_with("data/")).count(), 1);
}
