//! The golden directories of bcolz, in memory and on the disk.

use std::fs;
use std::path::Path;

use bloscpack_io::bcolz::MemoryDirectory;
use testdata::serde_json::Value;

/// The files below a directory of the archive.
pub(crate) fn files_of(name: &str) -> Vec<(String, Vec<u8>)> {
    let prefix = format!("{name}/");
    let files = testdata::archive("bcolz");
    let below = files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
    below.map(|(path, bytes)| (path[prefix.len()..].to_owned(), bytes.clone())).collect()
}

pub(crate) fn golden(name: &str) -> MemoryDirectory {
    MemoryDirectory::of_files(files_of(name))
}

/// Writes a directory of the archive to the disk.
pub(crate) fn write_to(name: &str, root: &Path) {
    for (path, bytes) in files_of(name) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The cases of the manifest, all or of one kind.
pub(crate) fn cases(kind: Option<&str>) -> Vec<Value> {
    let manifest = testdata::manifest("bcolz");
    let cases = manifest["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 272);
    cases.iter().filter(|case| kind.is_none_or(|kind| case["kind"] == kind)).cloned().collect()
}

pub(crate) fn name_of(case: &Value) -> &str {
    case["name"].as_str().unwrap()
}
