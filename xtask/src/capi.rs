//! `cargo xtask capi`: builds and installs the C libraries, and runs the originals' tests on them.
//!
//! `capi_library.rs` builds the libraries, `capi_hdf5.rs` the plugins. `capi_clients.rs` runs other programs on them.

use crate::capi_library::{self, Abi, Build, TOOLS};
use crate::{capi_clients, capi_hdf5, metadata, sh};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

const USAGE: &str =
    "usage: cargo xtask capi --prefix DIR [--blosc2-abi 7] | --test [--quick] | --clients [NAME]... | --valgrind";

/// The programs that test a library, and the fewest tests that must pass. 840 tests are of shuffles of x86.
const TESTS: [(&str, u64); 2] =
    [("cblosc.py", 1500), ("cblosc2.py", if cfg!(target_arch = "x86_64") { 2400 } else { 1560 })];

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--prefix", prefix] => install(prefix, Abi::Nine),
        ["--prefix", prefix, "--blosc2-abi", "7"] => install(prefix, Abi::Seven),
        ["--clients", names @ ..] => capi_clients::run(names),
        ["--test"] => test(&[]),
        ["--valgrind"] => valgrind(),
        ["--test", "--quick"] => test(&["--quick"]),
        _ => bail!("{USAGE}"),
    }
}

fn install(prefix: &str, abi: Abi) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    capi_library::install(&prefix, Build::User, abi)?;
    capi_hdf5::install(&prefix)?;
    println!("capi: installed in {}", prefix.display());
    Ok(())
}

/// The CI step: the originals' tests, without the runs of benchmarks.
pub(crate) fn step() -> Result<()> {
    if let Some(missing) = TOOLS.iter().find(|tool| sh::find_program(tool).is_none()) {
        println!("capi: SKIPPED: {missing} was not found");
        return Ok(());
    }
    test(&["--quick"])
}

fn test(options: &[&str]) -> Result<()> {
    let prefix = metadata::target_directory()?.join("capi");
    capi_library::install(&prefix, Build::Test, Abi::Nine)?;
    for (script, least) in TESTS {
        let count = run_script(script, &prefix, options)?;
        println!("capi: {script}: {} passed, {} failed", count.passed, count.failed);
        let (passed, failed) = (count.passed, count.failed);
        ensure!(passed >= least && failed == 0, "capi: {script}: {passed} tests passed, {failed} failed");
    }
    capi_hdf5::test(options)
}

/// Reads malformed chunks and frames by the C functions, under valgrind.
fn valgrind() -> Result<()> {
    let prefix = metadata::target_directory()?.join("capi-valgrind");
    capi_library::install(&prefix, Build::User, Abi::Nine)?;
    sh::find_program("valgrind").context("valgrind was not found")?;
    let count = run_script("valgrind.py", &prefix, &[])?;
    ensure!(count.passed > 0 && count.failed == 0, "capi: valgrind found errors");
    Ok(())
}

/// Runs a script of `xtask/capi` on the libraries in `prefix`.
fn run_script(script: &str, prefix: &Path, options: &[&str]) -> Result<sh::Count> {
    let python = sh::find_program("python3").context("python3 was not found")?;
    let script = sh::root().join("xtask/capi").join(script);
    sh::run_counting(sh::command(python).arg(script).arg(prefix).args(options))
}
