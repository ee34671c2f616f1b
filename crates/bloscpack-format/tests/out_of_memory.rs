//! Tests with an allocator that refuses memory. Every function whose memory grows with its input returns the whole
//! result or an error.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;

use blosc_core::memory::MIN_CHECKED;
use blosc_core::{CParams, Limits};
use bloscpack_format::bcolz::Attrs;
use bloscpack_format::bloscpack::offsets;
use bloscpack_format::frame::{Entry, Index, VlMetalayers};
use bloscpack_format::numpy::{Dtype, Scalar};
use bloscpack_format::{FormatError, Json, msgpack};
use testdata::FailingAlloc;

#[global_allocator]
static ALLOC: FailingAlloc = FailingAlloc::new();

/// Runs `call` while the allocator refuses the first large request and all later ones, then from the second on, and so
/// on.
#[track_caller]
fn sweep<T: PartialEq, E: Into<FormatError>>(name: &str, call: impl Fn() -> Result<T, E>) {
    // An abort ends the process: the last line names the case. The test harness would lose the output of `eprintln!`.
    let _ = writeln!(std::io::stderr(), "{name}");
    let expected = call().map_err(Into::into).unwrap();
    let mut refused = 0;
    for from in 0.. {
        ALLOC.refuse(MIN_CHECKED + 1, from);
        let result = call().map_err(Into::into);
        let asked = ALLOC.refuse_none();
        match result {
            Ok(found) => assert!(found == expected, "{name}, request {from}"),
            Err(error) => {
                refused += 1;
                assert!(matches!(error, FormatError::OutOfMemory(_)), "{name}, request {from}: {error}");
            }
        }
        if asked <= from {
            break;
        }
    }
    assert!(refused > 0, "{name}: no large request");
}

/// A single test, because the allocator is shared by all threads.
#[test]
fn refused_memory_is_an_error() {
    let members = (0..20_000).map(|number| format!("\"key {number}\":[{number},\"\\u00e9\"]"));
    let object = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let repeated = format!("{{{}}}", object[1..object.len() - 1].replace("key 1", "key 2"));
    let long = format!("[\"{}\",{}]", "x\\n\u{e9}".repeat(40_000), "7".repeat(200_000));
    for (name, text) in [("object", &object), ("equal keys", &repeated), ("long values", &long)] {
        sweep(&format!("parse {name}"), || Json::parse(text));
        let value = Json::parse(text).unwrap();
        sweep(&format!("dumps {name}"), || value.try_dumps());
        sweep(&format!("dumps spaced {name}"), || value.try_dumps_spaced());
        sweep(&format!("clone {name}"), || value.try_clone());
        sweep(&format!("MessagePack of {name}"), || msgpack::from_json(&value));
        let content = msgpack::from_json(&value).unwrap();
        sweep(&format!("MessagePack to {name}"), || msgpack::value_of(&content));
    }
    let tagged = testdata::noise(100_000, 8);
    sweep("raw to JSON", || msgpack::value_of(&tagged));
    let raw = msgpack::value_of(&tagged).unwrap();
    sweep("raw from JSON", || msgpack::content_of(&raw));
    sweep("raw as bytes", || msgpack::bytes_of(&raw));
    let pairs: Vec<u8> = [&[0xdf, 0, 0, 0x27, 0x10][..], &[1, 2].repeat(10_000)].concat();
    sweep("pairs to JSON", || msgpack::value_of(&pairs));

    let attrs = Attrs::parse(object.as_bytes()).unwrap();
    sweep("attributes to JSON", || attrs.to_json());
    sweep("attributes to bytes", || attrs.to_bytes());
    sweep("attributes copied", || attrs.try_clone());
    sweep("attributes parsed", || Attrs::parse(object.as_bytes()));

    let entries: Vec<i64> = (0..20_000).collect();
    let bytes = offsets::encode(&entries).unwrap();
    sweep("offsets encoded", || offsets::encode(&entries));
    sweep("offsets decoded", || offsets::decode(&bytes));
    sweep("index", || Index::from_entries((0..20_000).map(Entry::Stored)));

    let chunk = blosc_core::compress(&tagged, &CParams::blosc2().typesize(1)).unwrap();
    let names: Vec<String> = (0..5000).map(|number| number.to_string()).collect();
    let small = blosc_core::compress(&[1; 40], &CParams::blosc2().typesize(1)).unwrap();
    let layers =
        || names.iter().map(|name| (name.as_bytes(), small.as_slice())).chain([(&b"large"[..], chunk.as_slice())]);
    sweep("vlmetalayers", || VlMetalayers::from_chunks(layers()));
    let many = VlMetalayers::from_chunks(layers()).unwrap();
    sweep("vlmetalayers without one", || {
        let mut fewer = VlMetalayers::from_chunks(layers())?;
        fewer.remove("7")?;
        Ok::<_, FormatError>(fewer)
    });
    sweep("vlmetalayers checked", || {
        let memory = |error: FormatError| match error {
            FormatError::Frame(error) => {
                error.out_of_memory().map_or(FormatError::Frame(error), FormatError::OutOfMemory)
            }
            error => error,
        };
        many.checked(Limits::new()).map(|(_, checked)| checked.map_err(memory)).collect::<Result<Vec<()>, _>>()
    });

    let fields = (0..2000).map(|number| format!("('a{number}', '<i4')"));
    let dtype = Dtype::parse(&format!("[{}]", fields.collect::<Vec<_>>().join(", "))).unwrap();
    sweep("leaves", || dtype.leaves());
    for (dtype, item) in
        [("|S200000", vec![b'x'; 200_000]), ("<U90000", b"x\0\0\0".repeat(90_000)), ("|V90000", vec![7; 90_000])]
    {
        let scalar = Scalar::parse(dtype).unwrap();
        sweep(dtype, || {
            let mut text = Vec::new();
            scalar.text_of(&item, &mut text).map(|()| text)
        });
    }
}
