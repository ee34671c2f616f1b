//! The race program, and where its tables go.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{metadata, sh, venv};

/// Where full runs save their tables.
pub(super) const TABLES: &str = "docs/bench";

/// Returns the folder for tables that are not meant for the repository.
pub(super) fn trials() -> Result<PathBuf> {
    Ok(metadata::target_directory()?.join("bench-tables"))
}

/// The race program of `benches/`.
pub(super) struct Program(PathBuf);

impl Program {
    /// Builds it: `crates` adds other crates as peers, `zstd-c` makes ours use the C library for zstd.
    pub(super) fn build(features: &[&str]) -> Result<Self> {
        sh::run(&mut in_benches("build", &["--release", "--features", &features.join(",")])?)?;
        Ok(Program(metadata::target_directory()?.join("benches/release/race")))
    }

    /// Returns the program that [`verify`](super::verify) has built.
    pub(super) fn tested() -> Result<Self> {
        Ok(Program(metadata::target_directory()?.join("benches/debug/race")))
    }

    /// Returns the program at the path that `move_to` returns for its path.
    pub(super) fn moved(&self, move_to: impl FnOnce(&Path) -> Result<PathBuf>) -> Result<Self> {
        Ok(Program(move_to(&self.0)?))
    }

    pub(super) fn command(&self, name: &str) -> Result<Command> {
        let mut command = sh::command(&self.0);
        command.arg(name).env("BENCH_BUILT_FROM", built_from()?);
        Ok(command)
    }

    pub(super) fn run(&self, name: &str, options: &[&str]) -> Result<()> {
        sh::run(self.command(name)?.args(options))
    }
}

/// Returns the compiler version and commit that a table records.
pub(super) fn built_from() -> Result<String> {
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let commit = sh::capture(sh::command("git").args(["describe", "--always", "--dirty", "--abbrev=12"]));
    Ok(format!("{}, commit {}", rustc.trim(), commit.as_deref().unwrap_or("unknown").trim()))
}

pub(super) fn in_benches(action: &str, options: &[&str]) -> Result<Command> {
    let mut cargo = sh::cargo([action, "--locked", "--manifest-path", "benches/Cargo.toml", "--target-dir"]);
    cargo.arg(metadata::target_directory()?.join("benches")).args(options);
    Ok(cargo)
}

/// Returns the Python of the venv that has the peers.
pub(super) fn required_venv() -> Result<PathBuf> {
    match venv::python()? {
        venv::Venv::Ready(python) => Ok(python),
        venv::Venv::Impossible(why) => bail!("the peers come from a Python venv: {why}"),
    }
}
