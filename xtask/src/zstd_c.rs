//! CI step `zstd-c`: lints and tests blosc-core with the C library in place of its own zstd decoder and `rust-zstd`.
//!
//! All other steps leave out features that compile C, so that they run on machines without a C compiler.

use crate::sh;
use anyhow::{Context, Result, ensure};

/// All features of blosc-core but `zstd`, which `zstd-c` does not need.
const FEATURES: &str = "zlib,snappy,rayon,zstd-c";

/// Names of the tests that concern codecs and hostile input.
const TESTS: [&str; 6] = ["zstd", "golden", "damage", "limits", "round_trip", "refused_memory"];

pub(crate) fn run() -> Result<()> {
    let Some(compiler) = sh::find_program("cc").or_else(|| sh::find_program("gcc")) else {
        println!("zstd-c: SKIPPED: there is no C compiler");
        return Ok(());
    };
    println!("zstd-c: with {}", compiler.display());
    let tree = sh::capture(core("tree").args(["--edges", "normal", "--prefix", "none", "--format", "{p}"]))?;
    ensure!(!tree.contains("rust-zstd"), "zstd-c: the feature alone needs rust-zstd:\n{tree}");
    sh::run(core("clippy").args(["--all-targets", "--", "-D", "warnings"]))?;
    let tests = sh::run_counting(core("test").args(["--tests", "--"]).args(TESTS))?;
    ensure!(tests.passed > 50, "zstd-c: only {} tests ran", tests.passed);
    // With both features the C library is used, in all crates.
    sh::run(&mut sh::cargo(["check", "--locked", "--package", "blpk-cli", "--features", "zstd-c"])).context("blpk-cli")
}

fn core(command: &str) -> std::process::Command {
    sh::cargo([command, "--locked", "--package", "blosc-core", "--no-default-features", "--features", FEATURES])
}
