//! `cargo xtask test`: runs every test and prints a summary that lists what was skipped.

use crate::{interop, metadata, sh};
use anyhow::Result;

/// Feature sets that blosc-core must build with: none, and each feature alone.
const CORE_FEATURES: [&str; 5] = ["", "zlib", "zstd", "snappy", "rayon"];

/// Examples that check their own results.
const EXAMPLES: [(&str, &str, &str); 6] = [
    ("blosc-core", "", "compress_a_slice"),
    ("blosc-core", "", "decode_hostile_input"),
    ("blosc-core", "", "plug_in_a_codec"),
    ("blosc-core", "", "zarr_codec"),
    ("bloscpack-io", "", "read_a_range"),
    ("bloscpack-io", "ndarray", "write_an_array"),
];

pub(crate) fn run() -> Result<()> {
    let features = metadata::testable_features()?;
    // One call for unit, integration and doc tests, so that cargo builds each crate once.
    let tests = sh::run_counting(&mut sh::cargo(["test", "--workspace", "--locked", "--features", &features]))?;
    for features in CORE_FEATURES {
        sh::run(&mut sh::cargo([
            "check",
            "--locked",
            "--package",
            "blosc-core",
            "--no-default-features",
            "--features",
            features,
        ]))?;
    }
    sh::run(&mut sh::cargo([
        "test",
        "--locked",
        "--package",
        "bloscpack-io",
        "--no-default-features",
        "--test",
        "without_writing",
    ]))?;
    for (package, features, example) in EXAMPLES {
        sh::run(&mut sh::cargo([
            "run",
            "--locked",
            "--package",
            package,
            "--features",
            features,
            "--example",
            example,
        ]))?;
    }
    let interop = interop::run(&[])?;

    println!("\nsummary of cargo xtask test");
    println!("  cargo test      {} passed, {} failed, {} ignored", tests.passed, tests.failed, tests.ignored);
    println!("  feature builds  blosc-core with no feature, and with each one alone; bloscpack-io that only reads");
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
