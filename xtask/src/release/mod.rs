//! `cargo xtask release`: builds `blpk` for users and packs it as a reproducible tarball.
//!
//! The tarball depends only on the commit and the toolchain. Paths of the machine are mapped to fixed names, entries
//! are sorted, and every time is `SOURCE_DATE_EPOCH` or the time of the last commit.
//!
//! | file | contents |
//! |---|---|
//! | `build` | builds without paths of the machine |
//! | `contents`, `input`, `licences` | the files of a release; how they are read; licence texts |
//! | `tarball`, `timestamp` | the `.tar.gz`; the time of its files |
//! | `check` | checks a finished tarball |

mod build;
mod check;
mod contents;
mod input;
mod licences;
mod tarball;
mod timestamp;

pub(crate) use build::{blpk, cargo, host, set_flags};

use crate::metadata;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Builds, packs and checks the tarball; with `--check` once more from a copy of the sources in another folder.
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

/// The CI step: makes and checks a tarball.
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
    let bytes = tarball::pack(&name, &files, timestamp::time()?)?;
    std::fs::write(&tarball, &bytes).with_context(|| tarball.display().to_string())?;
    let line = format!("{}  {name}.tar.gz\n", contents::sha256(&bytes));
    std::fs::write(folder.join(format!("{name}.tar.gz.sha256")), line)?;
    println!("release: {} files, {} bytes", files.len(), bytes.len());
    Ok(tarball)
}
