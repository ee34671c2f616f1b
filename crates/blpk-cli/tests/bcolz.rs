//! Do the commands do with the directories of bcolz what they say?
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Sandbox;
use std::fs;
use testdata::serde_json::{Value, from_slice};
use testdata::sha256_hex;

/// A folder with a directory of the archive as `x`, and what the manifest says about it.
fn golden(name: &str) -> (Sandbox, Value) {
    let sandbox = Sandbox::new();
    let (files, prefix) = (testdata::archive("bcolz"), format!("{name}/"));
    for (file, bytes) in files.range(prefix.clone()..).take_while(|(file, _)| file.starts_with(&prefix)) {
        let path = sandbox.path("x").join(&file[prefix.len()..]);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let manifest = testdata::manifest("bcolz");
    let case = manifest["cases"].as_array().unwrap().iter().find(|case| case["name"] == name);
    (sandbox, case.unwrap().clone())
}

#[test]
fn an_array_is_a_container() {
    let (sandbox, case) = golden("ref/nd/3d");
    sandbox.run("d x out").ok();
    let plain = sandbox.read("out");
    assert_eq!(case["sha256"], sha256_hex(&plain));
    assert_eq!(sandbox.run("cat --items 20..60 x").ok().stdout, plain[80..240]);
    assert_eq!(sandbox.run("cat --chunk 1 x").ok().stdout, plain[640..1280]);
    sandbox.run("convert x out.npy").ok();
    assert!(sandbox.read("out.npy").ends_with(&plain));
    sandbox.run("convert x out.b2nd").ok();
    sandbox.run("d out.b2nd again").ok();
    assert_eq!(sandbox.read("again"), plain);
    sandbox.run("verify x").prints(&["blpk: x: ok, bcolz carray, 5 chunks, 2.58K (2640B)"]);
    let found: Value = from_slice(&sandbox.run("info --json x").ok().stdout).unwrap();
    assert_eq!((&found["format"], &found["nbytes"]), (&"bcolz-carray".into(), &case["nbytes"]));
    assert_eq!((&found["shape"], &found["dtype"]), (&case["shape"], &"<f4".into()));
    assert_eq!((&found["chunklen"], &found["nchunks"]), (&case["chunklen"], &5.into()));
    let lines = sandbox.run("info x").ok();
    assert!(lines.text().contains("shape: [33, 4, 5]") && lines.text().contains("codec: lz4"), "{}", lines.text());
    assert_eq!(sandbox.run("d x").failed(), "input file 'x' does not end with '.blp': name the <out_file>");
}

#[test]
fn a_table_is_described_and_verified() {
    let (sandbox, case) = golden("ref/tab/mixed");
    let found: Value = from_slice(&sandbox.run("info --json x").ok().stdout).unwrap();
    assert_eq!((&found["format"], &found["rows"]), (&"bcolz-ctable".into(), &500.into()));
    let names: Vec<&Value> = found["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(names, case["names"].as_array().unwrap().iter().collect::<Vec<_>>());
    assert_eq!(found["attrs"]["title"], "mixed");
    assert!(sandbox.run("info x").ok().text().contains("Ctable:"));
    assert!(sandbox.run("verify x x/f").ok().text().contains("x: ok, bcolz ctable, 7 columns, "));
    let refused = sandbox.run("d x out").failed();
    assert_eq!(refused, "input file 'x' is a bcolz ctable; name the directory of one of its columns");
    sandbox.run("d x/f out").ok();
    assert_eq!(case["columns"]["f"]["sha256"], sha256_hex(&sandbox.read("out")));
}

#[test]
fn verify_tells_everything_that_is_wrong() {
    let (sandbox, _) = golden("ref/size/n503_cl100");
    sandbox.write("x/data/__1.blp", b"blpk");
    fs::remove_file(sandbox.path("x/data/__3.blp")).unwrap();
    let run = sandbox.run("verify x");
    let errors = &run.stderr;
    assert_eq!(errors.lines().count(), 2, "{errors}");
    assert!(errors.contains("__1.blp: chunk file: 4 bytes, expected 16"), "{errors}");
    assert!(errors.contains("__3.blp: no such file"), "{errors}");
    assert_eq!(run.code, Some(1));
    assert!(sandbox.run("d x out").failed().contains("__1.blp: "));
    assert_eq!(sandbox.names(), ["x"]);
}

#[test]
fn tables_are_one_entry_of_a_list_and_a_directory_of_arrays() {
    let (sandbox, case) = golden("ref/tab/mixed");
    let run = sandbox.run("list -r . x/f").ok();
    let lines = run.lines();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[1].starts_with("bcolz-ctable  ") && lines[1].contains("500 rows, 7 columns"), "{lines:?}");
    assert!(
        lines[1].ends_with("./x") && lines[2].starts_with("bcolz-carray  ") && lines[2].contains("[500]"),
        "{lines:?}"
    );
    let line: Value = from_slice(&sandbox.run("list --json -r .").ok().stdout).unwrap();
    let mut info: Value = from_slice(&sandbox.run("info --json x").ok().stdout).unwrap();
    info["name"] = "./x".into();
    assert_eq!(line, info);
    sandbox.run("verify -r .").ok();
    // Each column is an array.
    let run = sandbox.run("d -r x --output-dir out");
    let refused = run.stderr.lines().filter(|line| line.contains("out/")).count();
    assert_eq!(refused, 0, "{}", run.stderr);
    assert_eq!(case["columns"]["f"]["sha256"], sha256_hex(&sandbox.read("out/x/f")));
}
