//! `cargo xtask release`: builds `blpk` for users and packs it as a reproducible tarball.
//!
//! The tarball depends on the commit and the toolchain only: paths of the machine are mapped to fixed names, entries
//! are sorted, and every time is `SOURCE_DATE_EPOCH` or that of the last commit.

mod build;
mod check;
mod contents;
mod licences;
mod tarball;

pub(crate) use build::{blpk, cargo, host, set_flags};

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Builds, packs and checks the tarball; with `--check` a second time, from a copy of the sources in another folder.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let twice = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask release [--check]"),
    };
    let tarball = make()?;
    check::tarball(&tarball)?;
    if twice {
        check::reproducible(&tarball)?;
    }
    println!("release: {}", tarball.display());
    Ok(())
}

/// The CI step: a tarball, checked.
pub(crate) fn step() -> Result<()> {
    run(&[])
}

/// Writes `target/release-tarball/blpk-<version>-<target>.tar.gz` and its checksum.
fn make() -> Result<PathBuf> {
    let blpk = blpk()?;
    let name = format!("blpk-{}-{}", env!("CARGO_PKG_VERSION"), build::host()?);
    let folder = metadata::target_directory()?.join("release-tarball");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let files = contents::files(&blpk)?;
    let tarball = folder.join(format!("{name}.tar.gz"));
    let bytes = tarball::pack(&name, &files, time()?)?;
    std::fs::write(&tarball, &bytes).with_context(|| tarball.display().to_string())?;
    let line = format!("{}  {name}.tar.gz\n", contents::sha256(&bytes));
    std::fs::write(folder.join(format!("{name}.tar.gz.sha256")), line)?;
    println!("release: {} files, {} bytes", files.len(), bytes.len());
    Ok(tarball)
}

/// Seconds since 1970 that all files of the tarball get.
fn time() -> Result<u64> {
    if let Ok(epoch) = std::env::var("SOURCE_DATE_EPOCH") {
        return epoch.parse().with_context(|| format!("SOURCE_DATE_EPOCH={epoch} is not a number of seconds"));
    }
    let commit = sh::capture(sh::command("git").args(["log", "-1", "--format=%ct"]));
    let commit = commit.context("no commit to take the time from; set SOURCE_DATE_EPOCH")?;
    commit.trim().parse().with_context(|| format!("git log says {commit}"))
}

/// Reads a file of the repository.
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}
