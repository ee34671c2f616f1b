//! The HDF5 plugins of `cargo xtask capi`: one crate, built once for each filter.
//!
//! ```text
//! PREFIX/lib/hdf5/plugin/libH5Zblosc.so   filter 32001
//! PREFIX/lib/hdf5/plugin/libH5Zblosc2.so  filter 32026
//! ```

use crate::{metadata, release, sh};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};

/// The file of each plugin, and the features with which it is built.
const PLUGINS: [(&str, &[&str]); 2] =
    [("libH5Zblosc.so", &[]), ("libH5Zblosc2.so", &["--features", "blosc-hdf5/blosc2"])];

/// Pinned versions of what the test compares with.
const REQUIREMENTS: &str = include_str!("../capi/requirements.txt");

/// Exits with an error on Python versions that the pinned libraries do not support.
const TOO_OLD: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Builds both plugins and copies them below `prefix`.
pub(crate) fn install(prefix: &Path) -> Result<()> {
    let folder = prefix.join("lib/hdf5/plugin");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (name, features) in PLUGINS {
        let mut cargo = release::cargo(["build", "--package", "blosc-hdf5"])?;
        sh::run(cargo.args(features))?;
        let (built, target) = (metadata::target_directory()?.join("release/libblosc_hdf5.so"), folder.join(name));
        // By way of a new file: programs may have the old one mapped.
        let fresh = folder.join(format!("{name}.new"));
        std::fs::copy(&built, &fresh).with_context(|| built.display().to_string())?;
        std::fs::rename(&fresh, &target).with_context(|| target.display().to_string())?;
    }
    Ok(())
}

/// Installs the plugins in a folder of the target directory, and compares them with those of hdf5plugin.
pub(crate) fn test(options: &[&str]) -> Result<()> {
    let folder = metadata::target_directory()?.join("capi");
    let Some(python) = python(&folder.join("venv"))? else {
        println!("capi: SKIPPED the HDF5 plugins: python3 was not found or is older than 3.11");
        return Ok(());
    };
    install(&folder)?;
    let script = sh::root().join("xtask/capi/hdf5.py");
    let count = sh::run_counting(sh::command(python).arg(script).arg(&folder).args(options))?;
    println!("capi: HDF5 plugins: {} passed, {} failed", count.passed, count.failed);
    ensure!(count.passed > 1000 && count.failed == 0, "capi: {} passed, {} failed", count.passed, count.failed);
    Ok(())
}

/// Returns the interpreter of a venv with the pinned versions, made if it is missing.
fn python(venv: &Path) -> Result<Option<PathBuf>> {
    let Some(system) = sh::find_program("python3") else { return Ok(None) };
    if !sh::command(&system).args(["-c", TOO_OLD]).status()?.success() {
        return Ok(None);
    }
    let program = venv.join("bin/python");
    let wanted = sh::capture(sh::command(&system).arg("--version"))? + REQUIREMENTS;
    let stamp = venv.join("made-from.txt");
    if !std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        if venv.exists() {
            std::fs::remove_dir_all(venv)?;
        }
        sh::run(sh::command(&system).args(["-m", "venv"]).arg(venv))?;
        let mut install = sh::command(&program);
        install.args(["-m", "pip", "install", "--quiet", "--requirement", "xtask/capi/requirements.txt"]);
        sh::run(&mut install)?;
        std::fs::write(stamp, wanted)?; // last, so that an interrupted setup is repeated
    }
    if !program.is_file() {
        bail!("{} was made, but has no interpreter", venv.display());
    }
    Ok(Some(program))
}
