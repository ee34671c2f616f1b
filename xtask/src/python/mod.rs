//! `cargo xtask python`: builds the Python packages as users do, with pip, into a venv of its own, and tests them.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the parts of the tests |
//! | `venv` | the interpreter with our packages and what the tests use |
//! | `versions` | one wheel on every interpreter of this machine |

pub(crate) mod venv;
mod versions;

use crate::metadata::PYTHON;
use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use venv::Python;

/// A part of the tests.
struct Part {
    name: &'static str,
    /// Whether it runs where no part is named.
    is_default: bool,
    run: fn(&Python) -> Result<sh::Count>,
}

const PARTS: [Part; 6] = [
    Part { name: "lint", is_default: true, run: lint },
    Part { name: "tests", is_default: true, run: tests },
    Part { name: "types", is_default: true, run: types },
    Part { name: "suites", is_default: true, run: suites },
    Part { name: "hostile", is_default: false, run: hostile },
    Part { name: "versions", is_default: false, run: versions::run },
];

/// `cargo xtask python [PART]...`: the named parts, or all that take no more than a few minutes.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| !PARTS.iter().any(|part| part.name == **name)) {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("no part is called {unknown}; there are {}", names.join(" "));
    }
    let Some(python) = venv::prepare()? else {
        println!("python: SKIPPED: python3 was not found or is too old; install Python 3.11 or later");
        return Ok(());
    };
    let mut total = sh::Count::default();
    let is_wanted = |part: &&Part| if names.is_empty() { part.is_default } else { names.contains(&part.name) };
    for part in PARTS.iter().filter(is_wanted) {
        println!("\n-- python {}", part.name);
        total += (part.run)(&python).with_context(|| format!("`cargo xtask python {}` runs it alone", part.name))?;
    }
    println!("python: {} passed, {} failed", total.passed, total.failed);
    Ok(())
}

/// Clippy of the extension module, for all interpreters and for the one of the venv, as it is built for a free-threaded
/// one.
fn lint(python: &Python) -> Result<sh::Count> {
    for features in [&[][..], &["--no-default-features"]] {
        let mut clippy = sh::cargo(["clippy", "--locked", "--manifest-path", PYTHON]);
        clippy.args(features).arg("--target-dir").arg(&python.target).env("PYO3_PYTHON", &python.program);
        sh::run(clippy.args(["--", "-D", "warnings"]))?;
    }
    Ok(sh::Count { passed: 2, ..sh::Count::default() })
}

/// The tests of the packages, and the examples in their documentation. Two processes, because examples register codecs.
fn tests(python: &Python) -> Result<sh::Count> {
    let pytest = |arguments: &[&str]| {
        let mut pytest = python.command();
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning"]);
        sh::run_counting(pytest.args(arguments))
    };
    let mut count = pytest(&["crates/blpk-python/tests"])?;
    let documents = ["docs/python.md", "docs/python-arrow.md", "crates/blpk-python/bloscpack/README.md"];
    let doctests = ["--doctest-modules", "--doctest-glob=*.md", "-o", "doctest_optionflags=ELLIPSIS"];
    count += pytest(&[&doctests[..], &documents, &["--pyargs", "blpk", "bloscpack"]].concat())?;
    Ok(count)
}

/// The annotations, and a program of a user that relies on them.
fn types(python: &Python) -> Result<sh::Count> {
    sh::run(python.command().args(["-m", "mypy", "--strict", "crates/blpk-python/tests/typed_program.py"]))?;
    sh::run(python.command().args(["-m", "mypy", "--strict", "--package", "blpk", "--package", "bloscpack"]))?;
    Ok(sh::Count { passed: 2, ..sh::Count::default() })
}

/// Every malformed chunk and file of the golden data.
fn hostile(python: &Python) -> Result<sh::Count> {
    sh::run_counting(python.command().arg("xtask/python/hostile.py"))
}

/// The tests of other projects, unmodified, on our packages.
fn suites(python: &Python) -> Result<sh::Count> {
    let folder = sh::root().join("xtask/python");
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    scripts.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("suite_")));
    scripts.sort();
    let mut total = sh::Count::default();
    for script in scripts {
        total += sh::run_counting(python.command().arg(script))?;
    }
    Ok(total)
}
