//! The package on every interpreter of this machine. `abi3` wheels are for all versions from 3.10 on, except free-threaded
//! ones, for which pip builds another. PyO3 has support for those from 3.14 on.

use super::venv::Python;
use crate::sh;
use anyhow::Result;
use std::path::Path;

/// The names of the interpreters.
const INTERPRETERS: &str = "python3.10 python3.11 python3.12 python3.13 python3.14 python3.14t";

/// The packages that the tests need on every version.
const NEEDS: [&str; 3] = ["numpy", "pytest", "hypothesis"];

/// Tests that need no other library.
const TESTS: [&str; 6] = [
    "test_chunks.py",
    "test_arrays.py",
    "test_array_changes.py",
    "test_attributes.py",
    "test_command.py",
    "test_table.py",
];

pub(super) fn run(python: &Python) -> Result<sh::Count> {
    let mut total = sh::Count::default();
    for name in INTERPRETERS.split(' ') {
        match sh::find_program(name).filter(|program| starts(program)) {
            Some(program) => total += test(python, name, &program)?,
            None => println!("python versions: there is no {name} here"),
        }
    }
    Ok(total)
}

/// Whether the interpreter runs. A version manager may have stand-ins for versions that it does not offer here.
fn starts(program: &Path) -> bool {
    sh::command(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn test(python: &Python, name: &str, program: &Path) -> Result<sh::Count> {
    let venv = python.target.join(name);
    sh::run(sh::command(program).args(["-m", "venv", "--clear"]).arg(&venv))?;
    let interpreter = venv.join("bin/python");
    let mut install = sh::command(&interpreter);
    // The newest version with a wheel. Building hypothesis needs Rust, and does not work everywhere.
    install.args(["-m", "pip", "install", "--quiet", "--only-binary", &NEEDS.join(",")]).args(NEEDS);
    install.arg("./crates/blpk-python");
    sh::run(install.env("CARGO_TARGET_DIR", &python.target))?;
    let mut pytest = sh::command(&interpreter);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    let tests = Path::new("crates/blpk-python/tests");
    pytest.args(TESTS.iter().map(|test| tests.join(test)).filter(|test| sh::root().join(test).exists()));
    sh::run_counting(&mut pytest)
}
