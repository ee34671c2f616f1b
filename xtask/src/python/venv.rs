//! The venv of the tests of `cargo xtask python` and `cargo xtask remote`: `target/python/venv`.

use crate::{metadata, release, sh};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages, in the order in which they depend on each other.
const PACKAGES: [&str; 2] = ["crates/blpk-python", "crates/blpk-python/bloscpack"];

/// Pinned versions of everything that the tests use.
const REQUIREMENTS: [&str; 2] =
    [include_str!("../../python/requirements.txt"), include_str!("../../remote/requirements.txt")];

/// The files of [`REQUIREMENTS`].
const FILES: [&str; 2] = ["xtask/python/requirements.txt", "xtask/remote/requirements.txt"];

/// Exits with an error on Python versions that the pinned libraries do not support.
const TOO_OLD: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// The interpreter of the venv, and where its builds go.
pub(crate) struct Python {
    pub(crate) program: PathBuf,
    pub(crate) target: PathBuf,
}

impl Python {
    /// Returns a command for the interpreter.
    pub(crate) fn command(&self) -> Command {
        sh::command(&self.program)
    }
}

/// Makes the venv unless it holds the pinned versions, and installs the packages into it.
pub(crate) fn prepare() -> Result<Option<Python>> {
    let Some(system) = sh::find_program("python3") else { return Ok(None) };
    if !sh::command(&system).args(["-c", TOO_OLD]).status()?.success() {
        return Ok(None);
    }
    let folder = metadata::target_directory()?.join("python");
    let venv = folder.join("venv");
    let python = Python { program: venv.join("bin/python"), target: folder };
    let wanted = sh::capture(sh::command(&system).arg("--version"))? + &REQUIREMENTS.concat();
    let stamp = venv.join("made-from.txt");
    if !std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        make(&system, &venv, &python.program).context("making the venv of the Python tests")?;
        std::fs::write(stamp, wanted)?; // last, so that an interrupted setup is repeated
    }
    for package in PACKAGES.iter().filter(|package| sh::root().join(package).is_dir()) {
        let mut install = python.command();
        install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]);
        // The folder and flags of every other release build, so that cargo compiles no dependency twice.
        install.arg(format!("./{package}")).env("CARGO_TARGET_DIR", metadata::target_directory()?);
        release::set_flags(&mut install)?;
        sh::run(&mut install)?;
    }
    Ok(Some(python))
}

fn make(system: &Path, venv: &Path, python: &Path) -> Result<()> {
    if venv.exists() {
        std::fs::remove_dir_all(venv)?;
    }
    sh::run(sh::command(system).args(["-m", "venv"]).arg(venv))?;
    let mut install = sh::command(python);
    install.args(["-m", "pip", "install", "--quiet"]);
    for file in FILES {
        install.arg("--requirement").arg(sh::root().join(file));
    }
    sh::run(&mut install)
}
