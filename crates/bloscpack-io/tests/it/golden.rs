//! Files that the original bloscpack wrote, good and damaged.

use bloscpack_io::{Archive, Error, OpenOptions, Source, UnpackOptions, unpack_bytes, verify};
use testdata::serde_json::Value;

fn items(list: &str) -> (std::collections::BTreeMap<String, Vec<u8>>, Vec<Value>) {
    (testdata::archive("bloscpack"), testdata::manifest("bloscpack")[list].as_array().unwrap().clone())
}

fn name(item: &Value) -> &str {
    item["file"].as_str().unwrap()
}

#[test]
fn every_file_gives_the_recorded_bytes() {
    let (files, items) = items("files");
    assert_eq!(items.len(), 225);
    for item in &items {
        let file = name(item);
        let (plain, report) = unpack_bytes(&files[file], &UnpackOptions::new()).unwrap_or_else(|error| {
            panic!("{file}: {error}");
        });
        assert_eq!(plain.len() as u64, item["size"].as_u64().unwrap(), "{file}");
        assert_eq!(testdata::sha256_hex(&plain), item["sha256"].as_str().unwrap(), "{file}");
        assert_eq!(report.cbytes, files[file].len() as u64, "{file}");
        verify(Source::reader(files[file].as_slice()), &UnpackOptions::new())
            .unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

#[test]
fn ranges_of_every_file_are_slices_of_the_whole() {
    let (files, items) = items("files");
    let mut rng = testdata::SplitMix64::new(11);
    for item in &items {
        let file = name(item);
        let (plain, _) = unpack_bytes(&files[file], &UnpackOptions::new()).unwrap();
        for archive in [
            Archive::open(files[file].as_slice()),
            Archive::open_with(files[file].as_slice(), &OpenOptions::new().walk(true)),
        ] {
            let archive = archive.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!(archive.nbytes(), plain.len() as u64, "{file}");
            for _ in 0..8 {
                let mut place = || rng.next_u64() % (plain.len() as u64 + 1);
                let (a, b) = (place(), place());
                let (start, end) = (a.min(b), a.max(b));
                let found = archive.read_range(start..end).unwrap_or_else(|error| panic!("{file}: {error}"));
                assert!(found == plain[start as usize..end as usize], "{file} {start}..{end}");
            }
            assert!(matches!(archive.read_range(0..plain.len() as u64 + 1), Err(Error::Range { .. })), "{file}");
            let chunks: Vec<u8> = (0..archive.nchunks()).flat_map(|chunk| archive.chunk(chunk).unwrap()).collect();
            assert!(chunks == plain, "{file}");
        }
    }
}

#[test]
fn every_malformed_file_is_refused_as_the_manifest_says() {
    let (files, items) = items("malformed");
    assert_eq!(items.len(), 521);
    for item in &items {
        let file = name(item);
        let found = unpack_bytes(&files[file], &UnpackOptions::new());
        let exact =
            found.as_ref().is_ok_and(|(plain, _)| Some(&*testdata::sha256_hex(plain)) == item["sha256"].as_str());
        match item["expect"].as_str().unwrap() {
            "fail" => assert!(found.is_err(), "{file}: accepted"),
            "fail_or_exact" => assert!(found.is_err() || exact, "{file}: other bytes"),
            "no_crash" => {}
            other => panic!("{file}: expect {other}"),
        }
    }
}

/// Random access to a damaged file gives an error or bytes; it may see less of the damage.
#[test]
fn malformed_files_do_not_upset_random_access() {
    let (files, items) = items("malformed");
    for item in &items {
        let Ok(archive) = Archive::open(files[name(item)].as_slice()) else { continue };
        let _ = archive.read_range(0..archive.nbytes().min(1 << 20));
        let _ = archive.chunk(archive.nchunks().saturating_sub(1));
    }
}
