//! A folder for what only works on paths: one for each process, below the system's folder for temporary files. `cargo xtask
//! fuzz` lets that be in memory where it can, and removes it.

use std::path::{Path, PathBuf};

/// The folder, empty.
pub fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("blosc-fuzz-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for scratch files");
    folder
}

/// Writes files below `root`.
pub fn write(root: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        std::fs::write(path, bytes).expect("a scratch file");
    }
}
