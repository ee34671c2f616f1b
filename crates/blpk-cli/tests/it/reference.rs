//! Tests of `blpk reference`. `xtask/remote/references.py` reads what it writes with Zarr.

use testdata::serde_json::{Value, from_str, json};

use crate::common::{Sandbox, bcolz_cases, golden_bcolz};

/// A file of an array, in chunks of 100 rows.
fn files() -> Sandbox {
    let sandbox = Sandbox::with_f();
    sandbox.run("compress f f.blp").ok();
    sandbox.run("convert --dtype <f4 --shape 250,100 --chunkshape 100,100 f.blp a.b2nd").ok();
    sandbox
}

fn refs(text: &str) -> Value {
    let mut json: Value = from_str(text).unwrap();
    assert_eq!(json["version"], 1);
    json["refs"].take()
}

#[test]
fn references_are_written() {
    let sandbox = files();
    sandbox
        .run("reference --base s3://bucket/data -o refs.json a.b2nd")
        .prints(&["blpk: refs.json: 1 array, 3 chunks"]);
    let found = refs(&String::from_utf8(sandbox.read("refs.json")).unwrap());
    assert_eq!(found["2.0"][0], "s3://bucket/data/a.b2nd");
    assert!(found["0.0"][2].as_u64().unwrap() > 0);
    let zarray: Value = from_str(found[".zarray"].as_str().unwrap()).unwrap();
    assert_eq!(zarray["shape"], json!([250, 100]));
    assert_eq!(zarray["filters"][0]["id"], "b2nd");
    // stdout, with the absolute path.
    let run = sandbox.run("reference -o - a.b2nd").ok();
    let url = refs(run.text())["0.0"][0].as_str().unwrap().to_owned();
    assert!(url.starts_with("file:///") && url.ends_with("/a.b2nd"), "{url}");
}

#[test]
fn a_table_becomes_a_group() {
    let cases = bcolz_cases().iter().filter(|case| case["kind"] == "ctable" && case["expect"] != "error");
    let mut seen = 0;
    for case in cases.take(20) {
        let (sandbox, _) = golden_bcolz(case["name"].as_str().unwrap());
        let table = sandbox.names().into_iter().find(|name| sandbox.path(name).is_dir()).unwrap();
        let run = sandbox.args(&["reference", "-o", "refs.json", &table]);
        if run.code == Some(0) {
            let found = refs(&String::from_utf8(sandbox.read("refs.json")).unwrap());
            assert_eq!(found[".zgroup"], r#"{"zarr_format": 2}"#);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn outputs_are_kept() {
    let sandbox = files();
    sandbox.write("refs.json", b"old");
    assert!(sandbox.run("reference -o refs.json a.b2nd").failed().contains("exists!"));
    assert!(sandbox.run("-f reference -o refs.json f.blp").failed().contains("--dtype"));
    assert!(sandbox.run("-f reference -o a.b2nd a.b2nd").failed().contains("same file"));
    assert_eq!(sandbox.read("refs.json"), b"old");
    sandbox.run("-f reference -o refs.json a.b2nd").ok();
    assert!(sandbox.read("refs.json").starts_with(b"{"));
}

#[test]
fn refusals_name_the_input_and_what_to_do() {
    let sandbox = files();
    sandbox.run("convert --dtype <f4 --shape 200,125 --chunkshape 100,100 f.blp b.b2nd").ok();
    for (line, words) in [
        ("reference -o - a.b2nd a.b2nd", ["a.b2nd", "multiple"]),
        ("reference -o - b.b2nd a.b2nd", ["a.b2nd", "shape"]),
        ("reference -o - --axis 2 a.b2nd", ["a.b2nd", "axis 2"]),
        ("reference -o - --dims x a.b2nd", ["a.b2nd", "1 names"]),
        ("reference -o - --name a/b a.b2nd", ["a.b2nd", "'/'"]),
        ("reference -o - --base s3://b ../a.b2nd", ["a.b2nd", "--base"]),
        ("reference -o - f", ["/f: ", "not a Blosc file"]),
        ("reference -o - nothing", ["nothing", "not exist"]),
    ] {
        let failed = sandbox.run(line).failed();
        assert!(words.iter().all(|word| failed.contains(word)), "{line}: {failed}");
    }
    assert!(sandbox.run("reference a.b2nd").usage().contains("--output"));
    assert!(sandbox.run("reference -o x --axis -1 a.b2nd").usage().contains("--axis"));
}
