//! `convert` accepts arrays and tables: inputs are recognised by their content, options are checked against the target.

use std::fs;
use std::path::Path;

use bloscpack_format::checksum::Checksum;
use bloscpack_format::frame::FrameType;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_format::zarr::Version;
use bloscpack_format::{Format, Json};
use bloscpack_io::bcolz::{Carray, CarrayParams, Ctable, CtableWriter, LocalDirectory};
use bloscpack_io::blosc_core::{Auto, Codec, Goal, SplitMode};
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{
    Archive, Array, Cancel, ColumnFiles, ConvertOption, ConvertOptions, Error, ErrorKind, LocalSource, OpenOptions,
    Target, Threads, Typing, convert, convert_array, pack_bytes,
};

/// A table with two columns: `a` contains 18 numbers of one byte, `b` the same numbers in 16 bits.
fn table(root: &Path) {
    let params = |dtype: &str| CarrayParams::new(bloscpack_format::bcolz::Dtype::parse(dtype).unwrap()).chunklen(4);
    let columns = [("a", params("uint8")), ("b", params("uint16"))];
    let mut table = CtableWriter::create(root, false, &columns).unwrap();
    let wide: Vec<u8> = (0..18_u16).flat_map(u16::to_le_bytes).collect();
    table.append(&[&(0..18).collect::<Vec<u8>>(), &wide]).unwrap();
    table.set_attr("unit", "m".into()).unwrap();
    table.finish().unwrap();
}

/// Options with only this one set.
fn with(option: ConvertOption) -> ConvertOptions {
    let options = ConvertOptions::new();
    match option {
        ConvertOption::Column => options.column("a"),
        ConvertOption::ChunkSize => options.chunk_size(1000),
        ConvertOption::Chunkshape => options.chunkshape(vec![10]),
        ConvertOption::Blockshape => options.blockshape(vec![10]),
        ConvertOption::Blocksize => options.blocksize(1000),
        ConvertOption::Split => options.split(SplitMode::Never),
        ConvertOption::Dictionary => options.dictionary(true),
        ConvertOption::Checksum => options.checksum(Checksum::Md5),
        ConvertOption::Offsets => options.offsets(true),
        ConvertOption::MaxAppChunks => options.max_app_chunks(bloscpack_format::bloscpack::MaxAppChunks::default()),
        ConvertOption::Metadata => options.metadata(Json::Null),
        ConvertOption::MetadataArgs => options.metadata_args(bloscpack_format::bloscpack::MetadataArgs::new()),
        ConvertOption::ZarrFormat => options.zarr_format(Version::V2),
        ConvertOption::WriteEmptyChunks => options.write_empty_chunks(true),
        ConvertOption::Verify => options.verify(true),
        option => panic!("{option:?} is new"),
    }
}

#[test]
fn an_option_of_another_target_is_refused() {
    use ConvertOption::*;
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("f.blp"), dir.path().join("out"));
    fs::write(&input, pack_bytes(&[7; 5000], &bloscpack_io::PackOptions::new()).unwrap()).unwrap();
    let targets = [Target::Bloscpack, Target::Frame, Target::Array, Target::Npy, Target::Bcolz, Target::Zarr];
    let options = [
        ChunkSize,
        Chunkshape,
        Blockshape,
        Blocksize,
        Split,
        Dictionary,
        Checksum,
        Offsets,
        MaxAppChunks,
        Metadata,
        MetadataArgs,
        ZarrFormat,
        WriteEmptyChunks,
        Verify,
    ];
    for (option, target) in options.into_iter().flat_map(|option| targets.map(|target| (option, target))) {
        let converted = convert(LocalSource::open(&input).unwrap(), &output, target, &with(option).overwrite(true));
        match converted {
            Ok(_) => {
                assert!(target.has(option), "{option:?} {target:?}");
                if output.is_dir() { fs::remove_dir_all(&output) } else { fs::remove_file(&output) }.unwrap();
            }
            Err(error) => {
                assert!(!target.has(option) && !output.exists(), "{option:?} {target:?}: {}", error.report());
                assert_eq!(error.kind(), ErrorKind::InvalidInput);
                let Error::UnfitOption { option: found, target: of } = error else { panic!("{error}") };
                assert_eq!((found, of), (option, target));
            }
        }
    }
    let text = ConvertOption::Blockshape.check(Target::Npy).unwrap_err().to_string();
    assert_eq!(text, "the option blockshape does not apply to .npy");
    // Column files have the options of their format.
    assert!(Target::Columns(ColumnFiles::B2nd).has(Blockshape) && !Target::Columns(ColumnFiles::Npy).has(Blockshape));
    assert!(!Target::Columns(ColumnFiles::B2nd).has(Column) && Target::Csv.has(Column));
}

#[test]
fn names_stand_for_targets() {
    for (name, target) in [
        ("x.blp", Some(Target::Bloscpack)),
        ("x.b2f", Some(Target::Frame)),
        ("x.b2nd", Some(Target::Array)),
        ("x.csv", Some(Target::Csv)),
        ("x.zarr", Some(Target::Zarr)),
        ("x.txt", None),
        ("x", None),
    ] {
        assert_eq!(Target::of_name(name), target, "{name}");
    }
    let columns = Target::Columns(ColumnFiles::B2nd);
    for (name, target) in [
        ("x", Some(columns)),
        ("x.bcolz/", Some(columns)),
        ("x.bcolz", Some(Target::Bcolz)),
        ("x.csv", Some(Target::Csv)),
        ("x.zarr", Some(Target::Zarr)),
        ("x.npy", Some(Target::Npy)),
        ("x.txt", None),
    ] {
        assert_eq!(Target::of_table_name(name, ColumnFiles::B2nd), target, "{name}");
    }
    assert_eq!((Target::Frame.extensions(), columns.extension()), (&["b2frame", "b2f", "b2"][..], "b2nd"));
}

#[test]
fn tables_and_their_columns_go_through_one_verb() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    table(&at("t"));
    let go =
        |name: &str, target, options: &ConvertOptions| convert(LocalSource::open(at("t"))?, at(name), target, options);
    let all = ConvertOptions::new();
    assert_eq!(go("u", Target::Bcolz, &all).unwrap().nbytes, 54);
    let copy = Ctable::open(LocalDirectory::open(at("u")).unwrap()).unwrap();
    assert_eq!((copy.names(), copy.attrs().unwrap().len()), (&["a".to_owned(), "b".to_owned()][..], 1));
    let report = go("files", Target::Columns(ColumnFiles::B2nd), &all).unwrap();
    assert_eq!((report.dropped.len(), report.dropped[0].name.as_str()), (1, "unit"));
    for (name, nbytes) in [("a", 18), ("b", 36)] {
        let path = at("files").join(format!("{name}.b2nd"));
        assert_eq!(Archive::open(LocalSource::open(path).unwrap()).unwrap().nbytes(), nbytes, "{name}");
        // One column, to any target.
        let column = ConvertOptions::new().column(name).overwrite(true);
        for target in [Target::Bloscpack, Target::Frame, Target::Array] {
            assert_eq!(go("column", target, &column).unwrap().nbytes, nbytes);
            assert_eq!(Archive::open(LocalSource::open(at("column")).unwrap()).unwrap().nbytes(), nbytes);
        }
        go(&format!("{name}.bcolz"), Target::Bcolz, &column).unwrap();
        let carray = Carray::open(LocalDirectory::open(at(&format!("{name}.bcolz"))).unwrap()).unwrap();
        assert_eq!(carray.len(), 18);
    }
    // Other combinations are refused, and no output is written.
    let refused = |target, options: &ConvertOptions| go("none", target, options).unwrap_err();
    let error = refused(Target::Npy, &ConvertOptions::new().column("z"));
    assert!(matches!(&error, Error::NoSuchColumn { columns, .. } if columns.len() == 2), "{error}");
    assert!(matches!(refused(Target::Npy, &all), Error::Unsupported { format: Format::Ctable }));
    let error = refused(Target::Columns(ColumnFiles::Npy), &ConvertOptions::new().column("a"));
    assert!(matches!(error, Error::UnfitOption { option: ConvertOption::Column, .. }), "{error}");
    let typed = Typing::new().shape(vec![Some(9), Some(2)]);
    assert!(matches!(refused(Target::Bcolz, &all.clone().typing(typed)), Error::NotANumpyArray { .. }));
    // An array has no columns.
    let of_array = |target, options: &ConvertOptions| {
        convert(LocalSource::open(at("files/a.b2nd")).unwrap(), at("none"), target, options).unwrap_err()
    };
    assert!(matches!(of_array(Target::Npy, &ConvertOptions::new().column("a")), Error::NotBcolz { .. }));
    let column = |name: &str| LocalSource::open_with(at(name), &OpenOptions::new().column("a")).map(drop);
    assert!(matches!(column("files/a.b2nd"), Err(Error::NotBcolz { .. })));
    assert!(matches!(column("files/missing"), Err(Error::File { .. })));
    let columns = of_array(Target::Columns(ColumnFiles::Npy), &all);
    assert!(matches!(columns, Error::Unsupported { format: Format::Blosc2Frame }), "{columns}");
    assert!(!at("none").exists());
}

#[cfg(feature = "csv")]
#[test]
fn a_column_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    table(&at("t"));
    let text = |input: &str, options: &ConvertOptions| {
        let output = at("out.csv");
        convert(LocalSource::open(at(input)).unwrap(), &output, Target::Csv, &options.clone().overwrite(true))?;
        Ok::<_, Error>(fs::read_to_string(output).unwrap())
    };
    assert!(text("t", &ConvertOptions::new()).unwrap().starts_with("a,b\n0,0\n1,1\n"));
    assert!(text("t", &ConvertOptions::new().column("b")).unwrap().starts_with("b\n0\n1\n"));
    assert!(matches!(text("t", &ConvertOptions::new().column("z")), Err(Error::NoSuchColumn { .. })));
    assert!(text("t/a", &ConvertOptions::new()).unwrap().starts_with("f0\n0\n"));
    let shape = Typing::new().shape(vec![Some(9), Some(2)]);
    assert!(text("t/a", &ConvertOptions::new().typing(shape)).unwrap().starts_with("f0_0,f0_1\n0,1\n"));
    assert!(matches!(text("t/a", &ConvertOptions::new().column("a")), Err(Error::NotBcolz { .. })));
}

/// An open array is converted to every target of `convert`, as that does.
#[test]
fn open_arrays_go_to_every_target() {
    let dir = tempfile::tempdir().unwrap();
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u2").unwrap(), shape: vec![2, 3], order: Order::F };
    let items: Vec<u8> = (1..=6_u16).flat_map(u16::to_le_bytes).collect();
    let array = Array::plain(items.as_slice(), 0, meta.clone()).unwrap();
    let options = ConvertOptions::new().overwrite(true);
    let output = dir.path().join("out");
    for target in [Target::Bloscpack, Target::Bcolz, Target::Zarr, Target::Frame, Target::Array, Target::Npy] {
        convert_array(&array, &output, target, &options).unwrap();
        if output.is_dir() { fs::remove_dir_all(&output) } else { fs::remove_file(&output) }.unwrap();
    }
    let refused = convert_array(&array, &output, Target::Columns(ColumnFiles::Npy), &options);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    let report = convert_array(&array, &output, Target::Csv, &options);
    if !cfg!(feature = "csv") {
        return assert!(matches!(report, Err(Error::NoText { .. })), "{report:?}");
    }
    let report = report.unwrap();
    assert_eq!(fs::read_to_string(&output).unwrap(), "f0_0,f0_1,f0_2\n1,3,5\n2,4,6\n");
    assert_eq!((report.nbytes, report.array), (12, Some(meta)));
    let refused = convert_array(&array, &output, Target::Csv, &ConvertOptions::new());
    assert!(matches!(refused, Err(Error::OutputExists(_))), "{refused:?}");
}

#[cfg(not(feature = "csv"))]
#[test]
fn text_needs_its_feature() {
    let dir = tempfile::tempdir().unwrap();
    table(&dir.path().join("t"));
    let input = LocalSource::open(dir.path().join("t")).unwrap();
    let error = convert(input, dir.path().join("out.csv"), Target::Csv, &ConvertOptions::new()).unwrap_err();
    assert!(matches!(error, Error::NoText { .. }), "{error}");
}

/// The header of such a frame has the default settings, which make it several times as large.
#[test]
fn frames_whose_parameters_were_chosen_get_chosen_ones() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let rows: Vec<u8> = (0..500_000_u32).flat_map(|n| (n % 3_001 * (n % 1_009) / 7).to_le_bytes()).collect();
    let params = FrameParams::new(4).codec(Codec::BloscLz);
    let writer = FrameWriter::create(path("chosen.b2frame"), FrameType::Contiguous, false, params).unwrap();
    let mut writer = writer.auto(Auto::new(Goal::Balanced));
    writer.append_stream(rows.as_slice(), None, &Threads::Serial, &Cancel::new()).unwrap();
    writer.finish().unwrap();
    let sizes = [ConvertOptions::new(), ConvertOptions::new().codec(Codec::BloscLz)].map(|options| {
        let input = LocalSource::open(path("chosen.b2frame")).unwrap();
        convert(input, path("again.b2frame"), Target::Frame, &options.overwrite(true)).unwrap();
        fs::metadata(path("again.b2frame")).unwrap().len()
    });
    let size = fs::metadata(path("chosen.b2frame")).unwrap().len();
    assert!(sizes[0] <= size + size / 10 && sizes[1] > size + size / 10, "{sizes:?}, {size}");
}
