//! Tests that all commands of the binary agree about a damaged container. `crates/bloscpack-io/tests/it/agreement.rs`
//! applies many more mutations within the process.

use std::fs;
use testdata::SplitMix64;

use crate::common::{Sandbox, counting, noise};

/// A `.npy` file of 2-byte integers, 60 × 7.
fn npy(fortran: bool) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '<i2', 'fortran_order': {order}, 'shape': (60, 7), }}");
    file.extend(format!("{header:117}\n").into_bytes());
    file.extend((0..420_u16).flat_map(|item| (item * 3).to_le_bytes()));
    file
}

/// Returns the items of such an array in C order.
fn in_c_order(plain: &[u8]) -> Vec<u8> {
    let place = |item: usize| (item % 7) * 60 + item / 7;
    (0..420).flat_map(|item| plain[2 * place(item)..][..2].to_vec()).collect()
}

/// Returns the output of each command; `None` if it fails.
fn outputs(sandbox: &Sandbox, name: &str, column: &str, padded: bool) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let cat = |what: &str| {
        let run = sandbox.run(&format!("cat {what} {column} {name}"));
        (run.code == Some(0)).then_some(run.stdout)
    };
    let written = |line: &str, out: &str| {
        let run = sandbox.run(line);
        (run.code == Some(0)).then(|| sandbox.read(out))
    };
    let _ = fs::remove_file(sandbox.path("out"));
    let _ = fs::remove_file(sandbox.path("out.blp"));
    let plain = written(&format!("-f d -e {column} {name} out"), "out");
    let converted = written(&format!("-f convert {column} {name} out.blp"), "out.blp")
        .and_then(|_| written("-f d out.blp out", "out"));
    let mut found = vec![("decompress", plain), ("cat --bytes", cat("--bytes ..")), ("convert", converted)];
    if !padded {
        let run = sandbox.run(&format!("info --json {name}"));
        let nchunks = testdata::serde_json::from_slice(&run.stdout).ok();
        let nchunks = nchunks.and_then(|info: testdata::serde_json::Value| info["nchunks"].as_u64());
        // A damaged header can claim any number of chunks.
        if let Some(nchunks) = nchunks.filter(|nchunks| *nchunks < 20) {
            let chunks: Option<Vec<_>> = (0..nchunks).map(|chunk| cat(&format!("--chunk {chunk}"))).collect();
            found.push(("cat --chunk", chunks.map(|chunks| chunks.concat())));
        }
    }
    found
}

/// Checks that all commands give the same bytes. Returns whether they can read the file.
fn compare(sandbox: &Sandbox, what: &str, name: &str, column: &str, padded: bool, fortran: bool) -> bool {
    let found = outputs(sandbox, name, column, padded);
    let (_, plain) = &found[0];
    for (way, bytes) in &found {
        assert_eq!(bytes.is_some(), plain.is_some(), "{what}: {way}");
        assert!(bytes == plain, "{what}: {way} gives other bytes");
    }
    let items = sandbox.run(&format!("cat --items .. {column} {name}"));
    assert_eq!(items.code == Some(0), plain.is_some(), "{what}: cat --items: {}", items.stderr);
    if let Some(plain) = plain {
        let expected = if fortran && plain.len() == 840 { in_c_order(plain) } else { plain.clone() };
        let whole = items.stdout.len();
        assert!(
            items.stdout == expected[..whole] && plain.len() - whole < 256,
            "{what}: cat --items gives other bytes"
        );
    }
    let verified = sandbox.run(&format!("verify {name}"));
    assert!(plain.is_some() || verified.code == Some(1), "{what}: verify accepts");
    plain.is_some()
}

#[test]
fn files() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &counting(5000));
    sandbox.write("n", &noise(5000));
    sandbox.write("c.npy", &npy(false));
    sandbox.write("f.npy", &npy(true));
    for line in [
        "c -z 1000 -t 8 f offsets.blp",
        "c -z 1000 -t 8 -o f walked.blp",
        "c -z 1000 -t 8 -k None n unchecked.blp",
        "c -z 1000 -t 8 -l 0 n stored.blp",
        "c f f.b2frame",
        "chunk encode f chunk1",
        "chunk encode --format blosc2 f chunk2",
        "convert c.npy c.blp",
        "convert -z 300 f.npy fortran.blp",
        "convert --chunkshape 20,7 --blockshape 10,7 c.npy c.b2nd",
    ] {
        sandbox.run(line).ok();
    }
    let mut rng = SplitMix64::new(77);
    for name in [
        "offsets.blp",
        "walked.blp",
        "unchecked.blp",
        "stored.blp",
        "f.b2frame",
        "chunk1",
        "chunk2",
        "c.blp",
        "fortran.blp",
        "c.b2nd",
        "c.npy",
        "f.npy",
    ] {
        let (padded, fortran) = (name == "c.b2nd", name == "fortran.blp" || name == "f.npy");
        let file = sandbox.read(name);
        let is_npy = name.ends_with(".npy");
        // Padded chunks cannot be compared, and a `.npy` file has no chunks.
        let padded = padded || is_npy;
        assert!(compare(&sandbox, name, name, "", padded, fortran), "{name}");
        for number in 0..9 {
            let mut changed = file.clone();
            match number {
                0 => changed.push(0),
                1 => changed.truncate(file.len() - 1),
                2 if name.ends_with(".blp") => changed[6] = 0,
                3 if name == "stored.blp" => {
                    let at = 32 + 8;
                    changed[at..at + 8].copy_from_slice(&((file.len() - 900) as u64).to_le_bytes());
                }
                _ => testdata::mutate(&mut rng, &mut changed, &file),
            }
            sandbox.write("x", &changed);
            // The mutation may have changed the dtype or shape, which determine the order of items.
            let is_head = is_npy && changed.get(..128) != file.get(..128);
            if !is_head {
                compare(&sandbox, &format!("{name}, mutation {number}"), "x", "", padded, fortran);
            }
        }
    }
}

#[test]
fn directories() {
    let sandbox = Sandbox::new();
    sandbox.write("c.npy", &npy(false));
    sandbox.run("convert --chunkshape 16 c.npy x.bcolz").ok();
    assert!(compare(&sandbox, "carray", "x.bcolz", "", false, false));
    let mut rng = SplitMix64::new(78);
    let paths = ["meta/storage", "meta/sizes", "data/__0.blp", "data/__1.blp", "data/__3.blp"];
    for number in 0..15 {
        let path = format!("x.bcolz/{}", paths[number % paths.len()]);
        let old = sandbox.read(&path);
        let mut changed = old.clone();
        testdata::mutate(&mut rng, &mut changed, &old);
        sandbox.write(&path, &changed);
        compare(&sandbox, &format!("{path}, mutation {number}"), "x.bcolz", "", false, false);
        sandbox.write(&path, &old);
    }
    // A column of a table.
    for (path, bytes) in testdata::archive("bcolz") {
        if let Some(path) = path.strip_prefix("ref/tab/mixed/") {
            let path = sandbox.path("table").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
    let column = sandbox.info("table")["columns"][0].as_str().unwrap().to_owned();
    let option = format!("--column {column}");
    assert!(compare(&sandbox, "column", "table", &option, true, false));
    for path in ["meta/sizes", "data/__0.blp", "meta/storage"] {
        let path = format!("table/{column}/{path}");
        let old = sandbox.read(&path);
        let mut changed = old.clone();
        testdata::mutate(&mut rng, &mut changed, &old);
        sandbox.write(&path, &changed);
        compare(&sandbox, &path, "table", &option, true, false);
        sandbox.write(&path, &old);
    }
}

/// A table of offsets that points into stored data, and a checksum byte that is set to none.
#[test]
fn offsets_are_not_believed() {
    let sandbox = Sandbox::new();
    let inner = {
        sandbox.write("i", &[0xEE; 1000]);
        sandbox.run("c -l 0 -t 1 -z 1000 -o i i.blp").ok();
        sandbox.read("i.blp")[32..].to_vec()
    };
    let mut large = noise(6000);
    large[900..900 + inner.len()].copy_from_slice(&inner);
    sandbox.write("f", &large);
    sandbox.run("c -l 0 -t 1 -z 2000 f f.blp").ok();
    let file = sandbox.read("f.blp");
    let first = usize::try_from(u64::from_le_bytes(file[32..40].try_into().unwrap())).unwrap();
    let mut forged = file.clone();
    forged[40..48].copy_from_slice(&((first + 16 + 900) as u64).to_le_bytes());
    sandbox.write("x", &forged);
    assert!(compare(&sandbox, "forged", "x", "", false, false));
    assert!(sandbox.run("cat --bytes 2000..4000 x").ok().stdout == large[2000..4000]);
    assert!(sandbox.run("verify x").failed().contains("offset of chunk 1"));

    let mut unchecked = file.clone();
    unchecked[6] = 0;
    let at = file.len() - 100;
    unchecked[at] ^= 1;
    sandbox.write("x", &unchecked);
    assert!(!compare(&sandbox, "unchecked", "x", "", false, false));
}
