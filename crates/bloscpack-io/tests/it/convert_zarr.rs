//! Conversions to Zarr: grids, padding, fill values, names and attributes. `xtask/interop/zarr_written.py` reads the same
//! kinds of outputs with zarr-python.

use std::fs;
use std::path::Path;

use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, Selection, npy};
use bloscpack_format::zarr::{ArrayMeta, Compressor, Node, Version};
use bloscpack_format::{Json, bcolz};
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter, CtableWriter};
use bloscpack_io::blosc_core::{Codec, FilterPipeline, Header, decompress};
use bloscpack_io::{
    Archive, Array, ConvertOptions, Error, ErrorKind, LocalSource, OpenOptions, PackOptions, Target, Typing,
    UnpackOptions, convert, pack_bytes,
};

fn dtype(text: &str) -> Dtype {
    Dtype::from_type_string(text).unwrap()
}

fn run(from: &Path, to: &Path, options: &ConvertOptions) -> Result<(), Error> {
    let options = options.clone().overwrite(true);
    convert(LocalSource::open(from).unwrap(), to, Target::of_name(to).unwrap(), &options).map(drop)
}

/// Numbers of 16 bits that count up, from 1.
fn numbers(shape: &[u64]) -> Vec<u8> {
    (1..=shape.iter().product::<u64>() as u16).flat_map(u16::to_le_bytes).collect()
}

fn items(path: &Path) -> Vec<u8> {
    let array = Array::open(LocalSource::open(path).unwrap()).unwrap();
    let (mut items, all) = (Vec::new(), Selection::all(&array.meta().shape));
    array.copy_selection(&all, &mut items, &UnpackOptions::new()).unwrap();
    items
}

fn meta(path: &Path, version: Version) -> ArrayMeta {
    match version {
        Version::V2 => {
            let zattrs = fs::read(path.join(".zattrs")).ok();
            ArrayMeta::parse_v2(&fs::read(path.join(".zarray")).unwrap(), zattrs.as_deref()).unwrap()
        }
        Version::V3 => match Node::parse(&fs::read(path.join("zarr.json")).unwrap()).unwrap() {
            Node::Array(meta) => *meta,
            Node::Group(_) => panic!("a group"),
        },
    }
}

/// The items of an array from its chunk files alone, by the definition of the format.
fn assembled(path: &Path, meta: &ArrayMeta) -> Vec<u8> {
    let itemsize = meta.dtype.itemsize() as usize;
    let nitems: u64 = meta.shape.iter().product();
    let mut found = vec![0; nitems as usize * itemsize];
    for (number, item) in found.chunks_exact_mut(itemsize).enumerate() {
        let (mut rest, mut position, mut within, mut unit) = (number as u64, Vec::new(), 0, 1);
        for (len, chunk) in meta.shape.iter().zip(&meta.chunkshape).rev() {
            let index = rest % len;
            rest /= len;
            position.insert(0, index / chunk);
            within += index % chunk * unit;
            unit *= chunk;
        }
        let Ok(file) = fs::read(path.join(meta.keys.key(&position))) else { continue };
        let plain = decompress(&file).unwrap();
        assert_eq!(plain.len() as u64, meta.chunk_nbytes());
        item.copy_from_slice(&plain[within as usize * itemsize..][..itemsize]);
    }
    found
}

/// Every kind of input, for grids that divide all axes, in both orders and both versions.
#[test]
fn every_item_is_in_its_chunk() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let grids: [(&[u64], &[u32]); 8] = [
        (&[30], &[7]),
        (&[30], &[30]),
        (&[30], &[100]),
        (&[9, 10], &[4, 3]),
        (&[9, 10], &[4, 10]),
        (&[9, 10], &[1, 1]),
        (&[3, 4, 5], &[2, 4, 3]),
        (&[2, 3, 1, 5], &[1, 2, 1, 2]),
    ];
    let cases = grids.into_iter().flat_map(|grid| [(grid, Order::C), (grid, Order::F)]);
    for (number, ((shape, chunkshape), order)) in cases.enumerate() {
        let plain = numbers(shape);
        let array = NumpyMeta { dtype: dtype("<u2"), shape: shape.to_vec(), order };
        fs::write(at("a.npy"), [npy::to_bytes(&array).unwrap(), plain].concat()).unwrap();
        let expected = items(&at("a.npy"));
        let b2nd: Vec<u32> = shape.iter().map(|len| (*len as u32).div_ceil(2)).collect();
        for (between, options) in [
            ("a.npy", ConvertOptions::new()),
            ("b.blp", ConvertOptions::new().chunk_size(14)),
            ("b.blp", ConvertOptions::new()),
            ("b.bcolz", ConvertOptions::new().chunkshape(vec![2; shape.len()])),
            ("b.b2nd", ConvertOptions::new().chunkshape(b2nd)),
            ("b.b2nd", ConvertOptions::new().chunkshape(chunkshape.to_vec())),
            ("b.zarr", ConvertOptions::new().chunkshape(vec![3; shape.len()])),
        ] {
            if between != "a.npy" {
                run(&at("a.npy"), &at(between), &options).unwrap();
            }
            for version in [[Version::V2, Version::V3][number / 2 % 2]] {
                for chunkshape in [Some(chunkshape.to_vec()), None] {
                    let options = ConvertOptions::new().zarr_format(version).chunkshape(chunkshape.clone());
                    run(&at(between), &at("c.zarr"), &options).unwrap();
                    let meta = meta(&at("c.zarr"), version);
                    let what = format!("{shape:?} {chunkshape:?} {order:?} {between} {version:?}");
                    assert_eq!(meta.shape, shape, "{what}");
                    if let Some(chunkshape) = chunkshape {
                        assert!(meta.chunkshape.iter().copied().eq(chunkshape.into_iter().map(u64::from)), "{what}");
                    }
                    assert!(assembled(&at("c.zarr"), &meta) == expected, "{what}");
                    assert!(items(&at("c.zarr")) == expected, "{what}: read");
                }
            }
        }
    }
}

/// Between Zarr arrays of the same grid, all chunks keep their bytes, also those at the edges.
#[test]
fn a_grid_keeps_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let array = NumpyMeta { dtype: dtype("<u2"), shape: vec![50, 30], order: Order::C };
    fs::write(at("a.npy"), [npy::to_bytes(&array).unwrap(), numbers(&[50, 30])].concat()).unwrap();
    let options = ConvertOptions::new().chunkshape(vec![20, 7]).codec(Codec::Zlib).clevel(3);
    run(&at("a.npy"), &at("a.zarr"), &options).unwrap();
    fs::remove_file(at("a.zarr/c/1/1")).unwrap();
    run(&at("a.zarr"), &at("b.zarr"), &ConvertOptions::new().zarr_format(Version::V2)).unwrap();
    for (row, column) in (0..3).flat_map(|row| (0..5).map(move |column| (row, column))) {
        let old = fs::read(at("a.zarr").join(format!("c/{row}/{column}"))).ok();
        assert!(old == fs::read(at("b.zarr").join(format!("{row}.{column}"))).ok(), "{row} {column}");
        assert_eq!(old.is_some(), (row, column) != (1, 1));
    }
    assert!(items(&at("a.zarr")) == items(&at("b.zarr")));
    // A chunk of another size is refused.
    fs::copy(at("b.zarr/0.0"), at("a.npy.chunk")).unwrap();
    let mut chunk = fs::read(at("b.zarr/0.0")).unwrap();
    chunk[4] ^= 1;
    fs::write(at("b.zarr/0.0"), chunk).unwrap();
    run(&at("b.zarr"), &at("c.zarr"), &ConvertOptions::new()).unwrap_err();
    assert!(!at("c.zarr").exists());
    // Other options encode all.
    fs::copy(at("a.npy.chunk"), at("b.zarr/0.0")).unwrap();
    run(&at("b.zarr"), &at("c.zarr"), &ConvertOptions::new().recompress(true)).unwrap();
    run(&at("b.zarr"), &at("d.zarr"), &ConvertOptions::new().chunkshape(vec![7, 20])).unwrap();
    assert!(items(&at("c.zarr")) == items(&at("b.zarr")) && items(&at("d.zarr")) == items(&at("b.zarr")));
}

/// Padding, missing chunks and the fill value are zero.
#[test]
fn padding_is_the_fill_value() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let array = NumpyMeta { dtype: dtype("<u2"), shape: vec![5, 5], order: Order::C };
    fs::write(at("a.npy"), [npy::to_bytes(&array).unwrap(), vec![1; 50]].concat()).unwrap();
    run(&at("a.npy"), &at("a.zarr"), &ConvertOptions::new().chunkshape(vec![3, 3])).unwrap();
    let chunk = decompress(&fs::read(at("a.zarr/c/1/1")).unwrap()).unwrap();
    assert_eq!(chunk, [1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!(meta(&at("a.zarr"), Version::V3).fill.is_zeros());
}

#[test]
fn chunks_of_zeros_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let mut plain = vec![0; 40_000];
    plain[12_345] = 1;
    for codec in [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd] {
        // Copied from a carray, and decoded from one.
        let params = CarrayParams::new(bloscpack_format::bcolz::Dtype::parse("int32").unwrap());
        let mut carray = CarrayWriter::create(at("a.bcolz"), true, &params.chunklen(1000).codec(codec)).unwrap();
        carray.append(&plain).unwrap();
        carray.finish().unwrap();
        for recompress in [false, true] {
            let count = |write: bool| {
                let options = ConvertOptions::new().recompress(recompress).write_empty_chunks(write);
                run(&at("a.bcolz"), &at("a.zarr"), &options).unwrap();
                assert!(items(&at("a.zarr")) == plain, "{codec:?}");
                fs::read_dir(at("a.zarr/c")).unwrap().count()
            };
            assert_eq!((count(false), count(true)), (1, 10), "{codec:?} {recompress}");
        }
    }
}

#[test]
fn the_metadata_tells_the_compression() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.blp"), pack_bytes(&[7; 5000], &PackOptions::new().typesize(4).codec(Codec::Zstd)).unwrap())
        .unwrap();
    let blosc = |options: &ConvertOptions| {
        run(&at("a.blp"), &at("a.zarr"), options).unwrap();
        let meta = meta(&at("a.zarr"), Version::V3);
        let [Compressor::Blosc(blosc)] = meta.codecs.compressors.as_slice() else { panic!("{:?}", meta.codecs) };
        let chunk = fs::read(at("a.zarr/c/0")).unwrap();
        (blosc.clone(), Header::parse(&chunk).unwrap())
    };
    let (copied, header) = blosc(&ConvertOptions::new());
    assert_eq!((copied.cname.as_str(), copied.typesize), ("zstd", Some(4)));
    assert_eq!((header.codec(), header.typesize()), (Some(Codec::Zstd), 4));
    let new = ConvertOptions::new().codec(Codec::Zlib).clevel(9).filters(FilterPipeline::bitshuffle()).typesize(2);
    let (encoded, header) = blosc(&new);
    let told = (encoded.cname.as_str(), encoded.clevel, encoded.typesize);
    assert_eq!(told, ("zlib", 9, Some(2)));
    assert_eq!(
        (header.codec(), header.typesize(), header.filters()),
        (Some(Codec::Zlib), 2, FilterPipeline::bitshuffle())
    );
    // A filter that a Blosc1 chunk lacks.
    let delta = FilterPipeline::try_from_iter([bloscpack_io::Filter::Delta]).unwrap();
    let error = run(&at("a.blp"), &at("b.zarr"), &ConvertOptions::new().filters(delta)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    assert!(!at("b.zarr").exists());
}

#[test]
fn names_of_axes_and_attributes_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let params = CarrayParams::new(bloscpack_format::bcolz::Dtype::parse("int32").unwrap()).atom_shape(&[2]);
    let mut table = CtableWriter::create(at("t.bcolz"), true, &[("a", params.clone()), ("b", params)]).unwrap();
    table.append(&[&[1; 80], &[2; 80]]).unwrap();
    table.set_attr("unit", Json::parse(b"{\"x\": [1, 2.5, null]}").unwrap()).unwrap();
    table.set_column_attr("a", "_ARRAY_DIMENSIONS", Some(Json::parse(b"[\"t\", \"x\"]").unwrap())).unwrap();
    table.set_column_attr("b", "_ARRAY_DIMENSIONS", Some(Json::parse(b"[\"t\"]").unwrap())).unwrap();
    table.finish().unwrap();
    run(&at("t.bcolz"), &at("3.zarr"), &ConvertOptions::new()).unwrap();
    run(&at("t.bcolz"), &at("2.zarr"), &ConvertOptions::new().zarr_format(Version::V2)).unwrap();
    let names = Some(vec![Some("t".to_owned()), Some("x".to_owned())]);
    assert_eq!(meta(&at("3.zarr/a"), Version::V3).dimension_names, names);
    assert_eq!(meta(&at("3.zarr/b"), Version::V3).dimension_names, None);
    assert!(meta(&at("2.zarr/a"), Version::V2).attributes.get("_ARRAY_DIMENSIONS").is_some());
    let Node::Group(group) = Node::parse(&fs::read(at("3.zarr/zarr.json")).unwrap()).unwrap() else { panic!() };
    assert!(group.attributes.get("unit").is_some());
    let consolidated = group.consolidated.unwrap();
    assert_eq!(consolidated.nodes().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(consolidated.array("a").unwrap().unwrap(), meta(&at("3.zarr/a"), Version::V3));
    // From version 3 to version 2, and back.
    run(&at("3.zarr/a"), &at("a2.zarr"), &ConvertOptions::new().zarr_format(Version::V2)).unwrap();
    run(&at("a2.zarr"), &at("a3.zarr"), &ConvertOptions::new()).unwrap();
    assert_eq!(meta(&at("a3.zarr"), Version::V3).dimension_names, names);
    assert!(items(&at("a3.zarr")) == vec![1; 80]);
}

/// Zarr arrays of version 3 that others write name their axes in the metadata only.
#[test]
fn names_of_axes_in_the_metadata_become_an_attribute() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let written = [("t.zarr", "[\"t\"]"), ("null.zarr", "[null]")];
    for (name, names) in written {
        fs::create_dir(at(name)).unwrap();
        let json = format!(
            r#"{{"zarr_format": 3, "node_type": "array", "shape": [40], "data_type": "uint8", "fill_value": 7,
            "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [40]}}}},
            "chunk_key_encoding": {{"name": "default"}}, "codecs": [{{"name": "bytes"}}], "dimension_names": {names}}}"#
        );
        fs::write(at(name).join("zarr.json"), json).unwrap();
    }
    for output in ["t.b2nd", "t.blp", "t.bcolz"] {
        run(&at("t.zarr"), &at(output), &ConvertOptions::new()).unwrap();
        let archive = Archive::open(LocalSource::open(at(output)).unwrap()).unwrap();
        let attributes = bloscpack_io::Attributes::of(&archive).unwrap().values;
        assert_eq!(attributes.get("_ARRAY_DIMENSIONS"), Some(&Json::parse(b"[\"t\"]").unwrap()), "{output}");
        run(&at(output), &at("again.zarr"), &ConvertOptions::new()).unwrap();
        assert_eq!(meta(&at("again.zarr"), Version::V3).dimension_names, Some(vec![Some("t".to_owned())]));
    }
    run(&at("null.zarr"), &at("null.b2nd"), &ConvertOptions::new()).unwrap();
    let archive = Archive::open(LocalSource::open(at("null.b2nd")).unwrap()).unwrap();
    assert!(bloscpack_io::Attributes::of(&archive).unwrap().values.is_empty());
}

/// A table becomes a group, and the group the same table: rows, order of the columns, attributes, compressed chunks.
#[test]
fn a_group_becomes_a_table() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let column = |text: &str| CarrayParams::new(bcolz::Dtype::from(dtype(text))).chunklen(300);
    let columns = [("z", column("<i2")), ("a", column(">i2").atom_shape(&[2])), ("m", column("|S2"))];
    let mut table = CtableWriter::create(at("t.bcolz"), true, &columns).unwrap();
    table.append(&[&numbers(&[1000]), &numbers(&[1000, 2]), &numbers(&[1000])]).unwrap();
    table.set_attr("unit", Json::parse(b"[1, null]").unwrap()).unwrap();
    table.set_column_attr("m", "name", Some(Json::parse(b"\"m\"").unwrap())).unwrap();
    table.finish().unwrap();
    for version in [Version::V2, Version::V3] {
        run(&at("t.bcolz"), &at("t.zarr"), &ConvertOptions::new().zarr_format(version)).unwrap();
        run(&at("t.zarr"), &at("u.bcolz"), &ConvertOptions::new()).unwrap();
        for file in ["__rootdirs__", "__attrs__", "z/meta/sizes", "a/meta/sizes", "a/data/__1.blp", "m/__attrs__"] {
            assert!(
                fs::read(at("t.bcolz").join(file)).unwrap() == fs::read(at("u.bcolz").join(file)).unwrap(),
                "{file}"
            );
        }
        for name in ["z", "a", "m"] {
            assert_eq!(items(&at("u.bcolz").join(name)), items(&at("t.bcolz").join(name)), "{name}");
        }
        let level = ConvertOptions::new().codec(Codec::Zstd).chunkshape(vec![128]);
        run(&at("t.zarr"), &at("v.bcolz"), &level).unwrap();
        assert_eq!(items(&at("v.bcolz").join("a")), items(&at("t.bcolz").join("a")));
        assert!(fs::read_to_string(at("v.bcolz").join("z/meta/storage")).unwrap().contains("\"chunklen\": 128"));
    }
}

/// Groups that are no table are refused, and leave nothing.
#[test]
fn groups_that_are_no_table() {
    let array = |shape: &str| format!(r#"{{"zarr_format": 2, "shape": {shape}, "chunks": {shape}, "dtype": "|u1"}}"#);
    for (arrays, expected) in [
        (vec![("a", "[5]"), ("b", "[6]")], "b: 6 rows, but the first column has 5"),
        (vec![("a", "[5]"), ("b", "[]")], "b: invalid parameters for a carray: a zero-dimensional array has no rows"),
        (vec![("a", "[5]"), ("x/b", "[5]")], "\"x/b\" cannot be the name of a column: it is a path"),
        (vec![("a", "[5]"), ("__attrs__", "[5]")], "cannot be the name of a column: it is a file of the table"),
        (vec![], "a Zarr group without arrays is no table"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let group = dir.path().join("g.zarr");
        fs::create_dir(&group).unwrap();
        fs::write(group.join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
        for (name, shape) in arrays {
            let path = group.join(name);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join(".zarray"), array(shape)).unwrap();
            if name.contains('/') {
                fs::write(path.parent().unwrap().join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
            }
        }
        let error = run(&group, &dir.path().join("t.bcolz"), &ConvertOptions::new()).unwrap_err().report().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{expected}");
    }
}

/// A fill value of the input is kept, and stands for the same chunks.
#[test]
fn a_fill_value_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("a.zarr")).unwrap();
    let zarray = r#"{"zarr_format": 2, "shape": [5, 4], "chunks": [2, 4], "dtype": "<i2", "fill_value": 258,
        "order": "C", "filters": null, "compressor": {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 1}}"#;
    fs::write(at("a.zarr/.zarray"), zarray).unwrap();
    run(&at("a.zarr"), &at("b.zarr"), &ConvertOptions::new()).unwrap();
    assert_eq!(items(&at("b.zarr")), [2, 1].repeat(20));
    assert_eq!(fs::read_dir(at("b.zarr")).unwrap().count(), 1);
    run(&at("a.zarr"), &at("c.zarr"), &ConvertOptions::new().write_empty_chunks(true)).unwrap();
    assert_eq!(items(&at("c.zarr")), [2, 1].repeat(20));
    assert_eq!(decompress(&fs::read(at("c.zarr/c/2/0")).unwrap()).unwrap(), [2, 1].repeat(8));
    for to in ["d.bcolz", "d.blp", "d.b2nd", "d.npy"] {
        run(&at("a.zarr"), &at(to), &ConvertOptions::new()).unwrap();
        assert_eq!(items(&at(to)), [2, 1].repeat(20), "{to}");
    }
}

#[test]
fn arrays_without_items_or_axes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for (shape, nbytes) in [(vec![], 2), (vec![0], 0), (vec![3, 0], 0), (vec![0, 3], 0)] {
        let array = NumpyMeta { dtype: dtype("<u2"), shape: shape.clone(), order: Order::C };
        fs::write(at("a.npy"), [npy::to_bytes(&array).unwrap(), vec![3; nbytes]].concat()).unwrap();
        for version in [Version::V2, Version::V3] {
            run(&at("a.npy"), &at("a.zarr"), &ConvertOptions::new().zarr_format(version)).unwrap();
            let found = Array::open(LocalSource::open(at("a.zarr")).unwrap()).unwrap();
            assert_eq!((found.meta().shape.as_slice(), found.nbytes()), (shape.as_slice(), nbytes as u64));
            assert!(items(&at("a.zarr")) == vec![3; nbytes], "{shape:?}");
        }
    }
}

/// Values that cannot be written are refused before any file is written.
#[test]
fn refusals_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.blp"), pack_bytes(&[1; 4000], &PackOptions::new()).unwrap()).unwrap();
    let refused = |options: ConvertOptions| {
        let error = convert(LocalSource::open(at("a.blp")).unwrap(), at("a.zarr"), Target::Zarr, &options).unwrap_err();
        assert!(!at("a.zarr").exists(), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{error}");
        error
    };
    let typed = |text: &str| ConvertOptions::new().typing(Typing::new().dtype(Some(Dtype::parse(text).unwrap())));
    let error = refused(typed("[('a', '>i4')]"));
    assert!(error.report().to_string().contains("big-endian fields"), "{}", error.report());
    for dtype in ["[('a', '>i4')]", "'<f16'", "[('a', '<i2', (2,))]", "[('a', '<i4'), ('b', '>i4')]"] {
        let text = refused(typed(dtype)).report().to_string();
        assert!(text.contains("in Zarr format 3, only in format 2"), "{text}");
    }
    // No version has titles.
    for (version, options) in [(2, ConvertOptions::new().zarr_format(Version::V2)), (3, ConvertOptions::new())] {
        let titled = Typing::new().dtype(Some(Dtype::parse("[(('the title', 'a'), '<i4')]").unwrap()));
        let text = refused(options.typing(titled)).report().to_string();
        assert!(text.ends_with(&format!("\"title\" 'the title' does not exist in Zarr format {version}")), "{text}");
    }
    refused(ConvertOptions::new().chunkshape(vec![3, 3]));
    refused(ConvertOptions::new().typing(Typing::new().dtype(Some(dtype("<i2"))).shape(vec![Some(7)])));
    // Version 2 stores them.
    run(&at("a.blp"), &at("b.zarr"), &typed("[('a', '>i4')]").zarr_format(Version::V2)).unwrap();
    run(&at("a.blp"), &at("c.zarr"), &typed("'<f16'").zarr_format(Version::V2)).unwrap();
}

/// Only a Zarr directory or an empty one is replaced, and only if that is asked for.
#[test]
fn only_zarr_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.blp"), pack_bytes(&[1; 4000], &PackOptions::new()).unwrap()).unwrap();
    let to = |options: &ConvertOptions| {
        convert(LocalSource::open(at("a.blp")).unwrap(), at("a.zarr"), Target::Zarr, options).map(drop)
    };
    to(&ConvertOptions::new()).unwrap();
    assert!(matches!(to(&ConvertOptions::new()), Err(Error::OutputExists(_))));
    to(&ConvertOptions::new().overwrite(true).zarr_format(Version::V2)).unwrap();
    assert!(!at("a.zarr/zarr.json").exists() && at("a.zarr/.zarray").exists());
    fs::remove_dir_all(at("a.zarr")).unwrap();
    fs::create_dir(at("a.zarr")).unwrap();
    fs::write(at("a.zarr/notes"), "mine").unwrap();
    assert!(matches!(to(&ConvertOptions::new().overwrite(true)), Err(Error::File { .. })));
    assert_eq!(fs::read(at("a.zarr/notes")).unwrap(), b"mine");
    fs::remove_file(at("a.zarr/notes")).unwrap();
    to(&ConvertOptions::new().overwrite(true)).unwrap();
    // The input itself, and a directory inside it, are refused.
    let within = |to: &Path| {
        let options = ConvertOptions::new().overwrite(true);
        convert(LocalSource::open(at("a.zarr")).unwrap(), to, Target::Zarr, &options).unwrap_err()
    };
    within(&at("a.zarr"));
    within(&at("a.zarr/b.zarr"));
    let _ = Archive::open_with(LocalSource::open(at("a.zarr")).unwrap(), &OpenOptions::new()).unwrap();
}
