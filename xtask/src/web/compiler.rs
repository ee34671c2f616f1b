//! A compiler with a standard library for WebAssembly.
//!
//! rustup has one for most toolchains. Elsewhere Debian's `rustc` compiles it from the package `rust-web-src`, once.

use super::place::target;
use crate::sh;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of all modules.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Where Debian's packages put the compiler, its library for this machine, and the source of the library.
const DEBIAN: &str = "/usr/bin/rustc";
const LIBRARIES: &str = "/usr/lib/rustlib";

/// The oldest minor version of Rust that compiles the crate.
const OLDEST: u32 = 95;

/// A compiler for the target.
pub(crate) struct Compiler {
    /// The program that replaces `rustc`, `None` for rustup's.
    rustc: Option<PathBuf>,
}

impl Compiler {
    /// Returns a cargo command that compiles with it.
    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut cargo = sh::cargo(arguments);
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc);
        }
        cargo
    }

    /// Returns whether clippy, which needs rustup's library, can check the crate.
    pub(crate) fn has_clippy(&self) -> bool {
        self.rustc.is_none()
    }
}

/// Finds a compiler. `None` if there is none on this machine.
pub(crate) fn find() -> Result<Option<Compiler>> {
    let mut install = sh::command("rustup");
    install.args(["target", "add", TARGET]).stderr(std::process::Stdio::null());
    if sh::capture(&mut install).is_ok() {
        return Ok(Some(Compiler { rustc: None }));
    }
    let source = Path::new(LIBRARIES).join("src/rust/library/vendor");
    if !Path::new(DEBIAN).exists() || !source.exists() {
        println!("web: rustup cannot install {TARGET}, and Debian's rustc-web and rust-web-src are not installed");
        return Ok(None);
    }
    let version = sh::capture(sh::command(DEBIAN).arg("--version"))?;
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()).unwrap_or(0);
    if minor < OLDEST {
        println!("web: rustup cannot install {TARGET}, and {DEBIAN} is too old: {}", version.trim());
        return Ok(None);
    }
    let rustc = standard_library(minor, &source)?;
    Ok(Some(Compiler { rustc: Some(rustc) }))
}

/// Compiles the standard library as that of an empty crate, unless this was done before. Returns a program that runs
/// the compiler with it.
fn standard_library(minor: u32, vendored: &Path) -> Result<PathBuf> {
    let root = target()?.join(format!("std-1.{minor}"));
    let (program, complete) = (root.join("rustc"), root.join("complete"));
    if complete.exists() {
        return Ok(program);
    }
    println!("web: compiling the standard library for {TARGET}");
    let _ = fs::remove_dir_all(&root);
    let libraries = root.join("sysroot/lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries)?;
    let empty = root.join("empty");
    fs::create_dir_all(empty.join("src"))?;
    fs::write(empty.join("src/lib.rs"), "")?;
    fs::write(empty.join("Cargo.toml"), "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n")?;
    let mut build = sh::cargo(["build", "--quiet", "--offline", "--release", "--target", TARGET]);
    build.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
    build.args(["--config", "source.crates-io.replace-with=\"std\""]);
    build.args(["--config", &format!("source.std.directory={:?}", fs::canonicalize(vendored)?)]);
    // The library is unstable to build, and only this build of it is allowed to be. Its objects need the bitcode for
    // optimization across crates.
    build.env("RUSTC", DEBIAN).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTFLAGS").current_dir(&empty);
    build.env("CARGO_PROFILE_RELEASE_LTO", "true").env("CARGO_PROFILE_RELEASE_PANIC", "abort");
    build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s").env("CARGO_TARGET_DIR", empty.join("target"));
    sh::run(&mut build)?;
    for entry in fs::read_dir(empty.join("target").join(TARGET).join("release/deps"))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            fs::copy(&file, libraries.join(name))?;
        }
    }
    fs::remove_dir_all(&empty)?;
    write_program(&root, &program).context("writing the program that runs the compiler")?;
    fs::write(&complete, "")?;
    Ok(program)
}

/// Writes a program that runs Debian's compiler with the library, and with that of this machine for build scripts.
#[cfg(unix)]
fn write_program(root: &Path, program: &Path) -> Result<()> {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let verbose = sh::capture(sh::command(DEBIAN).arg("-vV"))?;
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not say its host")?;
    symlink(Path::new(LIBRARIES).join(host), root.join("sysroot/lib/rustlib").join(host))?;
    let sysroot = root.join("sysroot");
    fs::write(program, format!("#!/bin/sh\nexec {DEBIAN} --sysroot '{}' \"$@\"\n", sysroot.display()))?;
    Ok(fs::set_permissions(program, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn write_program(_: &Path, _: &Path) -> Result<()> {
    anyhow::bail!("Debian's compiler runs on Debian")
}

/// Returns the linker of rustup's toolchain. Debian's compiler has none for WebAssembly.
pub(crate) fn linker() -> Result<PathBuf> {
    let rustc = || sh::command("rustc");
    let sysroot = sh::capture(rustc().args(["--print", "sysroot"]))?;
    let verbose = sh::capture(rustc().arg("-vV"))?;
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not say its host")?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/rust-lld"))
}
