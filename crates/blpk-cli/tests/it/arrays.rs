//! Arrays on the command line: slices and formats of `cat`, `stats`, raw bytes and text by `convert`.

use testdata::serde_json::{Value, from_slice};

use crate::common::{Sandbox, bcolz_cases, counting, golden_bcolz};

/// `f4` values 0, 0.5, 1, … as raw bytes.
fn halves(count: u32) -> Vec<u8> {
    (0..count).flat_map(|at| (at as f32 / 2.0).to_le_bytes()).collect()
}

/// Writes an array of 20 x 30 to every container that supports it. Returns their names.
fn containers(sandbox: &Sandbox) -> Vec<String> {
    sandbox.write("raw.bin", &halves(600));
    let names = ["b2nd", "npy", "blp", "bcolz"].map(|extension| format!("a.{extension}"));
    for name in &names {
        sandbox.run(&format!("convert --dtype f4 --shape 20,30 raw.bin {name}")).ok();
    }
    names.into()
}

#[test]
fn raw_bytes_become_arrays() {
    let sandbox = Sandbox::new();
    for name in containers(&sandbox) {
        let info = sandbox.info(&name);
        assert_eq!((info["dtype"].as_str(), info["shape"].to_string()), (Some("<f4"), "[20,30]".into()), "{name}");
        assert_eq!(sandbox.run(&format!("cat --items .. {name}")).ok().stdout, halves(600), "{name}");
    }
    // One axis by default; with -1, a length that follows from the number of bytes.
    sandbox.run("convert --dtype f4 raw.bin one.npy").ok();
    assert_eq!(sandbox.info("one.npy")["shape"].to_string(), "[600]");
    sandbox.run("convert --dtype f4 --shape=-1,50 raw.bin two.npy").ok();
    assert_eq!(sandbox.info("two.npy")["shape"].to_string(), "[12,50]");
    sandbox.pipe("convert --dtype <i2 - three.b2frame", &halves(600)).ok();
    assert_eq!(sandbox.run("decompress three.b2frame out").ok().stdout, b"");
    assert_eq!(sandbox.read("out"), halves(600));
}

#[test]
fn raw_bytes_that_do_not_fit_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("raw.bin", &halves(600));
    sandbox.write("data.gz", b"\x1f\x8b\x08\x00 and so on");
    for (args, error) in [
        ("--dtype f4 --shape 7,8 raw.bin x.npy", "2400 bytes, but dtype and shape require 224"),
        (
            "--dtype f4 --shape=-1,7 raw.bin x.npy",
            "2400 bytes are not a multiple of 28, the itemsize times the other axes",
        ),
        ("--dtype V7 raw.bin x.npy", "2400 bytes are not a multiple of 7,"),
        ("raw.bin x.npy", "raw bytes need --dtype"),
        ("--dtype u1 data.gz x.npy", "this is gzip data: 'gzip -d' reads it; if it is raw bytes, add --raw"),
    ] {
        let said = sandbox.run(&format!("convert {args}")).failed();
        assert!(said.contains(error), "{args}: {said}");
    }
    assert!(sandbox.run("convert --raw raw.bin x.npy").usage().contains("--dtype"));
    assert_eq!(sandbox.names(), ["data.gz", "raw.bin"]);
}

/// A container is read as such, unless `--raw` is given.
#[test]
fn raw_takes_a_container_for_bytes() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    sandbox.run("convert --dtype <u4 f.blp items.npy").ok();
    assert_eq!(sandbox.info("items.npy")["shape"].to_string(), "[25000]");
    sandbox.run("convert --raw --dtype u1 f.blp bytes.npy").ok();
    assert_eq!(sandbox.info("bytes.npy")["shape"].to_string(), format!("[{}]", sandbox.read("f.blp").len()));
}

#[test]
fn damage_of_the_input_is_no_error_of_the_output() {
    let sandbox = Sandbox::new();
    containers(&sandbox);
    let mut damaged = sandbox.read("a.blp");
    let at = damaged.len() - 20;
    damaged[at] ^= 0x10;
    sandbox.write("bad.blp", &damaged);
    for output in ["x.npy", "x.csv", "x.b2nd", "x.zarr"] {
        let error = sandbox.run(&format!("convert bad.blp {output}")).error();
        assert!(error.starts_with("bad.blp: chunk 0 ") && error.ends_with("the chunk is damaged"), "{output}: {error}");
    }
}

#[test]
fn every_container_has_slices() {
    let sandbox = Sandbox::new();
    for name in containers(&sandbox) {
        let cat = |slice: &str| sandbox.args(&["cat", "--slice", slice, "--format", "text", &name]).ok();
        assert_eq!(cat("3,::-10").lines(), ["59.5", "54.5", "49.5"], "{name}");
        assert_eq!(cat("-1:-8:-6, 5:7").lines(), ["287.5 288.0", "197.5 198.0"], "{name}");
        assert_eq!(cat("...,0").lines().len(), 20, "{name}");
        assert_eq!(cat("5:2").text(), "", "{name}");
        let error = sandbox.args(&["cat", "--slice", "0,30", &name]).failed();
        assert_eq!(error, format!("{name}: slice: index 30 is out of bounds for axis 1 with size 30"));
    }
    let too_many = sandbox.run("cat --slice 1,2,3 a.b2nd").failed();
    assert!(too_many.contains("the array has 2 axes, but 3 were indexed"), "{too_many}");
    for (slice, why) in [("None", "new axis"), ("::0", "step must not be 0"), ("x", "expected integers")] {
        let said = sandbox.run(&format!("cat --slice {slice} a.b2nd")).usage();
        assert!(said.starts_with("argument --slice: ") && said.contains(why), "{said}");
    }
    // Bytes without a dtype are items of the typesize along one axis.
    sandbox.write("f", &counting(800));
    sandbox.run("c -t 8 f").ok();
    assert_eq!(sandbox.run("cat --slice ::-50 --format text f.blp").ok().lines(), ["99", "49"]);
}

#[test]
fn parts_have_formats() {
    let sandbox = Sandbox::new();
    containers(&sandbox);
    let cat = |args: &str| sandbox.run(&format!("cat {args}")).ok();
    assert_eq!(cat("--slice :2,:3 --format csv a.b2nd").text(), "f0_0,f0_1,f0_2\n0.0,0.5,1.0\n15.0,15.5,16.0\n");
    assert_eq!(cat("--items -2.. --format csv a.blp").text(), "f0\n299.0\n299.5\n");
    assert_eq!(cat("--bytes ..4 --format text a.npy").text(), "0\n0\n0\n0\n");
    let npy = cat("--slice ::-1,3 --format npy a.bcolz").stdout;
    sandbox.write("part.npy", &npy);
    let info = sandbox.info("part.npy");
    assert_eq!((info["shape"].to_string(), info["order"].as_str()), ("[20]".into(), Some("C")));
    assert_eq!(cat("--chunk 0 --format text a.blp").lines()[599], "299.5");
    assert_eq!(cat("--items 7..8 --format raw a.npy").stdout, 3.5_f32.to_le_bytes());
    assert_eq!(cat("--items 1..2 --dtype u1 --format text raw.bin").text(), "0\n");
    assert!(sandbox.run("cat --items 1..2 --format xml a.npy").usage().contains("invalid choice: 'xml'"));
}

#[test]
fn ranges_count_from_the_end() {
    let sandbox = Sandbox::with_f();
    let plain = counting(100_000);
    sandbox.run("c -t 8 f").ok();
    for (args, expected) in [
        ("--items -10..", &plain[99_920..]),
        ("--items ..-12490", &plain[..80]),
        ("--items=-2..-1", &plain[99_984..99_992]),
        // Like `tail`: with fewer items, all of them.
        ("--items -99999.. ", &plain),
        ("--bytes -5..", &plain[99_995..]),
        ("--bytes ..-99990", &plain[..10]),
    ] {
        assert!(sandbox.run(&format!("cat {args} f.blp")).ok().stdout == expected, "{args}");
    }
    assert_eq!(sandbox.run("cat --items -1..-5 f.blp").failed(), "f.blp: items 12499..12495 are not within 0..12500");
}

#[test]
fn every_array_becomes_text() {
    let sandbox = Sandbox::new();
    let mut texts = Vec::new();
    for name in containers(&sandbox) {
        sandbox.run(&format!("convert -f {name} out.csv")).ok();
        texts.push(String::from_utf8(sandbox.read("out.csv")).unwrap());
    }
    assert!(texts.iter().all(|text| *text == texts[0]) && texts[0].lines().count() == 21);
    assert!(texts[0].starts_with("f0_0,f0_1,") && texts[0].lines().nth(1).unwrap().starts_with("0.0,0.5,1.0,"));
    // A struct has a column for each field, bytes without a dtype have one column.
    sandbox.write("pairs", &[1, 0, 0xff, 2, 0, 0x80]);
    sandbox.args(&["convert", "--dtype", "[('a', '<i2'), ('b', 'i1')]", "pairs", "pairs.csv"]).ok();
    assert_eq!(sandbox.read("pairs.csv"), b"a,b\n1,-1\n2,-128\n");
    sandbox.run("c -t 1 pairs").ok();
    sandbox.run("convert pairs.blp plain.csv").ok();
    assert_eq!(sandbox.read("plain.csv"), b"f0\n1\n0\n255\n2\n0\n128\n");
    assert!(sandbox.run("convert pairs.blp plain.csv").failed().contains("exists!"));
}

#[test]
fn statistics_for_people_and_programs() {
    let sandbox = Sandbox::new();
    for name in containers(&sandbox) {
        let text = sandbox.run(&format!("stats {name}")).ok();
        let lines = text.lines();
        assert_eq!(lines[0], format!("{name}: <f4 [20,30], 2400 bytes"));
        for line in
            ["  count       600", "  NaN         0", "  min         0.0", "  max         299.5", "  mean        149.75"]
        {
            assert!(lines.contains(&line), "{name}: {line}: {lines:?}");
        }
        assert!(lines.iter().all(|line| line.chars().count() < 80) && lines.len() > 20, "{lines:?}");
        let object: Value = from_slice(&sandbox.run(&format!("stats --json {name}")).ok().stdout).unwrap();
        let field = &object["fields"][0];
        assert_eq!((object["schema"].as_u64(), field["count"].as_u64()), (Some(1), Some(600)), "{name}");
        assert_eq!((field["sum"].as_f64(), field["max"].as_f64()), (Some(89_850.0), Some(299.5)), "{name}");
        assert_eq!(field["histogram"]["edges"].as_array().unwrap().len(), 17, "{name}");
    }
    assert!(sandbox.run("stats missing").failed().contains("does not exist"));
    assert!(sandbox.run("stats raw.bin").failed().contains("not a Blosc file"));
}

#[test]
fn statistics_of_other_kinds_of_items() {
    let sandbox = Sandbox::new();
    let stats = |bytes: &[u8], dtype: &str| -> Value {
        sandbox.write("f", bytes);
        from_slice(&sandbox.args(&["stats", "--json", "--dtype", dtype, "f"]).ok().stdout).unwrap()
    };
    // Integers are exact: the sum of two of the largest does not fit into 64 bits.
    sandbox.write("f", &[0xff; 16]);
    let text = sandbox.run("stats --json --dtype <u8 f").ok();
    assert!(text.text().contains("\"max\":18446744073709551615,\"sum\":36893488147419103230,"), "{}", text.text());
    let floats = [f32::NAN, f32::INFINITY, -1.5, 2.5].map(f32::to_be_bytes).concat();
    let field = &stats(&floats, ">f4")["fields"][0];
    let of = |name: &str| field[name].to_string();
    assert_eq!([of("nans"), of("positive_infinities"), of("mean"), of("std")], ["1", "1", "0.5", "2.0"]);
    assert_eq!((field["min"].as_f64(), field["max"].as_str()), (Some(-1.5), Some("Infinity")));
    let times = [0_i64, i64::MIN, 86_400].map(i64::to_le_bytes).concat();
    let field = &stats(&times, "<M8[s]")["fields"][0];
    assert_eq!((field["nans"].as_u64(), field["mean"].as_str()), (Some(1), Some("1970-01-01T12:00:00")));
    assert_eq!(field["max"], "1970-01-02T00:00:00");
    let field = &stats(b"abc\0b\0\0\0\0\0\0\0", "S4")["fields"][0];
    assert_eq!((field["last"].as_str(), field["length"]["max"].as_u64()), (Some("b"), Some(3)));
    let field = &stats(&[1, 0, 1, 1], "bool")["fields"][0];
    assert_eq!((field["mean"].as_f64(), field["min"].as_bool()), (Some(0.75), Some(false)));
    let complex = [1.0_f64, 2.0].map(f64::to_le_bytes).concat();
    assert_eq!(stats(&complex, "c16")["fields"][0]["imag"]["mean"].as_f64(), Some(2.0));
    let fields = stats(&[1, 2, 3, 4, 5, 6], "[('a', 'u1'), ('b', 'u1', (2,))]")["fields"].clone();
    assert_eq!((fields[1]["name"].as_str(), fields[1]["count"].as_u64()), (Some("b"), Some(4)));
    assert_eq!(stats(&[], "f8")["fields"][0]["mean"], Value::Null);
}

/// A reader that closes the pipe early is no failure, in any format.
#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_cat_quietly() {
    let sandbox = Sandbox::new();
    sandbox.write("raw.bin", &halves(300_000));
    sandbox.run("convert --dtype f4 --shape 300,1000 raw.bin a.b2nd").ok();
    for format in ["raw", "npy", "csv", "text"] {
        let line = format!("(blpk cat --slice ::-1 --format {format} a.b2nd; echo $? > code) | head -c 10 > /dev/null");
        let run = sandbox.shell(&line);
        assert_eq!((run.stderr.as_str(), sandbox.read("code")), ("", b"0\n".to_vec()), "{format}");
    }
}

/// Every column of a table on its own.
#[test]
fn statistics_of_tables() {
    let mut seen = 0;
    for case in bcolz_cases().iter().filter(|case| case["expect"] == "ok" && case["kind"] == "ctable") {
        let (sandbox, _) = golden_bcolz(case["name"].as_str().unwrap());
        let info = sandbox.info("x");
        if info.to_string().contains("object") || info["columns"].as_array().unwrap().is_empty() {
            continue;
        }
        seen += 1;
        let object: Value = from_slice(&sandbox.run("stats --json x").ok().stdout).unwrap();
        let names: Vec<_> =
            object["columns"].as_array().unwrap().iter().map(|column| column["column"].clone()).collect();
        assert_eq!(Value::Array(names.clone()), info["columns"]);
        let one = sandbox.args(&["stats", "--column", names[0].as_str().unwrap(), "x"]).ok();
        assert!(one.lines()[0].starts_with("x, column "), "{}", one.text());
        if seen == 5 {
            break;
        }
    }
    assert!(seen > 0);
}
