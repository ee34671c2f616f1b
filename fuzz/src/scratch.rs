//! A folder for what only works on paths: one for each process, in memory where the system has such a place.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder, empty.
pub fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        parent.join(format!("blosc-fuzz-{}", std::process::id()))
    });
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder for scratch files");
    folder.clone()
}

/// Writes files below `root`.
pub fn write(root: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        std::fs::write(path, bytes).expect("a scratch file");
    }
}
