//! CI step `no-c`: checks that the default `blpk` builds with `cargo` alone.
//!
//! Checks the names of all dependencies, then builds with every other compiler replaced by a script that fails.

use crate::deny::Config;
use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// `-sys` crates that contain only declarations and build nothing.
const PURE_SYS: &str = "core-foundation-sys js-sys linux-raw-sys web-sys windows-sys";

/// Programs that a build script might start. The linker is not listed: rustc needs it, and [`link_only`] guards it.
const COMPILERS: &str = "ar as bindgen c++ c89 c99 cc clang clang++ clang-cl cl cmake cpp g++ gcc gcc-ar gmake llvm-ar \
    make meson nasm ninja pkg-config tcc yasm zig";

pub(crate) fn run() -> Result<()> {
    let packages = dependencies()?;
    check_names(&packages, &Config::read()?.banned)?;
    println!("no-c: {} packages in the default tree, none of them builds C", packages.len());
    if !cfg!(unix) {
        println!("no-c: SKIPPED the guarded build: it needs a Unix shell");
        return Ok(());
    }
    guarded_build()
}

/// Returns the packages in the tree of `blpk-cli` with default features: normal and build dependencies for this target.
fn dependencies() -> Result<Vec<String>> {
    let tree = sh::capture(&mut sh::cargo([
        "tree",
        "--locked",
        "--package",
        "blpk-cli",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]))?;
    let mut names: Vec<String> = tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// Rejects crates banned by deny.toml, and `-sys` crates that compile something.
fn check_names(packages: &[String], builders: &[String]) -> Result<()> {
    if !packages.iter().any(|name| name == "blosc-core") {
        bail!("no-c: cargo tree does not even list blosc-core: {packages:?}");
    }
    let is_pure = |name: &str| PURE_SYS.split(' ').any(|entry| entry == name);
    let forbidden = |name: &&String| builders.contains(name) || (name.ends_with("-sys") && !is_pure(name));
    let found: Vec<&String> = packages.iter().filter(forbidden).collect();
    if let Some(name) = found.first() {
        bail!(
            "no-c: the default tree of blpk-cli holds {found:?}, which build code that is not Rust.\n\
             `cargo tree -p blpk-cli -e normal,build -i {name}` shows who brings it; make that optional and off by default.\n\
             A -sys crate that only declares belongs in PURE_SYS of xtask/src/no_c.rs."
        );
    }
    Ok(())
}

/// Builds in a fresh folder with every compiler shadowed by a script that logs the call and fails. A logged call fails
/// this check even if the build script falls back silently and the build succeeds.
fn guarded_build() -> Result<()> {
    let linker = sh::find_program("cc").or_else(|| sh::find_program("gcc")).context("rustc needs cc to link with")?;
    let folder = metadata::target_directory()?.join("no-c");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let guards = folder.join("guards");
    std::fs::create_dir_all(&guards)?;
    let calls = folder.join("calls.log");
    for compiler in COMPILERS.split(' ') {
        write_script(&guards.join(compiler), &refusal(compiler, &calls))?;
    }
    let guard = folder.join("link-only");
    write_script(&guard, &link_only(&linker, &calls))?;

    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(guards.clone()).chain(std::env::split_paths(&path)))?;
    let mut build = sh::cargo(["build", "--locked", "--package", "blpk-cli"]);
    // Only the programs started by the build matter, so skip optimization.
    build.args(["--config", "profile.dev.opt-level=0", "--config", "profile.dev.package.'*'.opt-level=0"]);
    build.args(["--config", "profile.dev.debug=false"]);
    build.env("CARGO_TARGET_DIR", folder.join("target")).env("PATH", path);
    build.env("RUSTFLAGS", format!("-Clinker={}", guard.display())).env_remove("CARGO_ENCODED_RUSTFLAGS");
    for (variable, compiler) in [("CC", "cc"), ("CXX", "c++"), ("AR", "ar"), ("CMAKE", "cmake"), ("HOST_CC", "cc")] {
        build.env(variable, guards.join(compiler));
    }
    let built = sh::run(&mut build);
    let log = std::fs::read_to_string(&calls).unwrap_or_default();
    if !log.is_empty() {
        bail!("no-c: the build of blpk-cli started what it must not need:\n{log}");
    }
    built.context("no-c: blpk-cli does not build without C compilers")?;

    let blpk = folder.join("target/debug/blpk");
    let version = sh::capture(sh::command(&blpk).arg("--version")).context("no-c: the built blpk does not start")?;
    println!("no-c: built without any compiler but rustc: {}", version.trim());
    std::fs::remove_dir_all(folder.join("target"))?; // half a gigabyte that is not used again
    Ok(())
}

fn refusal(compiler: &str, calls: &Path) -> String {
    format!("echo \"{compiler} $*\" >> '{}'\necho 'no-c: {compiler} was called' >&2\nexit 1\n", calls.display())
}

/// Returns a script that forwards linking to the real compiler driver. It logs and rejects source files and
/// compile-only calls.
fn link_only(linker: &Path, calls: &Path) -> String {
    let calls = calls.display();
    format!(
        "for argument in \"$@\"; do\n\
         \x20 case \"$argument\" in\n\
         \x20   -c|-S|-E|-x|*.c|*.cc|*.cpp|*.cxx|*.C|*.s|*.S|*.asm)\n\
         \x20     echo \"linker called as a compiler: $*\" >> '{calls}'; exit 1 ;;\n\
         \x20 esac\n\
         done\n\
         exec '{}' \"$@\"\n",
        linker.display()
    )
}

fn write_script(path: &PathBuf, body: &str) -> Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{body}")).with_context(|| path.display().to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_names;
    use crate::deny::Config;

    fn tree(extra: &str) -> Vec<String> {
        ["blosc-core", "linux-raw-sys", "libc", extra].map(String::from).to_vec()
    }

    #[test]
    fn builders_of_c_are_refused_and_declarations_are_not() {
        let builders = Config::read().unwrap().banned;
        assert!(check_names(&tree("rayon"), &builders).is_ok());
        for name in ["cc", "cmake", "zstd-sys", "libz-sys", "bindgen", "nasm-rs", "pkg-config"] {
            assert!(check_names(&tree(name), &builders).is_err(), "{name}");
        }
    }
}
