//! Do others read what we write, and we what they write? Runs `xtask/interop/*.py`, live, against the reference libraries.

use crate::{release, sh, venv};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What became of a run: how much was checked, or why nothing was.
pub(crate) enum Outcome {
    /// Every script passed; all their cases together.
    Passed(sh::Count),
    /// Nothing ran.
    Skipped(&'static str),
}

/// Runs the scripts of these names (`chunks` for `xtask/interop/chunks.py`), or all of them.
pub(crate) fn run(names: &[&str]) -> Result<Outcome> {
    let python = match venv::python()? {
        venv::Venv::Ready(python) => python,
        venv::Venv::Impossible(why) => {
            println!("interop: SKIPPED: {why}");
            return Ok(Outcome::Skipped(why));
        }
    };
    let scripts = scripts(names)?;
    let blpk = release::blpk()?;
    // What changes frames and bcolz directories for the scripts of these names; it lies beside blpk, in `examples`.
    sh::run(&mut release::cargo(["build", "--package", "bloscpack-io", "--examples"])?)?;
    let mut total = sh::Count::default();
    for script in scripts {
        total += sh::run_counting(sh::command(&python).arg(&script).arg(&blpk))?;
    }
    println!("interop: {} passed, {} failed", total.passed, total.failed);
    Ok(Outcome::Passed(total))
}

/// Every script is one question; files that start with `_` are what they share.
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
