//! A scratch folder for code that works only on paths.
//!
//! There is one per process, in the system's temporary folder. `cargo xtask fuzz` places it in memory where possible
//! and removes it.

use std::path::{Path, PathBuf};

/// Returns the folder, emptied.
pub fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("blosc-fuzz-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for scratch files");
    folder
}

/// Writes files to `root`.
pub fn write(root: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        std::fs::write(path, bytes).expect("a scratch file");
    }
}
