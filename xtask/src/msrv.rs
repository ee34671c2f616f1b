//! Does everything that users build still compile with the oldest Rust that Cargo.toml says it does?

use crate::{metadata, sh};
use anyhow::{Context, Result};

/// Every check is such a test where the compiler is that old itself; else the old one is installed beside it.
pub(crate) fn run() -> Result<()> {
    let oldest = metadata::rust_version()?;
    let rustc = sh::capture(sh::command("rustc").arg("--version"))?;
    let here = rustc.split_whitespace().nth(1).context("rustc does not say its version")?;
    if here == oldest || here.starts_with(&format!("{oldest}.")) {
        println!("msrv: {oldest} is this compiler: every other step tests it");
        return Ok(());
    }
    let toolchain = format!("{oldest}.0");
    let mut install = sh::command("rustup");
    sh::run(install.args(["toolchain", "install", &toolchain, "--profile", "minimal", "--no-self-update"]))?;
    let target = metadata::target_directory()?.join("msrv");
    let mut check = sh::command("rustup");
    check.args(["run", &toolchain, "cargo", "check", "--locked", "--features", "bloscpack-io/ndarray"]);
    for package in ["blosc-core", "bloscpack-format", "bloscpack-io", "blpk-cli"] {
        check.args(["--package", package]);
    }
    sh::run(check.arg("--target-dir").arg(target))?;
    println!("msrv: {oldest} compiles all that users build");
    Ok(())
}
