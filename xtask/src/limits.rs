//! What do hostile inputs cost? Every malformed golden file and 100,000 mutations, their memory and time against limits.

use crate::sh;
use anyhow::{Context, Result, ensure};

/// Mutations of chunks and of containers together.
const INPUTS: u64 = 100_000;

/// Runs them and prints the figures, for docs/reliability.md.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let inputs = match arguments {
        [] => INPUTS,
        [inputs] => inputs.parse().context("INPUTS is a number")?,
        _ => anyhow::bail!("usage: cargo xtask limits [INPUTS]"),
    };
    // The profile of tests is optimised, and keeps the checks for overflow.
    let mut tests = sh::cargo(["test", "--locked", "--package", "blosc-core", "--package", "bloscpack-io"]);
    tests.args(["--test", "limits", "--", "--nocapture", "--test-threads=1"]);
    let said = sh::capture(tests.env("BLOSC_LIMITS_INPUTS", inputs.to_string()))?;
    let figures: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once("limits: ")?.1)).collect();
    ensure!(figures.len() == FIGURES, "{} sets of inputs instead of {FIGURES}:\n{said}", figures.len());
    println!("limits: {inputs} mutations, and every malformed golden file");
    figures.iter().for_each(|line| println!("  {line}"));
    Ok(())
}

/// Malformed and mutated chunks; malformed and mutated frames, bloscpack files, bcolz directories.
const FIGURES: usize = 8;
