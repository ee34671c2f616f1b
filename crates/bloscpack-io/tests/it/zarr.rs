//! Stores written by zarr-python are read as the manifest says, in whole and in part.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bloscpack_format::numpy::{Dtype, Selection, Slice};
use bloscpack_format::zarr::{NodeKind, Version};
use bloscpack_format::{Format, Json};
use bloscpack_io::bcolz::{LocalDirectory, MemoryDirectory};
use bloscpack_io::zarr::{Group, ZipDirectory};
use bloscpack_io::{
    Archive, Array, Attributes, ConvertOptions, Input, LocalSource, OpenOptions, ReadDirectory, Sink, Source, Target,
    Threads, UnpackOptions, convert, peek, unpack, unpack_bytes, verify,
};
use testdata::serde_json::Value;
use testdata::{SplitMix64, sha256_hex};

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

pub(crate) fn stores() -> Vec<Value> {
    testdata::manifest("zarr")["stores"].as_array().unwrap().clone()
}

/// The files of a golden directory.
pub(crate) fn files_of(name: &str) -> BTreeMap<String, Vec<u8>> {
    let prefix = format!("{name}/");
    let files = testdata::archive("zarr").into_iter();
    files.filter_map(|(path, bytes)| Some((path.strip_prefix(&prefix)?.to_owned(), bytes))).collect()
}

/// Writes a golden store below `root`.
fn write_to(name: &str, root: &Path) {
    for (path, bytes) in testdata::archive("zarr") {
        if path == name || path.starts_with(&format!("{name}/")) {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

fn dtype_of(fact: &Value) -> Dtype {
    let text = fact["dtype"].as_str().unwrap();
    if text.starts_with('[') { Dtype::parse(text).unwrap() } else { Dtype::from_type_string(text).unwrap() }
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Opens a golden store from memory.
fn open(fact: &Value) -> Archive<'static> {
    let name = fact["name"].as_str().unwrap();
    let options = OpenOptions::new().column(fact["member"].as_str());
    let opened = match name.ends_with(".zip") {
        true => Archive::open_with(testdata::archive("zarr").remove(name).unwrap(), &options),
        false => Archive::open_with(Input::directory(MemoryDirectory::of_files(files_of(name))), &options),
    };
    opened.unwrap_or_else(|error| panic!("{name}: {}", error.report()))
}

#[test]
fn arrays_are_what_was_written() {
    let mut arrays = 0;
    for fact in stores().iter().filter(|fact| fact["refused"].is_null()) {
        let name = fact["name"].as_str().unwrap();
        let archive = open(fact);
        let meta = archive.numpy().unwrap();
        assert_eq!((archive.format(), &meta.shape), (Format::ZarrArray, &numbers(&fact["shape"])), "{name}");
        assert_eq!(meta.dtype, dtype_of(fact), "{name}");
        let zarr = archive.zarr().unwrap();
        assert_eq!(zarr.chunkshape, numbers(&fact["chunks"]), "{name}");
        assert_eq!(zarr.version == Version::V3, fact["version"] == 3, "{name}");
        let shards = zarr.codecs.sharding.as_ref().map(|sharding| sharding.shape.clone());
        assert_eq!(shards, fact.get("shards").map(numbers), "{name}");
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &serial()).unwrap_or_else(|error| panic!("{name}: {}", error.report()));
        assert_eq!(fact["sha256"], sha256_hex(&plain), "{name}");
        let mut again = Vec::new();
        archive.unpack(&mut again, &UnpackOptions::new()).unwrap();
        assert!(again == plain, "{name}");
        archive.verify(&serial()).unwrap_or_else(|error| panic!("{name}: {}", error.report()));
        let attributes = Attributes::of(&archive).unwrap().values.to_json().unwrap();
        assert!(attributes.same_value(&Json::parse(fact["attributes"].to_string()).unwrap()), "{name}");
        // The metadata that we would write describes the same array.
        match zarr.version {
            Version::V2 => _ = zarr.to_zarray().unwrap(),
            Version::V3 => _ = zarr.to_zarr_json().unwrap(),
        }
        arrays += 1;
    }
    assert_eq!(arrays, 178);
}

/// Ranges, selections and items are those of the whole.
#[test]
fn parts_are_parts_of_the_whole() {
    let mut rng = SplitMix64::new(9);
    for fact in stores().iter().filter(|fact| fact["refused"].is_null()) {
        let name = fact["name"].as_str().unwrap();
        let archive = open(fact);
        let mut plain = Vec::new();
        archive.unpack(&mut plain, &serial()).unwrap();
        let len = plain.len();
        for _ in 0..4 {
            let start = rng.below(len + 1);
            let end = start + rng.below(len - start + 1);
            let range = archive.read_range(start as u64..end as u64).unwrap();
            assert!(range == plain[start..end], "{name} {start}..{end}");
        }
        let shape = numbers(&fact["shape"]);
        let itemsize = dtype_of(fact).itemsize() as usize;
        let options = OpenOptions::new().column(fact["member"].as_str());
        let dir = tempfile::tempdir().unwrap();
        write_to(name, dir.path());
        let array = Array::open(LocalSource::open_with(dir.path().join(name), &options).unwrap()).unwrap();
        for text in ["...", "::2", "1:-1", "::-1,1::3", "-1", "..., 0", "1, 2"] {
            let Ok(selection) = text.parse::<Slice>().unwrap().select(&shape) else { continue };
            let mut found =
                vec![0; selection.axes().iter().map(|axis| axis.count as usize).product::<usize>() * itemsize];
            array.read_into(&selection, &mut found, &serial()).unwrap();
            assert!(found == selected(&plain, itemsize, &shape, &selection), "{name} [{text}]");
        }
    }
}

/// The items of a selection of an array in C order, by the definition.
fn selected(items: &[u8], itemsize: usize, shape: &[u64], selection: &Selection) -> Vec<u8> {
    let mut places = vec![0_u64];
    for (axis, len) in selection.axes().iter().zip(shape) {
        let indices = || (0..axis.count).map(|number| axis.start.wrapping_add_signed(axis.step * number as i64));
        places = places.iter().flat_map(|place| indices().map(move |at| place * len + at)).collect();
    }
    places.into_iter().flat_map(|place| items[place as usize * itemsize..][..itemsize].to_vec()).collect()
}

/// Opening by path, detection, `unpack`, `verify` and `convert`.
#[test]
fn stores_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    for fact in stores().iter().filter(|fact| fact["refused"].is_null()) {
        let name = fact["name"].as_str().unwrap();
        let path = dir.path().join(name);
        write_to(name, dir.path());
        let format = if fact["member"].is_null() { Format::ZarrArray } else { Format::ZarrGroup };
        assert_eq!(peek::format_at(&path).unwrap(), Some(format), "{name}");
        let npy = dir.path().join("out.npy");
        let options = ConvertOptions::new().overwrite(true).column(fact["member"].as_str());
        let converted = convert(LocalSource::open(&path).unwrap(), &npy, Target::Npy, &options);
        converted.unwrap_or_else(|error| panic!("{name}: {}", error.report()));
        let mut items = Vec::new();
        Array::open(LocalSource::open(&npy).unwrap()).unwrap().archive().unpack(&mut items, &serial()).unwrap();
        assert_eq!(fact["sha256"], sha256_hex(&items), "{name}");
        let mut plain = Vec::new();
        let unpacked = unpack(Source::file(&path), Sink::memory(&mut plain), &serial());
        let verified = verify(Source::file(&path), &serial());
        if format == Format::ZarrGroup {
            for error in [unpacked.unwrap_err(), verified.unwrap_err()] {
                assert!(error.to_string().contains("this is a Zarr group"), "{name}: {error}");
            }
            let wrong = LocalSource::open_with(&path, &OpenOptions::new().column("no")).unwrap_err().to_string();
            assert!(wrong.starts_with("there is no column \"no\", only "), "{wrong}");
        } else {
            assert_eq!((unpacked.unwrap().format, verified.unwrap().format), (format, format), "{name}");
            assert!(plain == items, "{name}");
            if path.is_file() {
                let bytes = fs::read(&path).unwrap();
                assert!(unpack_bytes(&bytes, &serial()).unwrap().0 == items, "{name}");
                assert_eq!(verify(&bytes, &serial()).unwrap().format, format, "{name}");
            }
        }
    }
}

#[test]
fn groups_list_their_arrays() {
    let check = |name: &str, nodes: BTreeMap<String, NodeKind>| {
        let expected: &[(&str, NodeKind)] = match name.contains("/zip/") {
            true => &[("x", NodeKind::Group), ("x/y", NodeKind::Array)],
            false => &[
                ("a", NodeKind::Array),
                ("deep", NodeKind::Group),
                ("deep/er", NodeKind::Group),
                ("deep/er/b", NodeKind::Array),
                ("deep/none", NodeKind::Group),
            ],
        };
        let expected = expected.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
        assert_eq!(nodes, expected, "{name}");
    };
    for version in ["v2", "v3"] {
        for name in ["plain", "consolidated"].map(|kind| format!("{version}/group/{kind}")) {
            let group = Group::open(MemoryDirectory::of_files(files_of(&name))).unwrap();
            assert_eq!(group.meta().attributes.get("title").and_then(Json::as_str), Some("t"));
            assert_eq!(group.meta().consolidated.is_some(), name.ends_with("consolidated"));
            check(&name, group.nodes().unwrap());
            assert_eq!(group.arrays().unwrap(), ["a", "deep/er/b"]);
            assert!(group.array("deep/../a").is_err());
        }
        for kind in ["stored", "deflated"] {
            let name = format!("{version}/zip/{kind}.zip");
            let zip = ZipDirectory::open(testdata::archive("zarr").remove(&name).unwrap()).unwrap();
            check(&name, Group::open(zip).unwrap().nodes().unwrap());
        }
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for fact in stores().iter().filter(|fact| !fact["refused"].is_null()) {
        let (name, word) = (fact["name"].as_str().unwrap(), fact["refused"].as_str().unwrap());
        let dir = MemoryDirectory::of_files(files_of(name));
        let error = Archive::open(Input::directory(dir)).unwrap_err();
        let text = error.report().to_string();
        assert!(text.contains(&format!("{word:?} is not supported")), "{name}: {text}");
        assert!(text.starts_with(".zarray: ") || text.starts_with("zarr.json: "), "{name}: {text}");
        assert_eq!(error.kind(), bloscpack_io::ErrorKind::Unsupported, "{name}");
    }
}

/// A directory that counts the bytes read, and cannot list.
struct Counted(MemoryDirectory, std::sync::Arc<std::sync::atomic::AtomicU64>);

struct CountedFile<'a>(Box<dyn bloscpack_io::ReadAt + 'a>, &'a std::sync::atomic::AtomicU64);

impl bloscpack_io::ReadAt for CountedFile<'_> {
    fn len(&self) -> std::io::Result<u64> {
        self.0.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<()> {
        self.1.fetch_add(buf.len() as u64, std::sync::atomic::Ordering::Relaxed);
        self.0.read_exact_at(offset, buf)
    }
}

impl ReadDirectory for Counted {
    fn open(&self, path: &str) -> std::io::Result<Box<dyn bloscpack_io::ReadAt + '_>> {
        Ok(Box::new(CountedFile(self.0.open(path)?, &self.1)))
    }

    fn list(&self, _: &str) -> std::io::Result<Vec<String>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

/// An array is read without listing, and of a shard only the index and the chunks of the slice are read.
#[test]
fn only_what_is_needed_is_read() {
    let read = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let reset = || read.swap(0, std::sync::atomic::Ordering::Relaxed);
    for name in ["v2/large", "v3/shard/0", "v3/shard/4", "v3/keys/dot", "v2/keys/v2slash", "v2/ndim/0"] {
        let dir = Counted(MemoryDirectory::of_files(files_of(name)), read.clone());
        let archive = Archive::open(Input::directory(dir)).unwrap();
        archive.verify(&serial()).unwrap_or_else(|error| panic!("{name}: {}", error.report()));
    }
    let files = files_of("v3/shard/0");
    let archive = Archive::open(Input::directory(Counted(MemoryDirectory::of_files(files), read.clone()))).unwrap();
    reset();
    // The item 0, 3 is in a chunk of 4 x 3 items that are not compressed. The index has 6 entries of 16 bytes, and a
    // checksum, and is read once.
    archive.read_range(3 * 4..4 * 4).unwrap();
    assert_eq!(reset(), 6 * 16 + 4 + 4 * 3 * 4);
    archive.read_range(3 * 4..4 * 4).unwrap();
    assert_eq!(reset(), 4 * 3 * 4);
}

/// Links cannot lead out of a store.
#[cfg(unix)]
#[test]
fn no_chunk_leads_out_of_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let name = "v2/ndim/1";
    write_to(name, dir.path());
    fs::write(dir.path().join("secret"), [7; 100]).unwrap();
    let chunk = dir.path().join(name).join("0");
    fs::remove_file(&chunk).unwrap();
    std::os::unix::fs::symlink(dir.path().join("secret"), &chunk).unwrap();
    let archive = Archive::open(LocalSource::open(dir.path().join(name)).unwrap()).unwrap();
    let error = archive.verify(&serial()).unwrap_err().report().to_string();
    assert!(error.contains("leads out of the directory"), "{error}");
    assert!(LocalDirectory::open(dir.path()).is_ok());
}

/// zarr-python 3.1.6: `create_array(data=arange(6, dtype="<i2"), compressors=[GzipCodec(), BloscCodec(cname="lz4", typesize=1)])`.
const GZIP_IN_BLOSC: &str =
    "020133012000000020000000300000001f8b080070a4066b00ff636060646062606660616065000090bbb3a20c000000";

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn blosc_after_another_compressor_is_read() {
    let zarr_json = r#"{"zarr_format": 3, "node_type": "array", "shape": [6], "data_type": "int16", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6]}}, "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip", "configuration": {"level": 5}},
        {"name": "blosc", "configuration": {"typesize": 1, "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}}]}"#;
    let open = |chunk: &[u8]| {
        let files = [("zarr.json".into(), zarr_json.into()), ("c/0".into(), chunk.to_vec())];
        Archive::open(Input::directory(MemoryDirectory::of_files(files))).unwrap()
    };
    let chunk = bytes_of_hex(GZIP_IN_BLOSC);
    let expected: Vec<u8> = (0..6_i16).flat_map(i16::to_le_bytes).collect();
    assert_eq!(open(&chunk).chunk(0).unwrap(), expected);
    // A header that says more than the chunk can need.
    let mut huge = chunk.clone();
    // Not stored uncompressed, where the header has to have the same size twice.
    huge[2] &= !2;
    huge[4..8].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    let error = open(&huge).chunk(0).unwrap_err().report().to_string();
    assert!(error.contains("nbytes is 1073741824, more than 48 compressed bytes can hold"), "{error}");
}

/// A directory that counts how often its own `zarr.json` is opened.
struct RootOpens(MemoryDirectory, std::sync::atomic::AtomicU64);

impl ReadDirectory for RootOpens {
    fn open(&self, path: &str) -> std::io::Result<Box<dyn bloscpack_io::ReadAt + '_>> {
        if path == "zarr.json" {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        self.0.open(path)
    }

    fn list(&self, path: &str) -> std::io::Result<Vec<String>> {
        self.0.list(path)
    }
}

/// A name may start with a dot. The files of metadata and temporary files are no nodes.
#[test]
fn groups_list_names_with_a_dot() {
    let zarray = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "fill_value": 7}"#;
    let files = [".hidden", "..x", "k", ".blpk-01234567-0.tmp", ".blpk-abc.old"];
    let files = files.map(|name| (format!("{name}/.zarray"), zarray.as_bytes().to_vec()));
    let group = [(".zgroup", r#"{"zarr_format": 2}"#), (".zattrs", "{}"), (".git/config", "")];
    let group = group.map(|(name, text)| (name.to_owned(), text.into()));
    let group = Group::open(MemoryDirectory::of_files(files.into_iter().chain(group))).unwrap();
    assert_eq!(group.arrays().unwrap(), ["..x", ".hidden", "k"]);
}

/// The metadata of a group can be that of many arrays, so reading it for each of them takes quadratic time.
#[test]
fn arrays_of_a_group_are_opened_without_its_metadata() {
    let array = r#"{"zarr_format": 3, "node_type": "array", "shape": [6], "data_type": "int16", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6]}}, "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}"#;
    let files = [
        ("zarr.json".into(), br#"{"zarr_format": 3, "node_type": "group"}"#.to_vec()),
        ("a/b/zarr.json".into(), array.into()),
    ];
    let dir = RootOpens(MemoryDirectory::of_files(files), 0.into());
    let opens = |column: &str| {
        dir.1.store(0, std::sync::atomic::Ordering::Relaxed);
        let opened = Archive::open_with(Input::directory(&dir), &OpenOptions::new().column(Some(column)));
        (opened.map(|archive| archive.nbytes()), dir.1.load(std::sync::atomic::Ordering::Relaxed))
    };
    let (found, count) = opens("a/b");
    // One to recognise the format.
    assert!(found.unwrap() == 12 && count <= 1, "{count}");
    assert!(opens("a/../a/b").0.is_err() && opens("a").0.is_err());
}

#[test]
fn compressed_files_of_an_archive_are_decompressed_when_read() {
    let mut archive = testdata::archive("zarr").remove("v3/zip/deflated_array.zip").unwrap();
    // The data of the first file: after its header of 30 bytes and its name.
    let start = 30 + usize::from(u16::from_le_bytes([archive[26], archive[27]]));
    let name = String::from_utf8(archive[30..start].to_vec()).unwrap();
    archive[start..start + 4].fill(0xff);
    let zip = ZipDirectory::open(archive).unwrap();
    let file = zip.open(&name).unwrap();
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    assert!(!bytes.is_empty());
    file.read_exact_at(0, &mut bytes).unwrap_err();
}

/// Files of an archive that are stored as they are have a CRC-32, too, also of chunks that are not compressed.
#[test]
fn stored_files_of_an_archive_are_checked() {
    let archive = testdata::archive("zarr").remove("v3/zip/stored.zip").unwrap();
    let zip = ZipDirectory::open(archive.as_slice()).unwrap();
    let names: Vec<String> = zip.list("x/y/c/0").unwrap();
    let key = format!("x/y/c/0/{}", names[0]);
    let offset = usize::try_from(zip.offset_in_archive(&key).unwrap().unwrap()).unwrap();
    let len = usize::try_from(zip.open(&key).unwrap().len().unwrap()).unwrap();
    let mut damaged = archive.clone();
    damaged[offset + len - 1] ^= 1;
    let zip = ZipDirectory::open(damaged.as_slice()).unwrap();
    let mut bytes = vec![0; len];
    let error = zip.open(&key).unwrap().read_exact_at(0, &mut bytes).unwrap_err().to_string();
    assert!(error.contains("the CRC-32 of the file is "), "{error}");
    // A part of a file cannot be checked.
    zip.open(&key).unwrap().read_exact_at(1, &mut bytes[1..]).unwrap();
    let options = OpenOptions::new().column("x/y");
    let verified = Archive::open_with(damaged, &options).unwrap().verify(&serial());
    assert!(verified.unwrap_err().report().to_string().contains(&format!("{key}: ")));
    // The sizes of a stored file are equal.
    let mut damaged = archive;
    let entry = damaged.windows(key.len() + 46).rposition(|bytes| bytes.ends_with(key.as_bytes())).unwrap();
    damaged[entry + 24] ^= 1;
    let zip = ZipDirectory::open(damaged.as_slice()).unwrap();
    let error = zip.open(&key).map(drop).unwrap_err().to_string();
    assert!(error.contains("bytes are stored of a file of "), "{error}");
}
