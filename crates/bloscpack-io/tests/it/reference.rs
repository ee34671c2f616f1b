//! References: the referenced bytes of every format decode to what the archive holds, wherever Zarr expects it.

use std::fs;
use std::path::Path;

use blosc_core::{Decoder, Limits};
use bloscpack_format::Json;
use bloscpack_format::frame::{B2nd, Grid};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::bcolz::MemoryDirectory;
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::numpy::pack_array;
use bloscpack_io::{
    Archive, Array, Cancel, Error, ErrorKind, Input, LocalSource, PackOptions, ReferenceInput, ReferenceOptions,
    ReferenceRefusal, ReferencedArray, ReferencedBytes, References, Sink, Threads, UnpackOptions, reference_url,
};
use testdata::SplitMix64;

use crate::common::each_frame;
use crate::common::roots::{cases, name_of, write_to};
use crate::zarr::stores;

fn input(path: &Path) -> ReferenceInput {
    ReferenceInput { source: LocalSource::open(path).unwrap().into(), url: reference_url(path, None).unwrap() }
}

fn references(paths: &[&Path], options: &ReferenceOptions) -> Result<References, Error> {
    References::of(paths.iter().map(|path| input(path)).collect(), options)
}

fn numbers(json: &Json, key: &str) -> Vec<u64> {
    json.get(key).unwrap().as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Reads the bytes of a chunk.
fn bytes_of(bytes: &ReferencedBytes) -> Vec<u8> {
    match bytes {
        ReferencedBytes::Inline(bytes) => bytes.to_vec(),
        ReferencedBytes::Stored { url, offset, length } => {
            let file = fs::read(url.strip_prefix("file://").unwrap()).unwrap();
            file[*offset as usize..][..*length as usize].to_vec()
        }
        other => panic!("{other:?}"),
    }
}

/// Decodes a chunk to its items, as the codec of the metadata does.
fn decoded(bytes: &[u8], codec: &Json) -> Vec<u8> {
    if codec.get("id").unwrap().as_str() == Some("blosc") {
        return blosc_core::decompress(bytes).unwrap();
    }
    let shape = |key| numbers(codec, key).iter().map(|len| *len as u32).collect::<Vec<u32>>();
    let (chunks, blocks, itemsize) =
        (shape("chunks"), shape("blocks"), codec.get("itemsize").unwrap().as_u64().unwrap());
    let array = B2nd::new(numbers(codec, "chunks"), chunks, blocks);
    let grid = Grid::new(&array, itemsize as u32).unwrap();
    let mut decoder = Decoder::new().blockshape(&array.block_axes()).super_chunk_typesize(itemsize as usize);
    let plain = decoder.decompress(&blosc_core::Chunk::parse(bytes).unwrap()).unwrap();
    let region = grid.all();
    let part = grid.parts(&region).unwrap().next().unwrap();
    let mut items = vec![0; grid.nbytes_of(&region).unwrap() as usize];
    grid.read(&part, &plain, &region, &mut items).unwrap();
    items
}

/// Reads an array as Zarr does. Returns its items in C order.
fn read(array: &ReferencedArray, itemsize: usize) -> Vec<u8> {
    let (shape, chunkshape) = (numbers(&array.metadata, "shape"), numbers(&array.metadata, "chunks"));
    let codec = &array.metadata.get("filters").unwrap().as_array().unwrap()[0];
    let is_f = array.metadata.get("order").unwrap().as_str() == Some("F");
    let mut items = vec![0; shape.iter().product::<u64>() as usize * itemsize];
    for chunk in &array.chunks {
        let plain = decoded(&bytes_of(&chunk.bytes), codec);
        assert_eq!(plain.len() as u64, chunkshape.iter().product::<u64>() * itemsize as u64);
        for (number, item) in plain.chunks_exact(itemsize).enumerate() {
            let mut within = indices(number as u64, &chunkshape, is_f);
            for ((within, at), len) in within.iter_mut().zip(&chunk.at).zip(&chunkshape) {
                *within += at * len;
            }
            if within.iter().zip(&shape).all(|(at, len)| at < len) {
                let place = within.iter().zip(&shape).fold(0, |place, (at, len)| place * len + at) as usize;
                items[place * itemsize..][..itemsize].copy_from_slice(item);
            }
        }
    }
    items
}

/// The indices of an item of a chunk.
fn indices(mut number: u64, shape: &[u64], is_f: bool) -> Vec<u64> {
    let mut take = |len: &u64| (number % len, number /= len).0;
    if is_f {
        return shape.iter().map(&mut take).collect();
    }
    let mut at: Vec<u64> = shape.iter().rev().map(&mut take).collect();
    at.reverse();
    at
}

/// The items of an array in C order.
fn items(path: &Path) -> Vec<u8> {
    let array = Array::open(LocalSource::open(path).unwrap()).unwrap();
    let mut items = Vec::new();
    let all = bloscpack_format::numpy::Selection::all(&array.meta().shape);
    array.copy_selection(&all, &mut items, &UnpackOptions::new().threads(Threads::Serial)).unwrap();
    items
}

#[test]
fn golden_frames() {
    let (dir, mut seen, mut inline) = (tempfile::tempdir().unwrap(), 0, 0);
    each_frame(|name, _, stored| {
        let path = dir.path().join(name);
        stored.write_to(&path);
        let archive = Archive::open(stored).unwrap();
        let Some(meta) = archive.numpy() else {
            let refused = references(&[&path], &ReferenceOptions::new()).unwrap_err();
            return assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}: {refused}");
        };
        if meta.shape.iter().product::<u64>() > 1 << 20 {
            return;
        }
        seen += 1;
        for dims in [vec![], meta.shape.iter().map(|len| format!("axis {len}")).collect()] {
            let found = references(&[&path], &ReferenceOptions::new().dims(dims)).unwrap();
            assert_eq!(found.arrays.len(), 1, "{name}");
            let array = &found.arrays[0];
            assert_eq!(numbers(&array.metadata, "shape"), meta.shape, "{name}");
            assert!(read(array, meta.dtype.itemsize() as usize) == items(&path), "{name}");
            inline += array.chunks.iter().filter(|chunk| matches!(chunk.bytes, ReferencedBytes::Inline(_))).count();
        }
    });
    assert!(seen > 20 && inline >= 4, "{seen} {inline}");
}

#[test]
fn golden_carrays_and_tables() {
    let dir = tempfile::tempdir().unwrap();
    let (mut seen, mut refused) = (0, 0);
    for case in cases(None).iter().filter(|case| case["expect"] != "error") {
        let name = name_of(case);
        let path = dir.path().join(name);
        write_to(name, &path);
        let Ok(found) = references(&[&path], &ReferenceOptions::new()) else {
            refused += 1;
            continue;
        };
        for array in &found.arrays {
            let path = array.name.as_ref().map_or(path.clone(), |name| path.join(name));
            let Ok(archive) = Archive::open(LocalSource::open(&path).unwrap()) else { continue };
            let itemsize = archive.numpy().unwrap().dtype.itemsize() as usize;
            assert!(read(array, itemsize) == items(&path), "{name}");
            seen += 1;
        }
    }
    // Python objects, and dtypes that Zarr does not have.
    assert!(seen > 200 && refused < 60, "{seen} {refused}");
}

/// An array of references as a Zarr store of format 2, with its only filter as compressor. `None` if that is impossible.
fn as_store(array: &ReferencedArray) -> Option<MemoryDirectory> {
    let mut zarray = array.metadata.clone();
    let Json::Object(members) = &mut zarray else { return None };
    let filter = match members.iter().find(|(name, _)| name == "filters").map(|(_, filters)| filters) {
        Some(Json::Array(filters)) if filters.len() == 1 && filters[0].get("id") != Some(&"crc32c".into()) => {
            filters[0].clone()
        }
        Some(Json::Null) => Json::Null,
        _ => return None,
    };
    members.retain(|(name, _)| name != "filters" && name != "compressor");
    members.push(("compressor".into(), filter));
    let mut files = vec![(".zarray".to_owned(), zarray.dumps_spaced().into_bytes())];
    files.extend(array.chunks.iter().map(|chunk| {
        let numbers: Vec<String> = chunk.at.iter().map(u64::to_string).collect();
        (if numbers.is_empty() { "0".into() } else { numbers.join(".") }, bytes_of(&chunk.bytes))
    }));
    Some(MemoryDirectory::of_files(files))
}

/// The stores that zarr-python wrote: what the references say is the same array.
#[test]
fn golden_zarr_stores() {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in testdata::archive("zarr") {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let (mut seen, mut refused) = (0, Vec::new());
    for fact in stores().iter().filter(|fact| fact["refused"].is_null()) {
        let (name, member) = (fact["name"].as_str().unwrap(), fact["member"].as_str());
        let found = match references(&[&dir.path().join(name)], &ReferenceOptions::new()) {
            Ok(found) => found,
            Err(error) => {
                refused.push(error.report().to_string());
                continue;
            }
        };
        let array = found.arrays.iter().find(|array| array.name.as_deref() == member).unwrap();
        let Some(store) = as_store(array) else { continue };
        let mut plain = Vec::new();
        Archive::open(Input::directory(store)).unwrap().unpack(&mut plain, &UnpackOptions::new()).unwrap();
        assert_eq!(testdata::sha256_hex(&plain), fact["sha256"].as_str().unwrap(), "{name}");
        seen += 1;
    }
    let named = |text: &str| refused.iter().filter(|error| error.contains(text)).count();
    let known = named("in an order that Zarr format 2 does not have")
        + named("the zip archive stores the file compressed")
        + named("cannot be the name of a Zarr array");
    assert!(seen > 80 && known == refused.len() && known > 4, "{seen} {refused:#?}");
}

/// Writes an array to a bloscpack file.
fn bloscpack(path: &Path, meta: &NumpyMeta, plain: &[u8], chunk_size: u64) {
    let options = PackOptions::new().chunk_size(chunk_size).typesize(meta.dtype.itemsize() as usize);
    pack_array(plain, meta, Sink::file(path), &options.overwrite(true)).unwrap();
}

fn meta(shape: &[u64], order: Order) -> NumpyMeta {
    NumpyMeta { dtype: Dtype::from_type_string("<f8").unwrap(), shape: shape.to_vec(), order }
}

#[test]
fn bloscpack_files_in_both_orders() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.blp");
    let plain = testdata::linspace_f64(0.0, 1.0, 6 * 8 * 5);
    for order in [Order::C, Order::F] {
        // Chunks of rows, of parts of a row, of everything, and of the one row that is left over.
        for chunk in [5, 10, 20, 40, 120, 200, 240, 1000, 1] {
            bloscpack(&path, &meta(&[6, 8, 5], order), &plain, chunk * 8);
            let found = references(&[&path], &ReferenceOptions::new());
            match found {
                Ok(found) => assert!(read(&found.arrays[0], 8) == items(&path), "{order:?} {chunk}"),
                Err(error) => {
                    assert!(
                        matches!(&error, Error::Reference { source, .. } if matches!(**source, ReferenceRefusal::Chunks { .. })),
                        "{error}"
                    );
                    assert!((order, chunk) != (Order::C, 40), "{order:?} {chunk}");
                }
            }
        }
    }
    bloscpack(&path, &meta(&[6, 8, 5], Order::C), &plain, 56);
    let refused = references(&[&path], &ReferenceOptions::new()).unwrap_err();
    assert!(refused.report().to_string().contains("convert"), "{}", refused.report());
}

#[test]
fn joined_arrays() {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<_> = (0..3).map(|number| dir.path().join(format!("{number}.blp"))).collect();
    let part = |rows: u64, start: f64| testdata::linspace_f64(start, start + 1.0, rows as usize * 5);
    let parts = [part(8, 0.0), part(4, 1.0), part(7, 2.0)];
    for (path, plain) in paths.iter().zip(&parts) {
        bloscpack(path, &meta(&[plain.len() as u64 / 40, 5], Order::C), plain, 4 * 40);
    }
    let paths: Vec<&Path> = paths.iter().map(|path| &**path).collect();
    let found = references(&paths, &ReferenceOptions::new()).unwrap();
    assert!(read(&found.arrays[0], 8) == parts.concat());
    let [first, second, last] = paths[..] else { unreachable!() };
    for (paths, options) in [
        (vec![last, first], ReferenceOptions::new()),
        (vec![first, second], ReferenceOptions::new().axis(1)),
        (vec![first, second], ReferenceOptions::new().new_axis(true)),
        (vec![first], ReferenceOptions::new().axis(2)),
        (vec![first], ReferenceOptions::new().dims(["one".into()])),
        (vec![first], ReferenceOptions::new().name(Some("a/b".into()))),
        (vec![], ReferenceOptions::new()),
    ] {
        let refused = references(&paths, &options).unwrap_err();
        assert!(matches!(refused, Error::Reference { .. }), "{refused}");
        assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    }
    // Without an axis, all arrays would have the same place.
    let scalar = dir.path().join("scalar.blp");
    bloscpack(&scalar, &meta(&[], Order::C), &[7; 8], 8);
    assert!(read(&references(&[&scalar], &ReferenceOptions::new()).unwrap().arrays[0], 8) == [7; 8]);
    assert!(matches!(references(&[&scalar, &scalar], &ReferenceOptions::new()), Err(Error::Reference { .. })));
    let column = references(&[&scalar, &scalar], &ReferenceOptions::new().new_axis(true)).unwrap();
    assert!(read(&column.arrays[0], 8) == [7; 16]);
    let stacked = references(&[first, first], &ReferenceOptions::new().new_axis(true)).unwrap();
    assert_eq!(numbers(&stacked.arrays[0].metadata, "shape"), [2, 8, 5]);
    assert!(read(&stacked.arrays[0], 8) == [parts[0].as_slice(), &parts[0]].concat());
}

#[test]
fn text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a\"b.blp");
    bloscpack(&path, &meta(&[7], Order::C), &testdata::linspace_f64(0.0, 1.0, 7), 32);
    let found = references(&[&path], &ReferenceOptions::new().name(Some("x".into()))).unwrap();
    let json = Json::parse(found.to_json().unwrap()).unwrap();
    assert_eq!(json.get("version").unwrap().as_u64(), Some(1));
    let refs = json.get("refs").unwrap();
    let keys: Vec<&str> = refs.as_object().unwrap().iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, [".zgroup", ".zattrs", "x/.zarray", "x/.zattrs", "x/0", "x/1"]);
    let stored = refs.get("x/0").unwrap().as_array().unwrap();
    assert_eq!(stored[0].as_str(), Some(&*reference_url(&path, None).unwrap()));
    assert!(refs.get("x/1").unwrap().as_str().unwrap().starts_with("base64:Ag"));
    let zarray = Json::parse(refs.get("x/.zarray").unwrap().as_str().unwrap()).unwrap();
    assert_eq!(zarray.get("zarr_format").unwrap().as_u64(), Some(2));
}

/// Whether every stored reference is within its file.
fn is_within(references: &References, len: u64) -> bool {
    references.arrays.iter().flat_map(|array| &array.chunks).all(|chunk| match &chunk.bytes {
        ReferencedBytes::Stored { offset, length, .. } => offset.checked_add(*length).is_some_and(|end| end <= len),
        _ => true,
    })
}

#[test]
fn damaged_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let mut rng = SplitMix64::new(7);
    let plain = testdata::linspace_f64(0.0, 1.0, 600);
    bloscpack(&path, &meta(&[120, 5], Order::C), &plain, 50 * 40);
    let packed = fs::read(&path).unwrap();
    let params = FrameParams::new(8);
    let array = B2nd::new([120_u64, 5], [50_u32, 5], [10_u32, 5]);
    let array = array.with_dtype(bloscpack_format::frame::DtypeText::numpy("<f8"));
    let mut writer = FrameWriter::array_in_memory(array, params).unwrap();
    let source = Array::plain(plain.as_slice(), 0, meta(&[120, 5], Order::C)).unwrap();
    writer.write_items(&source, &Threads::Serial, &Cancel::new()).unwrap();
    writer.commit().unwrap();
    for file in [packed, writer.into_store().file] {
        let check = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let Ok(found) = references(&[&path], &ReferenceOptions::new()) else { return false };
            assert!(is_within(&found, bytes.len() as u64));
            true
        };
        assert!(check(&file));
        for len in (0..file.len()).step_by(11) {
            assert!(!check(&file[..len]), "{len}");
        }
        let mut accepted = 0;
        for _ in 0..400 {
            let mut bytes = file.clone();
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
            accepted += u32::from(check(&bytes));
        }
        assert!(accepted > 0);
    }
}

#[test]
fn limits_hold() {
    // A frame of a few hundred bytes whose index says 2^40 chunks of zeros, and of not-a-numbers.
    let dir = tempfile::tempdir().unwrap();
    let mut checked = 0;
    each_frame(|name, _, stored| {
        let archive = Archive::open(stored).unwrap();
        if archive.array().is_none() || archive.nchunks() < 3 {
            return;
        }
        let path = dir.path().join(name);
        stored.write_to(&path);
        let few = Limits::new().max_chunks(2);
        let found = references(&[&path], &ReferenceOptions::new().limits(few));
        assert!(found.is_err(), "{name}");
        assert_eq!(found.unwrap_err().kind(), ErrorKind::Limit, "{name}");
        checked += 1;
    });
    assert!(checked > 5, "{checked}");
}
