//! Damaged carrays and ctables: the readable rows are copied, losses are reported, and the input is unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bloscpack_format::bcolz::Dtype;
use bloscpack_io::bcolz::{Carray, CarrayParams, CarrayWriter, Ctable, CtableWriter, LocalDirectory, Root, verify};
use bloscpack_io::{
    ConvertOptions, Error, Gaps, Limits, LocalSource, Lost, LostPart, PackOptions, RecoverOptions, RecoverReport, Sink,
    Source, Target, UnpackOptions, convert, pack, recover,
};

use crate::common::roots::{cases, name_of, write_to};

fn files(root: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.clone(), fs::read(&path).ok());
            dirs.extend(path.is_dir().then_some(path));
        }
    }
    found
}

/// An array of 23 rows of two bytes in chunks of 5: row `n` is `n, n + 100`.
fn array(root: &Path) -> Vec<u8> {
    let params = CarrayParams::new(Dtype::parse("uint8").unwrap()).atom_shape(&[2]).chunklen(5).dflt(9.into());
    let plain: Vec<u8> = (0..23).flat_map(|row| [row, row + 100]).collect();
    let mut writer = CarrayWriter::create(root, true, &params).unwrap();
    writer.append(&plain).unwrap();
    writer.set_attr("unit", "m".into()).unwrap();
    writer.finish().unwrap();
    plain
}

fn saved(root: &Path, gaps: Gaps) -> (RecoverReport, Vec<u8>, usize) {
    let (output, before) = (root.with_extension("saved"), files(root));
    let report = recover(root, &output, &RecoverOptions::new().overwrite(true).gaps(gaps)).unwrap();
    assert_eq!(files(root), before, "what is damaged was touched");
    let dir = LocalDirectory::open(&output).unwrap();
    let checked = verify(&dir, &UnpackOptions::new()).unwrap();
    assert!(checked.is_whole(), "{:?}", checked.faults);
    let carray = Carray::open(dir).unwrap();
    assert_eq!(Some(carray.len()), report.rows);
    assert_eq!(report.nbytes, carray.nbytes());
    let rows = carray.read_rows(0..carray.len()).unwrap();
    (report, rows, carray.attrs().unwrap().len())
}

fn told(report: &RecoverReport) -> Vec<String> {
    report.lost.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_whole_is_copied_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a");
    let plain = array(&root);
    let (report, rows, attrs) = saved(&root, Gaps::Trim);
    assert_eq!((told(&report), rows, attrs), (vec![], plain, 1));
    let same = recover(&root, &root, &RecoverOptions::new().overwrite(true));
    assert!(matches!(same, Err(Error::InputReplaced { .. })));
    let below = recover(&root, &root.join("saved"), &RecoverOptions::new());
    assert!(matches!(below, Err(Error::InputReplaced { .. })));
    let there = recover(&root, &root.with_extension("saved"), &RecoverOptions::new());
    assert!(matches!(there, Err(Error::OutputExists(_))));
}

/// A column is not recovered to the path of its table, nor a file converted to the path of its directory: replacing the
/// output would delete the input.
#[test]
fn nothing_takes_the_place_of_what_it_is_in() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("table.bcolz");
    let case = cases(None).iter().find(|case| case["kind"] == "ctable" && case["expect"] == "ok").unwrap().clone();
    write_to(name_of(&case), &table);
    let column = Ctable::open(LocalDirectory::open(&table).unwrap()).unwrap().names()[0].clone();
    let before = files(&table);
    let recovered = recover(&table.join(&column), &table, &RecoverOptions::new().overwrite(true));
    assert!(matches!(recovered, Err(Error::InputReplaced { .. })), "{recovered:?}");
    assert!(files(&table) == before);
    let inside = table.join("plain.blp");
    pack(Source::bytes(b"plain"), Sink::file(&inside), &PackOptions::new()).unwrap();
    let before = files(&table);
    let options = ConvertOptions::new().overwrite(true);
    let converted = convert(LocalSource::open(&inside).unwrap(), &table, Target::Bcolz, &options);
    assert!(matches!(converted, Err(Error::InputReplaced { .. })), "{converted:?}");
    assert!(files(&table) == before);
}

#[test]
fn a_chunk_that_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a");
    let plain = array(&root);
    let chunk = root.join("data/__2.blp");
    fs::write(&chunk, &fs::read(&chunk).unwrap()[..30]).unwrap();
    let (report, rows, _) = saved(&root, Gaps::Trim);
    assert_eq!(rows, plain[..20]);
    let [cut, after] = &report.lost[..] else { panic!("{report:?}") };
    assert!(matches!(&cut.part, LostPart::Rows { chunk: 2, rows, filled: false, .. } if *rows == (10..15)), "{cut}");
    assert_eq!(after.to_string(), "rows 15..23 after a lost chunk are left out");
    let (report, rows, _) = saved(&root, Gaps::Fill);
    assert_eq!(rows, [&plain[..20], &[9; 10], &plain[30..]].concat());
    assert!(told(&report)[0].starts_with("rows 10..15 of chunk 2 have the default value now: "), "{:?}", told(&report));
    assert_eq!(report.lost.len(), 1);
}

#[test]
fn metadata_that_are_lost() {
    let dir = tempfile::tempdir().unwrap();
    for (name, sizes) in [("missing", None), ("empty", Some(""))] {
        let root = dir.path().join(name);
        let plain = array(&root);
        match sizes {
            Some(text) => fs::write(root.join("meta/sizes"), text).unwrap(),
            None => fs::remove_file(root.join("meta/sizes")).unwrap(),
        }
        fs::write(root.join("__attrs__"), "{\"unit\"").unwrap();
        let (report, rows, attrs) = saved(&root, Gaps::Trim);
        assert_eq!((rows, attrs, report.rows), (plain.clone(), 0, Some(23)));
        let what: Vec<&LostPart> = report.lost.iter().map(|lost| &lost.part).collect();
        let [LostPart::Attributes, LostPart::RowCount, LostPart::RowShape { atom_shape }] = &what[..] else {
            panic!("{report:?}")
        };
        assert_eq!(*atom_shape, [2]);
        // If the first chunk is damaged, the next one gives the shape of a row.
        let first = fs::read(root.join("data/__0.blp")).unwrap();
        for damaged in [&first[..20], &[&first[..24], &[0, 0, 0, 1], &first[28..]].concat()] {
            fs::write(root.join("data/__0.blp"), damaged).unwrap();
            assert_eq!(saved(&root, Gaps::Fill).1, [&[9; 10], &plain[10..]].concat());
        }
        fs::write(root.join("data/__0.blp"), first).unwrap();
        fs::remove_file(root.join("data/__3.blp")).unwrap();
        assert_eq!(saved(&root, Gaps::Fill).0.rows, Some(15));
        fs::remove_file(root.join("meta/storage")).unwrap();
        let output = dir.path().join("none");
        let refused = recover(&root, &output, &RecoverOptions::new());
        assert!(matches!(refused, Err(Error::NotBcolz { .. } | Error::InFile { .. })), "{refused:?}");
        assert!(!output.exists());
    }
}

#[test]
fn chunk_files_that_are_gone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a");
    let plain = array(&root);
    fs::remove_file(root.join("data/__3.blp")).unwrap();
    fs::remove_file(root.join("data/__4.blp")).unwrap();
    for gaps in [Gaps::Trim, Gaps::Fill] {
        let (report, rows, _) = saved(&root, gaps);
        assert_eq!((rows, told(&report)), (plain[..30].to_vec(), vec!["rows 15..23 are lost: no chunk files".into()]));
    }
}

/// A file name can imply any number of lost chunks. The memory of the report is bounded, over all columns.
#[test]
fn more_lost_chunks_than_can_be_reported() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a");
    array(&root);
    fs::rename(root.join("data/__1.blp"), root.join("data/__99.blp")).unwrap();
    let sizes = fs::read_to_string(root.join("meta/sizes")).unwrap();
    fs::write(root.join("meta/sizes"), sizes.replace("23", "500")).unwrap();
    let saved = |unearned: usize| {
        let (limits, output) = (Limits::new().max_unearned(unearned), dir.path().join("saved"));
        recover(&root, &output, &RecoverOptions::new().overwrite(true).gaps(Gaps::Fill).limits(limits))
    };
    assert_eq!(saved(5_000).map(drop).unwrap_err().over_limit().unwrap().raise, "max_unearned");
    assert!(!dir.path().join("saved").exists());
    assert_eq!(saved(1 << 20).unwrap().lost.len(), 96);
}

#[test]
fn tables_end_where_the_shortest_column_does() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("t");
    let u1 = CarrayParams::new(Dtype::parse("uint8").unwrap()).chunklen(4);
    let mut table = CtableWriter::create(&root, false, &[("z", u1.clone()), ("a", u1.clone()), ("m", u1)]).unwrap();
    let plain: Vec<u8> = (0..18).collect();
    table.append(&[&plain, &plain, &plain]).unwrap();
    table.set_attr("n", 1.into()).unwrap();
    table.finish().unwrap();
    fs::write(root.join("a/data/__3.blp"), "blpk").unwrap();
    fs::remove_file(root.join("m/meta/storage")).unwrap();
    let output = dir.path().join("saved");
    let report = recover(&root, &output, &RecoverOptions::new()).unwrap();
    assert_eq!((report.rows, report.columns.as_slice()), (Some(12), &["z".to_owned(), "a".to_owned()][..]));
    let of =
        |column: &str| report.lost.iter().filter(|lost| lost.column.as_deref() == Some(column)).collect::<Vec<_>>();
    assert!(matches!(of("m")[..], [Lost { part: LostPart::Column, .. }]), "{report:?}");
    assert!(matches!(of("a")[..], [Lost { part: LostPart::Rows { chunk: 3, .. }, .. }, _]), "{report:?}");
    assert_eq!(of("z")[0].part, LostPart::SurplusRows { rows: 12..18 });
    let saved = Ctable::open(LocalDirectory::open(&output).unwrap()).unwrap();
    assert_eq!(saved.read_rows(0..12).unwrap(), [&plain[..12], &plain[..12]]);
    assert_eq!(saved.attrs().unwrap().len(), 1);
    // The list of columns is also missing.
    fs::remove_file(root.join("__rootdirs__")).unwrap();
    let report = recover(&root, &output, &RecoverOptions::new().overwrite(true)).unwrap();
    assert_eq!(report.columns, ["a", "z"]);
    assert!(report.lost[0].part == LostPart::ColumnList);
}

/// Every damaged directory of the golden set gives a readable copy or an error.
#[test]
fn golden_damage() {
    let dir = tempfile::tempdir().unwrap();
    let (mut saved, mut refused) = (0, 0);
    for case in cases(None).iter().filter(|case| case["expect"] == "error") {
        let name = name_of(case);
        let (root, output) = (dir.path().join(name), dir.path().join("saved"));
        write_to(name, &root);
        fs::create_dir_all(&root).unwrap();
        for gaps in [Gaps::Trim, Gaps::Fill] {
            if gaps == Gaps::Fill && name.contains("shape") {
                // Filling would write the number of rows that the sizes state.
                continue;
            }
            match recover(&root, &output, &RecoverOptions::new().gaps(gaps)) {
                Ok(report) => {
                    assert!(!report.lost.is_empty(), "{name}: nothing is lost?");
                    let checked = verify(&LocalDirectory::open(&output).unwrap(), &UnpackOptions::new()).unwrap();
                    assert!(checked.is_whole(), "{name}: {:?}", checked.faults);
                    assert!(Root::open(LocalDirectory::open(&output).unwrap()).is_ok());
                    fs::remove_dir_all(&output).unwrap();
                    saved += 1;
                }
                Err(_) => refused += 1,
            }
            assert!(!output.exists());
        }
    }
    assert!(saved > 30 && refused > 10, "{saved} {refused}");
}
