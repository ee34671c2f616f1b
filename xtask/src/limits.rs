//! `cargo xtask limits`: memory and time limits on every malformed golden file and 100,000 mutations.

use crate::sh;
use anyhow::{Context, Result, ensure};

/// Default number of mutations, chunks and containers together.
const INPUTS: u64 = 100_000;

/// Runs the tests and prints the figures for docs/reliability.md.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let inputs = match arguments {
        [] => INPUTS,
        [inputs] => inputs.parse().context("INPUTS is a number")?,
        _ => anyhow::bail!("usage: cargo xtask limits [INPUTS]"),
    };
    // The dev profile is optimized and keeps overflow checks.
    let mut tests = sh::cargo(["test", "--locked", "--package", "blosc-core", "--package", "bloscpack-io"]);
    tests.args(["--test", "it", "limits::", "--", "--nocapture", "--test-threads=1"]);
    let said = sh::capture(tests.env("BLOSC_LIMITS_INPUTS", inputs.to_string()))?;
    let figures: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once("limits: ")?.1)).collect();
    ensure!(figures.len() == FIGURES, "{} sets of inputs instead of {FIGURES}:\n{said}", figures.len());
    println!("limits: {inputs} mutations, and every malformed golden file");
    figures.iter().for_each(|line| println!("  {line}"));
    Ok(())
}

/// Number of reported figures: malformed and mutated inputs for each of chunks, frames, bloscpack files and bcolz
/// directories.
const FIGURES: usize = 8;
