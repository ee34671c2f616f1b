//! Golden archives: reads `testdata/<name>.tar.gz` into memory, once per process.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

type Files = BTreeMap<String, Vec<u8>>;

/// Returns every regular file of `testdata/<name>.tar.gz`: path in the archive (no leading `./`) to content.
///
/// # Panics
/// If the archive is missing or damaged: a test without its golden data must not pass.
#[must_use]
pub fn archive(name: &str) -> Files {
    with_archive(name, Clone::clone)
}

/// Returns the archive's own description: `manifest.json`, or `malformed.json` for the malformed chunks.
///
/// # Panics
/// If there is no manifest or it is not JSON.
#[must_use]
pub fn manifest(name: &str) -> Value {
    let file = with_archive(name, |files| {
        ["manifest.json", "malformed.json"].into_iter().find(|file| files.contains_key(*file))
    });
    json(name, file.unwrap_or_else(|| panic!("{name}.tar.gz holds no manifest")))
}

/// Returns a JSON file of an archive, such as `blocksize_blosc1.json` of `chunks`.
///
/// # Panics
/// If the file is missing or is not JSON.
#[must_use]
pub fn json(name: &str, file: &str) -> Value {
    with_archive(name, |files| {
        let bytes = files.get(file).unwrap_or_else(|| panic!("{name}.tar.gz holds no {file}"));
        serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{name}.tar.gz: {file}: {error}"))
    })
}

/// Calls `look` on the archive without copying it. The first call unpacks the archive.
fn with_archive<T>(name: &str, look: impl FnOnce(&Files) -> T) -> T {
    static CACHE: Mutex<BTreeMap<String, &'static Files>> = Mutex::new(BTreeMap::new());
    let files = {
        // A panic while the lock is held at worst leaves an archive uncached.
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        match cache.get(name) {
            Some(files) => *files,
            None => {
                // Leaked on purpose: lives as long as the test process, a few MiB per archive.
                let files: &'static Files = Box::leak(Box::new(unpack(name)));
                cache.insert(name.to_owned(), files);
                files
            }
        }
    };
    look(files)
}

fn unpack(name: &str) -> Files {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.tar.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut files = Files::new();
    for entry in tar.entries().expect("the archive opens") {
        let mut entry = entry.expect("the archive is whole");
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().expect("names are UTF-8").to_string_lossy().trim_start_matches("./").to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("the archive is whole");
        files.insert(path, content);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{archive, manifest};
    use crate::sha256_hex;

    #[test]
    fn every_bloscpack_file_of_the_manifest_is_there() {
        let files = archive("bloscpack");
        let manifest = manifest("bloscpack");
        let listed = manifest["files"].as_array().expect("a list of files");
        assert!(listed.len() > 200, "only {} files listed", listed.len());
        for item in listed {
            let name = item["file"].as_str().expect("a name");
            assert!(files[name].starts_with(b"blpk"), "{name}");
        }
    }

    #[test]
    fn every_chunk_has_its_recorded_digest() {
        let files = archive("chunks");
        let manifest = manifest("chunks");
        let items = manifest["items"].as_array().expect("a list of items");
        assert_eq!(items.len(), manifest["count"].as_u64().expect("a count") as usize);
        for item in items {
            let name = item["file"].as_str().expect("a name");
            assert_eq!(sha256_hex(&files[name]), item["chunk_sha256"].as_str().expect("a digest"), "{name}");
        }
    }

    #[test]
    fn malformed_chunks_come_with_their_description() {
        assert!(!archive("chunks-malformed")["malformed.bin"].is_empty());
        assert!(manifest("chunks-malformed").is_object() || manifest("chunks-malformed").is_array());
    }

    #[test]
    fn every_bcolz_directory_of_the_manifest_has_files() {
        let files = archive("bcolz");
        let manifest = manifest("bcolz");
        let cases = manifest["cases"].as_array().expect("a list of cases");
        assert_eq!(cases.len(), 272);
        for case in cases {
            let prefix = format!("{}/", case["name"].as_str().expect("a name"));
            assert!(files.keys().any(|path| path.starts_with(&prefix)), "{prefix}");
        }
    }
}
