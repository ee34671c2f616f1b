//! Tests of the commands on bcolz directories.

use std::fs;
use testdata::serde_json::{Value, from_slice};
use testdata::sha256_hex;

use crate::common::{bcolz_cases, golden_bcolz as golden};

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
    assert_eq!((&found["columns"], &found["shape"]), (&case["names"], &vec![500].into()));
    assert_eq!((&found["typesize"], &found["nchunks"]), (&42.into(), &28.into()));
    assert_eq!(
        found["dtype"],
        "[('i', '<i4'), ('f', '<f8'), ('s', '|S5'), ('u', '<U3'), ('b', '|b1'), ('t', '<M8[ns]'), ('m', '<i2', (2,))]"
    );
    let carrays = found["carrays"].as_array().unwrap();
    assert_eq!((&carrays[6]["name"], &carrays[6]["shape"]), (&"m".into(), &vec![500, 2].into()));
    assert_eq!(found["attrs"]["title"], "mixed");
    assert!(sandbox.run("info x").ok().text().contains("Ctable:"));
    assert!(sandbox.run("verify x x/f").ok().text().contains("x: ok, bcolz ctable, 7 columns, "));
    const COLUMNS: &str =
        r#"input file 'x' is a bcolz ctable; choose a column with --column: "i", "f", "s", "u", "b", "t", "m""#;
    assert_eq!(sandbox.run("d x out").failed(), COLUMNS);
    assert_eq!(sandbox.run("convert x out.npy").failed(), COLUMNS);
    assert_eq!(sandbox.run("cat --items .. x").failed(), COLUMNS.replace("input file", "file"));
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

#[test]
fn every_golden_directory_has_the_bytes_of_the_manifest() {
    for case in bcolz_cases().iter().filter(|case| case["expect"] == "ok") {
        let name = case["name"].as_str().unwrap();
        let (sandbox, _) = golden(name);
        sandbox.run("verify x").ok();
        let found: Value = from_slice(&sandbox.run("info --json x").ok().stdout).unwrap();
        assert_eq!(found["format"], format!("bcolz-{}", case["kind"].as_str().unwrap()), "{name}");
        let Some(columns) = case["columns"].as_object() else {
            if case["dtype"] == "object" {
                assert!(sandbox.run("d x out").failed().starts_with("x: "), "{name}");
                continue;
            }
            sandbox.run("d x out").ok();
            assert_eq!(case["sha256"], sha256_hex(&sandbox.read("out")), "{name}");
            assert_eq!((&found["nbytes"], &found["shape"]), (&case["nbytes"], &case["shape"]), "{name}");
            continue;
        };
        assert_eq!(found["columns"], case["names"], "{name}");
        for (column, case) in columns {
            sandbox.args(&["-f", "d", "x", "out", "--column", column]).ok();
            assert_eq!(case["sha256"], sha256_hex(&sandbox.read("out")), "{name} {column}");
            let part = sandbox.args(&["cat", "--bytes", "1..", "x", "--column", column]);
            let rest = sandbox.read("out").split_off(1.min(sandbox.read("out").len()));
            if !sandbox.read("out").is_empty() {
                assert_eq!(part.ok().stdout, rest, "{name} {column}");
            }
        }
    }
}

#[test]
fn every_damaged_directory_is_refused_in_one_line() {
    for case in bcolz_cases().iter().filter(|case| case["expect"] == "error") {
        let name = case["name"].as_str().unwrap();
        let (sandbox, _) = golden(name);
        for command in ["d x out", "cat --items .. x", "convert x out.npy", "convert x out.bcolz", "convert x out.csv"]
        {
            let run = sandbox.run(command);
            // Data that precedes the damage may already be on stdout.
            assert!(run.code == Some(1) && (command.starts_with("cat") || run.stdout.is_empty()), "{name}: {command}");
            assert!(run.error().contains('x'), "{name}: {}", run.stderr);
            assert_eq!(sandbox.names(), ["x"], "{name}: {command}");
        }
        let run = sandbox.run("verify x");
        assert_eq!((run.code, run.text()), (Some(1), ""), "{name}");
        assert!(
            run.stderr.lines().all(|line| line.starts_with("blpk: error: ") && line.contains('x')),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn parts_of_columns() {
    let (sandbox, case) = golden("ref/tab/mixed");
    sandbox.run("d --column m x out").ok();
    let plain = sandbox.read("out");
    assert_eq!(case["columns"]["m"]["sha256"], sha256_hex(&plain));
    // Items of two bytes; a chunk has 128 rows of two items.
    assert_eq!(sandbox.run("cat --items 3..300 x --column m").ok().stdout, plain[6..600]);
    assert_eq!(sandbox.run("cat --chunk 3 --column m x").ok().stdout, plain[3 * 512..]);
    assert!(sandbox.run("cat --chunk 4 --column m x").failed().contains("there is no chunk 4"));
    assert!(sandbox.run("cat --items 0..1001 --column m x").failed().contains("items 0..1001 are not within 0..1000"));
}

#[test]
fn columns_that_are_not_there() {
    let (sandbox, _) = golden("ref/tab/mixed");
    sandbox.write("secret", b"secret");
    for column in ["z", "", ".", "..", "../x/f", "/etc", "i/meta", "i\\meta", "I"] {
        for command in [["d", "x", "out"], ["convert", "x", "out.npy"], ["cat", "--items=..", "x"]] {
            let error = sandbox.args(&[&command[..], &["--column", column]].concat()).failed();
            let expected =
                format!("x: there is no column {column:?}, only \"i\", \"f\", \"s\", \"u\", \"b\", \"t\", \"m\"");
            assert_eq!(error, expected, "{command:?}");
        }
    }
    for (command, expected) in [
        ("d x/f out --column f", "input file 'x/f' is neither a bcolz ctable nor a Zarr group, which --column is for"),
        (
            "cat --items .. secret --column f",
            "file 'secret' is neither a bcolz ctable nor a Zarr group, which --column is for",
        ),
        ("convert nothing out.npy --column f", "input file 'nothing' does not exist!"),
        (
            "convert secret out.blp --columns-as npy",
            "input file 'secret' is not a bcolz ctable, which --columns-as is for",
        ),
        ("d x --column f", "name the <out_file> for the column of 'x'"),
    ] {
        assert_eq!(sandbox.run(command).failed(), expected);
    }
    assert_eq!(sandbox.names(), ["secret", "x"]);
    // Tables with column names that lead elsewhere are refused, whichever column is requested.
    for name in ["names_traversal", "names_absolute", "names_dot", "names_empty_string", "names_duplicate"] {
        let (sandbox, _) = golden(&format!("ref/badtab/{name}"));
        for column in ["a", "../column_dir_missing/a", "/etc", ".", ""] {
            let error = sandbox.args(&["d", "x", "out", "--column", column]).failed();
            assert!(error.contains("x/__rootdirs__"), "{name}: {error}");
        }
    }
}

/// The input would be deleted with the directory that is replaced.
#[test]
fn nothing_takes_the_place_of_what_it_is_in() {
    let (sandbox, _) = golden("ref/tab/mixed");
    fs::rename(sandbox.path("x"), sandbox.path("x.bcolz")).unwrap();
    sandbox.write("f", &crate::common::counting(1000));
    sandbox.run("c f x.bcolz/f.blp").ok();
    let before = sandbox.run("info x.bcolz").ok().stdout;
    for command in ["recover x.bcolz/i x.bcolz", "convert x.bcolz/i x.bcolz", "convert x.bcolz/f.blp x.bcolz"] {
        let error = sandbox.run(&format!("-f {command}")).failed();
        assert!(error.contains("is in output 'x.bcolz', which would be replaced"), "{command}: {error}");
        assert_eq!(sandbox.run("info x.bcolz").ok().stdout, before);
    }
    sandbox.run("verify x.bcolz").ok();
}
