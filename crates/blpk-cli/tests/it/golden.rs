//! Tests the binary on the files of bloscpack 0.16.0 against their manifest.

use testdata::serde_json::Value;
use testdata::sha256_hex;

use crate::common::Sandbox;

/// Calls `check` with a folder that holds the file `x.blp`, and with its entry in the manifest.
fn each(list: &str, check: impl Fn(&Sandbox, &Value) + Sync) {
    let (files, manifest) = (testdata::archive("bloscpack"), testdata::manifest("bloscpack"));
    let items = manifest[list].as_array().unwrap();
    assert!(items.len() > 200);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let sandbox = Sandbox::new();
                    sandbox.write("x.blp", &files[item["file"].as_str().unwrap()]);
                    check(&sandbox, item);
                }
            });
        }
    });
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn info_prints_the_recorded_lines() {
    each("files", |sandbox, item| {
        let lines: Vec<_> = item["info"].as_array().unwrap().iter().map(text).collect();
        sandbox.run("info x.blp").prints(&lines);
    });
}

#[test]
fn decompress_gives_the_recorded_bytes() {
    each("files", |sandbox, item| {
        let run = sandbox.run("decompress x.blp").ok();
        let plain = sandbox.read("x");
        let found = (plain.len() as u64, sha256_hex(&plain));
        assert_eq!(found, (item["size"].as_u64().unwrap(), text(&item["sha256"]).to_owned()), "{}", item["file"]);
        assert_eq!(sandbox.names(), ["x", "x.blp"]);
        // Non-empty metadata is shown exactly as by `info`.
        let info = item["info"].as_array().unwrap().iter().map(text);
        let metadata: Vec<_> = info
            .skip_while(|line| *line != "blpk: Metadata:")
            .take_while(|line| *line != "blpk: MetadataHeader:")
            .collect();
        let falsy = matches!(
            metadata.get(1),
            None | Some(&("blpk: {}" | "blpk: []" | "blpk: 0" | "blpk: ''" | "blpk: False" | "blpk: 0.0"))
        );
        assert_eq!(run.lines(), if falsy { vec![] } else { metadata }, "{}", item["file"]);
    });
}

#[test]
fn verify_finds_them_whole() {
    each("files", |sandbox, item| {
        let run = sandbox.run("verify x.blp").ok();
        let expected = format!("({}B)", item["size"]);
        assert!(run.text().starts_with("blpk: x.blp: ok, bloscpack version 3, "), "{}", run.text());
        assert!(run.text().contains(&expected), "{}: {}", item["file"], run.text());
    });
}

#[test]
fn json_agrees_with_the_manifest() {
    each("files", |sandbox, item| {
        let run = sandbox.run("info --json x.blp").ok();
        let json: Value = testdata::serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!((&json["schema"], &json["format"]), (&1.into(), &"bloscpack".into()));
        assert_eq!(json["nbytes"], item["size"]);
        let header = &item["header"];
        assert_eq!(json["version"], header["format_version"]);
        for field in ["chunk_size", "last_chunk", "nchunks", "max_app_chunks", "checksum", "offsets"] {
            assert_eq!(json[field], header[field], "{}: {field}", item["file"]);
        }
        if item.get("npy").is_some() {
            let packed = &item["metadata"];
            assert_eq!((&json["shape"], &json["order"]), (&packed["shape"], &packed["order"]), "{}", item["file"]);
            // Before 0.7.2, structured dtypes were stored as lists instead of text.
            let Some(dtype) = packed["dtype"].as_str() else { return };
            let dtype = dtype.strip_prefix('\'').and_then(|dtype| dtype.strip_suffix('\'')).unwrap_or(dtype);
            assert_eq!(json["dtype"], dtype, "{}", item["file"]);
        }
        assert_eq!(json.get("metadata").is_some(), header["metadata"] == true, "{}", item["file"]);
    });
}

#[test]
fn parts_are_parts_of_the_whole() {
    each("files", |sandbox, item| {
        sandbox.run("d x.blp").ok();
        let plain = sandbox.read("x");
        let (third, half) = (plain.len() / 3, plain.len() / 2);
        assert_eq!(sandbox.run("cat --bytes .. x.blp").ok().stdout, plain, "{}", item["file"]);
        assert_eq!(sandbox.run(&format!("cat --bytes {third}..{half} x.blp")).ok().stdout, plain[third..half]);
        let chunk_size = item["header"]["chunk_size"].as_u64().unwrap() as usize;
        assert_eq!(sandbox.run("cat --chunk 0 x.blp").ok().stdout, plain[..chunk_size.min(plain.len())]);
    });
}

#[test]
fn arrays_are_read_in_c_order() {
    let files = testdata::archive("bloscpack");
    each("files", |sandbox, item| {
        let Some(npy) = item.get("npy") else { return };
        let array = &files[text(npy)];
        // The header of the reference array gives the order of its bytes.
        let (meta, data_at) = bloscpack_format::numpy::npy::parse(array).unwrap();
        if meta.order == bloscpack_format::numpy::Order::F {
            return;
        }
        let found = sandbox.run("cat --items .. x.blp").ok().stdout;
        assert_eq!(found, array[data_at..], "{}", item["file"]);
    });
}

#[test]
fn malformed_files_are_refused() {
    each("malformed", |sandbox, item| {
        let run = sandbox.run("decompress x.blp");
        if run.code == Some(0) && item["expect"] != "fail" {
            let plain = sandbox.read("x");
            if item["expect"] == "fail_or_exact" {
                let found = (plain.len() as u64, sha256_hex(&plain));
                let exact = (item["size"].as_u64().unwrap(), text(&item["sha256"]).to_owned());
                assert_eq!(found, exact, "{}", item["file"]);
            }
        } else {
            let error = run.failed();
            assert!(error.starts_with("x.blp: "), "{}: {error}", item["file"]);
            assert_eq!(sandbox.names(), ["x.blp"], "{}", item["file"]);
        }
        let verified = sandbox.run("verify x.blp");
        match verified.code {
            Some(0) => assert_ne!(item["expect"], "fail", "{}", item["file"]),
            _ => drop(verified.failed()),
        }
        for command in ["info x.blp", "info --json x.blp"] {
            let run = sandbox.run(command);
            if run.code != Some(0) {
                run.failed();
            }
        }
        let read = sandbox.run("cat --bytes .. x.blp");
        assert!(read.code == Some(0) || read.code == Some(1), "{}", item["file"]);
        assert!(read.code == Some(0) || read.error().starts_with("x.blp: "), "{}", item["file"]);
    });
}
