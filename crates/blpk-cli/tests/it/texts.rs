//! Tests that texts and exit codes are those of bloscpack 0.16.0: every table of its inventory, with errors on stderr.
//!
//! The lines were printed by the original (Python 3.11.7, blosc 1.11.4). Where compressed sizes appear, both programs
//! store the input uncompressed.

use crate::common::{Sandbox, noise};

#[test]
fn usage_errors() {
    let sandbox = Sandbox::with_f();
    for (args, message) in [
        ("", "too few arguments"),
        ("-v", "too few arguments"),
        ("-v -d c f", "argument -d/--debug: not allowed with argument -v/--verbose"),
        ("-d c -v f", "argument -d/--debug: not allowed with argument -v/--verbose"),
        ("-n x c f", "argument -n/--nthreads: invalid int value: 'x'"),
        ("-n 1.0 c f", "argument -n/--nthreads: invalid int value: '1.0'"),
        ("--nthreads= c f", "argument -n/--nthreads: invalid int value: ''"),
        ("-n", "argument -n/--nthreads: expected one argument"),
        ("c", "the following arguments are required: <in_file>"),
        ("d", "the following arguments are required: <in_file>"),
        ("a", "the following arguments are required: <original_file>, <new_file>"),
        ("a f", "the following arguments are required: <new_file>"),
        ("i", "the following arguments are required: <file>"),
        ("verify", "the following arguments are required: <file>"),
        ("a f g h", "unrecognized arguments: h"),
        ("c --level 3 f", "unrecognized arguments: --level"),
        ("c -x f", "unrecognized arguments: -x"),
        ("c --tipesize 4 f", "unrecognized arguments: --tipesize; did you mean '--typesize'?"),
        ("c --chnksize=4 f", "unrecognized arguments: --chnksize=4; did you mean '--chunk-size'?"),
        ("verify --verbos-e f", "unrecognized arguments: --verbos-e; did you mean '--verbose'?"),
        ("--verrsion c f", "unrecognized arguments: --verrsion; did you mean '--version'?"),
        ("c --zzz f", "unrecognized arguments: --zzz"),
        ("a -9 f.blp f", "unrecognized arguments: -9; did you mean -l 9 (--clevel 9)?"),
        ("convert -5 f g.npy", "unrecognized arguments: -5; did you mean -l 5 (--clevel 5)?"),
        ("chunk encode -1 f g", "unrecognized arguments: -1; did you mean -l 1 (--clevel 1)?"),
        ("c -l 10 f", "argument -l/--clevel: invalid choice: 10 (choose from 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)"),
        ("c -l -1 f", "argument -l/--clevel: invalid choice: -1 (choose from 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)"),
        ("c -l x f", "argument -l/--clevel: invalid int value: 'x'"),
        ("c -t x f", "argument -t/--typesize: invalid int value: 'x'"),
        (
            "c -c LZ4 f",
            "argument -c/--codec: invalid choice: 'LZ4' (choose from 'blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd', 'auto')",
        ),
        (
            "c -k none f",
            "argument -k/--checksum: invalid choice: 'none' (choose from 'None', 'adler32', 'crc32', 'md5', 'sha1', \
             'sha224', 'sha256', 'sha384', 'sha512')",
        ),
        ("c -z", "argument -z/--chunk-size: expected one argument"),
        ("c -z -1K f", "argument -z/--chunk-size: expected one argument"),
        ("c --no-shuffle=3 f", "argument -s/--no-shuffle: ignored explicit argument '3'"),
        ("cat f", "one of the arguments --items --slice --bytes --chunk is required"),
        ("cat --chunk 0 --items .. f", "argument --chunk: not allowed with argument --items"),
        ("cat --items 5..3 f", "argument --items: the range 5..3 ends before it starts"),
        ("cat --chunk x f", "argument --chunk: invalid int value: 'x'"),
        ("chunk", "too few arguments"),
        ("chunk encode --format b f g", "argument --format: invalid choice: 'b' (choose from 'blosc1', 'blosc2')"),
    ] {
        assert_eq!(sandbox.run(args).usage(), message, "{args}");
    }
    // A later word that equals a command's name changes nothing.
    for args in ["x f", "x d", "diff a b", "-v x c", "-n 2 x c", "-fn 2 test-not a", "chunk x info"] {
        let message = sandbox.run(args).usage();
        assert!(message.contains(" (choose from '"), "{args}: {message}");
    }
    assert!(sandbox.run("chunk x info").usage().ends_with("(choose from 'encode', 'decode', 'info')"));
    assert_eq!(sandbox.run("-x c f").usage(), "unrecognized arguments: -x");
    let message = sandbox.run("x f").usage();
    let choices =
        "argument : invalid choice: 'x' (choose from 'compress', 'c', 'decompress', 'd', 'append', 'a', 'info', 'i'";
    assert!(message.starts_with(choices), "{message}");
    assert_eq!(sandbox.names(), ["f"]);
}

#[test]
fn values_that_fail_with_exit_code_1() {
    let sandbox = Sandbox::with_f();
    for (args, message) in [
        ("-n 257", "-n must be 1 <= n <= 256"),
        ("-n 0 c f", "-n must be 1 <= n <= 256"),
        ("-n -1 c f", "-n must be 1 <= n <= 256"),
        ("-n99999999999999999999 c f", "-n must be 1 <= n <= 256"),
        ("--nthreads 300 c f", "--nthreads must be 1 <= n <= 256"),
        ("--nt=300 c f", "--nthreads must be 1 <= n <= 256"),
        ("c f -vn0", "-n must be 1 <= n <= 256"),
        ("c -z 1x f", "-z error: invalid literal for int() with base 10: '1x'"),
        ("c -z 1.5 f", "-z error: invalid literal for int() with base 10: '1.5'"),
        ("c -sz1x f", "-z error: invalid literal for int() with base 10: '1x'"),
        ("c --chunk-size=xk f", "--chunk-size error: invalid literal for int() with base 10: 'xk'"),
        ("c --chunk xK f", "--chunk-size error: could not convert string to float: 'x'"),
        ("c -z nanK f", "-z error: cannot convert float NaN to integer"),
        ("c -z infK f", "-z error: cannot convert float infinity to integer"),
        ("c -z -1 f", "-z must be > 0"),
        ("c --chunk-size=-1K f", "--chunk-size must be > 0"),
        ("c -z 0 f", "'chunk_size' must be in the range 1 <= n <= 2147483631, not '0'"),
        ("c -z 3G f", "'chunk_size' must be in the range 1 <= n <= 2147483631, not '3221225472'"),
        (
            "c -z 1e30T f",
            "'chunk_size' must be in the range 1 <= n <= 2147483631, not '1099511627776000021863376224065739928109056'",
        ),
        ("c -t 0 f", "'typesize' must be in the range 1 <= n <= 255, not '0'"),
        ("c -t 256 f", "'typesize' must be in the range 1 <= n <= 255, not '256'"),
        ("c -t -1 f", "'typesize' must be in the range 1 <= n <= 255, not '-1'"),
    ] {
        assert_eq!(sandbox.run(args).failed(), message, "{args}");
    }
    let advice = "does not exist!; did you mean -l 9 (--clevel 9)?";
    assert_eq!(sandbox.run("c -9 f").failed(), format!("input file '-9' {advice}"));
    assert_eq!(sandbox.run("c -9").failed(), format!("input file '-9' {advice}"));
    assert_eq!(sandbox.args(&["c", "-z", "", "f"]).failed(), "-z error: invalid literal for int() with base 10: ''");
    assert_eq!(sandbox.names(), ["f"]);
}

#[test]
fn files_that_are_not_as_they_should_be() {
    let sandbox = Sandbox::with_f();
    sandbox.write("x.blp", b"something else, and long enough for a header");
    sandbox.write("short.blp", b"blpk");
    sandbox.write("v7.blp", b"blpk\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    sandbox.write("n.blp", b"blpk\x03\0\0\0\0\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0");
    sandbox.write("m", b"{\"a\": }");
    for (args, message) in [
        ("c missing", "input file 'missing' does not exist!"),
        ("d missing.blp", "input file 'missing.blp' does not exist!"),
        ("d missing", "input file 'missing' does not end with '.blp'"),
        ("d f", "input file 'f' does not end with '.blp'"),
        ("d f out", "input file 'f' does not end with '.blp'"),
        ("d -e f", "--no-check-extension requires use of <out_file>"),
        ("i missing", "file 'missing' does not exist!"),
        ("a f f", "original file 'f' does not end with '.blp'"),
        ("a missing.blp f", "original file 'missing.blp' does not exist!"),
        ("a x.blp missing", "new file 'missing' does not exist!"),
        (
            "info x.blp",
            "the magic marker b'blpk' is missing from the bloscpack header, instead we found: b'some'. \
             This might not be a bloscpack compressed file: 'x.blp'",
        ),
        (
            "info short.blp",
            "attempting to decode a bloscpack header of length '4', not '32'. \
             This might not be a bloscpack compressed file: 'short.blp'",
        ),
        (
            "info v7.blp",
            "format version of file was not '3' as expected, but '7' (offset 4). \
             This might not be a bloscpack compressed file: 'v7.blp'",
        ),
        (
            "info n.blp",
            "'nchunks' must be in the range -1 <= n <= 9223372036854775807, not '-2' (offset 16). \
             This might not be a bloscpack compressed file: 'n.blp'",
        ),
        ("c -m missing f", "metadata file 'missing' does not exist!"),
        ("c -m m f", "metadata file 'm' is not valid JSON: JSON, offset 6: unexpected '}'"),
    ] {
        assert_eq!(sandbox.run(args).failed(), message, "{args}");
    }
    // These are not the original's messages: it crashed on these files.
    for (args, part) in [
        ("d x.blp", "x.blp: not a Blosc file: it starts with b'something else, "),
        ("d short.blp", "short.blp: bloscpack header: 4 bytes, expected 32"),
        ("d v7.blp", "v7.blp: offset 4: format_version is 7, expected 1..=3"),
    ] {
        let error = sandbox.run(args).failed();
        assert!(error.contains(part), "{args}: {error}");
    }
    assert_eq!(sandbox.names(), ["f", "m", "n.blp", "short.blp", "v7.blp", "x.blp"]);
}

#[test]
fn verbose_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(100_000));
    sandbox.run("-v -n 1 c -z 30000 f").prints(&[
        "blpk: using 1 thread",
        "blpk: getting ready for compression",
        "blpk: input file is: 'f'",
        "blpk: output file is: 'f.blp'",
        "blpk: input file size: 97.66K (100000B)",
        "blpk: nchunks: 4",
        "blpk: chunk_size: 29.3K (30000B)",
        "blpk: last_chunk_size: 9.77K (10000B)",
        "blpk: output file size: 98.11K (100464B)",
        "blpk: compression ratio: 0.995381",
        "blpk: done",
    ]);
    sandbox.run("c -fv -n 2 f").prints(&[
        "blpk: using 2 threads",
        "blpk: getting ready for compression",
        "blpk: overwriting existing file: 'f.blp'",
        "blpk: input file is: 'f'",
        "blpk: output file is: 'f.blp'",
        "blpk: input file size: 97.66K (100000B)",
        "blpk: Input was smaller than the given 'chunk_size': 1.0M (1048576B) using: 97.66K (100000B)",
        "blpk: nchunks: 1",
        "blpk: chunk_size: 97.66K (100000B)",
        "blpk: last_chunk_size: 97.66K (100000B)",
        "blpk: output file size: 97.79K (100140B)",
        "blpk: compression ratio: 0.998602",
        "blpk: done",
    ]);
    sandbox.run("-v -n2 d f.blp g").prints(&[
        "blpk: using 2 threads",
        "blpk: getting ready for decompression",
        "blpk: input file is: 'f.blp'",
        "blpk: output file is: 'g'",
        "blpk: input file size: 97.79K",
        "blpk: output file size: 97.66K",
        "blpk: decompression ratio: 0.998602",
        "blpk: done",
    ]);
    sandbox.run("-v -n2 a f.blp g").prints(&[
        "blpk: using 2 threads",
        "blpk: getting ready for append",
        "blpk: original file is: 'f.blp'",
        "blpk: new file is: 'g'",
        "blpk: orig file size before append: 97.79K (100140B)",
        "blpk: new file size: 97.66K (100000B)",
        "blpk: nchunks: 1",
        "blpk: chunk_size: 97.66K (100000B)",
        "blpk: last_chunk_size: 97.66K (100000B)",
        "blpk: orig file size after append: 195.47K (200160B)",
        "blpk: Approximate compression ratio of appended data: 1.000200",
        "blpk: done",
    ]);
}

#[test]
fn verbose_lines_of_an_empty_file_and_of_metadata() {
    let sandbox = Sandbox::new();
    sandbox.write("e", b"");
    sandbox.run("-v -n 1 c e").prints(&[
        "blpk: using 1 thread",
        "blpk: getting ready for compression",
        "blpk: input file is: 'e'",
        "blpk: output file is: 'e.blp'",
        "blpk: input file size: 0B (0B)",
        "blpk: output file size: 140.0B (140B)",
        "blpk: compression ratio: 0.000000",
        "blpk: done",
    ]);
    sandbox.write("m", br#"{"b": [1, 2.50, NaN, null], "a": "it's"}"#);
    sandbox.run("c -f -m m e").prints(&[]);
    sandbox.run("-v -n 1 -f d e.blp").prints(&[
        "blpk: using 1 thread",
        "blpk: getting ready for decompression",
        "blpk: overwriting existing file: 'e'",
        "blpk: input file is: 'e.blp'",
        "blpk: output file is: 'e'",
        "blpk: input file size: 506.0B",
        "blpk: read uncompressed metadata of size: '33'",
        "blpk: output file size: 0B",
        "blpk: decompression ratio: 0.000000",
        "blpk: Metadata:",
        "blpk: {'a': \"it's\", 'b': [1, 2.5, nan, None]}",
        "blpk: done",
    ]);
    // Empty metadata: `null` is not stored, and falsy values are not shown.
    sandbox.write("m", b" null\n");
    sandbox.run("c -f -m m e").ok();
    assert!(sandbox.run("i e.blp").ok().text().contains("metadata: False"));
    sandbox.write("m", b"{}");
    sandbox.run("c -f -m m e").ok();
    sandbox.run("d -f e.blp").prints(&[]);
    assert!(sandbox.run("i e.blp").ok().text().contains("blpk: Metadata:\nblpk: {}\nblpk: MetadataHeader:\n"));
}

#[test]
fn debug_lines_show_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(100));
    let packed = sandbox.run("-d -n 1 c -z 60 -o -k crc32 f").ok();
    let file = sandbox.read("f.blp");
    let digest = bloscpack_format::python_bytes_repr(&file[32 + 76..32 + 76 + 4]);
    let header = bloscpack_format::python_bytes_repr(&file[..32]);
    for line in [
        "blpk: command line argument parsing complete",
        "blpk: command line arguments are: ",
        "blpk:     checksum: crc32",
        "blpk:     chunk_size: 60",
        "blpk:     metadata: None",
        "blpk:     offsets: False",
        "blpk: BloscArgs:",
        "blpk:     cname: 'blosclz'",
        "blpk: BloscpackArgs:",
        "blpk: metadata_args will be silently ignored",
        "blpk: max_app_chunks was set to: 0",
        "blpk: BloscpackHeader:",
        &format!("blpk: raw_bloscpack_header: {header}"),
        "blpk: Handle chunk '0'",
        &format!("blpk: checksum (crc32): {digest}"),
        "blpk: chunk handled, in: 60.0B (60B) out: 76.0B (76B)",
        "blpk: Handle chunk '1' (last)",
    ] {
        assert!(packed.lines().contains(&line), "{line}: {}", packed.text());
    }
    let unpacked = sandbox.run("-d -n 1 d f.blp g").ok();
    for line in [
        &format!("blpk: bloscpack_header_raw: {header}"),
        "blpk: bloscpack header: BloscpackHeader(format_version=3, offsets=False, metadata=False, checksum='crc32', \
         typesize=8, chunk_size=60, last_chunk=40, nchunks=2, max_app_chunks=0)",
        "blpk: decompressing chunk '0'",
        &format!("blpk: checksum OK (crc32): {digest}"),
        "blpk: chunk handled, in: 76.0B (76B) out: 60.0B (60B)",
        "blpk: decompressing chunk '1' (last)",
    ] {
        assert!(unpacked.lines().contains(&line), "{line}: {}", unpacked.text());
    }
}

#[test]
fn options_stand_anywhere_and_stick_together() {
    let sandbox = Sandbox::with_f();
    let chunks = |args: &str| {
        sandbox.run(args).ok();
        let info = sandbox.run("i f.blp").ok();
        info.lines().iter().find_map(|line| line.strip_prefix("blpk:     nchunks: ")).unwrap().to_owned()
    };
    assert_eq!(chunks("c f -z 50000"), "2");
    assert_eq!(chunks("-fn2 c -sz2K f"), "49");
    assert_eq!(chunks("c -sz 25K -ft4 -l9 f f.blp -k None -c zlib"), "4");
    assert_eq!(chunks("--force compress --chunk-size=max f"), "1");
    assert_eq!(chunks("-f c -z 1.5K -z 0.5M f"), "1");
    sandbox.write("-5", b"a name like a number");
    sandbox.run("c -5").ok();
    sandbox.run("-f d -- -5.blp").ok();
}

#[test]
fn version_and_help() {
    let sandbox = Sandbox::new();
    let version = sandbox.run("--version").ok();
    assert!(version.text().starts_with("blpk: '") && version.lines().len() == 1, "{}", version.text());
    for args in ["--version -v", "-v --vers"] {
        let version = sandbox.run(args).ok();
        let kernel = blosc_core::kernels::active().name;
        assert!(version.text().contains(&format!("kernels: '{kernel}'")), "{}", version.text());
        assert!(version.text().contains("'blosclz, lz4, lz4hc, snappy, zlib, zstd'"), "{}", version.text());
    }
    for command in [
        "",
        "c",
        "compress",
        "d",
        "a",
        "i",
        "verify",
        "test",
        "cat",
        "chunk",
        "chunk encode",
        "chunk decode",
        "chunk info",
    ] {
        for flag in ["-h", "--help"] {
            let help = sandbox.run(&format!("{command} {flag}")).ok();
            assert!(help.text().starts_with("usage: blpk"), "{command}: {}", help.text());
        }
        let help = sandbox.run(&format!("{command} -h")).ok();
        assert!(help.lines().len() <= 50, "{command}: {}", help.lines().len());
    }
}
