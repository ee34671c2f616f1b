//! Tests of the options that the original does not have, and of the environment variables for defaults.

use testdata::serde_json::Value;

use crate::common::{Run, Sandbox, noise};

impl Sandbox {
    /// Runs with an environment variable.
    fn with(&self, name: &str, value: &str, args: &str) -> Run {
        let args: Vec<_> = args.split_whitespace().collect();
        Run::of(args.join(" "), self.command(&args).env(name, value).output().unwrap())
    }
}

#[test]
fn room_for_chunks_and_metadata() {
    let sandbox = Sandbox::with_f();
    sandbox.write("m", br#"{"a": [1, 2, 3], "b": "some text that is some text that is some text"}"#);
    sandbox.run("c -z 30000 -m m f usual.blp").ok();
    sandbox.run("c -z 30000 -m m --max-app-chunks 3 --no-prealloc f tight.blp").ok();
    assert_eq!(
        (&sandbox.info("usual.blp")["max_app_chunks"], &sandbox.info("tight.blp")["max_app_chunks"]),
        (&40.into(), &3.into())
    );
    let text = sandbox.run("i tight.blp").ok();
    let line = |name: &str| {
        text.lines().iter().find_map(|line| line.strip_prefix(&format!("blpk:     {name}: "))).unwrap().to_owned()
    };
    assert_eq!(line("max_meta_size"), line("meta_comp_size"));
    let saved = sandbox.read("usual.blp").len() - sandbox.read("tight.blp").len();
    let text = sandbox.run("i usual.blp").ok();
    let size = |name: &str| {
        let value = text.lines().iter().find_map(|line| line.strip_prefix(&format!("blpk:     {name}: "))).unwrap();
        value.split(['(', 'B']).nth(2).unwrap().parse::<usize>().unwrap()
    };
    // 37 entries of eight bytes, and the space reserved for metadata.
    assert_eq!(saved, 37 * 8 + size("max_meta_size") - size("meta_comp_size"));
    sandbox.run("d tight.blp g").ok();
    assert_eq!(sandbox.read("g"), sandbox.read("f"));
    sandbox.write("much", &noise(200_000));
    assert!(sandbox.run("a tight.blp much").failed().contains("the offsets section has room for 3"));
    sandbox.run("-f c -z 30000 --max 0 f none.blp").ok();
    assert_eq!(sandbox.info("none.blp")["max_app_chunks"], 0);
    for (value, shown) in [("-1", "-1"), ("4294967296", "4294967296")] {
        let message = format!("argument --max-app-chunks: must be 0 <= n <= 4294967295, not {shown}");
        assert_eq!(sandbox.run(&format!("c --max-app-chunks {value} f out")).usage(), message);
    }
}

#[test]
fn filters_of_blosc1() {
    let sandbox = Sandbox::with_f();
    for (options, filters) in [
        ("--filter none", vec![]),
        ("-s", vec![]),
        ("--filter shuffle", vec!["shuffle"]),
        ("--filter bitshuffle", vec!["bitshuffle"]),
        ("--fil bitshuffle -c zstd", vec!["bitshuffle"]),
        ("--filter none --filter bitshuffle", vec!["bitshuffle"]),
    ] {
        sandbox.run(&format!("-f c {options} f f.blp")).ok();
        sandbox.run("-f d f.blp g").ok();
        assert!(sandbox.read("g") == sandbox.read("f"), "{options}");
        // The first chunk follows 32 bytes of header and 11 offsets.
        let packed = sandbox.read("f.blp");
        let at = usize::try_from(u64::from_le_bytes(packed[32..40].try_into().unwrap())).unwrap();
        sandbox.write("chunk", &packed[at..packed.len() - 4]);
        assert_eq!(sandbox.info("chunk")["filters"], Value::from(filters), "{options}");
    }
    for (options, what) in [
        ("--filter delta", "--filter delta needs a Blosc2 chunk"),
        ("--filter shuffle:4", "--filter shuffle takes a meta value only in Blosc2 chunks"),
        ("--filter trunc-prec:10", "--filter trunc-prec needs a Blosc2 chunk"),
        ("--filter shuffle --filter bitshuffle", "--filter: a Blosc1 chunk supports shuffle, bitshuffle or no filter"),
    ] {
        assert_eq!(sandbox.run(&format!("-f c {options} f out")).failed(), format!("{what}; add --format b2frame"));
        // Follows the advice.
        sandbox.run(&format!("-f c {options} --format b2frame f out")).ok();
        assert_eq!(sandbox.info("out")["format"], "cframe", "{options}");
    }
    assert_eq!(
        sandbox.run("c -s --filter shuffle f out").usage(),
        "argument -s/--no-shuffle: not allowed with argument --filter"
    );
    assert!(sandbox.run("c --filter nosuch f out").usage().starts_with("argument --filter: invalid choice: 'nosuch'"));
}

#[test]
fn frames_of_plain_bytes() {
    let sandbox = Sandbox::with_f();
    for (line, name) in [
        ("c f x.b2frame", "x.b2frame"),
        ("c --format b2frame f", "f.b2frame"),
        ("c --format b2frame f x", "x"),
        ("c -t 2 -c zstd -l 9 -z 4K -n 1 f x.b2frame", "x.b2frame"),
        ("c --filter delta --filter bytedelta:8 --filter none f x.b2frame", "x.b2frame"),
        ("c --format b2frame --output-dir dir f", "dir/f.b2frame"),
        ("c -s f x.b2frame", "x.b2frame"),
    ] {
        sandbox.run(&format!("-f {line}")).ok();
        assert_eq!(sandbox.info(name)["format"], "cframe", "{line}");
        sandbox.run(&format!("verify {name}")).ok();
        sandbox.run(&format!("-f d {name} g")).ok();
        assert!(sandbox.read("g") == sandbox.read("f"), "{line}");
    }
    sandbox.run("-f c -t 2 -c zstd -z 4K --filter delta --filter bytedelta f x.b2frame").ok();
    let info = sandbox.info("x.b2frame");
    assert_eq!((&info["typesize"], &info["chunk_size"]), (&2.into(), &4096.into()), "{info}");
    // Through a pipe, where the size is unknown in advance.
    sandbox.shell("cat f | blpk -f c - x.b2frame && blpk -f d x.b2frame g && cmp f g").ok();
    sandbox.shell(": | blpk -f c - x.b2frame && blpk d x.b2frame - | cmp - /dev/null").ok();
}

#[test]
fn what_no_frame_can_be() {
    let sandbox = Sandbox::with_f();
    for (line, what) in [
        ("c f x.b2nd", "output file 'x.b2nd' has the name of an array in a Blosc2 frame, but raw bytes have no"),
        ("c --format blp f x.b2frame", "output file 'x.b2frame' has the name of a Blosc2 frame, but --format blp is"),
        ("c --format b2frame f x.blp", "output file 'x.blp' has the name of a bloscpack file, but --format b2frame is"),
        ("c -k crc32 f x.b2frame", "-k/--checksum is for bloscpack files; "),
        ("c --no-prealloc f x.b2frame", "--no-prealloc is for bloscpack files; "),
        ("c -c snappy f x.b2frame", "Blosc2 does not support the codec snappy; use another one"),
        ("c --format b2frame f -", "a Blosc2 frame cannot be written to a pipe"),
        ("c nosuch x.b2frame", "input file 'nosuch' does not exist!"),
    ] {
        let error = sandbox.run(line).failed();
        assert!(error.starts_with(what), "{line}: {error}");
    }
    assert!(sandbox.run("c --format b2nd f").usage().starts_with("argument --format: invalid choice: 'b2nd'"));
    assert_eq!(sandbox.names(), ["f"]);
}

#[test]
fn metadata_goes_to_a_file_and_back() {
    let sandbox = Sandbox::with_f();
    sandbox.write("m", br#"{"b": [1, 2.5, NaN, null], "a": "it's \u00e9", "big": 123456789012345678901234567890}"#);
    sandbox.run("c -m m f").ok();
    sandbox.run("d --metadata-out out f.blp g").prints(&[]);
    sandbox.run("c -m out f again.blp").ok();
    assert_eq!(sandbox.read("again.blp"), sandbox.read("f.blp"));
    assert_eq!(sandbox.run("d --metadata-out out f.blp h").failed(), "output file 'out' exists!");
    assert!(!sandbox.path("h").exists());
    sandbox.run("-f d --metadata-out out f.blp h").ok();
    let run = sandbox.run("-v d --metadata-out - f.blp i");
    assert_eq!((run.code, run.stdout), (Some(0), sandbox.read("out")));
    assert!(run.stderr.ends_with("blpk: done\n"), "{}", run.stderr);
    // A file without metadata.
    sandbox.run("c f plain.blp").ok();
    sandbox.run("d plain.blp j --metadata-out none").ok();
    assert_eq!(sandbox.read("none"), b"null\n");
    // The input and the two outputs must be three different files.
    for metadata in ["k", "./k", "f.blp"] {
        let error = sandbox.run(&format!("-f d f.blp k --metadata-out {metadata}")).failed();
        assert!(error.contains("same file") || error.ends_with("name another file"), "{metadata}: {error}");
    }
    assert!(!sandbox.path("k").exists());
    // The input is removed only after both outputs are written.
    std::fs::copy(sandbox.path("f.blp"), sandbox.path("l.blp")).unwrap();
    sandbox.run("d --rm l.blp --metadata-out nowhere/m").failed();
    assert!(sandbox.path("l.blp").exists() && !sandbox.path("l").exists());
    // Both outputs are written, or none.
    let mut bytes = sandbox.read("f.blp");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    sandbox.write("bad.blp", &bytes);
    sandbox.run("d bad.blp --metadata-out no").failed();
    assert!(!sandbox.path("no").exists() && !sandbox.path("bad").exists());
}

#[test]
fn memory_bounds_threads_and_chunks() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(3_000_000));
    let refused = |args: &str| sandbox.run(args).failed();
    let error = refused("c --memory 1M f");
    assert_eq!(
        error,
        "a memory of 1.0M is not enough: chunks of 1.0M take 2.0M even one at a time; use --memory 2097152, or \
         smaller chunks"
    );
    sandbox.run("c f").ok();
    for (args, output) in [
        ("c --memory 2097152 f", "f.blp"),
        ("c -z 512K --memory 1M f", "small.blp"),
        ("c -n 8 --mem 64M f", "f.blp"),
        ("d --memory 2M f.blp", "g"),
        ("d -T 4 --memory 8M f.blp", "g"),
    ] {
        sandbox.run(&format!("-f {args} {output}")).ok();
    }
    // The output does not depend on the limit.
    sandbox.run("c f unbound.blp").ok();
    assert!(sandbox.read("unbound.blp") == sandbox.read("f.blp") && sandbox.read("g") == sandbox.read("f"));
    assert!(refused("d --memory 1M f.blp out").starts_with("a memory of 1.0M is not enough: chunks of 1.0M take 2.0M"));
    assert!(refused("verify --memory 1M f.blp").starts_with("a memory of 1.0M is not enough"));
    sandbox.run("verify --memory 2M f.blp").ok();
    // A chunk that does not fit, in a file whose header gives no size.
    let mut bytes = sandbox.read("small.blp");
    bytes[8..16].fill(0xff);
    sandbox.write("unknown.blp", &bytes);
    sandbox.run("-f d --memory 1M unknown.blp g").ok();
    let run = sandbox.run("-f d --memory 512K unknown.blp g");
    assert!(run.error().starts_with("unknown.blp: chunk 0 at offset "), "{}", run.stderr);
    assert!(run.error().ends_with("the limit is 262144; use a larger --memory"), "{}", run.stderr);
    // A small file is one small chunk.
    sandbox.write("tiny", b"tiny");
    sandbox.run("c --memory 1K tiny").ok();
    for (value, reason) in [
        ("x", "invalid literal for int() with base 10: 'x'"),
        ("0", "must be > 0 and < 2**64, not 0"),
        ("-1", "must be > 0 and < 2**64, not -1"),
        ("1e30T", "must be > 0 and < 2**64, not 1099511627776000021863376224065739928109056"),
    ] {
        assert_eq!(sandbox.run(&format!("c --memory {value} f")).usage(), format!("argument --memory: {reason}"));
    }
}

#[test]
fn threads_by_another_name() {
    let sandbox = Sandbox::with_f();
    assert_eq!(sandbox.run("-v -T 3 c f").ok().lines()[0], "blpk: using 3 threads");
    assert_eq!(sandbox.run("-fv c f --thr=5").ok().lines()[0], "blpk: using 5 threads");
    sandbox.run("-T0 -f c f").ok();
    for (args, message) in [
        ("-T 257 c f", "argument -T/--threads: must be 0 <= n <= 256, not 257"),
        ("c --threads -1 f", "argument -T/--threads: must be 0 <= n <= 256, not -1"),
        ("-T x c f", "argument -T/--threads: invalid int value: 'x'"),
        ("-T 2 -n 2 c f", "argument -T/--threads: not allowed with argument -n/--nthreads"),
        ("-n 2 c -T 2 f", "argument -T/--threads: not allowed with argument -n/--nthreads"),
    ] {
        assert_eq!(sandbox.run(args).usage(), message, "{args}");
    }
}

#[test]
fn quiet_prints_errors_only() {
    let sandbox = Sandbox::with_f();
    sandbox.write("m", br#"{"a": 1}"#);
    sandbox.run("-q c -m m f").prints(&[]);
    sandbox.run("d -qf f.blp").prints(&[]);
    sandbox.run("verify --quiet f.blp").prints(&[]);
    sandbox.run("-f d f.blp").prints(&["blpk: Metadata:", "blpk: {'a': 1}"]);
    assert_eq!(sandbox.run("-q d missing.blp").failed(), "input file 'missing.blp' does not exist!");
    for (args, message) in [
        ("-q -v c f", "argument -q/--quiet: not allowed with argument -v/--verbose"),
        ("-d c f -q", "argument -q/--quiet: not allowed with argument -d/--debug"),
    ] {
        assert_eq!(sandbox.run(args).usage(), message, "{args}");
    }
}

#[test]
fn the_environment_gives_defaults() {
    let sandbox = Sandbox::with_f();
    let codec =
        |file: &str| sandbox.run(&format!("i {file}")).ok().text().rsplit("'codec', ").next().unwrap().to_owned();
    sandbox.with("BLPK_CODEC", "zstd", "c f").ok();
    assert!(codec("f.blp").starts_with("'zstd'"));
    sandbox.with("BLPK_CODEC", "zstd", "-f c -c zlib f").ok();
    assert!(codec("f.blp").starts_with("'zlib'"));
    sandbox.with("BLPK_CODEC", "", "-f c f").ok();
    assert!(codec("f.blp").starts_with("'blosclz'"));
    sandbox.with("BLPK_CLEVEL", "0", "c f stored.blp").ok();
    assert!(sandbox.read("stored.blp").len() > 100_000);
    assert_eq!(sandbox.with("BLPK_NTHREADS", "7", "-fv c f").ok().lines()[0], "blpk: using 7 threads");
    assert_eq!(sandbox.with("BLPK_NTHREADS", "7", "-fv -n 2 c f").ok().lines()[0], "blpk: using 2 threads");
    assert!(sandbox.with("BLPK_MEMORY", "1K", "-f c f").failed().starts_with("a memory of 1.0K is not enough"));
    sandbox.with("BLPK_MEMORY", "1K", "-f c --memory 1M f").ok();

    for (name, value, args, reason) in [
        (
            "BLPK_CODEC",
            "nosuch",
            "c f",
            "invalid choice: 'nosuch' (choose from 'blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd', 'auto')",
        ),
        ("BLPK_CLEVEL", "11", "a f.blp f", "invalid choice: 11 (choose from 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)"),
        ("BLPK_NTHREADS", "0", "verify f.blp", "must be 1 <= n <= 256"),
        ("BLPK_NTHREADS", "many", "c f", "invalid int value: 'many'"),
        ("BLPK_MEMORY", "much", "d f.blp", "invalid literal for int() with base 10: 'much'"),
    ] {
        let message = format!("environment variable {name}: {reason}");
        assert_eq!(sandbox.with(name, value, args).usage(), message, "{args}");
    }
    // No error if the variable is not used, or not needed.
    for (name, args) in [
        ("BLPK_CODEC", "verify f.blp"),
        ("BLPK_CODEC", "-f c -c lz4 f"),
        ("BLPK_CLEVEL", "-f c -l 1 f"),
        ("BLPK_NTHREADS", "-f c -n 1 f"),
        ("BLPK_NTHREADS", "-f c -T 0 f"),
        ("BLPK_MEMORY", "-f c --memory 1G f"),
        ("BLPK_NTHREADS", "man"),
        ("BLPK_NTHREADS", "--version"),
    ] {
        sandbox.with(name, "nonsense", args).ok();
    }
    let help = sandbox.run("--help").ok();
    for name in ["NTHREADS", "CODEC", "CLEVEL", "MEMORY", "NO_PROGRESS"] {
        assert!(help.text().contains(&format!("BLPK_{name} ")), "{name}");
    }
}

#[test]
fn empty_names_are_files_that_do_not_exist() {
    let sandbox = Sandbox::with_f();
    for (args, message) in [
        (vec!["c", ""], "input file '' does not exist!"),
        (vec!["c", "", "out"], "input file '' does not exist!"),
        (vec!["i", ""], "file '' does not exist!"),
        (vec!["verify", ""], "file '' does not exist!"),
        (vec!["cat", "--chunk", "0", ""], "file '' does not exist!"),
        (vec!["c", "-m", "", "f"], "metadata file '' does not exist!"),
    ] {
        assert_eq!(sandbox.args(&args).failed(), message, "{args:?}");
    }
    assert_eq!(sandbox.names(), ["f"]);
}

#[test]
fn wrong_numbers_are_named() {
    let sandbox = Sandbox::with_f();
    for (args, message) in [
        ("convert --shape -2 f g.npy", "argument --shape: invalid length of an axis: '-2'"),
        ("convert --shape 2,x f g.npy", "argument --shape: invalid length of an axis: 'x'"),
        ("convert --chunkshape -1 f g.b2nd", "argument --chunkshape: invalid length of an axis: '-1'"),
        ("convert --blockshape 5,y f g.b2nd", "argument --blockshape: invalid length of an axis: 'y'"),
        ("chunk encode --blocksize 1x f g", "argument --blocksize: invalid literal for int() with base 10: '1x'"),
        ("chunk encode --blocksize -1 f g", "argument --blocksize: must be >= 0 and < 2**64, not -1"),
    ] {
        assert_eq!(sandbox.run(args).usage(), message, "{args}");
    }
    for (args, what) in [
        ("--chunkshape 0", "--chunkshape: a chunk (of bcolz: chunklen)"),
        ("--chunkshape 5,4294967296", "--chunkshape: a chunk (of bcolz: chunklen)"),
        ("--blockshape 0", "--blockshape: a block"),
    ] {
        let found = args.rsplit([' ', ',']).next().unwrap();
        let message = format!("{what} has 1 to 2147483647 items along an axis, not {found}");
        assert_eq!(sandbox.run(&format!("convert {args} f g.b2nd")).failed(), message, "{args}");
    }
    sandbox.run("chunk encode --blocksize 16K --splitmode never f c").ok();
    assert_eq!(sandbox.info("c")["blocksize"], 16384);
    sandbox.run("chunk encode --blocksize 16384 --splitmode never f d").ok();
    assert_eq!(sandbox.read("c"), sandbox.read("d"));
}

#[test]
fn sizes_have_more_units() {
    let sandbox = Sandbox::with_f();
    for (size, chunk) in
        [("1k", 1024), ("64KiB", 65536), ("64kb", 64000), ("0.05MB", 50000), ("64Ki", 65536), ("1M", 100_000)]
    {
        sandbox.run(&format!("-f c -z {size} f")).ok();
        assert_eq!(sandbox.info("f.blp")["chunk_size"], chunk, "{size}");
    }
    sandbox.run("-f c -z 1k --memory 64MiB f").ok();
    sandbox.run("chunk encode --blocksize 16k --splitmode never f c").ok();
    assert_eq!(sandbox.info("c")["blocksize"], 16384);
}

#[test]
fn a_typesize_may_be_a_dtype() {
    let sandbox = Sandbox::with_f();
    for (dtype, size) in [
        ("f8", 8),
        ("<f4", 4),
        (">f4", 4),
        ("float64", 8),
        ("int16", 2),
        ("S12", 12),
        ("complex128", 16),
        ("datetime64[ns]", 8),
        ("bool", 1),
        ("[('a', '<i4'), ('b', '<f8')]", 12),
        ("4", 4),
    ] {
        sandbox.args(&["-f", "c", "-t", dtype, "f"]).ok();
        assert_eq!(sandbox.info("f.blp")["typesize"], size, "{dtype}");
    }
    sandbox.run("a -t f4 f.blp f").ok();
    sandbox.run("convert -t i2 f.blp f.b2frame").ok();
    assert_eq!(sandbox.info("f.b2frame")["typesize"], 2);
    sandbox.run("chunk encode -t u2 f c").ok();
    assert_eq!(sandbox.info("c")["typesize"], 2);
    let measured = sandbox.run("bench --json -t f4 --seconds 0 -c lz4 -l 1 --filter none f").ok();
    assert!(measured.text().contains("\"typesize\":4"), "{}", measured.text());
    for dtype in ["f3", "O", "float", "x", "4f"] {
        let message = format!("argument -t/--typesize: invalid int value: '{dtype}'");
        assert_eq!(sandbox.run(&format!("c -t {dtype} f")).usage(), message);
    }
    for dtype in ["S", "S256"] {
        let found = if dtype == "S" { 0 } else { 256 };
        let message = format!("'typesize' must be in the range 1 <= n <= 255, not '{found}'");
        assert_eq!(sandbox.run(&format!("-f c -t {dtype} f")).failed(), message);
    }
}

#[test]
fn filters_may_be_a_list() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    for command in ["c f", "convert f.blp", "chunk encode --format blosc2 f"] {
        let name = if command.starts_with("chunk") { "x" } else { "x.b2frame" };
        for filters in ["trunc-prec:10,delta,shuffle", "trunc-prec:10,delta --filter shuffle"] {
            sandbox.run(&format!("-f {command} -t 8 --filter {filters} {name}").replace("--filter", "--fil")).ok();
            let info = sandbox.info(name);
            assert_eq!(info["filters"].as_array().unwrap().len(), 3, "{command}: {info}");
            assert!(info["filters"].to_string().contains("trunc-prec"), "{command}: {info}");
        }
    }
    let error = sandbox.run("c --filter shuffle,nosuch f out").usage();
    assert!(error.starts_with("argument --filter: invalid choice: 'nosuch'"), "{error}");
    assert!(
        sandbox
            .run("c --filter shuffle,bitshuffle f out")
            .failed()
            .contains("supports shuffle, bitshuffle or no filter")
    );
}

#[test]
fn one_axis_of_a_shape_follows_from_the_others() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -t 4 f").ok();
    for (shape, expected) in
        [("-1,1000", vec![25, 1000]), ("25,-1", vec![25, 1000]), ("5,-1,10", vec![5, 500, 10]), ("-1", vec![25_000])]
    {
        for output in ["x.npy", "x.b2nd", "x.bcolz", "x.blp"] {
            sandbox.run(&format!("-f convert --shape {shape} f.blp {output}")).ok();
            assert_eq!(sandbox.info(output)["shape"], Value::from(expected.clone()), "{shape} {output}");
        }
        sandbox.run(&format!("-f convert --shape={shape} --dtype <f4 f.blp x.npy")).ok();
    }
    for (shape, error) in [
        ("-1,-1", "--shape: only one axis can be -1"),
        (
            "-1,30",
            "f.blp: --shape: not a NumPy array: 100000 bytes are not a multiple of 120, the itemsize times the other axes",
        ),
        (
            "-1,0",
            "f.blp: --shape: not a NumPy array: 100000 bytes are not a multiple of 0, the itemsize times the other axes",
        ),
        ("-1,9223372036854775807", "100000 bytes are not a multiple of more than 2**64,"),
        ("3,1000", "f.blp: --shape: not a NumPy array: 100000 bytes, but dtype and shape require 12000"),
    ] {
        let found = sandbox.run(&format!("-f convert --shape {shape} f.blp x.npy")).failed();
        assert!(found.contains(error), "{shape}: {found}");
    }
    for (args, error) in [
        ("--chunkshape 3,1000", "--chunkshape: chunkshape does not fit: it has 2 axes, but the array has 1"),
        ("--blockshape 3,1000", "--blockshape: blockshape does not fit: it has 2 axes, but the array has 1"),
        ("--chunkshape 300 --blockshape 400", "--blockshape: blockshape does not fit: blocks of 400 items"),
        ("--chunkshape 2000000000", "--chunkshape: chunkshape does not fit: it exceeds 2147483647 bytes"),
    ] {
        let found = sandbox.run(&format!("-f convert {args} f.blp x.b2nd")).failed();
        assert!(found.starts_with(&format!("f.blp: {error}")), "{args}: {found}");
    }
}

/// An option that has no meaning for an output is refused rather than ignored.
#[test]
fn conversions_refuse_what_means_nothing() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -t 8 f").ok();
    sandbox.write("m", b"1");
    // Each option with its name in messages, and the outputs that accept it.
    for (option, name, outputs) in [
        ("-t 8", "-t/--typesize", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
        ("-l 3", "-l/--clevel", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
        ("-s", "-s/--no-shuffle", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
        ("-c lz4", "-c/--codec", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
        ("--filter bitshuffle", "--filter", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
        ("-z 20K", "-z/--chunk-size", ".blp .b2frame"),
        ("-k md5", "-k/--checksum", ".blp"),
        ("-o", "-o/--no-offsets", ".blp"),
        ("-m m", "-m/--metadata", ".blp"),
        ("--chunkshape 5000", "--chunkshape", ".b2nd .bcolz .zarr"),
        ("--blockshape 500", "--blockshape", ".b2nd"),
        ("--blocksize 4K", "--blocksize", ".b2frame .zarr"),
        ("--splitmode never", "--splitmode", ".blp .b2frame .b2nd .zarr"),
        ("--dict", "--dict", ".b2frame .b2nd"),
        ("--zarr-format 2", "--zarr-format", ".zarr"),
        ("--write-empty-chunks", "--write-empty-chunks", ".zarr"),
        ("--recompress", "--recompress", ".blp .b2frame .b2nd .bcolz .zarr .npy"),
    ] {
        for output in [".blp", ".b2frame", ".b2nd", ".npy", ".bcolz", ".zarr"] {
            let run = sandbox.run(&format!("-f convert {option} f.blp out{output}"));
            match outputs.split(' ').any(|one| one == output) {
                true => drop(run.ok()),
                false => {
                    let message = format!(
                        "{name} is for {}; it does not apply to {output}: leave it out",
                        outputs.replace(' ', ", ")
                    );
                    assert_eq!(run.failed(), message, "{option} {output}");
                }
            }
        }
    }
    // Columns of a table written to files, and a table written as text.
    let (tables, _) = crate::common::golden_bcolz(
        crate::common::bcolz_cases().iter().find(|case| case["kind"] == "ctable").unwrap()["name"].as_str().unwrap(),
    );
    for (line, option) in [
        ("convert --blockshape 10 x dir", "--blockshape is for .b2nd; it does not apply to .npy"),
        ("convert -k md5 --columns-as b2nd x dir", "-k/--checksum is for .blp; it does not apply to .b2nd"),
        ("convert -z 1K x out.bcolz", "-z/--chunk-size is for .blp, .b2frame; it does not apply to .bcolz"),
        ("convert -o x out.csv", "-o/--no-offsets is for .blp; it does not apply to .csv"),
    ] {
        assert_eq!(tables.run(line).failed(), format!("{option}: leave it out"), "{line}");
    }
    assert_eq!(
        sandbox.run("-f convert -s --filter shuffle f.blp out.b2nd").usage(),
        "argument -s/--no-shuffle: not allowed with argument --filter"
    );
}
