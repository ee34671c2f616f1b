//! Zarr metadata: what zarr-python 3.1.6 writes, both directions, and hostile metadata.

use bloscpack_format::numpy::Dtype;
use bloscpack_format::zarr::{
    ArrayMeta, BloscCodec, BloscShuffle, Codecs, Compressor, Consolidated, Fill, GroupMeta, IndexLocation, KeyEncoding,
    Node, NodeKind, Sharding, Version,
};
use bloscpack_format::{Attrs, Json};

fn v2(dtype: &str, fill: &str, more: &str) -> Result<ArrayMeta, String> {
    let text = format!(
        r#"{{"shape": [10, 7], "chunks": [4, 3], "dtype": {dtype}, "fill_value": {fill}, {more} "zarr_format": 2}}"#
    );
    ArrayMeta::parse_v2(text.as_bytes(), None).map_err(|error| error.to_string())
}

fn v3(data_type: &str, fill: &str, codecs: &str) -> Result<ArrayMeta, String> {
    let text = format!(
        r#"{{"shape": [16, 16], "data_type": {data_type}, "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [8, 8]}}}},
            "chunk_key_encoding": {{"name": "default", "configuration": {{"separator": "/"}}}}, "fill_value": {fill},
            "codecs": {codecs}, "attributes": {{"a": NaN}}, "zarr_format": 3, "node_type": "array", "storage_transformers": []}}"#
    );
    match Node::parse(text.as_bytes()).map_err(|error| error.to_string())? {
        Node::Array(meta) => Ok(*meta),
        Node::Group(_) => panic!("an array"),
    }
}

const BYTES: &str = r#"[{"name": "bytes", "configuration": {"endian": "little"}}]"#;

fn descr(text: &str) -> Dtype {
    Dtype::parse(text).unwrap()
}

/// Values of zarr-python 3.1.6: the JSON of a dtype and of a fill value, and NumPy's bytes of that value.
#[test]
fn fill_values_of_version_2() {
    for (dtype, fill, bytes) in [
        (r#""|b1""#, "true", b"\x01".as_slice()),
        (r#""<i2""#, "-2", b"\xfe\xff"),
        (r#"">i2""#, "-2", b"\xff\xfe"),
        (r#""<u8""#, "18446744073709551615", &[0xff; 8]),
        (r#""<f4""#, r#""NaN""#, b"\0\0\xc0\x7f"),
        (r#"">f4""#, r#""-Infinity""#, b"\xff\x80\0\0"),
        (r#""<f4""#, "0.10000000149011612", b"\xcd\xcc\xcc\x3d"),
        (r#""<f2""#, "0.0999755859375", b"\x66\x2e"),
        (r#""<c8""#, r#"["NaN", 1.0]"#, b"\0\0\xc0\x7f\0\0\x80\x3f"),
        (r#""<M8[10s]""#, "5", b"\x05\0\0\0\0\0\0\0"),
        (r#""<M8[ns]""#, "-9223372036854775808", b"\0\0\0\0\0\0\0\x80"),
        (r#""|S5""#, r#""YWI=""#, b"ab\0\0\0"),
        (r#""<U3""#, r#""a\u00e9""#, b"a\0\0\0\xe9\0\0\0\0\0\0\0"),
        (r#"">U2""#, r#""a\u00e9""#, b"\0\0\0a\0\0\0\xe9"),
        (r#""|V5""#, r#""YWJjAAE=""#, b"abc\0\x01"),
        (r#"[["a", "<i4"], ["b", ">f8"]]"#, r#""AQAAAEAAAAAAAAAA""#, b"\x01\0\0\0\x40\0\0\0\0\0\0\0"),
        (r#"[["a", "|u1"], ["n", [["x", "|u1", [2]], ["y", "|S3"]]]]"#, r#""AQIDYWJj""#, b"\x01\x02\x03abc"),
    ] {
        let meta = v2(dtype, fill, "").unwrap();
        assert_eq!(meta.fill.to_item(bytes.len()).unwrap(), bytes, "{dtype} {fill}");
        assert_eq!(meta.fill, Fill::new(bytes.to_vec()));
        assert_eq!(meta.dtype.itemsize(), bytes.len() as u64, "{dtype}");
        let written = meta.to_zarray().unwrap();
        let json = Json::parse(&written).unwrap();
        assert_eq!(json.get("fill_value"), Some(&Json::parse(fill).unwrap()), "{dtype}");
        assert_eq!(json.get("dtype"), Some(&Json::parse(dtype).unwrap()), "{dtype}");
        assert_eq!(ArrayMeta::parse_v2(&written, None).unwrap(), meta);
    }
    // zarr-python takes null for the value that NumPy has for nothing.
    for (dtype, bytes) in
        [("<f8", [0; 8]), ("<M8[s]", [0, 0, 0, 0, 0, 0, 0, 0x80]), (">m8[ns]", [0x80, 0, 0, 0, 0, 0, 0, 0])]
    {
        let meta = v2(&format!("{dtype:?}"), "null", "").unwrap();
        assert!(meta.fill.is_null && meta.fill.to_item(8).unwrap() == bytes, "{dtype}");
        let written = Json::parse(&meta.to_zarray().unwrap()).unwrap();
        assert_eq!(written.get("fill_value"), Some(&Json::Null));
    }
}

#[test]
fn data_types_of_version_3() {
    for (data_type, dtype, fill) in [
        (r#""bool""#, "'|b1'", "false"),
        (r#""uint64""#, "'<u8'", "18446744073709551615"),
        (r#""float16""#, "'<f2'", "1.5"),
        (r#""complex128""#, "'<c16'", "[1.5, -2.0]"),
        (r#""float64""#, "'<f8'", r#""0x7ff8000000000001""#),
        (r#"{"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}}"#, "'|S5'", r#""YWI=""#),
        (r#"{"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}}"#, "'<U3'", r#""a""#),
        (r#"{"name": "raw_bytes", "configuration": {"length_bytes": 5}}"#, "'|V5'", r#""YWJjAAE=""#),
        (r#"{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 10}}"#, "'<M8[10s]'", "5"),
        (r#"{"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}}"#, "'<m8'", "5"),
        (
            r#"{"name": "structured", "configuration": {"fields": [["a", "int32"], ["n", {"name": "structured", "configuration": {"fields": [["x", "float32"]]}}]]}}"#,
            "[('a', '<i4'), ('n', [('x', '<f4')])]",
            r#""AQAAAAAAAAA=""#,
        ),
    ] {
        let meta = v3(data_type, fill, BYTES).unwrap();
        assert_eq!(meta.dtype, descr(dtype));
        let written = meta.to_zarr_json().unwrap();
        let json = Json::parse(&written).unwrap();
        assert_eq!(json.get("data_type"), Some(&Json::parse(data_type).unwrap()));
        assert_eq!(json.get("fill_value"), Some(&Json::parse(fill).unwrap()));
        let Ok(Node::Array(again)) = Node::parse(&written) else { panic!() };
        // Attributes hold a NaN, which equals nothing.
        let plain = |meta: ArrayMeta| ArrayMeta { attributes: Attrs::default(), ..meta };
        assert_eq!(plain(*again), plain(meta));
    }
    // Names that are only read.
    assert_eq!(v3(r#""r24""#, "[1, 2, 3]", BYTES).unwrap().fill.bytes(), [1, 2, 3]);
    let fields = r#"{"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "uint8"}, {"name": "b", "data_type": "int16"}]}}"#;
    let meta = v3(fields, r#"{"a": 1, "b": -2}"#, BYTES).unwrap();
    assert_eq!((meta.dtype, meta.fill.bytes()), (descr("[('a', '|u1'), ('b', '<i2')]"), [1, 0xfe, 0xff].as_slice()));
    let big = r#"[{"name": "bytes", "configuration": {"endian": "big"}}]"#;
    let meta = v3(r#""int16""#, "1", big).unwrap();
    assert_eq!((&meta.dtype, meta.fill.bytes()), (&descr("'>i2'"), [0, 1].as_slice()));
    assert_eq!(v3(r#""float32""#, r#""0x7fc00001""#, BYTES).unwrap().fill.bytes(), [1, 0, 0xc0, 0x7f]);
}

#[test]
fn codecs_there_and_back() {
    let blosc = |shuffle, typesize| {
        let cname = "zstd".to_owned();
        Compressor::Blosc(BloscCodec { cname, clevel: 5, shuffle, typesize, blocksize: 0 })
    };
    let compressor = |text: &str| v2("\"<i4\"", "0", &format!("\"compressor\": {text}, \"order\": \"F\",")).unwrap();
    for (text, expected) in [
        ("null", None),
        (
            r#"{"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": -1, "blocksize": 0}"#,
            Some(blosc(BloscShuffle::Auto, None)),
        ),
        (r#"{"id": "zlib", "level": 1}"#, Some(Compressor::Zlib { level: 1 })),
        (r#"{"id": "gzip", "level": 1}"#, Some(Compressor::Gzip { level: 1 })),
        (r#"{"id": "zstd", "level": 3, "checksum": true}"#, Some(Compressor::Zstd { level: 3, checksum: true })),
    ] {
        let meta = compressor(text);
        assert_eq!(meta.codecs.compressors, Vec::from_iter(expected));
        assert_eq!(meta.codecs.transpose, Some(vec![1, 0]));
        let json = Json::parse(meta.to_zarray().unwrap()).unwrap();
        assert_eq!(json.get("compressor"), Some(&Json::parse(text).unwrap()));
        assert_eq!(json.get("order").and_then(Json::as_str), Some("F"));
    }
    let sharded = r#"[{"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 2], "codecs": [
        {"name": "transpose", "configuration": {"order": [1, 0]}},
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "blosc", "configuration": {"typesize": 4, "cname": "zstd", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}},
        {"name": "crc32c"}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        "index_location": "start"}}]"#;
    let meta = v3("\"int32\"", "0", sharded).unwrap();
    let sharding = Sharding { location: IndexLocation::Start, ..Sharding::new(vec![8, 8]) };
    let compressors = vec![blosc(BloscShuffle::Byte, Some(4)), Compressor::Crc32c];
    assert_eq!(meta.codecs, Codecs { sharding: Some(sharding), transpose: Some(vec![1, 0]), compressors });
    assert_eq!((meta.chunkshape.as_slice(), meta.stored_shape()), ([4, 2].as_slice(), [8, 8].as_slice()));
    assert_eq!(meta.chunks_in_shard(), [2, 4]);
    let json = Json::parse(meta.to_zarr_json().unwrap()).unwrap();
    assert_eq!(json.get("codecs"), Some(&Json::parse(sharded).unwrap()));
    // Two permutations one after the other.
    let twice = r#"[{"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"]"#;
    assert!(v3("\"uint8\"", "0", twice).unwrap().codecs.is_c_order());
}

#[test]
fn refusals_name_field_found_and_expected() {
    let refused = |result: Result<ArrayMeta, String>| result.unwrap_err();
    let with = |more: &str| refused(v2("\"<i4\"", "0", more));
    assert_eq!(
        with(r#""filters": [{"id": "delta"}],"#),
        "filter \"delta\" is not supported: arrays with filters are not read"
    );
    assert_eq!(
        with(r#""compressor": {"id": "lzma"},"#),
        "compressor \"lzma\" is not supported: the compressors blosc, zstd, gzip, zlib and none are read"
    );
    assert_eq!(with(r#""order": "A","#), "\"order\" is \"A\", expected \"C\" or \"F\"");
    assert_eq!(with(r#""dimension_separator": "-","#), "\"dimension_separator\" is \"-\", expected \".\" or \"/\"");
    assert_eq!(with(r#""chunks": [0, 3],"#), "\"chunks\" is [0, 3], expected lengths of at least 1");
    assert_eq!(with(r#""chunks": [3],"#), "\"chunks\" is [3], expected 2 lengths, as \"shape\" has");
    assert_eq!(with(r#""shape": [-1, 3],"#), "\"shape\" is -1, expected lengths from 0 to 2^63 - 1");
    assert_eq!(with(r#""shape": [4294967296, 4294967296],"#), "\"shape\" says more than 9223372036854775807 bytes");
    assert_eq!(with(r#""chunks": [65536, 65536],"#), "a chunk has 17179869184 bytes, expected at most 2147483647");
    assert_eq!(
        refused(v2("\"|O\"", "0", "")),
        "data type \"object\" is not supported: data types of a fixed size are read"
    );
    assert_eq!(refused(v2("\"|S0\"", "\"\"", "")), "items without bytes are not supported");
    assert_eq!(refused(v2("\"<i2\"", "32768", "")), "\"fill_value\" is 32768, expected a value of dtype '<i2'");
    let axes = format!("[{}]", vec!["1"; 17].join(","));
    assert!(with(&format!("\"shape\": {axes},")).ends_with("expected a list of up to 16 lengths"));
    assert_eq!(
        refused(v3("\"string\"", "\"\"", BYTES)),
        "data type \"string\" is not supported: data types of a fixed size are read"
    );
    let codec = |name: &str| refused(v3("\"int8\"", "0", &format!("[{{\"name\": \"{name}\"}}]")));
    assert!(codec("vlen-utf8").starts_with("codec \"vlen-utf8\" is not supported: "));
    assert!(codec("zstd").ends_with("expected the codec \"bytes\" before compressors"));
    assert_eq!(refused(v3("\"int16\"", "0", r#"["bytes"]"#)), "\"endian\" is missing");
    let text = r#"{"zarr_format": 3, "node_type": "array", "shape": [1], "chunk_grid": {"name": "rectilinear"}}"#;
    let error = Node::parse(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "chunk grid \"rectilinear\" is not supported: expected \"regular\"");
    let text = r#"{"zarr_format": 3, "node_type": "array", "new": {}}"#;
    assert_eq!(Node::parse(text.as_bytes()).unwrap_err().to_string(), "member \"new\" is not supported");
    // A small file whose fill value stands for two gigabytes.
    let meta = v2("\"|S2147483647\"", "\"YQ==\"", r#""shape": [1], "chunks": [1],"#).unwrap();
    assert_eq!(meta.fill.bytes(), b"a");
}

#[test]
fn groups_and_consolidated_metadata() {
    for version in [Version::V2, Version::V3] {
        let mut array = ArrayMeta::new(version, vec![3], vec![2], descr("'<i4'"));
        array.attributes.set("units", "K".into()).unwrap();
        let mut inner = GroupMeta::new(version);
        inner.attributes.set("b", Json::Int(1)).unwrap();
        let mut consolidated = Consolidated::new(version);
        consolidated.add_group("a", &inner).unwrap();
        consolidated.add_array("a/b", &array).unwrap();
        let root = GroupMeta { consolidated: Some(consolidated), ..GroupMeta::new(version) };
        let read = match version {
            Version::V2 => {
                let zmetadata = root.consolidated.as_ref().unwrap().to_zmetadata().unwrap();
                GroupMeta::parse_v2(&root.to_zgroup().unwrap(), None, Some(&zmetadata)).unwrap()
            }
            Version::V3 => match Node::parse(&root.to_zarr_json().unwrap()).unwrap() {
                Node::Group(group) => *group,
                Node::Array(_) => panic!(),
            },
        };
        assert_eq!(read, root);
        let consolidated = read.consolidated.unwrap();
        assert_eq!(consolidated.nodes().collect::<Vec<_>>(), [("a", NodeKind::Group), ("a/b", NodeKind::Array)]);
        assert_eq!(consolidated.array("a/b").unwrap(), Some(array));
        assert_eq!(consolidated.array("a").unwrap(), None);
    }
    assert_eq!(KeyEncoding::V2.key(&[3]), "3");
}

/// Returns what a version writes of the metadata.
fn written(meta: &ArrayMeta) -> Result<Vec<u8>, bloscpack_format::FormatError> {
    match meta.version {
        Version::V2 => meta.to_zarray(),
        Version::V3 => meta.to_zarr_json(),
    }
}

/// The metadata of all golden stores, and mutations of them: what is accepted is written, and read back as the same.
#[test]
fn metadata_of_zarr_python_and_mutations() {
    let files: Vec<(String, Vec<u8>)> = testdata::archive("zarr")
        .into_iter()
        .filter(|(name, _)| name.ends_with("zarr.json") || name.ends_with(".zarray"))
        .collect();
    let words = [
        "null",
        "-1",
        "0",
        "1e300",
        "NaN",
        "\"\"",
        "[]",
        "{}",
        "18446744073709551616",
        "true",
        "\"0x7fc00001\"",
        "[1, 2]",
    ];
    let mut rng = testdata::SplitMix64::new(11);
    let (mut accepted, mut refused) = (0, 0);
    for (name, bytes) in &files {
        for round in 0..150 {
            let mut text = bytes.clone();
            match round % 5 {
                _ if round == 0 => {}
                0 => text.truncate(rng.below(text.len())),
                1 | 2 => {
                    let at = rng.below(text.len());
                    text[at] = rng.next_u64() as u8;
                }
                _ => {
                    // A number, a text or a list is replaced.
                    let starts: Vec<usize> = (2..text.len()).filter(|at| text[at - 2..*at] == *b": ").collect();
                    if let Some(start) = starts.get(rng.below(starts.len().max(1))) {
                        let end = text[*start..].iter().position(|byte| b",}]\n".contains(byte)).unwrap_or(0);
                        let word = words[rng.below(words.len())].bytes();
                        text.splice(*start..*start + end, word);
                    }
                }
            }
            let parsed = match name.ends_with(".zarray") {
                true => ArrayMeta::parse_v2(&text, None),
                false => match Node::parse(&text) {
                    Ok(Node::Array(meta)) => Ok(*meta),
                    Ok(Node::Group(_)) => continue,
                    Err(error) => Err(error),
                },
            };
            let meta = match parsed {
                Ok(meta) => meta,
                Err(error) => {
                    assert!(!error.to_string().contains('\n'), "{name}: {error}");
                    refused += 1;
                    continue;
                }
            };
            accepted += 1;
            let Ok(first) = written(&meta) else {
                assert_ne!(round, 0, "{name}");
                continue;
            };
            let again = match meta.version {
                Version::V2 => ArrayMeta::parse_v2(&first, None).unwrap(),
                Version::V3 => match Node::parse(&first).unwrap() {
                    Node::Array(meta) => *meta,
                    Node::Group(_) => panic!("{name}"),
                },
            };
            assert_eq!(written(&again).unwrap(), first, "{name}");
            // Version 2 has a single NaN.
            if meta.version == Version::V3 {
                assert_eq!(again.fill.bytes(), meta.fill.bytes(), "{name}: {}", String::from_utf8_lossy(&text));
            }
        }
    }
    assert!(accepted > 1000 && refused > 5000, "{accepted} accepted, {refused} refused");
}

#[test]
fn fill_values_of_huge_items_stay_small() {
    for dtype in ["|V2147483647", "|S2147483647"] {
        let zarray =
            format!(r#"{{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "{dtype}", "fill_value": 0}}"#);
        let meta = ArrayMeta::parse_v2(zarray.as_bytes(), None).unwrap();
        let written = meta.to_zarray().unwrap();
        assert!(written.len() < 1000, "{dtype}: {} bytes", written.len());
        let again = ArrayMeta::parse_v2(&written, None).unwrap();
        assert!(again.dtype == meta.dtype && again.fill.is_zeros(), "{dtype}");
    }
    // The same item with a value, which would be base64 of 2 GiB.
    let zarray = r#"{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|V2147483647", "fill_value": 0}"#;
    let mut meta = ArrayMeta::parse_v2(zarray.as_bytes(), None).unwrap();
    meta.fill = Fill::new(vec![1]);
    let error = meta.to_zarray().unwrap_err().to_string();
    assert!(error.contains("fill value of dtype"), "{error}");
}
