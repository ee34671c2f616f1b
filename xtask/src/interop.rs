//! `cargo xtask interop`: runs `xtask/interop/*.py`, which exchange data with the reference libraries in both
//! directions.

use crate::shared_build::Programs;
use crate::{release, sh, venv};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Result of a run.
pub(crate) enum Outcome {
    /// Every script passed; the sum of their counts.
    Passed(sh::Count),
    /// Nothing ran, for this reason.
    Skipped(&'static str),
}

/// `cargo xtask interop [--release] [NAME]...`: runs the named scripts (`chunks` for `xtask/interop/chunks.py`), or all.
/// With `--release` they test the binary that users get, otherwise the build of `cargo xtask test`.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--release", names @ ..] => {
            let blpk = release::blpk()?;
            sh::run(&mut release::cargo(["build", "--package", "bloscpack-io", "--examples"])?)?;
            run_on(&blpk, names)
        }
        names => run_on(&Programs::build()?.blpk(), names),
    }
    .map(drop)
}

/// Runs the named scripts, or all of them, with this `blpk`. The examples that edit frames and bcolz directories are in
/// the folder `examples` next to it.
pub(crate) fn run_on(blpk: &Path, names: &[&str]) -> Result<Outcome> {
    let python = match venv::python()? {
        venv::Venv::Ready(python) => python,
        venv::Venv::Impossible(why) => {
            println!("interop: SKIPPED: {why}");
            return Ok(Outcome::Skipped(why));
        }
    };
    let mut total = sh::Count::default();
    for script in scripts(names)? {
        total += sh::run_counting(sh::command(&python).arg(&script).arg(blpk))?;
    }
    println!("interop: {} passed, {} failed", total.passed, total.failed);
    Ok(Outcome::Passed(total))
}

/// Returns the paths of the named scripts, or of all. Files that start with `_` are modules shared by the scripts.
fn scripts(names: &[&str]) -> Result<Vec<PathBuf>> {
    let folder = sh::root().join("xtask/interop");
    if !names.is_empty() {
        return names
            .iter()
            .map(|name| {
                let script = folder.join(format!("{name}.py"));
                if script.is_file() { Ok(script) } else { bail!("there is no {}", script.display()) }
            })
            .collect();
    }
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let shared = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_'));
        if !shared && path.extension().is_some_and(|extension| extension == "py") {
            scripts.push(path);
        }
    }
    scripts.sort();
    Ok(scripts)
}
