//! `cargo xtask test`: runs every test and prints a summary that lists what was skipped.

use crate::shared_build::{self, Programs};
use crate::{interop, sh};
use anyhow::Result;

/// Feature sets that blosc-core must build with: none, and each feature alone.
const CORE_FEATURES: [&str; 5] = ["", "zlib", "zstd", "snappy", "rayon"];

/// Examples that check their own results.
const EXAMPLES: [&str; 6] =
    ["compress_a_slice", "decode_hostile_input", "plug_in_a_codec", "zarr_codec", "read_a_range", "write_an_array"];

pub(crate) fn run() -> Result<()> {
    let tests = sh::run_counting(&mut shared_build::test()?)?;
    let programs = Programs::built()?;
    for example in EXAMPLES {
        sh::run(&mut programs.example(example))?;
    }
    for features in CORE_FEATURES {
        let check = ["check", "--locked", "--package", "blosc-core", "--no-default-features", "--features", features];
        sh::run(&mut sh::cargo(check))?;
    }
    sh::run(&mut sh::cargo(["check", "--locked", "--package", "blpk-cli", "--no-default-features"]))?;
    let reads_only = ["test", "--locked", "--package", "bloscpack-io", "--no-default-features"];
    sh::run(sh::cargo(reads_only).args(["--test", "without_writing"]))?;
    let interop = interop::run_on(&programs.blpk(), &[])?;

    println!("\nsummary of cargo xtask test");
    println!("  cargo test      {} passed, {} failed, {} ignored", tests.passed, tests.failed, tests.ignored);
    println!(
        "  feature builds  blosc-core with no feature, and with each one alone; bloscpack-io that only reads; blpk"
    );
    match interop {
        interop::Outcome::Passed(count) => {
            println!("  interop         {} passed, {} failed", count.passed, count.failed);
            println!("{} passed, {} failed", tests.passed + count.passed, tests.failed + count.failed);
        }
        interop::Outcome::Skipped(why) => {
            println!("  interop         SKIPPED: {why}");
            println!("{} passed, {} failed, 1 skipped", tests.passed, tests.failed);
        }
    }
    Ok(())
}
