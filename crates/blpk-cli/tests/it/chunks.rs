//! Tests that `blpk chunk` and the commands for files agree with the manifest about bare chunks of both C-Blosc
//! generations.

use testdata::serde_json::{Value, from_slice, json};
use testdata::sha256_hex;

use crate::common::Sandbox;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The chunks that must be readable, by name, with their entries in the manifest.
fn golden() -> Vec<(String, Vec<u8>, Value)> {
    let (files, manifest) = (testdata::archive("chunks"), testdata::manifest("chunks"));
    let items = manifest["items"].as_array().unwrap().iter().filter(|item| item["status"] == "must");
    items
        .map(|item| {
            let name = text(&item["file"]).to_owned();
            let bytes = files[&*name].clone();
            (name, bytes, item.clone())
        })
        .collect()
}

/// Whether these are the bytes of the item. The manifest has no bytes for chunks that were never written; we decode
/// them to zeros.
fn is_plain(item: &Value, plain: &[u8]) -> bool {
    match item["plain_sha256"].as_str() {
        Some(expected) => sha256_hex(plain) == expected,
        None => plain.len() == number(&item["header"]["nbytes"]) && plain.iter().all(|byte| *byte == 0),
    }
}

const NAMES: [(u64, &str); 8] = [
    (1, "shuffle"),
    (2, "bitshuffle"),
    (3, "delta"),
    (4, "trunc-prec"),
    (32, "ndcell"),
    (34, "bytedelta-old"),
    (35, "bytedelta"),
    (36, "int-trunc"),
];
const CODECS: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

#[test]
fn golden_chunks_are_described_and_decoded() {
    let sandbox = Sandbox::new();
    let mut checked = [0, 0];
    for (name, bytes, item) in golden() {
        sandbox.write("chunk", &bytes);
        let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
        let header = &item["header"];
        for field in ["version", "versionlz", "flags", "typesize", "nbytes", "cbytes"] {
            assert_eq!(found[field], header[field], "{name}: {field}");
        }
        let is_vl = header["blosc2_flags2"].as_u64().is_some_and(|flags| flags & 1 != 0);
        let blocks = if is_vl { "nblocks" } else { "blocksize" };
        assert_eq!(found[blocks], header["blocksize"], "{name}");
        if header["ext"] == true {
            let slots = header["filters"].as_array().unwrap().iter().zip(header["filters_meta"].as_array().unwrap());
            let slots = slots.filter(|(id, _)| **id != 0);
            let (names, metas): (Vec<_>, Vec<_>) = slots
                .map(|(id, meta)| {
                    let name = NAMES.iter().find(|(known, _)| *id == *known).unwrap().1;
                    let byte = u8::try_from(number(meta)).unwrap();
                    let signed = matches!(name, "trunc-prec" | "int-trunc");
                    (name, if signed { json!(byte.cast_signed()) } else { json!(byte) })
                })
                .unzip();
            assert_eq!((&found["filters"], &found["filters_meta"]), (&json!(names), &json!(metas)), "{name}");
            for field in ["blosc2_flags", "blosc2_flags2"] {
                assert_eq!(found[field], header[field], "{name}: {field}");
            }
            assert_eq!(found["codec_meta"], header["compcode_meta"], "{name}");
            if header["flags"].as_u64().unwrap() & 0x02 == 0 {
                assert_eq!(found["codec"], CODECS[number(&header["udcodec"])], "{name}");
            }
        }
        assert_streams(&name, &bytes, &found);
        let plain = sandbox.run("chunk decode chunk -").ok().stdout;
        assert!(is_plain(&item, &plain), "{name}");
        checked[usize::from(item["format"] != "blosc1")] += 1;
    }
    assert!(checked[0] > 100 && checked[1] > 300, "{checked:?}");
}

/// Checks that the streams of each block are stored where the JSON says: after a `csize` that gives their size or the
/// repeated byte.
fn assert_streams(name: &str, bytes: &[u8], found: &Value) {
    let i32_at = |at: usize| i64::from(i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
    let header_len = if found["blosc2_flags"].is_null() { 16 } else { 32 };
    let mut nbytes = 0;
    let (blocks, bstarts) = (found["blocks"].as_array().unwrap(), found["bstarts"].as_array().unwrap());
    assert_eq!(blocks.len(), bstarts.len(), "{name}");
    for (index, (block, bstart)) in blocks.iter().zip(bstarts).enumerate() {
        assert_eq!(i32_at(header_len + 4 * index), bstart.as_i64().unwrap(), "{name}");
        assert_eq!(block["bstart"], *bstart, "{name}");
        nbytes += number(&block["nbytes"]);
        let mut at = number(bstart) + 4;
        for stream in block["streams"].as_array().unwrap() {
            assert_eq!(number(&stream["offset"]), at, "{name}");
            let csize = match text(&stream["kind"]) {
                "zeros" => 0,
                "run" => -stream["value"].as_i64().unwrap(),
                // A block of variable length is preceded by its uncompressed size.
                _ if found["vl_blocks"] == true => stream["nbytes"].as_i64().unwrap(),
                _ => stream["cbytes"].as_i64().unwrap(),
            };
            assert_eq!(i32_at(at - 4), csize, "{name}: {stream}");
            at += 4 + number(&stream["cbytes"]) + usize::from(csize < 0);
        }
    }
    assert!(blocks.is_empty() || nbytes == number(&found["nbytes"]), "{name}");
}

#[test]
fn golden_chunks_are_files_too() {
    let sandbox = Sandbox::new();
    for (name, bytes, item) in golden().into_iter().step_by(4) {
        sandbox.write("chunk", &bytes);
        let kind = if item["format"] == "blosc1" { "Blosc1" } else { "Blosc2" };
        let line = sandbox.run("verify chunk").ok().text().to_owned();
        assert!(line.starts_with(&format!("blpk: chunk: ok, {kind} chunk, 1 chunk, ")), "{name}: {line}");
        assert_eq!(sandbox.pipe("verify -", &bytes).ok().text(), line.replace("chunk: ok", "-: ok"), "{name}");
        let json = sandbox.run("chunk info --json chunk").ok().stdout;
        assert!(sandbox.run("info --json chunk").ok().stdout == json, "{name}");
        assert!(sandbox.pipe("info --json -", &bytes).ok().stdout == json, "{name}");

        sandbox.run("-f d chunk out").ok();
        let plain = sandbox.read("out");
        assert!(is_plain(&item, &plain), "{name}");
        assert!(sandbox.pipe("d -", &bytes).ok().stdout == plain, "{name}");
        assert!(sandbox.run("cat --chunk 0 chunk").ok().stdout == plain, "{name}");
        let (a, b) = (plain.len() / 3, plain.len() - plain.len() / 4);
        assert!(sandbox.run(&format!("cat --bytes {a}..{b} chunk")).ok().stdout == plain[a..b], "{name}");
        let typesize = number(&item["header"]["typesize"]);
        let (a, b) = (a / typesize, b / typesize);
        let items = sandbox.pipe(&format!("cat --items {a}..{b} -"), &bytes).ok().stdout;
        assert!(items == plain[a * typesize..b * typesize], "{name}");
    }
}

#[test]
fn every_option_goes_there_and_back() {
    let sandbox = Sandbox::with_f();
    let mut codecs = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"].iter().cycle();
    for options in [
        "-t 8",
        "-t 300 --blocksize 1000",
        "--filter none",
        "--filter bitshuffle",
        "--filter delta --blocksize 5000",
        "--filter shuffle:2 --filter bytedelta:2",
        "--filter shuffle --filter bytedelta",
        "--filter delta --filter none --filter shuffle --filter bitshuffle --filter bytedelta:255 --splitmode always",
        "--filter trunc-prec:52",
        "--filter int-trunc:64 --filter shuffle",
        "-l 0",
        "--splitmode never --blocksize 4096",
        "--blocksize 3",
    ] {
        for _ in 0..2 {
            let codec = codecs.next().unwrap();
            let dict = if matches!(*codec, "lz4" | "lz4hc" | "zstd") { "--dict" } else { "" };
            sandbox.run(&format!("-f chunk encode --format blosc2 -c {codec} {dict} {options} f chunk")).ok();
            sandbox.run("-f chunk decode chunk g").ok();
            assert!(sandbox.read("g") == sandbox.read("f"), "{codec} {options}");
            let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
            assert_eq!(found["version"], 5);
            assert!(found["memcpyed"] == true || found["codec"] == *codec, "{codec} {options}: {found}");
        }
    }
    sandbox.run("-f chunk encode --format blosc2 -c zstd --blocksize 1024 --dict f chunk").ok();
    let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
    assert!(found["dictionary"].as_u64().unwrap() > 0, "{found}");
    // The lowest 40 bits of the integers are cleared, which covers the smaller integers completely.
    sandbox.run("-f chunk encode --format blosc2 --filter int-trunc:-40 f chunk").ok();
    assert_eq!(sandbox.run("chunk decode chunk -").ok().stdout, [0; 100_000]);
    let lines = sandbox.run("chunk info chunk").ok().text().to_owned();
    assert!(lines.contains("blpk:     filters: 'int-trunc:-40'\n"), "{lines}");
    assert!(lines.contains("blpk:     special: 'zeros'\n"), "{lines}");
}

#[test]
fn what_a_format_has_not_is_refused() {
    let sandbox = Sandbox::with_f();
    for (options, error) in [
        ("--dict", "--dict needs a Blosc2 chunk; add --format blosc2"),
        ("--filter delta", "--filter delta needs a Blosc2 chunk; add --format blosc2"),
        ("--filter trunc-prec:-3", "--filter trunc-prec needs a Blosc2 chunk; add --format blosc2"),
        ("--filter shuffle:2", "--filter shuffle takes a meta value only in Blosc2 chunks; add --format blosc2"),
        ("-t 256", "'typesize' must be in the range 1 <= n <= 255, not '256'"),
        ("-t 536866817 --format blosc2", "'typesize' must be in the range 1 <= n <= 536866816, not '536866817'"),
        ("-c snappy --format blosc2", "Blosc2 does not support the codec snappy; use another one, or --format blosc1"),
        (
            "-c zlib --dict --format blosc2",
            "--dict: the codec zlib does not support dictionaries; use lz4, lz4hc or zstd",
        ),
    ] {
        assert_eq!(sandbox.run(&format!("chunk encode {options} f g")).failed(), error, "{options}");
    }
    let seven = "--filter shuffle ".repeat(7);
    let error = sandbox.run(&format!("chunk encode --format blosc2 {seven} f g")).failed();
    assert_eq!(error, "--filter: a chunk has at most 6 filters, not 7");
    let error = sandbox.run("chunk encode --filter shuffle --filter bitshuffle f g").failed();
    assert!(error.contains("supports shuffle, bitshuffle or no filter"), "{error}");
    let error = sandbox.run("chunk encode --format blosc2 -t 2 --filter trunc-prec:3 f g").failed();
    assert!(error.starts_with("filter trunc-prec:3 (id 4): "), "{error}");
    for (filter, error) in [
        ("trunc-prec", "trunc-prec needs a number of bits, as in trunc-prec:10 or trunc-prec:-4"),
        ("shuffle:256", "invalid meta value of shuffle: '256' (0 to 255)"),
        ("int-trunc:x", "invalid meta value of int-trunc: 'x' (-128 to 127)"),
        ("delta:1", "invalid meta value of delta: '1' (it takes none)"),
    ] {
        let found = sandbox.run(&format!("chunk encode --format blosc2 --filter {filter} f g")).usage();
        assert_eq!(found, format!("argument --filter: {error}"));
    }
    assert_eq!(sandbox.names(), ["f"]);
}

/// C-Blosc2 decodes these pipelines without an error, so they are never written, neither by request nor because a frame
/// has them.
#[test]
fn delta_pipelines_that_c_blosc2_decodes_to_other_data() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    let first = "filter delta (id 3): C-Blosc2 decodes it to other data where another filter runs before it; choose filters \
                 with delta first (only trunc-prec and int-trunc may run before it)";
    let once = "filter delta (id 3): C-Blosc2 decodes two or more of it to other data; choose filters with one delta, as the \
                first of them";
    for (filters, error) in [
        ("--filter delta --filter delta", once),
        ("--filter delta --filter shuffle --filter delta", once),
        ("--filter shuffle --filter delta", first),
        ("--filter shuffle --filter bitshuffle --filter bytedelta --filter delta --filter shuffle", first),
    ] {
        for (command, input) in
            [("chunk encode --format blosc2", "f"), ("c --format b2frame", "f"), ("convert", "f.blp")]
        {
            let found = sandbox.run(&format!("{command} -t 4 {filters} {input} g.b2frame")).failed();
            assert!(found.ends_with(error), "{command} {filters}: {found}");
            assert_eq!(sandbox.names(), ["f", "f.blp"], "{command} {filters}");
        }
    }
    sandbox.run("c -t 4 --filter delta --filter shuffle f ok.b2frame").ok();
    let mut frame = sandbox.read("ok.b2frame");
    let slots = frame.windows(6).position(|slots| slots == [0, 0, 0, 0, 3, 1]).unwrap();
    frame[slots + 4..slots + 6].copy_from_slice(&[1, 3]);
    sandbox.write("other.b2frame", &frame);
    let error = sandbox.run("convert other.b2frame new.b2frame").failed();
    assert!(error.ends_with(first), "{error}");
    sandbox.run("convert --filter shuffle other.b2frame new.b2frame").ok();
    sandbox.run("d new.b2frame back").ok();
    assert_eq!(sandbox.read("back"), sandbox.read("f"));
}

/// `arange(64, "<u2") * 3` cut to 127 bytes, as C-Blosc2 compresses it with a block size of 128: its blocks have 126.
#[test]
fn blocks_that_are_smaller_than_the_header_says() {
    let sandbox = Sandbox::new();
    let plain: Vec<u8> = (0..64u16).flat_map(|number| (3 * number).to_le_bytes()).take(127).collect();
    let even: Vec<u8> = plain[..126].iter().copied().step_by(2).collect();
    let header = [5, 1, 5, 2, 127, 0, 0, 0, 127, 0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let mut chunk = [&header[..], &[0; 10], &[40, 0, 0, 0, 111, 0, 0, 0, 63, 0, 0, 0], &even, &[0; 4]].concat();
    chunk.extend([0x43, 0xFF, 0xFF, 0xFF, 1]);
    sandbox.write("chunk", &chunk);
    sandbox.run("chunk decode chunk g").ok();
    assert_eq!(sandbox.read("g"), plain);
    assert_eq!(sandbox.run("cat chunk --items 61..63").ok().stdout, plain[122..126]);
    assert_eq!(sandbox.run("cat chunk --bytes 120..127").ok().stdout, plain[120..]);
    let found: Value = from_slice(&sandbox.run("chunk info --json chunk").ok().stdout).unwrap();
    assert_eq!((&found["blocksize"], &found["nblocks"]), (&json!(126), &json!(2)));
}

#[test]
fn what_cannot_be_decoded_is_described() {
    let sandbox = Sandbox::with_f();
    sandbox.run("chunk encode --format blosc2 -c lz4 --splitmode never --blocksize 10000 f chunk").ok();
    let whole = sandbox.read("chunk");
    let with = |edits: &[(usize, u8)]| {
        let mut bytes = whole.clone();
        edits.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        sandbox.write("x", &bytes);
    };
    let decode = || sandbox.run("chunk decode x g").failed();
    let json = || from_slice::<Value>(&sandbox.run("chunk info --json x").ok().stdout).unwrap();

    with(&[(2, whole[2] & 0x1F | 6 << 5), (22, 34), (23, 9)]);
    assert_eq!(decode(), "x: offset 22: codec 34 (zfp_prec) is not built in; register one to read this chunk");
    let found = json();
    assert_eq!(
        (&found["codec"], &found["codec_id"], &found["codec_meta"]),
        (&json!("zfp_prec"), &json!(34), &json!(9))
    );
    assert_eq!(found["blocks"].as_array().unwrap().len(), 10);
    sandbox.run("verify x").failed();

    with(&[(2, whole[2] & 0x1F | 6 << 5), (22, 200)]);
    assert_eq!(json()["codec"], "user(200)");
    with(&[(20, 177), (28, 3)]);
    let error = decode();
    assert!(error.starts_with("x: filter user(177):3 (id 177): "), "{error}");
    assert_eq!((&json()["filters"], &json()["filters_meta"]), (&json!(["user(177)", "shuffle"]), &json!([3, 0])));
    assert!(sandbox.run("chunk info x").ok().text().contains("filters: 'user(177):3, shuffle'\n"));

    // Header and block starts, then nchunk 7, offset 99 and the size of each block.
    let mut lazy = whole[..32 + 4 * 10].to_vec();
    lazy[31] |= 0x08;
    lazy.extend([7, 99, 0].map(i32::to_le_bytes).concat());
    lazy.extend((100..110).flat_map(i32::to_le_bytes));
    sandbox.write("x", &lazy);
    assert_eq!(decode(), "x: offset 31: this is a lazy chunk: its blocks must be read from its frame");
    let found = json();
    assert_eq!((&found["lazy"], &found["nchunk"], &found["offset"]), (&json!(true), &json!(7), &json!(99)));
    assert_eq!(found["block_csizes"], json!((100..110).collect::<Vec<_>>()));
    assert_eq!(found["bstarts"][0], 72);
    let lines = sandbox.run("chunk info x").ok().text().to_owned();
    assert!(lines.contains("blpk:     nchunk: 7\n") && lines.contains("    0 at 72: 100 in the frame\n"), "{lines}");
    sandbox.write("x", &lazy[..lazy.len() - 1]);
    assert_eq!(sandbox.run("chunk info x").failed(), "x: the chunk is truncated: 123 of 124 bytes");
    assert_eq!(sandbox.names(), ["chunk", "f", "x"]);
}

#[test]
fn cut_off_and_longer_files_are_no_chunks() {
    let sandbox = Sandbox::with_f();
    for format in ["blosc1", "blosc2"] {
        sandbox.run(&format!("-f chunk encode --format {format} f chunk")).ok();
        let bytes = sandbox.read("chunk");
        let (len, header_len) = (bytes.len(), if format == "blosc1" { 16 } else { 32 });
        sandbox.write("x", &[&*bytes, &[0]].concat());
        for command in ["chunk info x", "chunk decode x g"] {
            let error = sandbox.run(command).failed();
            assert_eq!(error, format!("x: offset {len}: the chunk ends here, but 1 bytes follow"));
        }
        for command in ["info x", "verify x", "d x g", "cat --bytes .. x"] {
            sandbox.run(command).failed();
        }
        for cut in [0, 1, 15, 16, 31, 32, len / 2, len - 1] {
            sandbox.write("x", &bytes[..cut]);
            let error = sandbox.run("chunk decode x g").failed();
            let expected = match cut {
                _ if cut < header_len => "x: the chunk header is truncated: ".into(),
                _ => format!("x: the chunk is truncated: {cut} of {len} bytes"),
            };
            assert!(error.starts_with(&expected), "{cut}: {error}");
            for command in ["chunk info x", "info x", "verify x", "d x g", "cat --bytes .. x"] {
                sandbox.run(command).failed();
            }
            sandbox.pipe("d - g", &bytes[..cut]).failed();
        }
        assert_eq!(sandbox.names(), ["chunk", "f", "x"]);
    }
    sandbox.run("c f").ok();
    let error = sandbox.run("chunk info f.blp").failed();
    assert_eq!(error, "f.blp: this is a bloscpack file of version 3, not a bare chunk");
}

#[test]
fn malformed_chunks_end_well() {
    let (files, manifest) = (testdata::archive("chunks-malformed"), testdata::manifest("chunks-malformed"));
    let all = &files["malformed.bin"];
    let sandbox = Sandbox::new();
    for item in manifest["items"].as_array().unwrap().iter().step_by(5) {
        let [at, len] = ["offset", "length"].map(|field| number(&item[field]));
        sandbox.write("chunk", &all[at..at + len]);
        for command in ["chunk info --json chunk", "chunk decode chunk -"] {
            let run = sandbox.run(command);
            if run.code != Some(0) {
                run.failed();
            } else if command.starts_with("chunk info") {
                from_slice::<Value>(&run.stdout).unwrap();
            } else if item["format"] == "blosc1" {
                assert!(item["c_blosc2"].as_i64() >= Some(0), "{item}");
            }
        }
    }
}

/// A block start of 4 bytes can refer to a block of 255 streams again. Describing them takes time and output, but no
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn few_bytes_that_name_many_streams_are_described_in_little_memory() {
    const NBLOCKS: i32 = 2000;
    let sandbox = Sandbox::new();
    let data_start = 32 + 4 * NBLOCKS;
    let mut chunk = vec![5, 1, 0x05, 255];
    chunk.extend([255 * NBLOCKS, 255, data_start + 4 * 255].map(i32::to_le_bytes).concat());
    chunk.resize(32, 0);
    (0..NBLOCKS).for_each(|_| chunk.extend(data_start.to_le_bytes()));
    chunk.extend([0; 4 * 255]);
    sandbox.write("x", &chunk);
    let lines = sandbox.run("chunk info x").ok().text().to_owned();
    assert!(lines.contains("blpk:     streams: 0 compressed, 0 stored, 510000 zeros, 0 runs\n"), "{lines}");
    assert!(lines.contains("blpk:     31 at 8032, 255 bytes: 255 × zeros\n"), "{lines}");
    assert!(lines.ends_with("blpk:     … 1968 more; --json has all\n"), "{lines}");
    // An emulator needs more memory than that for itself.
    let limit = if testdata::emulator().is_some() { "" } else { "ulimit -v 60000; " };
    let run = sandbox.shell(&format!("{limit}blpk -n 1 chunk info --json x | wc -c"));
    assert!(run.ok().text().trim().parse::<u64>().unwrap() > 20_000_000);
}

/// The bytes go to the output as they are decoded, so a chunk may expand to any size.
#[test]
fn chunks_of_repeated_bytes_are_decoded() {
    let sandbox = Sandbox::new();
    let made = "head -c 1258291200 /dev/zero | blpk chunk encode --format blosc2 - chunk";
    sandbox.shell(&format!("{made} && blpk chunk decode chunk - | wc -c > size")).ok();
    assert_eq!((sandbox.read("chunk").len(), sandbox.read("size")), (32, b"1258291200\n".to_vec()));
}
