//! CI step `msrv`: checks the published crates with the oldest promised Rust, and the libraries for WebAssembly.
//!
//! The libraries promise an older Rust than the command line, for all features except `zstd`, whose codec needs a newer
//! one.

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// The libraries and the features to check each with.
const LIBRARIES: [(&str, &str); 4] = [
    ("blosc-core", "zlib,snappy,rayon"),
    ("bloscpack-format", ""),
    ("bloscpack-io", "zlib,snappy,half,csv,write,remote"),
    READING,
];

/// The I/O library without the feature for writing files.
const READING: (&str, &str) = ("bloscpack-io", "zlib,snappy,half");

/// Dependencies that only the writing code may use.
const OF_WRITING: [&str; 2] = ["rustix", "tempfile"];

/// The target without an operating system.
const WASM: &str = "wasm32-unknown-unknown";

pub(crate) fn run() -> Result<()> {
    let oldest = metadata::rust_version("blpk-cli")?;
    if toolchain(&oldest)? {
        let features = ["bloscpack-io/half", "bloscpack-io/csv"].join(",");
        let mut check = cargo(&oldest)?;
        for package in ["blosc-core", "bloscpack-format", "bloscpack-io", "blpk-cli"] {
            check.args(["--package", package]);
        }
        sh::run(check.args(["--features", &features]))?;
        println!("msrv: {oldest} compiles all that users build");
    }
    for (name, features) in LIBRARIES {
        let oldest = metadata::rust_version(name)?;
        if toolchain(&oldest)? {
            let mut check = cargo(&oldest)?;
            sh::run(check.args(["--package", name, "--no-default-features", "--features", features]))?;
            println!("msrv: {oldest} compiles {name} with {features:?}");
        }
    }
    reading_needs_little()?;
    wasm()
}

/// Rejects writing dependencies in a read-only build of the library.
fn reading_needs_little() -> Result<()> {
    let (name, features) = READING;
    let mut tree = sh::cargo(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--target", "all"]);
    tree.args(["--package", name, "--no-default-features", "--features", features]);
    let tree = sh::capture(&mut tree)?;
    let mut lines = tree.lines();
    if let Some(line) = lines.find(|line| line.split(' ').next().is_some_and(|name| OF_WRITING.contains(&name))) {
        bail!("{name} without the feature `write` depends on {line}");
    }
    println!("msrv: {name} without `write` needs none of {OF_WRITING:?}");
    Ok(())
}

/// Checks all libraries with all codecs on a target without files and threads.
fn wasm() -> Result<()> {
    let mut install = sh::command("rustup");
    if sh::capture(install.args(["target", "add", WASM])).is_err() {
        println!("msrv: NOT CHECKED: the standard library for {WASM} cannot be installed here");
        return Ok(());
    }
    let mut check = sh::cargo(["check", "--locked", "--target", WASM]);
    check.arg("--target-dir").arg(metadata::target_directory()?.join("msrv"));
    for (name, _) in LIBRARIES {
        check.args(["--package", name]);
    }
    sh::run(&mut check)?;
    let (name, features) = READING;
    let mut check = sh::cargo(["check", "--locked", "--target", WASM, "--package", name]);
    check.arg("--target-dir").arg(metadata::target_directory()?.join("msrv"));
    sh::run(check.args(["--no-default-features", "--features", features]))?;
    println!("msrv: the libraries compile for {WASM}");
    Ok(())
}

/// Returns a `cargo check` command for the given toolchain, with a separate target directory.
fn cargo(version: &str) -> Result<Command> {
    let mut check = sh::command("rustup");
    check.args(["run", &format!("{version}.0"), "cargo", "check", "--locked"]);
    check.arg("--target-dir").arg(metadata::target_directory()?.join("msrv"));
    Ok(check)
}

/// Returns whether a check with this version is needed and possible. It is not needed if this compiler has that
/// version, because the other steps use it.
fn toolchain(version: &str) -> Result<bool> {
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let here = rustc.split_whitespace().nth(1).context("rustc does not say its version")?;
    if here == version || here.starts_with(&format!("{version}.")) {
        println!("msrv: {version} is this compiler");
        return Ok(false);
    }
    let mut install = sh::command("rustup");
    let toolchain = format!("{version}.0");
    let installed =
        sh::capture(install.args(["toolchain", "install", &toolchain, "--profile", "minimal", "--no-self-update"]));
    if installed.is_err() {
        println!("msrv: NOT CHECKED: Rust {toolchain} cannot be installed here");
    }
    Ok(installed.is_ok())
}
