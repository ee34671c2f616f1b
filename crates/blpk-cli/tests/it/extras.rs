//! Tests of the commands that the original does not have: they report and read the right data.

use testdata::serde_json::{Value, from_slice, json};

use crate::common::{Sandbox, counting, noise};

/// A `.npy` file of the integers 0 to 23 in an array of 2 × 3 × 4, in Fortran order.
fn npy() -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4), }";
    file.extend(format!("{header:117}\n").into_bytes());
    file.extend((0..24).flat_map(i32::to_le_bytes));
    file
}

/// A `.npy` file of an array of 1250 × 10 with the bytes of `f`.
fn large_npy() -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1250, 10), }";
    file.extend(format!("{header:117}\n").into_bytes());
    file.extend(counting(100_000));
    file
}

#[test]
fn verify_checks_all_files_and_names_the_bad() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -z 30000 f").ok();
    sandbox.run("chunk encode f chunk").ok();
    sandbox.write("a.npy", &npy());
    sandbox.write("cut.npy", &npy()[..200]);
    let mut bytes = sandbox.read("f.blp");
    sandbox.write("trailing.blp", &[bytes.clone(), vec![0; 12]].concat());
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    sandbox.write("bad.blp", &bytes);
    let run = sandbox.run("verify f.blp bad.blp chunk f missing cut.npy a.npy trailing.blp");
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.lines(),
        [
            "blpk: f.blp: ok, bloscpack version 3, 4 chunks, 97.66K (100000B)",
            "blpk: chunk: ok, Blosc1 chunk, 1 chunk, 97.66K (100000B)",
            "blpk: a.npy: ok, NumPy array, 96.0B (96B)",
            "blpk: trailing.blp: ok, bloscpack version 3, 4 chunks, 97.66K (100000B), 12 unused bytes at the end",
        ]
    );
    let errors: Vec<_> = run.stderr.lines().collect();
    assert_eq!(errors.len(), 4, "{errors:?}");
    assert!(errors[0].starts_with("blpk: error: bad.blp: chunk ") && errors[0].contains("adler32"), "{}", errors[0]);
    assert!(errors[1].starts_with("blpk: error: f: not a Blosc file"), "{}", errors[1]);
    assert_eq!(errors[2], "blpk: error: file 'missing' does not exist!");
    assert_eq!(errors[3], "blpk: error: cut.npy: offset 128: the array needs 96 bytes, but 72 are available");
    sandbox.run("test f.blp").ok();
}

#[test]
fn cat_reads_parts() {
    let sandbox = Sandbox::with_f();
    let plain = counting(100_000);
    sandbox.run("chunk encode -t 8 f f.chunk").ok();
    for options in ["", "-o", "-o -k None -c zstd"] {
        sandbox.run(&format!("-f c -z 3001 {options} f")).ok();
        for (part, expected) in [
            ("--items 100..400", &plain[800..3200]),
            ("--items ..1", &plain[..8]),
            ("--items 12499..", &plain[99_992..]),
            ("--items 12500..", &[]),
            ("--bytes 2999..6005", &plain[2999..6005]),
            ("--bytes ..", &plain),
            ("--chunk 1", &plain[3001..6002]),
            ("--chunk 33", &plain[33 * 3001..]),
        ] {
            assert_eq!(sandbox.run(&format!("cat {part} f.blp")).ok().stdout, expected, "{options} {part}");
            if !part.starts_with("--chunk") {
                assert_eq!(sandbox.run(&format!("cat f.chunk {part}")).ok().stdout, expected, "{part}");
            }
        }
    }
    let failed = |args| sandbox.run(args).failed();
    assert_eq!(failed("cat --items 0..12501 f.blp"), "f.blp: items 0..12501 are not within 0..12500");
    assert_eq!(failed("cat --bytes 100001.. f.blp"), "f.blp: bytes 100001..100000 are not within 0..100000");
    assert_eq!(failed("cat --chunk 34 f.blp"), "f.blp: there is no chunk 34; there are 34, numbered from 0");
    assert!(failed("cat --bytes .. f").starts_with("f: not a Blosc file"));
    assert_eq!(failed("cat --bytes .. g"), "file 'g' does not exist!");
}

#[test]
fn cat_decodes_only_what_it_touches() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -z 10000 f").ok();
    let mut bytes = sandbox.read("f.blp");
    let last = bytes.len() - 1;
    bytes[last] ^= 1; // the digest of chunk 9
    sandbox.write("f.blp", &bytes);
    assert_eq!(sandbox.run("cat --bytes ..90000 f.blp").ok().stdout, counting(90_000));
    let run = sandbox.run("cat --bytes 89999.. f.blp");
    assert_eq!(run.code, Some(1));
    assert!(run.error().contains("chunk 9 "), "{}", run.error());
}

#[test]
fn items_of_arrays_count_in_c_order() {
    let sandbox = Sandbox::new();
    sandbox.write("a.npy", &npy());
    // numpy.arange(24).reshape(2, 3, 4, order='F').ravel(order='C')[5:9]
    let expected: Vec<u8> = [8, 14, 20, 4_i32].into_iter().flat_map(i32::to_le_bytes).collect();
    assert_eq!(sandbox.run("cat --items 5..9 a.npy").ok().stdout, expected);
    sandbox.write("data", &npy()[128..]);
    sandbox.write("m", br#"{"dtype": "'<i4'", "shape": [2, 3, 4], "order": "F", "container": "numpy"}"#);
    sandbox.run("c -t 4 -z 7 -m m data").ok();
    assert_eq!(sandbox.run("cat --items 5..9 data.blp").ok().stdout, expected);
    assert_eq!(sandbox.run("cat --bytes 20..24 data.blp").ok().stdout, 5_i32.to_le_bytes());
    assert_eq!(sandbox.run("cat --items 24.. data.blp").ok().stdout, b"");
    assert!(sandbox.run("cat --items 20..25 data.blp").failed().contains("not within 0..24"));
    assert_eq!(sandbox.run("cat --chunk 0 a.npy").failed(), "a.npy: a .npy file has no chunks; use --items or --bytes");
}

#[test]
fn many_items_of_an_array_in_fortran_order_go_through_a_temporary_file() {
    let sandbox = Sandbox::new();
    // More items than are gathered in two passes. Item (row, column) is row + 3 × column.
    let (rows, columns) = (3_000, 3_000);
    let item = |row: usize, column: usize| (row + 3 * column) as u8;
    let lying: Vec<u8> = (0..columns).flat_map(|column| (0..rows).map(move |row| item(row, column))).collect();
    let expected: Vec<u8> = (0..rows).flat_map(|row| (0..columns).map(move |column| item(row, column))).collect();
    sandbox.write("data", &lying);
    sandbox.write("m", br#"{"dtype": "'|u1'", "shape": [3000, 3000], "order": "F", "container": "numpy"}"#);
    sandbox.run("c -t 1 -z 100000 -m m data").ok();
    assert!(sandbox.run("cat --items .. data.blp").ok().stdout == expected);
    assert!(sandbox.run("cat --items 7..4300000 data.blp").ok().stdout == expected[7..4_300_000]);
    sandbox.run("convert data.blp a.npy").ok();
    assert!(sandbox.run("cat --items .. a.npy").ok().stdout == expected);
}

#[test]
fn json_is_strict() {
    let sandbox = Sandbox::with_f();
    sandbox
        .write("m", br#"{"a": [NaN, Infinity, -Infinity, 1.5, 123456789012345678901234567890, "\u00e9"], "b": null}"#);
    sandbox.run("c -z 30000 -m m f").ok();
    let run = sandbox.run("info --json f.blp").ok();
    assert_eq!(run.lines().len(), 1);
    let text = run.text().replace("123456789012345678901234567890", "1");
    let found: Value = from_slice(text.as_bytes()).unwrap();
    let expected = json!({
        "schema": 1, "format": "bloscpack", "version": 3, "nbytes": 100_000, "cbytes": sandbox.read("f.blp").len(),
        "typesize": 8, "nchunks": 4, "chunk_size": 30_000, "last_chunk": 10_000, "max_app_chunks": 40,
        "offsets": true, "checksum": "adler32", "plain_nbytes": 100_000, "stored_nbytes": sandbox.read("f.blp").len(),
        "metadata": {"a": ["NaN", "Infinity", "-Infinity", 1.5, 1, "é"], "b": null},
    });
    assert_eq!(found, expected);

    sandbox.write("a.npy", &npy());
    let found: Value = from_slice(&sandbox.run("info --json a.npy").ok().stdout).unwrap();
    let expected = json!({
        "schema": 1, "format": "npy", "nbytes": 96, "cbytes": 224, "typesize": 4, "nchunks": 0,
        "shape": [2, 3, 4], "dtype": "<i4", "order": "F", "plain_nbytes": 96, "stored_nbytes": 224,
    });
    assert_eq!(found, expected);
}

#[test]
fn old_versions_are_described() {
    let sandbox = Sandbox::with_f();
    sandbox.run("chunk encode f chunk").ok();
    let chunk = sandbox.read("chunk");
    sandbox.write("v1.blp", &[b"blpk\x01\0\0\0\x01\0\0\0\0\0\0\0".as_slice(), &chunk].concat());
    let run = sandbox.run("info v1.blp").ok();
    assert_eq!(
        run.lines()[..10],
        [
            "blpk: BloscpackHeader:",
            "blpk:     format_version: 1",
            "blpk:     offsets: False",
            "blpk:     metadata: False",
            "blpk:     checksum: 'None'",
            "blpk:     typesize: 0",
            "blpk:     chunk_size: -1",
            "blpk:     last_chunk: -1",
            "blpk:     nchunks: 1",
            "blpk:     max_app_chunks: 0",
        ]
    );
    let found: Value = from_slice(&sandbox.run("info --json v1.blp").ok().stdout).unwrap();
    assert_eq!((&found["chunk_size"], &found["nbytes"]), (&Value::Null, &100_000.into()));
    sandbox.run("d v1.blp").ok();
    assert_eq!(sandbox.read("v1"), sandbox.read("f"));
}

#[test]
fn chunks_go_there_and_back() {
    let sandbox = Sandbox::with_f();
    for options in [
        "",
        "-c lz4 -l 1 -t 4 --filter none",
        "-c zstd --filter bitshuffle --blocksize 8192",
        "-c zlib -t 3 --splitmode always",
        "-c lz4hc -l 9 --splitmode never --filter shuffle:0",
        "-c snappy --format blosc1 --splitmode auto",
        "-l 0",
    ] {
        sandbox.run(&format!("-f chunk encode {options} f chunk")).ok();
        sandbox.run("-f chunk decode chunk g").ok();
        assert!(sandbox.read("g") == sandbox.read("f"), "{options}");
        // A bare chunk is recognised by its content, whatever its name.
        sandbox.run("-f d chunk g").ok();
        assert!(sandbox.read("g") == sandbox.read("f"), "{options}");
        let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
        let bytes = sandbox.read("chunk");
        let starts = found["bstarts"].as_array().unwrap();
        let table: Vec<i64> = bytes[16..]
            .chunks(4)
            .take(starts.len())
            .map(|b| i32::from_le_bytes(b.try_into().unwrap()).into())
            .collect();
        assert_eq!(starts.iter().map(|start| start.as_i64().unwrap()).collect::<Vec<_>>(), table, "{options}");
        assert_eq!((&found["nbytes"], &found["cbytes"]), (&100_000.into(), &bytes.len().into()));
        assert_eq!(found["flags"], bytes[2]);
    }
    let found: Value = from_slice(&sandbox.run("info --json chunk").ok().stdout).unwrap();
    assert_eq!((&found["format"], &found["memcpyed"], &found["bstarts"]), (&"chunk".into(), &true.into(), &json!([])));

    sandbox.run("-f chunk encode -c lz4 -t 2 f chunk").ok();
    assert!(
        sandbox.run("chunk info chunk").ok().text().contains("blpk:     codec: 'lz4'\nblpk:     filters: 'shuffle'\n")
    );
    assert_eq!(sandbox.run("d chunk").failed(), "input file 'chunk' does not end with '.blp': name the <out_file>");
    std::fs::rename(sandbox.path("chunk"), sandbox.path("chunk.blp")).unwrap();
    sandbox.run("d chunk.blp").ok();
    assert!(sandbox.read("chunk") == sandbox.read("f"));
}

#[test]
fn what_is_no_chunk_is_refused() {
    let sandbox = Sandbox::with_f();
    let failed = |args: &str| sandbox.run(args).failed();
    assert!(failed("chunk encode -t 0 f g").contains("'typesize' must be in the range"));
    assert!(failed("chunk decode f g").starts_with("f: "));
    sandbox.write("short", b"\x02\x01");
    assert!(failed("chunk info short").starts_with("short: "));
    sandbox.run("chunk encode f chunk").ok();
    let mut bytes = sandbox.read("chunk");
    bytes.push(0);
    sandbox.write("long", &bytes);
    assert!(failed("chunk decode long g").ends_with("the chunk ends here, but 1 bytes follow"));
    assert_eq!(sandbox.names(), ["chunk", "f", "long", "short"]);
}

#[test]
fn what_we_cannot_read_is_named() {
    let sandbox = Sandbox::new();
    let frame = [b"\x9e\xa8b2frame\0\xd2\0\0\0W".as_slice(), &noise(100)].concat();
    sandbox.write("x.b2frame", &frame);
    std::fs::create_dir_all(sandbox.path("carray/meta")).unwrap();
    sandbox.write("carray/meta/storage", b"{}");
    sandbox.write("carray/meta/sizes", b"{\"shape\": [0]}");
    std::fs::create_dir(sandbox.path("sframe")).unwrap();
    sandbox.write("sframe/chunks.b2frame", &frame);
    for (name, what) in
        [("x.b2frame", "frame header"), ("carray", "meta/storage: \"dtype\" is missing"), ("sframe", "frame header")]
    {
        for command in ["d", "info", "info --json", "verify", "cat --bytes .."] {
            let out = if command == "d" { "out" } else { "" };
            let error = sandbox.run(&format!("{command} {name} {out}")).failed();
            assert!(error.contains(name) && error.contains(what), "{command} {name}: {error}");
        }
    }
    let error = sandbox.run("chunk info x.b2frame").failed();
    assert_eq!(error, "x.b2frame: this is a Blosc2 frame, not a bare chunk");
}

#[test]
fn npy_files_give_their_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("a.npy", &npy());
    sandbox.run("d a.npy out").ok();
    assert_eq!(sandbox.read("out"), npy()[128..]);
    let error = sandbox.run("d a.npy").failed();
    assert!(
        error.starts_with("input file 'a.npy' is a NumPy array, which is not compressed; 'blpk convert' "),
        "{error}"
    );
    sandbox.write("cut.npy", &npy()[..220]);
    assert!(sandbox.run("d cut.npy out2").failed().starts_with("cut.npy: offset 128"));
    sandbox.write("bad.npy", b"\x93NUMPY\x01\x00\x05\x00{'de}");
    assert!(sandbox.run("d bad.npy out2").failed().starts_with("bad.npy: npy header"));
    assert_eq!(sandbox.names(), ["a.npy", "bad.npy", "cut.npy", "out"]);
}

#[test]
fn a_dash_is_no_file_where_one_is_needed() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f f.b2frame").ok();
    sandbox.write("empty", b"");
    for (line, expected) in [
        ("recover empty out", "input file 'empty' is empty: there is nothing to recover"),
        ("recover f.b2frame -", "<out_file> cannot be '-': a file or directory is needed"),
        ("recover - out", "<in_file> cannot be '-': a file or directory is needed"),
        ("compact -", "<frame> cannot be '-': a file or directory is needed"),
        ("c -m - f", "the metadata file cannot be '-', because stdin is for the data; name a file"),
        ("recover f out", "input file 'f' is no bloscpack file, Blosc2 frame or bcolz directory: it starts with b'"),
        ("compact f", "f: "),
    ] {
        let error = sandbox.run(line).failed();
        assert!(error.starts_with(expected), "{line}: {error}");
    }
    sandbox.run("c f").ok();
    sandbox.run("chunk encode f chunk").ok();
    let error = sandbox.run("recover chunk out").failed();
    assert_eq!(
        error,
        "input file 'chunk' is a bare chunk; only bloscpack files, Blosc2 frames and bcolz directories can be recovered"
    );
    assert_eq!(
        sandbox.run("compact f.blp").failed(),
        "file 'f.blp' is a bloscpack file; only Blosc2 frames are compacted"
    );
    assert_eq!(sandbox.names(), ["chunk", "empty", "f", "f.b2frame", "f.blp"]);
}

#[test]
fn one_file_is_one_line() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    let name = "a\nblpk: b: ok.blp";
    std::fs::rename(sandbox.path("f.blp"), sandbox.path(name)).unwrap();
    let run = sandbox.args(&["verify", name]).ok();
    assert_eq!(run.lines().len(), 1, "{:?}", run.lines());
    let run = sandbox.args(&["-v", "d", name, "out"]).ok();
    assert!(run.lines().contains(&"blpk: input file is: 'a\\nblpk: b: ok.blp'"), "{:?}", run.lines());
    let run = sandbox.args(&["list", "--json", name]).ok();
    assert_eq!(from_slice::<Value>(&run.stdout).unwrap()["name"], name);
}

#[test]
fn damaged_bloscpack_files_are_recovered() {
    let sandbox = Sandbox::with_f();
    let plain = counting(100_000);
    sandbox.run("c -z 30000 f").ok();
    sandbox.write("a.npy", &large_npy());
    sandbox.run("convert -z 30000 a.npy a.blp").ok();
    let mut zeroed = plain.clone();
    zeroed[30_000..60_000].fill(0);
    let mut padded = plain.clone();
    padded[90_000..].fill(0);
    for name in ["f", "a"] {
        let file = sandbox.read(&format!("{name}.blp"));
        let is_array = name == "a";
        let recovered = |damaged: &[u8], first: &str, last: &str, expected: &[u8]| {
            sandbox.write("x.blp", damaged);
            sandbox.run("verify x.blp").failed();
            let run = sandbox.run("-f recover x.blp y.blp").ok();
            let lines = run.lines();
            assert!(lines.len() == 2 && lines[0].starts_with(first), "{name}: {lines:?}");
            assert_eq!(lines[1], format!("blpk: y.blp: {last}"), "{name}");
            assert!(sandbox.read("x.blp") == damaged, "the input stays as it is");
            sandbox.run("verify y.blp").ok();
            sandbox.run("-fq d y.blp y").ok();
            assert!(sandbox.read("y") == expected, "{name}: {first}");
            if is_array {
                assert_eq!(sandbox.info("y.blp")["shape"], json!([1250, 10]));
            }
        };
        // The header byte that names the checksum: first another checksum, then an unknown one.
        for (id, line) in [
            (7, "blpk: the header declares checksum sha384, but the chunks have adler32"),
            (0xee, "blpk: the header is damaged; its other fields are used: offset 6: checksum is 238, expected 0..=8"),
        ] {
            let mut damaged = file.clone();
            damaged[6] = id;
            recovered(&damaged, line, "4 chunks, 97.66K (100000B)", &plain);
        }
        // A byte in the second chunk.
        let mut damaged = file.clone();
        let info = sandbox.run(&format!("info {name}.blp")).ok();
        let offsets = info.lines().into_iter().find(|line| line.starts_with("blpk: [")).unwrap().to_owned();
        let start: usize = offsets.split(',').nth(1).unwrap().parse().unwrap();
        damaged[start + 100] ^= 0x10;
        let line = format!("blpk: chunk 1 is lost at offset {start} to ");
        recovered(&damaged, &line, "3 chunks, 97.66K (100000B)", &zeroed);
        // The end is cut off: an array keeps its shape.
        let (line, last, expected) = match is_array {
            true => (": zeros in bytes 90000..100000", "97.66K (100000B)", &padded[..]),
            false => ("", "87.89K (90000B)", &plain[..90_000]),
        };
        let line = format!("blpk: 1 chunk is missing at the end{line}");
        recovered(&file[..file.len() - 50], &line, &format!("3 chunks, {last}"), expected);
    }
    sandbox.run("-f recover f.blp y.blp").prints(&["blpk: y.blp: 4 chunks, 97.66K (100000B), nothing is lost"]);
    assert!(sandbox.read("y.blp") == sandbox.read("f.blp"));
    sandbox.write("y.blp", b"precious");
    assert_eq!(sandbox.run("recover x.blp y.blp").failed(), "output file 'y.blp' exists!");
    assert_eq!(sandbox.read("y.blp"), b"precious");
    let error = sandbox.run("-f recover x.blp ./x.blp").failed();
    assert!(error.contains("are the same file; name another output"), "{error}");
    sandbox.write("nothing.blp", &[0; 500]);
    let error = sandbox.run("-f recover nothing.blp y.blp").failed();
    assert!(error.contains("nothing.blp: no chunk of this bloscpack file is intact"), "{error}");
    assert_eq!(sandbox.read("y.blp"), b"precious");
    assert_eq!(sandbox.names(), ["a.blp", "a.npy", "f", "f.blp", "nothing.blp", "x.blp", "y", "y.blp"]);
}
