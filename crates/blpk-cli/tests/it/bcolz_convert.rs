//! Tests of `blpk convert` from and to bcolz directories, and of `blpk recover` on them.

use std::fs;
use testdata::serde_json::Value;
use testdata::sha256_hex;

use crate::common::{Sandbox, bcolz_cases, golden_bcolz as golden};

fn plain(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    sandbox.args(&["-f", "d", name, "plain"]).ok();
    sandbox.read("plain")
}

fn sha(sandbox: &Sandbox, name: &str) -> Value {
    sha256_hex(&plain(sandbox, name)).into()
}

/// Returns a `.npy` file of version 1.0, with its header padded to 64 bytes as NumPy does.
fn npy(descr: &str, order: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut head = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + head.len() + 1) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), bytes].concat()
}

#[test]
fn arrays_go_through_every_container_and_back() {
    let wanted = ["ref/dtype/", "ref/nd/", "ref/codec/zstd", "ref/old/", "ref/mut/"];
    let mut count = 0;
    for case in bcolz_cases().iter().filter(|case| case["expect"] == "ok" && case["kind"] == "carray") {
        let name = case["name"].as_str().unwrap();
        if !wanted.iter().any(|wanted| name.starts_with(wanted)) || case["dtype"] == "object" {
            continue;
        }
        let (sandbox, _) = golden(name);
        let original = sandbox.info("x");
        for extension in ["npy", "b2nd", "blp", "b2frame"] {
            let file = format!("y.{extension}");
            let run = sandbox.run(&format!("convert x {file}"));
            match original["attrs"].as_object().is_some_and(|attrs| !attrs.is_empty()) && extension == "npy" {
                true => assert!(run.code == Some(0) && run.stderr.contains("not kept"), "{name}: {}", run.stderr),
                false => drop(run.ok()),
            }
            assert_eq!(sha(&sandbox, &file), case["sha256"], "{name} {extension}");
            if extension == "b2frame" {
                continue;
            }
            assert_eq!(sandbox.info(&file)["shape"], case["shape"], "{name} {extension}");
            let back = sandbox.run(&format!("-f convert {file} z.bcolz"));
            if name.contains("struct") {
                let error = back.failed();
                assert!(error.contains("bcolz cannot open arrays of a dtype with fields"), "{error}");
                continue;
            }
            back.ok();
            assert_eq!(sha(&sandbox, "z.bcolz"), case["sha256"], "{name} {extension}");
            let found = sandbox.info("z.bcolz");
            assert_eq!(
                (&found["dtype"], &found["shape"]),
                (&original["dtype"], &original["shape"]),
                "{name} {extension}"
            );
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
}

#[test]
fn a_carray_is_rewritten_with_all_that_it_knows() {
    let (sandbox, case) = golden("ref/mut/attrs");
    sandbox.run("convert x y.bcolz").ok();
    let keep = |mut info: Value| {
        (info["cbytes"], info["stored_nbytes"]) = (Value::Null, Value::Null);
        info
    };
    assert_eq!(keep(sandbox.info("y.bcolz")), keep(sandbox.info("x")));
    assert_eq!(sandbox.read("y.bcolz/__attrs__"), sandbox.read("x/__attrs__"));
    sandbox.run("-f convert x y.bcolz -c zstd -l 9 --filter bitshuffle --chunkshape 7").ok();
    let found = sandbox.info("y.bcolz");
    assert_eq!((&found["codec"], &found["clevel"], &found["chunklen"]), (&"zstd".into(), &9.into(), &7.into()));
    assert_eq!(found["filters"], Value::from(vec!["bitshuffle"]));
    assert_eq!(sha(&sandbox, "y.bcolz"), case["sha256"]);
    sandbox.run("verify y.bcolz").ok();
    sandbox.run("-f convert x y.bcolz -s").ok();
    assert_eq!(sandbox.info("y.bcolz")["filters"], Value::Array(Vec::new()));
    // The default for new rows does not survive a change of the item type.
    let (sandbox, _) = golden("ref/dtype/u8_dflt_max");
    sandbox.run("convert x y.bcolz").ok();
    assert_eq!(sandbox.info("y.bcolz")["dflt"], sandbox.info("x")["dflt"]);
    sandbox.run("-f convert --dtype <f8 x y.bcolz").ok();
    assert_eq!(sandbox.info("y.bcolz")["dflt"], 0.0);
}

#[test]
fn plain_bytes_are_integers_of_the_typesize() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    // The only chunk is copied.
    sandbox.run("convert f.blp x.bcolz").ok();
    let found = sandbox.info("x.bcolz");
    assert_eq!((&found["chunklen"], &found["codec"]), (&12_500.into(), &"blosclz".into()));
    assert_eq!(plain(&sandbox, "x.bcolz"), sandbox.read("f"));
    sandbox.run("-f convert --recompress f.blp x.bcolz").ok();
    let found = sandbox.info("x.bcolz");
    assert_eq!((&found["dtype"], &found["shape"]), (&"<u8".into(), &vec![12_500].into()));
    // With 100,000 bytes expected, bcolz's rule gives chunks of 128 KiB.
    assert_eq!((&found["chunklen"], &found["codec"]), (&16_384.into(), &"lz4".into()));
    assert_eq!(plain(&sandbox, "x.bcolz"), sandbox.read("f"));
    sandbox.run("-f convert f.blp x.bcolz --dtype <i4 --shape 1000,25 --chunkshape 300,25").ok();
    let found = sandbox.info("x.bcolz");
    assert_eq!((&found["dtype"], &found["shape"]), (&"<i4".into(), &vec![1000, 25].into()));
    assert_eq!((&found["chunklen"], &found["nchunks"]), (&300.into(), &4.into()));
    assert_eq!(plain(&sandbox, "x.bcolz"), sandbox.read("f"));
    sandbox.run("convert f.blp f.b2frame -t 4").ok();
    sandbox.run("-f convert f.b2frame x.bcolz").ok();
    assert_eq!(sandbox.info("x.bcolz")["dtype"], "<u4");
}

#[test]
fn rows_are_in_c_order() {
    let sandbox = Sandbox::new();
    // numpy.arange(24, dtype='u1').reshape(4, 3, 2) in Fortran order: axis 0 varies fastest.
    let fortran: Vec<u8> = (0..24).map(|at| at % 4 * 6 + at / 4 % 3 * 2 + at / 12).collect();
    sandbox.write("x.npy", &npy("'|u1'", "True", "(4, 3, 2)", &fortran));
    sandbox.run("convert x.npy x.bcolz").ok();
    assert_eq!(plain(&sandbox, "x.bcolz"), (0..24).collect::<Vec<u8>>());
    sandbox.run("convert x.npy x.blp").ok();
    sandbox.run("-f convert x.blp x.bcolz").ok();
    assert_eq!(plain(&sandbox, "x.bcolz"), (0..24).collect::<Vec<u8>>());
    assert_eq!(sandbox.info("x.bcolz")["shape"], Value::from(vec![4, 3, 2]));
}

#[test]
fn what_bcolz_cannot_hold_is_refused() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    sandbox.write("scalar.npy", &npy("'<f8'", "False", "()", &[0; 8]));
    sandbox.write("nothing.npy", &npy("'<f8'", "False", "(5, 0)", &[]));
    sandbox.write("fields.npy", &npy("[('a', '<i4'), ('b', '<f4')]", "False", "(2,)", &[0; 16]));
    for (command, expected) in [
        ("convert scalar.npy x.bcolz", "a zero-dimensional array has no rows"),
        ("convert nothing.npy x.bcolz", "a row has 0 bytes"),
        ("convert fields.npy x.bcolz", "bcolz cannot open arrays of a dtype with fields"),
        ("convert f.blp x.bcolz --filter delta", "bcolz supports shuffle, bitshuffle or no filter"),
        (
            "convert f.blp x.bcolz --filter shuffle --filter bytedelta",
            "bcolz supports shuffle, bitshuffle or no filter",
        ),
        ("convert f.blp x.bcolz --chunkshape 0", "chunklen"),
        ("convert f.blp x.txt", "does not end with .blp, .b2frame, .b2nd, .npy, .bcolz, .zarr or .csv"),
    ] {
        let error = sandbox.run(command).failed();
        assert!(error.contains(expected), "{command}: {error}");
    }
    assert_eq!(sandbox.names(), ["f", "f.blp", "fields.npy", "nothing.npy", "scalar.npy"]);
}

#[test]
fn tables_are_rewritten() {
    for name in ["ref/tab/mixed", "ref/tab/odd_names", "ref/zipline/daily_equities.bcolz", "ref/tab/zero_rows"] {
        let (sandbox, case) = golden(name);
        sandbox.run("convert -c zstd x y.bcolz").ok();
        sandbox.run("verify y.bcolz").ok();
        let (old, new) = (sandbox.info("x"), sandbox.info("y.bcolz"));
        for field in ["columns", "rows", "nbytes", "attrs", "dtype"] {
            assert_eq!(old[field], new[field], "{name} {field}");
        }
        assert!(new["carrays"].as_array().unwrap().iter().all(|carray| carray["codec"] == "zstd"));
        for (column, case) in case["columns"].as_object().unwrap() {
            sandbox.args(&["-f", "d", "y.bcolz", "out", "--column", column]).ok();
            assert_eq!(case["sha256"], sha256_hex(&sandbox.read("out")), "{name} {column}");
        }
    }
    let (sandbox, _) = golden("ref/tab/no_cols_left");
    assert!(sandbox.run("convert x y.bcolz").failed().contains("bcolz does not open a table without columns"));
    assert_eq!(sandbox.names(), ["x"]);
}

#[test]
fn columns_become_files() {
    let (sandbox, case) = golden("ref/tab/odd_names");
    sandbox.run("convert x out").ok();
    sandbox.run("convert x blocks/ --columns-as b2nd").ok();
    for (column, case) in case["columns"].as_object().unwrap() {
        assert_eq!(sha(&sandbox, &format!("out/{column}.npy")), case["sha256"], "{column}");
        assert_eq!(sha(&sandbox, &format!("blocks/{column}.b2nd")), case["sha256"], "{column}");
        assert_eq!(sandbox.info(&format!("blocks/{column}.b2nd"))["shape"], case["shape"], "{column}");
    }
    assert_eq!(fs::read_dir(sandbox.path("out")).unwrap().count(), 5);
    // A directory of such files is replaced on request, one with other files never.
    assert_eq!(sandbox.run("convert x out").failed(), "output file 'out' exists!");
    sandbox.run("-f convert x out --columns-as b2nd").ok();
    assert!(!sandbox.path("out/_x.npy").exists() && sandbox.path("out/_x.b2nd").exists());
    sandbox.write("out/notes", b"mine");
    sandbox.run("-f convert x out").failed();
    assert_eq!(sandbox.read("out/notes"), b"mine");
    // A failed conversion leaves no output.
    sandbox.write("x/data/meta/sizes", b"{");
    sandbox.run("convert x more").failed();
    assert_eq!(sandbox.names(), ["blocks", "out", "plain", "x"]);
}

#[test]
fn one_column_becomes_anything() {
    let (sandbox, case) = golden("ref/tab/mixed");
    for (column, case) in case["columns"].as_object().unwrap() {
        for extension in ["npy", "b2nd", "b2frame", "blp", "bcolz"] {
            let file = format!("y.{extension}");
            sandbox.args(&["-f", "convert", "--column", column, "x", &file]).ok();
            assert_eq!(sha(&sandbox, &file), case["sha256"], "{column} {extension}");
        }
        assert_eq!(sandbox.info("y.bcolz")["shape"], case["shape"], "{column}");
    }
    assert_eq!(
        sandbox.run("convert --column f --columns-as npy x y").usage(),
        "argument --column: not allowed with argument --columns-as"
    );
}

#[test]
fn tables_become_text() {
    let (sandbox, _) = golden("ref/tab/mixed");
    let run = sandbox.run("convert x out.csv");
    let warning = "blpk: warning: out.csv: attributes not kept: 'title', 'v': a .csv file has no metadata\n";
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), warning));
    let text = String::from_utf8(sandbox.read("out.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // In addition to the starts of the columns in the manifest.
    assert_eq!(lines[0], "i,f,s,u,b,t,m_0,m_1");
    assert_eq!(lines[1], "0,0.0,cyx,zzb,false,1970-01-01T00:00:00.000000000,0,4");
    assert_eq!(lines[2], "4,0.5,zz,a,false,1970-01-01T00:00:00.000000004,8,12");
    assert_eq!(lines.len(), 501);
    assert!(lines[4].starts_with("12,nan,"), "{}", lines[4]);
    sandbox.run("d --column f x f").ok();
    let floats = sandbox.read("f");
    sandbox.run("d --column i x i").ok();
    let integers = sandbox.read("i");
    for ((line, float), integer) in lines[1..].iter().zip(floats.as_chunks().0).zip(integers.as_chunks().0) {
        let mut fields = line.split(',');
        assert_eq!(fields.next().unwrap().parse(), Ok(i32::from_le_bytes(*integer)));
        let (found, expected) = (fields.next().unwrap().parse::<f64>().unwrap(), f64::from_le_bytes(*float));
        assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{line}");
    }
    sandbox.run("convert --column m x m.csv").ok();
    assert!(sandbox.read("m.csv").starts_with(b"m_0,m_1\n0,4\n8,12\n"));
    sandbox.run("convert x/i i.csv").ok();
    assert!(sandbox.read("i.csv").starts_with(b"f0\n0\n4\n8\n"));
    assert_eq!(sandbox.run("convert x out.csv").failed(), "output file 'out.csv' exists!");
    let (sandbox, _) = golden("ref/dtype/object_pickles");
    assert!(sandbox.run("convert x out.csv").failed().contains("Python objects"));
    assert_eq!(sandbox.names(), ["x"]);
}

#[test]
fn the_input_is_never_the_output() {
    let (sandbox, _) = golden("ref/tab/mixed");
    let before = plain(&sandbox, "x/f");
    fs::rename(sandbox.path("x"), sandbox.path("x.bcolz")).unwrap();
    fs::remove_file(sandbox.path("plain")).unwrap();
    for command in [
        "-f convert x.bcolz x.bcolz",
        "-f convert x.bcolz x.bcolz/new.bcolz",
        "-f convert x.bcolz x.bcolz/out/",
        "-f convert x.bcolz x.bcolz/out.csv",
        "-f convert --column f x.bcolz x.bcolz/out.npy",
        "-f convert --column f x.bcolz x.bcolz",
        "-f convert x.bcolz/f x.bcolz",
        "-f convert x.bcolz/f x.bcolz/f/y.bcolz",
        "-f d --column f x.bcolz x.bcolz/f/plain",
        "-f recover x.bcolz x.bcolz",
        "-f recover x.bcolz x.bcolz/new",
    ] {
        let run = sandbox.run(command);
        assert_eq!(run.code, Some(1), "{command}");
        run.failed();
        assert_eq!(sandbox.names(), ["x.bcolz"], "{command}");
        sandbox.run("verify x.bcolz").ok();
    }
    assert_eq!(plain(&sandbox, "x.bcolz/f"), before);
}

#[test]
fn only_directories_of_bcolz_are_replaced() {
    let (sandbox, _) = golden("ref/nd/3d");
    fs::create_dir(sandbox.path("y.bcolz")).unwrap();
    sandbox.write("y.bcolz/notes", b"mine");
    sandbox.write("z.bcolz", b"a file");
    for name in ["y.bcolz", "z.bcolz"] {
        assert_eq!(sandbox.run(&format!("convert x {name}")).failed(), format!("output file '{name}' exists!"));
        sandbox.run(&format!("-f convert x {name}")).failed();
    }
    assert_eq!((sandbox.read("y.bcolz/notes"), sandbox.read("z.bcolz")), (b"mine".to_vec(), b"a file".to_vec()));
    assert_eq!(sandbox.names(), ["x", "y.bcolz", "z.bcolz"]);
}

#[test]
fn what_stands_is_recovered() {
    // 503 rows of 4 bytes, 100 rows in a chunk.
    let (sandbox, case) = golden("ref/size/n503_cl100");
    let rows = plain(&sandbox, "x");
    let atom = rows.len() / 503;
    fs::remove_file(sandbox.path("plain")).unwrap();
    sandbox.run("recover x whole").prints(&["blpk: whole: 503 rows, nothing is lost"]);
    assert_eq!(sha(&sandbox, "whole"), case["sha256"]);
    fs::remove_file(sandbox.path("x/data/__2.blp")).unwrap();
    let run = sandbox.run("recover x short").ok();
    let lines = run.lines();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[2], "blpk: --fill keeps the rows after a lost chunk, with the default value for lost rows");
    assert!(lines[0].starts_with("blpk: rows 200..300 of chunk 2 are lost: "), "{lines:?}");
    assert_eq!(lines[1], "blpk: rows 300..503 after a lost chunk are left out");
    assert_eq!(lines[3], "blpk: short: 200 rows");
    assert_eq!(plain(&sandbox, "short"), rows[..200 * atom]);
    let run = sandbox.run("recover --fill x filled").ok();
    let lines = run.lines();
    assert!(lines[0].starts_with("blpk: rows 200..300 of chunk 2 have the default value now: "), "{lines:?}");
    assert_eq!(lines[1..], ["blpk: filled: 503 rows"]);
    let filled = plain(&sandbox, "filled");
    assert_eq!((&filled[..200 * atom], &filled[300 * atom..]), (&rows[..200 * atom], &rows[300 * atom..]));
    sandbox.run("verify short filled").ok();
    assert_eq!(sandbox.run("recover x short").failed(), "output file 'short' exists!");
    sandbox.run("-f recover x short").ok();
    // Without its metadata, the number of rows of a carray is unknown.
    fs::remove_file(sandbox.path("x/meta/storage")).unwrap();
    assert!(sandbox.run("recover x none").failed().contains("nor meta/storage"));
    assert_eq!(
        sandbox.run("recover --fill nothing none").failed(),
        "input file 'nothing' is not a bcolz directory, which --fill is for"
    );
}

#[test]
fn tables_are_recovered() {
    let (sandbox, case) = golden("ref/tab/mixed");
    sandbox.write("x/__rootdirs__", b"");
    sandbox.write("x/i/meta/storage", b"");
    let run = sandbox.run("recover x y").ok();
    let lines = run.lines();
    assert!(lines[0].starts_with("blpk: the list of columns is lost; "), "{lines:?}");
    assert!(lines[1].starts_with("blpk: column \"i\": it is lost: "), "{lines:?}");
    assert_eq!(lines[2..], ["blpk: y: 6 columns, 500 rows"]);
    let columns: Vec<&str> = vec!["b", "f", "m", "s", "t", "u"];
    assert_eq!(sandbox.info("y")["columns"], Value::from(columns.clone()));
    for column in columns {
        assert_eq!(sha(&sandbox, &format!("y/{column}")), case["columns"][column]["sha256"], "{column}");
    }
    sandbox.run("verify y").ok();
}
