//! The HDF5 plugins of `cargo xtask capi`: one crate, built once for each filter.
//!
//! ```text
//! PREFIX/lib/hdf5/plugin/libH5Zblosc.so   filter 32001
//! PREFIX/lib/hdf5/plugin/libH5Zblosc2.so  filter 32026
//! ```

use crate::venv::{self, Venv};
use crate::{metadata, release, sh};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The file of each plugin, and the features with which it is built.
const PLUGINS: [(&str, &[&str]); 2] =
    [("libH5Zblosc.so", &[]), ("libH5Zblosc2.so", &["--features", "blosc-hdf5/blosc2"])];

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
    let python = match venv::pinned(&folder.join("venv"), "xtask/capi/requirements.txt")? {
        Venv::Ready(python) => python,
        Venv::Impossible(why) => {
            println!("capi: SKIPPED the HDF5 plugins: {why}");
            return Ok(());
        }
    };
    install(&folder)?;
    let script = sh::root().join("xtask/capi/hdf5.py");
    let count = sh::run_counting(sh::command(python).arg(script).arg(&folder).args(options))?;
    println!("capi: HDF5 plugins: {} passed, {} failed", count.passed, count.failed);
    ensure!(count.passed > 1000 && count.failed == 0, "capi: {} passed, {} failed", count.passed, count.failed);
    Ok(())
}
