//! Checks a finished tarball: complete, intact, without paths of the build machine, reproducible in another folder.

use super::input::read;
use super::tarball::unpack;
use super::{build, contents, timestamp};
use crate::{metadata, sh};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Checks the contents of a tarball.
pub(super) fn tarball(path: &Path) -> Result<()> {
    let files = unpack(&read(path)?)?;
    let program = format!("blpk{}", std::env::consts::EXE_SUFFIX);
    let completions = contents::COMPLETIONS.map(|(_, file)| format!("completions/{file}"));
    let texts = ["README.md", "LICENSE", "THIRD-PARTY.txt", "CHANGELOG.md", "man/man1/blpk.1", &program];
    for name in texts.into_iter().chain(completions.iter().map(String::as_str)) {
        ensure!(files.get(name).is_some_and(|entry| !entry.bytes.is_empty()), "the tarball has no {name}");
    }
    let sums = String::from_utf8(files["SHA256SUMS"].bytes.clone())?;
    ensure!(sums.lines().count() + 1 == files.len(), "SHA256SUMS does not list every file");
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").context("SHA256SUMS")?;
        let entry = files.get(name).with_context(|| format!("SHA256SUMS names {name}, which is missing"))?;
        ensure!(contents::sha256(&entry.bytes) == sum, "{name} does not have the checksum in SHA256SUMS");
    }
    let mut secrets = vec![std::env::home_dir().context("no home folder")?];
    secrets.extend(build::builder_paths()?.into_iter().map(|(path, _)| path));
    for (name, entry) in &files {
        if let Some(found) = secrets.iter().find(|path| holds(&entry.bytes, path)) {
            bail!("{name} of the tarball names {}, a folder of this machine", found.display());
        }
    }
    starts(&files[&program].bytes)?;
    println!("release: contents, checksums and paths are in order");
    Ok(())
}

/// Returns whether `bytes` contain `folder` as the start of a path. The root folder reveals nothing about a machine. A
/// top-level folder may be called `/src`, which also occurs in the middle of many other paths.
fn holds(bytes: &[u8], folder: &Path) -> bool {
    let needle = format!("{}/", folder.to_string_lossy().trim_end_matches('/'));
    let is_short = needle.split('/').count() < 4;
    let in_a_path = |at: usize| at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"-_.".contains(&bytes[at - 1]));
    let mut windows = bytes.windows(needle.len()).enumerate();
    needle.len() > 1 && windows.any(|(at, window)| window == needle.as_bytes() && !(is_short && in_a_path(at)))
}

/// Runs the program from the tarball and compares its version.
fn starts(program: &[u8]) -> Result<()> {
    let path = metadata::target_directory()?.join(format!("release-tarball/blpk{}", std::env::consts::EXE_SUFFIX));
    std::fs::write(&path, program)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    let version = sh::capture(sh::command(&path).arg("--version"))?;
    ensure!(version.contains(env!("CARGO_PKG_VERSION")), "the program says it is {version}");
    Ok(std::fs::remove_file(&path)?)
}

/// Copies the sources to another folder, makes the tarball there, and compares the two byte by byte.
pub(super) fn reproducible(first: &Path) -> Result<()> {
    let copy = std::env::temp_dir().join(format!("blpk-release-{}", std::process::id()));
    let result = (|| {
        copy_sources(&copy)?;
        let mut second = sh::cargo(["xtask", "release"]);
        second.current_dir(&copy).env("CARGO_TARGET_DIR", copy.join("elsewhere"));
        second.env("SOURCE_DATE_EPOCH", timestamp::time()?.to_string()).env_remove("CARGO_MANIFEST_DIR");
        sh::run(&mut second)?;
        let name = first.file_name().context("the tarball has no name")?;
        let second = copy.join("elsewhere/release-tarball").join(name);
        ensure!(read(first)? == read(&second)?, "a build in {} gives another tarball", copy.display());
        Ok(())
    })();
    let removed = std::fs::remove_dir_all(&copy);
    result?;
    removed?;
    println!("release: a build in another folder gives the same bytes");
    Ok(())
}

fn copy_sources(to: &Path) -> Result<()> {
    let list = sh::capture(sh::command("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    for name in list.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (sh::root().join(name), to.join(name));
        if from.exists() {
            std::fs::create_dir_all(to.parent().context("a file without a folder")?)?;
            std::fs::copy(&from, &to).with_context(|| from.display().to_string())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::holds;
    use std::path::Path;

    #[test]
    fn paths_are_found_as_prefixes_only() {
        assert!(holds(b"at /home/me/src/lib.rs:3", Path::new("/home/me")));
        assert!(!holds(b"at /home/mean/src", Path::new("/home/me")));
        assert!(!holds(b"/rustc/src", Path::new("/")));
        assert!(!holds(b"/blpk/crates/blosc-core/src/lib.rs", Path::new("/src")));
        assert!(holds(b"\0/src/crates/lib.rs", Path::new("/src")) && holds(b"abc/src/a/lib.rs", Path::new("/src/a")));
    }
}
