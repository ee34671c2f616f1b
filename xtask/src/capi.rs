//! `cargo xtask capi`: builds and installs the C library, and runs the original's tests on it.
//!
//! ```text
//! PREFIX/include/blosc.h  blosc-export.h
//! PREFIX/lib/libblosc.so.1.21.7  ◄── libblosc.so.1 ◄── libblosc.so
//! PREFIX/lib/libblosc.a          one object; only the functions of blosc.h are visible
//! PREFIX/lib/pkgconfig/blosc.pc
//! PREFIX/lib/hdf5/plugin/         plugins: capi_hdf5.rs
//! ```

use crate::{capi_hdf5, metadata, sh};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask capi --prefix DIR | --test [--quick] | --valgrind";

/// The version of C-Blosc whose functions these are, for file names.
const VERSION: &str = "1.21.7";

/// The name by which programs find the shared library at run time.
const SONAME: &str = "libblosc.so.1";

/// The C compiler and the tools of GNU binutils: only installing and testing needs them.
const TOOLS: [&str; 4] = ["cc", "ld", "objcopy", "ar"];

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--prefix", prefix] => {
            let prefix = std::path::absolute(prefix)?;
            install(&prefix, Build::User)?;
            capi_hdf5::install(&prefix)?;
            println!("capi: installed in {}", prefix.display());
            Ok(())
        }
        ["--test"] => test(&[]),
        ["--valgrind"] => valgrind(),
        ["--test", "--quick"] => test(&["--quick"]),
        _ => bail!("{USAGE}"),
    }
}

/// The CI step: the original's tests, without the runs of its benchmark.
pub(crate) fn step() -> Result<()> {
    if let Some(missing) = TOOLS.iter().find(|tool| sh::find_program(tool).is_none()) {
        println!("capi: SKIPPED: {missing} was not found");
        return Ok(());
    }
    test(&["--quick"])
}

/// The purpose of a library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    User,
    /// With internal functions that the original's tests call.
    Test,
}

fn test(options: &[&str]) -> Result<()> {
    let prefix = metadata::target_directory()?.join("capi");
    install(&prefix, Build::Test)?;
    let python = sh::find_program("python3").context("python3 was not found")?;
    let script = sh::root().join("xtask/capi/cblosc.py");
    let count = sh::run_counting(sh::command(python).arg(script).arg(&prefix).args(options))?;
    println!("capi: {} passed, {} failed", count.passed, count.failed);
    ensure!(count.passed > 1500 && count.failed == 0, "capi: {} tests passed, {} failed", count.passed, count.failed);
    capi_hdf5::test(options)
}

/// Decodes malformed chunks by the C functions, under valgrind.
fn valgrind() -> Result<()> {
    let prefix = metadata::target_directory()?.join("capi-valgrind");
    install(&prefix, Build::User)?;
    let python = sh::find_program("python3").context("python3 was not found")?;
    sh::find_program("valgrind").context("valgrind was not found")?;
    let script = sh::root().join("xtask/capi/valgrind.py");
    let count = sh::run_counting(sh::command(python).arg(script).arg(&prefix))?;
    ensure!(count.passed == 1 && count.failed == 0, "capi: valgrind found errors");
    Ok(())
}

fn install(prefix: &Path, build: Build) -> Result<()> {
    let built = compile(build)?;
    let (library, include) = (prefix.join("lib"), prefix.join("include"));
    for folder in [&library.join("pkgconfig"), &include] {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    for header in ["blosc.h", "blosc-export.h"] {
        copy(&sh::root().join("crates/blosc-capi/include").join(header), &include.join(header))?;
    }
    let full_name = format!("libblosc.so.{VERSION}");
    copy(&built.join("libblosc_capi.so"), &library.join(&full_name))?;
    link(&full_name, &library.join(SONAME))?;
    link(SONAME, &library.join("libblosc.so"))?;
    archive(&built.join("libblosc_capi.a"), &library.join("libblosc.a"))?;
    write(&library.join("pkgconfig/blosc.pc"), &package_config(prefix))
}

/// Compiles both libraries. Returns their folder.
fn compile(build: Build) -> Result<PathBuf> {
    let mut cargo = sh::cargo(["rustc", "--release", "--locked", "--package", "blosc-capi"]);
    cargo.args(["--crate-type", "cdylib,staticlib"]);
    if build == Build::Test {
        cargo.args(["--features", "testing"]);
    }
    sh::run(cargo.args(["--", "-C", &format!("link-arg=-Wl,-soname,{SONAME}")]))?;
    Ok(metadata::target_directory()?.join("release"))
}

/// Makes an archive of one object from that of the compiler, in which all of Rust's functions are visible: two such
/// archives cannot be linked into one program.
fn archive(from: &Path, to: &Path) -> Result<()> {
    let object = to.with_extension("o");
    sh::run(tool("ld").args(["-r", "--whole-archive"]).arg(from).arg("-o").arg(&object))?;
    let mut objcopy = tool("objcopy");
    objcopy.args(["--wildcard", "--keep-global-symbol=blosc_*", "--strip-unneeded"]);
    // Bitcode of the standard library, which some versions of `ar` try to read.
    sh::run(objcopy.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]).arg(&object))?;
    remove(to)?;
    sh::run(tool("ar").arg("rcs").arg(to).arg(&object))?;
    remove(&object)
}

fn package_config(prefix: &Path) -> String {
    let prefix = prefix.display();
    format!(
        "prefix={prefix}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\nName: blosc\nDescription: Compressed chunks of binary data\nVersion: \
         {VERSION}\nLibs: -L${{libdir}} -lblosc\nLibs.private: -lm -lpthread -ldl\nCflags: -I${{includedir}}\n"
    )
}

fn tool(name: &str) -> Command {
    sh::command(name)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    // A new file: programs may have the old one mapped.
    remove(to)?;
    std::fs::copy(from, to).with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn link(target: &str, link: &Path) -> Result<()> {
    remove(link)?;
    std::os::unix::fs::symlink(target, link).with_context(|| link.display().to_string())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| path.display().to_string())
        }
        _ => Ok(()),
    }
}
