//! Tests that bcolz's metadata files are read as bcolz means them, and written as bcolz writes them.

use bloscpack_format::bcolz::{
    Attrs, BcolzError, ChunkFileHeader, Cparams, Dtype, MAX_CHUNK_NBYTES, RootDirs, Rows, Shuffle, Sizes, Storage,
    best_chunklen, chunk_file_name, chunk_size, dflt,
};
use bloscpack_format::{FormatError, Json, bloscpack, detect};
use proptest::prelude::*;
use std::collections::BTreeMap;
use testdata::SplitMix64;
use testdata::serde_json::Value;

/// Calls `check` with each intact carray that bcolz wrote, according to the manifest. A column is passed with its
/// table's name.
fn each_carray(mut check: impl FnMut(&str, &Value, &BTreeMap<String, Vec<u8>>)) {
    let files = testdata::archive("bcolz");
    let manifest = testdata::manifest("bcolz");
    let cases = manifest["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 272);
    let mut seen = 0;
    for case in cases.iter().filter(|case| case["expect"] != "error") {
        let path = case["name"].as_str().unwrap();
        if case["kind"] == "carray" {
            check(path, case, &files);
            seen += 1;
        }
        for (name, column) in case["columns"].as_object().into_iter().flatten() {
            check(&format!("{path}/{name}"), column, &files);
            seen += 1;
        }
    }
    assert_eq!(seen, 265);
}

fn file<'a>(files: &'a BTreeMap<String, Vec<u8>>, path: &str, name: &str) -> Option<&'a [u8]> {
    files.get(&format!("{path}/{name}")).map(Vec::as_slice)
}

#[test]
fn metadata_is_what_the_manifest_says() {
    let mut exact = 0;
    each_carray(|path, fact, files| {
        let storage = Storage::parse(file(files, path, "meta/storage").unwrap()).unwrap();
        let sizes = Sizes::parse(file(files, path, "meta/sizes").unwrap()).unwrap();
        let shape: Vec<u64> = fact["shape"].as_array().unwrap().iter().map(|len| len.as_u64().unwrap()).collect();
        assert_eq!(sizes.shape, shape, "{path}");
        assert_eq!(Sizes::parse(&sizes.to_bytes()).as_ref(), Ok(&sizes), "{path}");
        let again = Storage::parse(&storage.to_bytes()).unwrap();
        assert!(again.dflt.same_value(&storage.dflt), "{path}");
        let without_dflt = |mut storage: Storage| {
            storage.dflt = Json::Null;
            storage
        };
        assert_eq!(without_dflt(again), without_dflt(storage.clone()), "{path}");
        let rows = Rows::of(&sizes, &storage).unwrap_or_else(|error| panic!("{path}: {error}"));
        if fact["dtype"].is_null() {
            return; // Metadata that was edited by hand.
        }
        assert_eq!(fact["dtype"], storage.dtype.to_string(), "{path}");
        if storage.dtype == Dtype::Object {
            assert_eq!(rows.nchunks(), 5, "{path}");
            return;
        }
        assert_eq!(fact["itemsize"], storage.dtype.itemsize(), "{path}");
        assert_eq!(fact["chunklen"], storage.chunklen, "{path}");
        assert_eq!((&fact["nbytes"], &fact["nfull"]), (&rows.nbytes().into(), &rows.full_chunks().into()), "{path}");
        assert_eq!(fact["leftover"], rows.len() % rows.chunklen(), "{path}");
        if let Some(typesize) = fact["first_chunk"]["typesize"].as_u64() {
            assert_eq!(storage.dtype.typesize() as u64, typesize, "{path}");
        }
        // The output is the same as that of bcolz 1.1 and later.
        for (name, ours) in [("storage_json", storage.to_bytes()), ("sizes_json", sizes.to_bytes())] {
            let old = path.contains("/old/") || path.ends_with("shuffle_true_bool");
            if old && name == "storage_json" {
                assert_eq!(storage.cparams.shuffle, Shuffle::Byte, "{path}");
                continue;
            }
            assert_eq!(fact[name], String::from_utf8(ours).unwrap(), "{path}");
            exact += 1;
        }
        let attrs = Attrs::parse(file(files, path, "__attrs__").unwrap()).unwrap();
        assert_eq!(attrs.to_bytes().unwrap(), fact["attrs_json"].as_str().unwrap().as_bytes(), "{path}");
    });
    assert!(exact > 480, "{exact}");
}

/// Converts the default values of the manifest's dtypes to bytes and back.
#[test]
fn default_values() {
    let mut zeros = 0;
    each_carray(|path, _, files| {
        let storage = Storage::parse(file(files, path, "meta/storage").unwrap()).unwrap();
        let sizes = Sizes::parse(file(files, path, "meta/sizes").unwrap()).unwrap();
        if storage.dtype == Dtype::Object {
            assert!(dflt::to_bytes(&storage.dflt, &storage.dtype, &[]).is_err());
            return;
        }
        let bytes = dflt::to_bytes(&storage.dflt, &storage.dtype, sizes.atom_shape()).unwrap();
        let expected = match path.rsplit('/').next().unwrap() {
            "resize_up_dflt" => (-7_i32).to_le_bytes().to_vec(),
            "float_dflt_nan" => f64::NAN.to_le_bytes().to_vec(),
            "float_dflt_neginf" => f32::NEG_INFINITY.to_le_bytes().to_vec(),
            "u8_dflt_max" => vec![0xff; 8],
            "bool_dflt_true" => vec![1],
            "S_dflt" => b"zz\0\0".to_vec(),
            "U_dflt_nonascii" => [0xe9_u32, 0x1f600, 0, 0].map(u32::to_le_bytes).concat(),
            _ => vec![0; bytes.len()],
        };
        assert_eq!(bytes, expected, "{path}");
        let whole = if matches!(storage.dflt, Json::Array(_)) && sizes.shape.len() > 1 {
            Rows::of(&sizes, &storage).unwrap().atomsize()
        } else {
            assert!(dflt::from_bytes(&bytes, &storage.dtype).unwrap().same_value(&storage.dflt), "{path}");
            storage.dtype.itemsize()
        };
        assert_eq!(bytes.len() as u64, whole, "{path}");
        zeros += usize::from(dflt::zero(&storage.dtype) == storage.dflt);
    });
    assert!(zeros > 240, "{zeros}");
}

#[test]
fn columns() {
    let files = testdata::archive("bcolz");
    let manifest = testdata::manifest("bcolz");
    let (mut good, mut refused) = (0, Vec::new());
    for case in manifest["cases"].as_array().unwrap().iter().filter(|case| case["kind"] == "ctable") {
        let path = case["name"].as_str().unwrap();
        let Some(bytes) = file(&files, path, "__rootdirs__") else {
            continue;
        };
        match RootDirs::parse(bytes) {
            Ok(rootdirs) if case["names"].is_array() => {
                assert_eq!(case["names"], Value::from(rootdirs.names.clone()), "{path}");
                assert_eq!(RootDirs::parse(&rootdirs.to_bytes()).as_ref(), Ok(&rootdirs));
                if !path.contains("/old/") && case["rootdirs_json"].is_string() {
                    assert_eq!(case["rootdirs_json"], String::from_utf8(rootdirs.to_bytes()).unwrap(), "{path}");
                }
                good += 1;
            }
            // The columns of these tables are damaged.
            Ok(_) => {
                assert!(path.ends_with("column_dir_missing") || path.ends_with("column_length_mismatch"), "{path}")
            }
            Err(_) => refused.push(path.rsplit('/').next().unwrap().to_owned()),
        }
    }
    assert_eq!(good, 14);
    let expected = "names_traversal names_absolute names_dot names_empty_string names_duplicate names_not_list \
                    names_not_strings rootdirs_empty rootdirs_no_names";
    assert_eq!(refused.join(" "), expected);
}

/// A chunk file begins with the expected header, and is a bloscpack file of format version 1.
#[test]
fn chunk_files() {
    let mut seen = 0;
    each_carray(|path, fact, files| {
        for name in fact["chunk_files"].as_array().into_iter().flatten() {
            let bytes = file(files, path, &format!("data/{}", name.as_str().unwrap())).unwrap();
            assert_eq!(ChunkFileHeader::parse(bytes), Ok(ChunkFileHeader::NEW), "{path}");
            assert_eq!(bytes[..16], ChunkFileHeader::NEW.to_bytes());
            assert_eq!(detect(bytes, Some(bytes.len() as u64)), Some(detect::Format::Bloscpack { version: 1 }));
            assert_eq!(bloscpack::Header::parse(bytes).map(|(header, len)| (header.nchunks, len)), Ok((Some(1), 16)));
            seen += 1;
        }
        let facts = &fact["first_chunk"];
        if facts.is_object() {
            let bytes = file(files, path, &chunk_file_name(0)).unwrap();
            let header = blosc_core::Header::parse(&bytes[16..]).unwrap();
            assert_eq!(facts["nbytes"], header.nbytes(), "{path}");
        }
    });
    assert!(seen > 700, "{seen}");
}

#[test]
fn chunk_lengths_of_bcolz() {
    let manifest = testdata::manifest("bcolz");
    let table = manifest["chunk_size_table"].as_array().unwrap();
    assert_eq!(table.len(), 164);
    for row in table {
        let number = |at: usize| row[at].as_u64().unwrap();
        if row[0] == "bytes" {
            assert_eq!(chunk_size(number(1)), number(2), "{row}");
        } else {
            let chunklen = best_chunklen(number(1), number(2));
            assert_eq!((chunklen * number(2), chunklen), (number(3), number(4)), "{row}");
        }
    }
}

/// Invalid metadata is refused when it is read. Errors that only the chunks reveal are counted.
#[test]
fn damaged_metadata() {
    let files = testdata::archive("bcolz");
    let manifest = testdata::manifest("bcolz");
    let (mut by_metadata, mut later) = (0, 0);
    for case in manifest["cases"].as_array().unwrap().iter().filter(|case| case["kind"] == "carray") {
        let path = case["name"].as_str().unwrap();
        if case["expect"] != "error" {
            continue;
        }
        let read = |name| file(&files, path, name);
        let (Some(storage), Some(sizes)) = (read("meta/storage"), read("meta/sizes")) else {
            continue;
        };
        let rows = Storage::parse(storage).and_then(|storage| Ok(Rows::of(&Sizes::parse(sizes)?, &storage)?));
        match rows {
            Ok(_) => later += 1,
            Err(_) => by_metadata += 1,
        }
    }
    assert_eq!((by_metadata, later), (16, 28));
}

/// Any changed byte and any truncation of a metadata file gives a value or an error.
#[test]
fn no_change_of_a_byte_panics() {
    let mut rng = SplitMix64::new(51);
    let files = testdata::archive("bcolz");
    let mut refused = 0;
    for (path, bytes) in &files {
        let read: fn(&[u8]) -> Option<FormatError> = match path.rsplit('/').next().unwrap() {
            "storage" => |bytes| {
                let storage = match Storage::parse(bytes) {
                    Ok(storage) => storage,
                    Err(error) => return Some(error),
                };
                let sizes = Sizes::new([7, 3]);
                let _rows = Rows::of(&sizes, &storage);
                let _bytes = dflt::to_bytes(&storage.dflt, &storage.dtype, &[3]);
                assert_eq!(Storage::parse(&storage.to_bytes()).unwrap().to_bytes(), storage.to_bytes());
                None
            },
            "sizes" => |bytes| Sizes::parse(bytes).err(),
            "__attrs__" => |bytes| Attrs::parse(bytes).err(),
            "__rootdirs__" => |bytes| RootDirs::parse(bytes).err(),
            name if name.ends_with(".blp") => |bytes| ChunkFileHeader::parse(bytes).err(),
            _ => continue,
        };
        let head = &bytes[..bytes.len().min(400)];
        for _ in 0..20 {
            let mut changed = head.to_vec();
            match changed.len() {
                0 => {}
                len => changed[rng.below(len)] = rng.next_u64() as u8,
            }
            refused += usize::from(read(&changed).is_some_and(|error| !error.to_string().is_empty()));
            refused += usize::from(read(&head[..rng.below(head.len() + 1)]).is_some());
        }
    }
    assert!(refused > 1000, "{refused}");
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        any::<f64>().prop_filter("equal to itself", |x| !x.is_nan()).prop_map(Json::Float),
        ".*".prop_map(Json::String),
        Just(Json::BigInt("18446744073709551615".into())),
        Just(Json::Null),
    ];
    leaf.prop_recursive(2, 16, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Json::Array))
}

fn dtype() -> impl Strategy<Value = Dtype> {
    let texts = ["bool", "int32", ">i4", "uint64", "float16", ">f8", "complex64", "|S5", "<U3", ">U3", "|V7", "|V300"];
    let more = ["datetime64[ns]", ">M8[D]", "timedelta64[25s]", "object", "[('a', '<i4'), ('b', '|S3', (2,))]"];
    let texts: Vec<&str> = texts.into_iter().chain(more).collect();
    prop::sample::select(texts).prop_map(|text| Dtype::parse(text).unwrap())
}

fn cparams() -> impl Strategy<Value = Cparams> {
    let shuffle = prop_oneof![Just(Shuffle::None), Just(Shuffle::Byte), Just(Shuffle::Bit)];
    (0..=9u8, shuffle, "[a-z0-9]{0,9}", any::<u32>()).prop_map(|(clevel, shuffle, cname, quantize)| {
        let mut cparams = Cparams::default();
        (cparams.clevel, cparams.shuffle, cparams.cname, cparams.quantize) = (clevel, shuffle, cname, quantize);
        cparams
    })
}

proptest! {
    #[test]
    fn storage_leads_back(
        dtype in dtype(), cparams in cparams(), chunklen in 1..=u64::MAX, expectedlen: u64, dflt in json()
    ) {
        let mut storage = Storage::new(dtype, chunklen);
        (storage.cparams, storage.expectedlen, storage.dflt) = (cparams, expectedlen, dflt);
        prop_assert_eq!(Storage::parse(&storage.to_bytes()), Ok(storage));
    }

    #[test]
    fn sizes_lead_back(shape in prop::collection::vec(any::<u64>(), 1..6), nbytes: u64, cbytes: i64) {
        let mut sizes = Sizes::new(shape);
        (sizes.nbytes, sizes.cbytes) = (nbytes, cbytes);
        prop_assert_eq!(Sizes::parse(&sizes.to_bytes()), Ok(sizes));
    }

    #[test]
    fn attrs_lead_back(members in prop::collection::vec((".*", json()), 0..6)) {
        let mut attrs = Attrs::default();
        for (name, value) in members {
            attrs.set(&name, value).unwrap();
        }
        prop_assert_eq!(Attrs::parse(&attrs.to_bytes().unwrap()), Ok(attrs));
    }

    #[test]
    fn rootdirs_lead_back(names in prop::collection::btree_set("[^/\\\\:.\0_]{1,9}", 0..6)) {
        let rootdirs = RootDirs { names: names.into_iter().collect() };
        prop_assert_eq!(RootDirs::parse(&rootdirs.to_bytes()), Ok(rootdirs));
    }

    #[test]
    fn default_values_lead_back(dtype in dtype(), seed: u64) {
        let mut rng = SplitMix64::new(seed);
        let bytes: Vec<u8> = (0..dtype.itemsize()).map(|_| rng.below(3) as u8).collect();
        if let Ok(json) = dflt::from_bytes(&bytes, &dtype) {
            let again = dflt::to_bytes(&json, &dtype, &[]).unwrap();
            prop_assert_eq!(dflt::from_bytes(&again, &dtype), Ok(json));
        } else {
            prop_assert!(["complex64", "object"].contains(&&*dtype.to_string()) || dtype.to_string().contains('U'));
        }
    }

    #[test]
    fn rows_of_any_numbers(len: u64, chunklen: u64, atomsize: u64, small in 0..4u32, chunk: u64) {
        let rows = Rows::new(len >> (16 * small), chunklen >> (21 * small), atomsize >> (21 * small));
        match rows {
            Ok(rows) => {
                let last = rows.nchunks().saturating_sub(1);
                prop_assert_eq!(rows.rows_of(last).end, rows.len());
                prop_assert!(rows.rows_in(chunk) <= rows.chunklen());
                prop_assert!(*rows.nbytes_allowed(chunk).end() <= MAX_CHUNK_NBYTES);
                prop_assert!(rows.nbytes() <= i64::MAX as u64);
                prop_assert!(rows.parts(chunk..u64::MAX).next().is_none_or(|part| !part.rows.is_empty()));
            }
            Err(error) => prop_assert_ne!(error, BcolzError::ObjectShape { ndim: 0 }),
        }
    }
}
