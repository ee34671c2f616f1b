//! Zarr arrays and groups on the command line.

use std::fs;

use testdata::serde_json::{Value, from_slice};

use crate::common::Sandbox;

/// Writes golden stores into a sandbox.
fn with_stores(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::with_f();
    for (path, bytes) in testdata::archive("zarr") {
        if names.iter().any(|name| path == *name || path.starts_with(&format!("{name}/"))) {
            let target = sandbox.path(&path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, bytes).unwrap();
        }
    }
    sandbox
}

fn fact(name: &str) -> Value {
    let manifest = testdata::manifest("zarr");
    manifest["stores"].as_array().unwrap().iter().find(|fact| fact["name"] == name).unwrap().clone()
}

#[test]
fn arrays_are_read_by_every_command() {
    for name in ["v2/fill/1", "v3/shard/4", "v2/codec/gzip_F", "v3/zip/deflated_array.zip"] {
        let sandbox = with_stores(&[name]);
        let digest = fact(name)["sha256"].as_str().unwrap().to_owned();
        sandbox.run(&format!("d {name} plain")).ok();
        assert_eq!(testdata::sha256_hex(&sandbox.read("plain")), digest, "{name}");
        for command in [format!("cat --items .. {name}"), format!("cat --slice ... {name}")] {
            assert_eq!(testdata::sha256_hex(&sandbox.run(&command).ok().stdout), digest, "{command}");
        }
        sandbox.run(&format!("convert {name} x.b2nd")).ok();
        sandbox.run("d x.b2nd again").ok();
        assert_eq!(testdata::sha256_hex(&sandbox.read("again")), digest, "{name}");
        sandbox.run(&format!("stats {name}")).ok();
        let line = sandbox.run(&format!("verify {name}")).ok().lines().concat();
        assert!(line.starts_with(&format!("blpk: {name}: ok, Zarr array of format ")), "{line}");
        let info: Value = from_slice(&sandbox.run(&format!("info --json {name}")).ok().stdout).unwrap();
        let fact = fact(name);
        assert_eq!((&info["format"], &info["shape"], &info["dtype"]), (&"zarr".into(), &fact["shape"], &fact["dtype"]));
        assert_eq!((&info["chunkshape"], &info["attrs"]), (&fact["chunks"], &fact["attributes"]), "{name}");
        assert!(sandbox.run(&format!("list {name}")).ok().lines().len() == 3, "{name}");
    }
}

#[test]
fn info_says_what_zarr_users_expect() {
    let sandbox = with_stores(&["v3/shard/4", "v2/fill/0"]);
    let run = sandbox.run("info v3/shard/4").ok();
    let lines = run.lines();
    for expected in [
        "blpk: ZarrArray:",
        "blpk:     zarr_format: 3",
        "blpk:     shape: [21, 20]",
        "blpk:     chunks: [4, 3]",
        "blpk:     shards: [8, 9]",
        "blpk:     dtype: '<i4'",
        "blpk:     fill_value: -1",
        "blpk:     order: C",
        "blpk:     keys: default, c/0/1",
        "blpk:     nchunks: 42",
        "blpk:     stored_shards: 4",
    ] {
        assert!(lines.contains(&expected), "{expected}: {lines:?}");
    }
    let run = sandbox.run("info v2/fill/0").ok();
    let lines = run.lines();
    assert!(
        lines.contains(&"blpk:     fill_value: \"NaN\"") && lines.contains(&"blpk:     stored_chunks: 1"),
        "{lines:?}"
    );
}

#[test]
fn groups_need_a_column() {
    let stores = ["v2/group/plain", "v3/group/consolidated", "v3/zip/stored.zip"];
    let sandbox = with_stores(&stores);
    for name in stores {
        let (column, listed) = if name.ends_with("zip") { ("x/y", "\"x/y\"") } else { ("a", "\"a\", \"deep/er/b\"") };
        for command in ["d {} out", "cat --items .. {}", "stats {}", "convert {} out.npy"] {
            let error = sandbox.run(&command.replace("{}", name)).failed();
            let expected = format!("file '{name}' is a Zarr group; choose an array with --column: {listed}");
            assert!(error.ends_with(&expected), "{command}: {error}");
        }
        sandbox.run(&format!("d --column {column} {name} out")).ok();
        assert_eq!(testdata::sha256_hex(&sandbox.read("out")), fact(name)["sha256"].as_str().unwrap(), "{name}");
        sandbox.run(&format!("convert --column {column} {name} out.npy")).ok();
        fs::remove_file(sandbox.path("out")).unwrap();
        fs::remove_file(sandbox.path("out.npy")).unwrap();
        sandbox.run(&format!("verify {name}")).ok();
        let list = sandbox.run(&format!("list {name}")).ok();
        assert!(list.lines().iter().any(|line| line.ends_with(&format!("{name}/{column}"))), "{:?}", list.lines());
        let info: Value = from_slice(&sandbox.run(&format!("info --json {name}")).ok().stdout).unwrap();
        assert_eq!((&info["format"], &info["arrays"][0]["name"]), (&"zarr-group".into(), &column.into()));
        let error = sandbox.run(&format!("cat --items .. --column no {name}")).failed();
        assert!(error.contains("there is no column \"no\", only "), "{error}");
    }
    // A zip archive is also a file that can be compressed.
    sandbox.run("c v3/zip/stored.zip").ok();
}

/// The arrays of a group are the columns of a table, if they have the same number of rows.
#[test]
fn groups_become_tables() {
    let sandbox = Sandbox::with_f();
    for (name, items) in [("b", "1,2,3,4,5,6"), ("a", "7,8,9")] {
        let row = if name == "b" { "[3, 2]" } else { "[3]" };
        fs::create_dir_all(sandbox.path("g").join(name)).unwrap();
        let zarray = format!(r#"{{"zarr_format": 2, "shape": {row}, "chunks": {row}, "dtype": "|u1"}}"#);
        fs::write(sandbox.path("g").join(name).join(".zarray"), zarray).unwrap();
        let bytes: Vec<u8> = items.split(',').map(|item| item.parse().unwrap()).collect();
        fs::write(sandbox.path("g").join(name).join(if name == "b" { "0.0" } else { "0" }), bytes).unwrap();
    }
    fs::write(sandbox.path("g/.zgroup"), r#"{"zarr_format": 2}"#).unwrap();
    fs::write(sandbox.path("g/.zattrs"), r#"{"unit": "m"}"#).unwrap();
    sandbox.run("convert g t.bcolz").ok();
    sandbox.run("convert t.bcolz t.csv");
    assert_eq!(sandbox.read("t.csv"), b"a,b_0,b_1\n7,1,2\n8,3,4\n9,5,6\n");
    assert_eq!(sandbox.run("meta get t.bcolz unit").ok().stdout, b"\"m\"\n");
    let error = sandbox.run("convert g t.bcolz").failed();
    assert!(error.contains("exists"), "{error}");
    sandbox.run("-f convert -c zstd g t.bcolz").ok();
    let stores = with_stores(&["v3/group/consolidated", "v3/zip/stored.zip"]);
    for (name, path) in [("v3/group/consolidated", "deep/er/b"), ("v3/zip/stored.zip", "x/y")] {
        let error = stores.run(&format!("convert {name} t.bcolz")).failed();
        assert!(error.contains(&format!("\"{path}\" cannot be the name of a column: it is a path")), "{error}");
        assert!(!stores.path("t.bcolz").exists());
    }
}

#[test]
fn damage_is_reported_with_the_key() {
    let sandbox = with_stores(&["v2/group/plain", "v3/codec/gzip_crc"]);
    for key in ["a/0.1", "deep/er/b/1.0"] {
        let path = sandbox.path(&format!("v2/group/plain/{key}"));
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    }
    let run = sandbox.run("verify v2/group/plain");
    let stderr = run.stderr.clone();
    for key in ["plain/a/0.1: chunk 1", "plain/deep/er/b/1.0: chunk 2"] {
        assert!(stderr.contains(key), "{stderr}");
    }
    let path = sandbox.path("v3/codec/gzip_crc/c/1/2");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    for command in ["verify v3/codec/gzip_crc", "d v3/codec/gzip_crc out"] {
        let error = sandbox.run(command).failed();
        assert!(error.contains("v3/codec/gzip_crc/c/1/2: crc32c: the checksum is 0x"), "{error}");
    }
    assert!(!sandbox.path("out").exists());
    // Other chunks can still be read.
    sandbox.run("cat --slice :16,:13 v3/codec/gzip_crc").ok();
}

#[test]
fn zarr_is_not_changed() {
    let sandbox = with_stores(&["v2/fill/0", "v2/group/plain"]);
    for (command, expected) in [
        ("meta set v2/fill/0 a 1", "this is a Zarr array, which is not supported here"),
        ("a v2/fill/0 f", "is a Zarr array, and data can be appended only to bloscpack files"),
        ("recover v2/fill/0 out", "is a Zarr array; only bloscpack files, Blosc2 frames and bcolz directories"),
        ("compact v2/fill/0", "is a Zarr array; only Blosc2 frames are compacted"),
    ] {
        let error = sandbox.run(command).failed();
        assert!(error.contains(expected), "{command}: {error}");
    }
    assert_eq!(sandbox.run("meta get v2/fill/0 n").ok().stdout, b"0\n");
    assert_eq!(sandbox.run("meta get v2/group/plain").ok().stdout, b"{\"title\":\"t\"}\n");
}

#[test]
fn arrays_that_only_a_group_names_are_missing() {
    let sandbox = Sandbox::with_f();
    let array = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i4", "fill_value": 0}"#;
    for (group, member, expected) in [
        ("g", "a", "g/a: the consolidated metadata of the group name an array that does not exist"),
        ("h", "../b", "the path leads out of the directory"),
    ] {
        fs::create_dir(sandbox.path(group)).unwrap();
        let members = format!(r#"{{"zarr_consolidated_format": 1, "metadata": {{"{member}/.zarray": {array}}}}}"#);
        fs::write(sandbox.path(group).join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
        fs::write(sandbox.path(group).join(".zmetadata"), members).unwrap();
        let lines = sandbox.run(&format!("info {group}")).ok().lines().concat();
        assert!(lines.contains(expected), "{lines}");
        for command in ["verify", "list"] {
            let error = sandbox.run(&format!("{command} {group}")).failed();
            assert!(error.contains(expected), "{command}: {error}");
        }
    }
}

/// Commands without `--column` name the command that has it.
#[test]
fn a_column_is_converted_first_for_commands_without_the_option() {
    let sandbox = Sandbox::with_f();
    sandbox
        .shell("mkdir t.bcolz; blpk c f g.blp; blpk convert --dtype i8 f t.bcolz/a.bcolz; mv t.bcolz/a.bcolz t.bcolz/a")
        .ok();
    sandbox.write("t.bcolz/__rootdirs__", br#"{"dirs":{"a":"a"},"names":["a"]}"#);
    sandbox.run("convert t.bcolz t.zarr").ok();
    let of_both =
        ["bench T", "c T out", "compact T", "chunk info T", "chunk encode T out", "chunk decode T out", "a g.blp T"];
    let of_zarr = ["recover T out"];
    let (column, array) = ("a bcolz ctable; convert a column", "a Zarr group; convert an array");
    for (lines, table, expected) in
        [(&of_both[..], "t.bcolz", column), (&of_both, "t.zarr", array), (&of_zarr, "t.zarr", array)]
    {
        for line in lines {
            let error = sandbox.run(&line.replace('T', table)).failed();
            let expected = format!("{expected} first, with 'blpk convert --column NAME': \"a\"");
            assert!(error.ends_with(&format!("file '{table}' is {expected}")), "{line}: {error}");
        }
    }
    for line in ["d t.bcolz out", "cat --items .. t.bcolz", "convert t.bcolz out.npy", "advise t.bcolz"] {
        let error = sandbox.run(line).failed();
        assert!(error.ends_with("is a bcolz ctable; choose a column with --column: \"a\""), "{line}: {error}");
    }
    sandbox.run("convert --column a t.bcolz out.blp").ok();
}
