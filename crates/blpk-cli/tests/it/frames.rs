//! Tests of the commands on Blosc2 frames and the arrays in them.

use std::collections::BTreeMap;
use std::fs;
use testdata::serde_json::{Value, from_slice, json};
use testdata::sha256_hex;

use crate::common::{Sandbox, counting, noise};

/// Puts a frame of the set into a folder as `name`: a file, or a directory.
fn put(sandbox: &Sandbox, files: &BTreeMap<String, Vec<u8>>, path: &str, name: &str) {
    if let Some(file) = files.get(path) {
        return sandbox.write(name, file);
    }
    fs::create_dir(sandbox.path(name)).unwrap();
    let prefix = format!("{path}/");
    for (file, bytes) in files.range(prefix.clone()..).take_while(|(file, _)| file.starts_with(&prefix)) {
        sandbox.write(&format!("{name}/{}", &file[prefix.len()..]), bytes);
    }
}

/// Calls `check` with a folder that holds each frame of the set as `x`, and with its entry in the manifest.
fn each(check: impl Fn(&Sandbox, &Value, &str) + Sync) {
    let (files, manifest) = (testdata::archive("frames"), testdata::manifest("frames"));
    let items = manifest["frames"].as_array().unwrap();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let (sandbox, path) = (Sandbox::new(), item["path"].as_str().unwrap());
                    put(&sandbox, &files, path, "x");
                    check(&sandbox, item, path);
                }
            });
        }
    });
}

fn golden(path: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    put(&sandbox, &testdata::archive("frames"), path, "x");
    sandbox
}

#[test]
fn info_says_what_the_manifest_says() {
    each(|sandbox, item, path| {
        let run = sandbox.run("info --json x").ok();
        let found: Value = from_slice(&run.stdout).unwrap();
        for (name, fact) in [
            ("schema", json!(1)),
            ("nbytes", item["nbytes"].clone()),
            ("cbytes", item["header"]["cbytes"].clone()),
            ("typesize", item["typesize"].clone()),
            ("nchunks", item["nchunks"].clone()),
            ("version", item["header"]["version"].clone()),
            ("chunk_size", item["header"]["chunksize"].clone()),
            ("sparse", json!(item["kind"] == "sparse")),
        ] {
            assert_eq!(found[name], fact, "{path}: {name}");
        }
        let mut names: Vec<&str> =
            found["metalayers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        names.sort_unstable();
        let mut expected: Vec<&str> = item["metalayers"].as_object().unwrap().keys().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(names, expected, "{path}");
        let count = found["vlmetalayers"].as_array().unwrap().len();
        assert_eq!(count, item["vlmetalayers"].as_object().unwrap().len(), "{path}");
        let array = &item["b2nd"];
        let format = match (array.is_null(), item["kind"] == "sparse") {
            (false, _) => "b2nd",
            (true, true) => "sframe",
            (true, false) => "cframe",
        };
        assert_eq!(found["format"], format, "{path}");
        assert_eq!(
            (&found["shape"], &found["chunkshape"], &found["blockshape"]),
            (&array["shape"], &array["chunks"], &array["blocks"]),
            "{path}"
        );
        let lines = sandbox.run("info x").ok();
        assert!(lines.lines()[0].starts_with("blpk: Blosc2"), "{path}");
    });
}

#[test]
fn decompress_verify_and_cat_read_all_of_them() {
    each(|sandbox, item, path| {
        sandbox.run("verify x").ok();
        sandbox.run("decompress x out").ok();
        let plain = sandbox.read("out");
        let digest = item["b2nd"]["array_sha256"].as_str().or(item["sha256"].as_str());
        if let Some(digest) = digest {
            assert_eq!(digest, sha256_hex(&plain), "{path}");
        }
        let typesize = item["typesize"].as_u64().unwrap() as usize;
        let items = plain.len() / typesize;
        let (start, end) = (items / 3, (items / 3 + 100).min(items));
        let run = sandbox.run(&format!("cat --items {start}..{end} x")).ok();
        assert!(run.stdout == plain[start * typesize..end * typesize], "{path}");
        let run = sandbox.run(&format!("cat --bytes {}.. x", plain.len() / 2)).ok();
        assert!(run.stdout == plain[plain.len() / 2..], "{path}");
        if item["nchunks"] != 0 && item["b2nd"].is_null() {
            let first = item["chunk_nbytes"][0].as_u64().unwrap() as usize;
            assert!(sandbox.run("cat --chunk 0 x").ok().stdout == plain[..first], "{path}");
        }
        assert!(
            sandbox.run(&format!("cat --bytes ..{} x", plain.len() + 1)).failed().contains("are not within"),
            "{path}"
        );
    });
}

#[test]
fn malformed_frames_end_with_one_line() {
    let (files, manifest) = (testdata::archive("frames"), testdata::manifest("frames"));
    let sandbox = Sandbox::new();
    let mut seen = 0;
    for item in manifest["malformed"].as_array().unwrap() {
        let (Some(path), Some("error")) = (item["path"].as_str(), item["expect"].as_str()) else { continue };
        seen += 1;
        let name = format!("x{seen}");
        put(&sandbox, &files, path, &name);
        let error = sandbox.run(&format!("verify {name}")).failed();
        assert!(error.contains(&name), "{path}: {error}");
        sandbox.run(&format!("decompress {name} out")).failed();
        assert!(!sandbox.path("out").exists(), "{path}");
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn frames_come_through_pipes() {
    let sandbox = golden("frames/mix_zqvr_contiguous.b2frame");
    let frame = sandbox.read("x");
    let plain = sandbox.pipe("d - -", &frame).ok().stdout;
    assert_eq!(plain.len(), 10_668);
    assert!(sandbox.pipe("cat --bytes 1.. -", &frame).ok().stdout == plain[1..]);
    sandbox.pipe("verify -", &frame).ok();
    let found: Value = from_slice(&sandbox.pipe("info --json -", &frame).ok().stdout).unwrap();
    assert_eq!(found["nbytes"], 10_668);
    assert_eq!(sandbox.run("d x").failed(), "input file 'x' does not end with '.blp': name the <out_file>");
}

/// A `.npy` file of the integers 0 to 23 in an array of 2 × 3 × 4.
fn npy(fortran: bool) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '<i4', 'fortran_order': {order}, 'shape': (2, 3, 4), }}");
    file.extend(format!("{header:117}\n").into_bytes());
    file.extend((0..24).flat_map(i32::to_le_bytes));
    file
}

#[test]
fn arrays_go_round() {
    let sandbox = Sandbox::new();
    sandbox.write("a.npy", &npy(false));
    sandbox.run("convert --chunkshape 2,2,3 --blockshape 1,2,2 -c lz4 a.npy a.b2nd").ok();
    let found = sandbox.info("a.b2nd");
    assert_eq!((&found["shape"], &found["chunkshape"]), (&json!([2, 3, 4]), &json!([2, 2, 3])));
    assert_eq!(
        (&found["blockshape"], &found["dtype"], &found["codec"]),
        (&json!([1, 2, 2]), &json!("<i4"), &json!("lz4"))
    );
    assert_eq!(sandbox.run("cat --items 5..7 a.b2nd").ok().stdout, [5, 0, 0, 0, 6, 0, 0, 0]);
    sandbox.run("convert a.b2nd b.npy").ok();
    assert_eq!(sandbox.read("b.npy"), npy(false));
    sandbox.run("convert a.b2nd a.blp").ok();
    assert_eq!(sandbox.info("a.blp")["shape"], json!([2, 3, 4]));
    sandbox.run("convert a.blp c.npy").ok();
    assert_eq!(sandbox.read("c.npy"), npy(false));
    sandbox.run("convert a.blp c.b2nd").ok();
    sandbox.run("convert -f c.b2nd c.npy").ok();
    assert_eq!(sandbox.read("c.npy"), npy(false));
    sandbox.run("convert --chunkshape 1,3,1 a.b2nd d.b2nd").ok();
    sandbox.run("d d.b2nd d").ok();
    assert_eq!(sandbox.read("d"), npy(false)[128..]);
    // A format without a shape keeps the bytes, and options can give their dtype and shape again.
    sandbox.run("convert a.b2nd a.b2frame").ok();
    assert_eq!(sandbox.info("a.b2frame")["typesize"], 4);
    sandbox.args(&["convert", "--dtype", "<i4", "--shape", "2,3,4", "a.b2frame", "e.npy"]).ok();
    assert_eq!(sandbox.read("e.npy"), npy(false));
    let run = sandbox.pipe("convert - f.b2nd", &npy(false)).ok();
    assert_eq!(run.stdout, b"");
    assert_eq!(sandbox.info("f.b2nd")["shape"], json!([2, 3, 4]));
}

#[test]
fn fortran_order_is_put_into_c_order() {
    let sandbox = Sandbox::new();
    sandbox.write("a.npy", &npy(true));
    sandbox.run("convert --chunkshape 2,2,2 a.npy a.b2nd").ok();
    sandbox.run("convert a.npy a.blp").ok();
    sandbox.run("convert a.blp b.b2nd").ok();
    let expected = sandbox.run("cat --items .. a.npy").ok().stdout;
    for name in ["a.b2nd", "b.b2nd", "a.blp"] {
        assert_eq!(sandbox.run(&format!("cat --items .. {name}")).ok().stdout, expected, "{name}");
    }
    sandbox.run("convert a.blp b.npy").ok();
    assert_eq!(sandbox.read("b.npy"), npy(true));
    assert_eq!(sandbox.info("a.blp")["typesize"], 4);
    // Another typesize for the filters, the same array.
    sandbox.run("-f convert -t 2 a.npy a.blp").ok();
    assert_eq!(sandbox.info("a.blp")["typesize"], 2);
    sandbox.run("-f convert a.blp b.npy").ok();
    assert_eq!(sandbox.read("b.npy"), npy(true));
}

#[test]
fn bytes_go_round() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -z 30000 f").ok();
    sandbox.run("convert -z 7777 -t 4 --filter bitshuffle -c lz4 -l 9 f.blp f.b2frame").ok();
    let found = sandbox.info("f.b2frame");
    assert_eq!((&found["chunk_size"], &found["clevel"]), (&json!(7776), &json!(9)));
    assert_eq!(found["filters"], json!(["bitshuffle"]));
    sandbox.run("convert f.b2frame g.blp").ok();
    sandbox.run("d g.blp").ok();
    assert!(sandbox.read("g") == counting(100_000));
    sandbox.run("convert --dict -c zstd f.b2frame h.b2frame").ok();
    sandbox.run("verify h.b2frame").ok();
    sandbox.run("chunk encode f chunk").ok();
    sandbox.run("convert chunk i.b2nd").ok();
    assert_eq!(sandbox.info("i.b2nd")["shape"], json!([12500]));
    sandbox.run("d i.b2nd i").ok();
    assert!(sandbox.read("i") == counting(100_000));
}

#[test]
fn what_cannot_be_converted_leaves_nothing() {
    let sandbox = Sandbox::with_f();
    sandbox.write("a.npy", &npy(false));
    sandbox.run("c f").ok();
    let names = sandbox.names();
    for (args, error) in [
        ("convert f f.b2frame", "not a Blosc file"),
        ("convert f.blp out", "does not end with"),
        ("convert f f.csv", "not a Blosc file"),
        ("convert f.blp -", "name a file"),
        ("convert --shape 3,3 f.blp f.npy", "100000 bytes, but dtype and shape require 72"),
        ("convert --chunkshape 2,2 a.npy a.b2nd", "axes"),
        ("convert --chunkshape 1,1,1 --blockshape 2,1,1 a.npy a.b2nd", "blockshape"),
        ("convert -c snappy f.blp f.b2frame", "codec"),
        ("convert missing a.b2frame", "does not exist"),
        ("convert a.npy a.npy", "exists!"),
        ("convert a.npy b.npy/", "output 'b.npy/' has the name of a directory, but a .npy is a file"),
        ("convert a.npy b.b2nd/", "output 'b.b2nd/' has the name of a directory, but a .b2nd is a file"),
        ("convert --shape 3,3 f.blp f.npy", "f.blp: --shape: "),
    ] {
        let found = sandbox.run(args).failed();
        assert!(found.contains(error), "{args}: {found}");
        assert_eq!(sandbox.names(), names, "{args}");
    }
    assert!(sandbox.run("convert --shape 3,x f.blp f.npy").usage().contains("invalid length of an axis"));
}

#[test]
fn an_empty_directory_is_replaced_or_refused_with_a_reason() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    for name in ["x.bcolz", "x.npy", "x"] {
        std::fs::create_dir(sandbox.path(name)).unwrap();
    }
    assert_eq!(sandbox.run("convert f.blp x.bcolz").failed(), "output file 'x.bcolz' exists!");
    sandbox.run("-f convert f.blp x.bcolz/").ok();
    sandbox.run("verify x.bcolz").ok();
    assert_eq!(
        sandbox.run("-f convert f.blp x.npy").failed(),
        "output 'x.npy' is a directory, but a .npy is a file: name another output"
    );
    let error = sandbox.run("-f convert f.blp x").failed();
    assert!(error.starts_with("output 'x' is a directory, which only the columns of a bcolz ctable"), "{error}");
    std::fs::write(sandbox.path("x").join("precious"), b"").unwrap();
    std::fs::rename(sandbox.path("x"), sandbox.path("y.bcolz")).unwrap();
    assert!(
        sandbox.run("-f convert f.blp y.bcolz").failed().contains("contains files that do not belong to a container")
    );
    assert!(sandbox.path("y.bcolz/precious").exists());
}

#[test]
fn torn_frames_are_recovered() {
    let sandbox = golden("malformed/torn_half_chunk.b2frame");
    sandbox.run("verify x").failed();
    let run = sandbox.run("recover x y").ok();
    let lines = run.lines();
    assert!(lines[0].contains("vlmetalayers are lost") && lines[1].contains("index is lost"), "{lines:?}");
    assert!(lines[2].contains("have no meaning") && lines[3].starts_with("blpk: y: 3 chunks"), "{lines:?}");
    sandbox.run("verify y").ok();
    assert_eq!(sandbox.run("recover x y").failed(), "output file 'y' exists!");
    sandbox.run("-f recover x y").ok();
    let run = sandbox.run("recover y z").ok();
    assert_eq!(run.lines(), ["blpk: z: 3 chunks, 11.72K (12000B), nothing is lost"]);
    sandbox.write("nothing", &[0; 200]);
    assert!(sandbox.run("recover nothing w").failed().contains("magic"));
    assert_eq!(sandbox.names(), ["nothing", "x", "y", "z"]);
}

#[test]
fn dead_bytes_are_compacted() {
    let sandbox = golden("frames/gap_append.b2frame");
    let plain = sandbox.run("cat --bytes .. x").ok().stdout;
    let before = sandbox.read("x").len();
    let run = sandbox.run("compact x").ok();
    assert!(run.lines()[0].starts_with("blpk: x: "), "{:?}", run.lines());
    assert!(sandbox.read("x").len() < before);
    assert!(sandbox.run("cat --bytes .. x").ok().stdout == plain);
    sandbox.write("f", b"no frame");
    sandbox.run("compact f").failed();
    assert_eq!(sandbox.read("f"), b"no frame");
    assert_eq!(sandbox.names(), ["f", "x"]);
}

#[test]
fn no_output_is_written_into_the_sparse_frame_that_is_read() {
    let sandbox = golden("frames/last_partial_sparse.sframe");
    let before = sandbox.run("decompress x -").ok().stdout;
    let index = sandbox.read("x/chunks.b2frame");
    fs::create_dir(sandbox.path("x/folder.npy")).unwrap();
    for command in [
        "recover x x",
        "recover x x/",
        "recover x ./x/chunks.b2frame",
        "decompress x x",
        "decompress x x/chunks.b2frame",
        "decompress x x/00000000.chunk",
        "decompress x x/new",
        "convert x x/chunks.npy",
        "decompress x x/folder.npy/plain",
    ] {
        let error = sandbox.run(&format!("-f {command}")).failed();
        assert!(error.contains("is, or is in, input 'x'"), "{command}: {error}");
    }
    assert_eq!((sandbox.run("decompress x -").ok().stdout, sandbox.read("x/chunks.b2frame")), (before, index));
}

/// A filter that clears bits must not run again on items of another size: it would clear other bits, which were intact.
#[test]
fn bits_are_lost_once_and_not_again() {
    let sandbox = Sandbox::new();
    // Numbers that use all their bits.
    sandbox.write("f", &noise(80_000));
    sandbox.args(&["compress", "-t", "8", "f", "f.blp"]).ok();
    let typed = |args: &[&str]| sandbox.args(&[&["convert"], args].concat()).ok();
    for (filter, dtype) in [("trunc-prec:10", "<f8"), ("int-trunc:10", "<i8")] {
        typed(&["-f", "--dtype", dtype, "--filter", filter, "--filter", "shuffle", "f.blp", "x.b2nd"]);
        let plain = sandbox.run("decompress x.b2nd -").ok().stdout;
        assert_ne!(plain, sandbox.read("f"));
        for args in [
            &["--dtype", "<f4", "x.b2nd", "y.b2nd"][..],
            &["--dtype", "<i2", "x.b2nd", "y.b2nd"],
            &["-t", "4", "x.b2nd", "y.b2frame"],
            &["x.b2nd", "y.b2nd"],
        ] {
            typed(&[&["-f"], args].concat());
            let output = args[args.len() - 1];
            assert!(sandbox.run(&format!("decompress {output} -")).ok().stdout == plain, "{filter}: {args:?}");
        }
        let info: Value = from_slice(&sandbox.run("info --json y.b2nd").ok().stdout).unwrap();
        assert_eq!(info["filters"], json!(["shuffle"]));
    }
    assert_eq!(
        sandbox.run("convert -t 4 x.b2nd z.b2nd").failed(),
        "x.b2nd: invalid compression parameters for a frame: the typesize of an array must be its itemsize"
    );
}

/// Texts from a file are printed, but cannot move the cursor or rename the window.
#[test]
fn what_files_say_gives_no_orders_to_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("a.npy", &npy(false));
    sandbox.run("convert a.npy a.b2nd").ok();
    sandbox.run("convert a.npy a.bcolz").ok();
    let replace = |name: &str, old: &[u8], new: &[u8]| {
        let mut bytes = sandbox.read(name);
        let at = bytes.windows(old.len()).position(|found| found == old).unwrap();
        bytes.splice(at..at + old.len(), new.iter().copied());
        sandbox.write(name, &bytes);
    };
    replace("a.b2nd", b"<i4", b"\x1b[2");
    replace("a.bcolz/meta/storage", b"\"cname\": \"lz4\"", br#""cname": "\u001b[2J""#);
    for (name, escaped) in [("a.b2nd", "\\u{1b}[2"), ("a.bcolz", "\\u{1b}[2J")] {
        let run = sandbox.run(&format!("info {name}"));
        let printed = [run.stdout, run.stderr.into_bytes()].concat();
        let printed = String::from_utf8(printed).unwrap();
        assert!(!printed.contains('\x1b') && printed.contains(escaped), "{printed:?}");
    }
}
