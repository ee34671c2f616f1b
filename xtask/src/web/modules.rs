//! The WebAssembly modules, and the JavaScript that calls them.

use super::built::Built;
use super::compiler::{self, Compiler, TARGET};
use super::npm::gzipped;
use super::place::{CRATE, target};
use crate::sh;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module.
#[derive(Clone, Copy)]
struct Module {
    name: &'static str,
    features: &'static str,
    /// The optimization level of blosc-core.
    core: &'static str,
    /// The maximum of its size in bytes, compressed by gzip.
    max_gzipped: usize,
}

const MODULES: [Module; 4] = [
    Module { name: "decode", features: "chunks", core: "3", max_gzipped: 200_000 },
    Module { name: "encode", features: "compress,zstd", core: "3", max_gzipped: 400_000 },
    Module { name: "open", features: "containers", core: "\"s\"", max_gzipped: 400_000 },
    Module { name: "page", features: "info", core: "\"s\"", max_gzipped: 450_000 },
];

/// Size of the stack in bytes, in place of 1 MiB.
const STACK: &str = "2097152";

/// Compiles the modules and writes the JavaScript that calls them to the folder `generated` of the package.
///
/// Linking a module takes one core most of the time, so two builds run at the same time.
pub(crate) fn build(compiler: &Compiler) -> Result<()> {
    let folder = sh::root().join(CRATE);
    let [decode, encode, open, page] = MODULES;
    let (chunks, files) = std::thread::scope(|scope| {
        let files = scope.spawn(|| compile_all(compiler, [open, page], FILES));
        let chunks = compile_tool(&folder).and_then(|()| compile_all(compiler, [decode, encode], CHUNKS));
        (chunks, files.join())
    });
    let files = files.map_err(|_| anyhow::anyhow!("the thread that compiles modules panicked"))?;
    let generated = folder.join("js/generated");
    for (Module { name, max_gzipped, .. }, module) in chunks?.into_iter().chain(files?) {
        let (size, gzipped) = write(&module, &generated, &format!("blpk_{name}"))?;
        println!("web: module {name}: {size} bytes, {gzipped} gzipped");
        if gzipped > max_gzipped {
            bail!("the module {name} has {gzipped} bytes gzipped, more than {max_gzipped}");
        }
    }
    Ok(())
}

/// Compiles the program that writes the JavaScript. It runs for a second, so it is compiled quickly.
fn compile_tool(folder: &Path) -> Result<()> {
    let mut bindgen = sh::cargo(["build", "--quiet", "--locked", "--package", "blpk-web-bindgen"]);
    bindgen.args(["--config", "profile.dev.debug=false", "--config", "profile.dev.incremental=false"]);
    sh::run(bindgen.arg("--manifest-path").arg(folder.join("Cargo.toml")).arg("--target-dir").arg(tools()?))
}

/// Folders of builds that can run at the same time.
const CHUNKS: &str = "chunks";
const FILES: &str = "files";

/// Compiles modules one after the other, and keeps a copy of each.
fn compile_all<const N: usize>(
    compiler: &Compiler,
    modules: [Module; N],
    folder: &str,
) -> Result<Vec<(Module, PathBuf)>> {
    let compile = |module: Module| {
        let built = compile(compiler, &["--features", module.features], module.core, folder)?;
        let kept = built.with_file_name(format!("{}.wasm", module.name));
        fs::copy(&built, &kept).with_context(|| built.display().to_string())?;
        Ok((module, kept))
    };
    modules.into_iter().map(compile).collect()
}

/// Compiles a module with some features and a level of optimization of blosc-core.
fn compile(compiler: &Compiler, features: &[&str], core: &str, folder: &str) -> Result<PathBuf> {
    let mut build = cargo(compiler, "build", folder)?;
    build.args(features).args(["--config", &format!("profile.release.package.blosc-core.opt-level={core}")]);
    sh::run(build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", compiler::linker()?))?;
    Ok(target()?.join(folder).join(TARGET).join("release/blpk_web.wasm"))
}

/// Returns a cargo command for the crate, with the flags of the modules and a folder for its results.
fn cargo(compiler: &Compiler, command: &str, folder: &str) -> Result<Command> {
    let arguments = [command, "--quiet", "--locked", "--release", "--package", "blpk-web", "--target", TARGET];
    let mut cargo = compiler.cargo(arguments);
    cargo.arg("--manifest-path").arg(sh::root().join(CRATE).join("Cargo.toml"));
    cargo.arg("--target-dir").arg(target()?.join(folder));
    // Cargo puts no hash into the names of such modules, so one with other features replaces the last one, which is then
    // compiled again. With this variable, it does.
    cargo.env("__CARGO_DEFAULT_LIB_METADATA", "web");
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags()?).env_remove("RUSTFLAGS");
    Ok(cargo)
}

/// Writes the JavaScript that calls a module. Returns the size of the module in bytes, and that compressed by gzip.
fn write(module: &Path, folder: &Path, name: &str) -> Result<(usize, usize)> {
    let bindgen = tools()?.join(format!("debug/blpk-web-bindgen{}", std::env::consts::EXE_SUFFIX));
    sh::run(sh::command(bindgen).arg(module).arg(folder).arg(name))?;
    let file = folder.join(format!("{name}_bg.wasm"));
    let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
    Ok((bytes.len(), gzipped(&file)?))
}

fn tools() -> Result<PathBuf> {
    Ok(target()?.join("tools"))
}

/// Variants of the module that decodes chunks: what codecs they have, and their features.
const CODECS: [(&str, &[&str]); 4] = [
    ("decode: blosclz lz4 zstd", &["--no-default-features", "--features", "chunks"]),
    ("decode: blosclz lz4 zstd zlib", &["--no-default-features", "--features", "chunks,zlib"]),
    ("decode: blosclz lz4 zstd snappy", &["--no-default-features", "--features", "chunks,snappy"]),
    ("encode: all but zstd", &["--features", "compress"]),
];

/// Writes the table of sizes: of the modules, and by codec.
pub(super) fn sizes(built: &Built) -> Result<sh::Count> {
    let mut lines =
        String::from("# Sizes of the WebAssembly modules in bytes. By cargo xtask web sizes.\nmodule\tsize\tgzip\n");
    let folder = sh::root().join(CRATE).join("js/generated");
    for Module { name, .. } in MODULES {
        let file = folder.join(format!("blpk_{name}_bg.wasm"));
        let size = fs::metadata(&file).with_context(|| file.display().to_string())?.len();
        lines += &format!("{name}\t{size}\t{}\n", gzipped(&file)?);
    }
    for (name, features) in CODECS {
        let module = compile(&built.compiler, features, "3", CHUNKS)?;
        let (size, gzipped) = write(&module, &target()?.join("sizes"), "variant")?;
        lines += &format!("{name}\t{size}\t{gzipped}\n");
    }
    fs::write(sh::root().join("docs/bench/web_sizes.tsv"), lines)?;
    Ok(sh::Count::default())
}

/// Returns the flags of the compiler. The paths of this machine, which the locations of panics have, are left out.
fn flags() -> Result<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let root = sh::root();
    let mut hidden = vec![root.join("crates"), root];
    hidden.extend(home.map(|home| home.join("registry/src")));
    let hidden = hidden.iter().map(|path| format!(" --remap-path-prefix={}=", path.display()));
    Ok(format!("-Ctarget-feature=+simd128 -Clink-arg=-zstack-size={STACK}{}", hidden.collect::<String>()))
}

/// Checks the formatting, and runs clippy where it knows the target.
pub(crate) fn lint(built: &Built) -> Result<sh::Count> {
    let manifest = format!("{CRATE}/Cargo.toml");
    let mut count = sh::Count::default();
    sh::run(&mut sh::cargo(["fmt", "--manifest-path", &manifest, "--check", "--all"]))?;
    count.passed += 1;
    if !built.compiler.has_clippy() {
        println!("web: clippy is skipped: it has no standard library for {TARGET}");
        count.ignored += 1;
        return Ok(count);
    }
    // With all features. Code that is unused without some of them is denied by the crate, and so fails the build. In a
    // folder of the modules, the macros are compiled already.
    let mut clippy = cargo(&built.compiler, "clippy", CHUNKS)?;
    sh::run(clippy.args(["--all-features", "--", "-D", "warnings"]))?;
    count.passed += 1;
    Ok(count)
}
