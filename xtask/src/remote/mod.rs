//! `cargo xtask remote`: object stores, web servers, Zarr and clusters, with real servers on this machine.
//!
//! Scripts are in `xtask/remote`. A script belongs to the part that its name starts with: `s3.py` and `s3_writes.py` to
//! `s3`. Names that start with `_` are modules shared by scripts. A script gets the path of `blpk`, starts the servers
//! that it needs on free ports, and ends them. It prints `N passed, M failed`, or is run by pytest.
//!
//! `interop` runs the scripts for Zarr of `cargo xtask interop`, in the venv of the other parts.

use crate::python::venv::{self, Python};
use crate::{release, sh};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A part of the tests.
struct Part {
    name: &'static str,
    /// Whether it runs where no part is named.
    is_default: bool,
    about: &'static str,
}

const PARTS: [Part; 6] = [
    Part { name: "interop", is_default: false, about: "Zarr arrays by other writers, read by blpk, and the reverse" },
    Part {
        name: "http",
        is_default: true,
        about: "blpk reads URLs from a web server, and through a proxy with faults",
    },
    Part { name: "s3", is_default: true, about: "blpk reads from and writes to an S3 API" },
    Part {
        name: "references",
        is_default: true,
        about: "zarr, xarray and VirtualiZarr read files of every format in place",
    },
    Part { name: "dask", is_default: true, about: "Dask on two processes, over files and over S3; a worker is killed" },
    Part { name: "hostile", is_default: true, about: "damaged metadata, chunks and answers" },
];

/// `cargo xtask remote [--debug] [PART]...`: the named parts, or all but `interop`. With `--debug` they test the debug build.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (is_debug, names) = match arguments {
        ["--debug", names @ ..] => (true, names),
        names => (false, names),
    };
    if let Some(unknown) = names.iter().find(|name| !PARTS.iter().any(|part| part.name == **name)) {
        let parts: Vec<String> = PARTS.iter().map(|part| format!("\n  {:11}{}", part.name, part.about)).collect();
        bail!("no part is called {unknown}; there are{}", parts.concat());
    }
    let Some(python) = venv::prepare()? else {
        println!("remote: SKIPPED: python3 was not found or is too old; install Python 3.11 or later");
        return Ok(());
    };
    let blpk = if is_debug { crate::shared_build::Programs::build()?.blpk() } else { release::blpk()? };
    let mut total = sh::Count::default();
    let is_wanted = |part: &&Part| if names.is_empty() { part.is_default } else { names.contains(&part.name) };
    for part in PARTS.iter().filter(is_wanted) {
        println!("\n-- remote {}: {}", part.name, part.about);
        let (start, count) = (Instant::now(), run_part(part, &python, &blpk)?);
        let Some(count) = count else {
            println!("remote {}: no script in xtask/remote", part.name);
            continue;
        };
        println!("-- remote {}: {:.1} s", part.name, start.elapsed().as_secs_f64());
        total += count;
    }
    println!("remote: {} passed, {} failed", total.passed, total.failed);
    Ok(())
}

/// Runs the scripts of a part. `None` if there are none.
fn run_part(part: &Part, python: &Python, blpk: &Path) -> Result<Option<sh::Count>> {
    let mut total = None;
    for script in scripts(part)? {
        let count = sh::run_counting(python.command().arg(&script).arg(blpk));
        let count = count.with_context(|| format!("`cargo xtask remote {}` runs it alone", part.name))?;
        *total.get_or_insert_default() += count;
    }
    Ok(total)
}

/// Returns the scripts of a part, in the order of their names.
fn scripts(part: &Part) -> Result<Vec<PathBuf>> {
    let mut scripts = scripts_in("xtask/remote", part.name)?;
    if part.name == "interop" {
        scripts.extend(scripts_in("xtask/interop", "zarr")?);
    }
    Ok(scripts)
}

/// Returns the scripts of a folder whose names start with this word.
fn scripts_in(folder: &str, word: &str) -> Result<Vec<PathBuf>> {
    let folder = sh::root().join(folder);
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    scripts.retain(|path| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        is_python && stem.split('_').next() == Some(word)
    });
    scripts.sort();
    Ok(scripts)
}
