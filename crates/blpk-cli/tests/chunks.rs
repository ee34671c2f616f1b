//! Are bare chunks of both C-Blosc generations what the manifest says, to `blpk chunk` and to the commands for files?
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Sandbox;
use testdata::serde_json::{Value, from_slice};
use testdata::sha256_hex;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn blosc1_chunks_are_described_and_decoded() {
    let (files, manifest) = (testdata::archive("chunks"), testdata::manifest("chunks"));
    let sandbox = Sandbox::new();
    let items = manifest["items"].as_array().unwrap().iter();
    let mut checked = 0;
    for item in items.filter(|item| item["format"] == "blosc1" && item["status"] == "must") {
        let name = text(&item["file"]);
        sandbox.write("chunk", &files[name]);
        let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
        for field in ["version", "versionlz", "flags", "typesize", "nbytes", "blocksize", "cbytes"] {
            assert_eq!(found[field], item["header"][field], "{name}: {field}");
        }
        assert_eq!(found, from_slice::<Value>(&sandbox.run("info --json chunk").ok().stdout).unwrap(), "{name}");
        let plain = sandbox.run("chunk decode chunk -").ok().stdout;
        assert_eq!(sha256_hex(&plain), text(&item["plain_sha256"]), "{name}");
        assert!(sandbox.run("d chunk -").ok().stdout == plain, "{name}");
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn blosc2_chunks_are_named() {
    let (files, manifest) = (testdata::archive("chunks"), testdata::manifest("chunks"));
    let sandbox = Sandbox::new();
    let items = manifest["items"].as_array().unwrap().iter();
    let blosc2 = items.filter(|item| item["format"] != "blosc1" && item["header"]["version"].as_u64() > Some(2));
    let mut checked = 0;
    for item in blosc2.step_by(7) {
        sandbox.write("chunk", &files[text(&item["file"])]);
        for command in ["chunk info chunk", "chunk decode chunk out", "info chunk", "verify chunk", "d chunk out"] {
            let error = sandbox.run(command).failed();
            assert!(error.contains("a bare Blosc2 chunk"), "{}: {command}: {error}", item["file"]);
        }
        assert_eq!(sandbox.names(), ["chunk"]);
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn malformed_chunks_end_well() {
    let (files, manifest) = (testdata::archive("chunks-malformed"), testdata::manifest("chunks-malformed"));
    let all = &files["malformed.bin"];
    let sandbox = Sandbox::new();
    for item in manifest["items"].as_array().unwrap().iter().filter(|item| item["format"] == "blosc1").step_by(3) {
        let [at, len] = ["offset", "length"].map(|field| usize::try_from(item[field].as_u64().unwrap()).unwrap());
        sandbox.write("chunk", &all[at..at + len]);
        for command in ["chunk info chunk", "chunk decode chunk -"] {
            let run = sandbox.run(command);
            if run.code != Some(0) {
                run.failed();
            } else if command.starts_with("chunk decode") {
                assert!(item["c_blosc2"].as_i64() >= Some(0), "{item}");
            }
        }
    }
}
