//! The list of fuzz targets, and how they are built.
//!
//! `cargo fuzz run TARGET` works too where cargo-fuzz and a nightly compiler are installed. This module needs neither:
//! it passes the same flags and sets `RUSTC_BOOTSTRAP`, which lets the stable compiler build with sanitizers.

use crate::{metadata, sh};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The flags of `cargo fuzz build`: coverage counters for libFuzzer, and AddressSanitizer.
const RUSTFLAGS: &str = "--cfg=fuzzing -Zsanitizer=address -Cdebug-assertions -Cforce-frame-pointers -Ccodegen-units=1 \
    -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Packages built with these flags: this project's own code. Instrumenting the zstd dependency alone would add three
/// minutes.
const INSTRUMENTED: [&str; 5] = ["blosc-core", "blosc-capi", "bloscpack-format", "bloscpack-io", "blosc-fuzz"];

/// Returns the targets in the order of `fuzz/Cargo.toml`: from the codecs up to the containers.
pub(super) fn targets() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(sh::root().join("fuzz/Cargo.toml")).context("fuzz/Cargo.toml")?;
    let name = |line: &str| Some(line.strip_prefix("path = \"fuzz_targets/")?.strip_suffix(".rs\"")?.to_owned());
    Ok(manifest.lines().filter_map(name).collect())
}

/// Builds targets and returns the folder with their binaries. For a quick run, with less optimization: the build would
/// take longer than the run.
pub(super) fn build(targets: &[String], is_quick: bool) -> Result<PathBuf> {
    let folder = metadata::target_directory()?.join("fuzz");
    let mut build = sh::cargo(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    build.args(targets.iter().flat_map(|target| ["--bin", target]));
    build.arg("--target-dir").arg(&folder).arg("-Zprofile-rustflags");
    if is_quick {
        build.args(["--config", "profile.release.opt-level=1", "--config", "profile.release.debug=false"]);
    }
    let flags: Vec<String> = RUSTFLAGS.split_whitespace().map(|flag| format!("'{flag}'")).collect();
    for package in INSTRUMENTED {
        build.arg("--config").arg(format!("profile.release.package.{package}.rustflags=[{}]", flags.join(",")));
    }
    sh::run(build.env("RUSTC_BOOTSTRAP", "1"))
        .context("building the fuzz targets (they need a C and a C++ compiler)")?;
    Ok(folder.join("release"))
}
