//! The files of a release: program, man pages, completions, texts, checksums.

use super::input::read;
use super::licences;
use crate::{metadata, sh};
use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Shells with completions, and the file name that each of them looks for.
pub(super) const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "blpk.bash"),
    ("elvish", "blpk.elv"),
    ("fish", "blpk.fish"),
    ("powershell", "_blpk.ps1"),
    ("zsh", "_blpk"),
];

/// One file of the tarball.
pub(super) struct Entry {
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
}

/// Paths in the tarball, below its folder, and their contents.
pub(super) type Files = BTreeMap<String, Entry>;

/// All files, made by or copied beside the program `blpk`.
pub(super) fn files(blpk: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut add = |path: String, bytes| files.insert(path, Entry { bytes, executable: false });
    for text in ["README.md", "CHANGELOG.md", "LICENSE"] {
        add(text.into(), read(&sh::root().join(text))?);
    }
    add("THIRD-PARTY.txt".into(), licences::collect()?.into_bytes());
    for (shell, file) in COMPLETIONS {
        let script = sh::capture(sh::command(blpk).args(["completions", shell]))?;
        add(format!("completions/{file}"), script.into_bytes());
    }
    for (name, page) in man_pages(blpk)? {
        add(format!("man/man1/{name}"), page);
    }
    let program = blpk.file_name().context("blpk has no file name")?.to_string_lossy().into_owned();
    files.insert(program, Entry { bytes: read(blpk)?, executable: true });
    let sums: String = files.iter().map(|(path, entry)| format!("{}  {path}\n", sha256(&entry.bytes))).collect();
    files.insert("SHA256SUMS".into(), Entry { bytes: sums.into_bytes(), executable: false });
    Ok(files)
}

/// Every page that `blpk man --output-dir` writes.
fn man_pages(blpk: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = metadata::target_directory()?.join("release-tarball/man1");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    sh::capture(sh::command(blpk).args(["man", "--output-dir"]).arg(&folder))?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().context("a page has no name")?.to_string_lossy().into_owned();
        pages.push((name, read(&path)?));
    }
    std::fs::remove_dir_all(&folder)?;
    ensure!(pages.iter().any(|(name, _)| name == "blpk.1"), "blpk man wrote no blpk.1");
    Ok(pages)
}

/// The SHA-256 of `bytes` in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
