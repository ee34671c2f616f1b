//! `cargo xtask cross`: runs the tests for other targets in an emulator, and on this machine with newer instruction
//! sets disabled.
//!
//! By default this needs the target's standard library (`rustup target add TARGET`), the linker named by the target's
//! cargo configuration, and an installed emulator. For targets that rustup does not provide, set `BLOSC_CROSS` to a
//! program. It is called as `$BLOSC_CROSS TARGET -- test ARGS…` and has to do what `cargo test ARGS…` does, for that
//! target.

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// Kernel tables that `BLOSC_KERNELS` can select on x86-64. Each excludes the faster ones.
const MASKED: [&str; 3] = ["scalar", "sse2", "avx2"];

/// A target and the emulator that runs its programs.
struct Target {
    name: &'static str,
    emulator: Option<&'static [&'static str]>,
    /// The system has threads, processes and file locks. All crates are tested then, otherwise only the two without
    /// I/O.
    has_system: bool,
    /// Values of `RUSTFLAGS`; the tests run once with each.
    rustflags: &'static [&'static str],
}

const TARGETS: [Target; 6] = [
    Target {
        name: "aarch64-unknown-linux-gnu",
        emulator: Some(&["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
        has_system: true,
        rustflags: &[""],
    },
    Target {
        name: "s390x-unknown-linux-gnu",
        emulator: Some(&["qemu-s390x", "-L", "/usr/s390x-linux-gnu"]),
        has_system: true,
        rustflags: &[""],
    },
    Target {
        name: "powerpc-unknown-linux-gnu",
        emulator: Some(&["qemu-ppc", "-L", "/usr/powerpc-linux-gnu"]),
        has_system: true,
        rustflags: &[""],
    },
    Target { name: "i686-unknown-linux-gnu", emulator: None, has_system: true, rustflags: &[""] },
    Target {
        name: "wasm32-wasip1",
        emulator: Some(&["wasmtime", "--dir", "/"]),
        has_system: false,
        rustflags: &["", "-Ctarget-feature=+simd128"],
    },
    Target { name: "x86_64-unknown-linux-gnu", emulator: None, has_system: true, rustflags: &[""] },
];

/// Runs the tests for each named target, or for all targets if `names` is empty.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let known: Vec<&str> = TARGETS.iter().map(|target| target.name).chain(MASKED).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!("no target is called {unknown}; there are {}", known.join(" "));
    }
    let wanted = if names.is_empty() { known.as_slice() } else { names };
    let mut lines = Vec::new();
    for name in wanted {
        match TARGETS.iter().find(|target| target.name == *name) {
            Some(target) => {
                for rustflags in target.rustflags {
                    let count =
                        sh::run_counting(&mut command(target, rustflags)?).with_context(|| (*name).to_owned())?;
                    lines.push((format!("{name} {rustflags}"), count));
                }
            }
            None => {
                let mut test = sh::cargo(["test", "--locked", "--package", "blosc-core", "--package", "bloscpack-io"]);
                test.args(["--features", "blosc-core/internals"]).env("BLOSC_KERNELS", name);
                lines.push((format!("this machine, kernels {name}"), sh::run_counting(&mut test)?));
            }
        }
    }
    println!("\nsummary of cargo xtask cross");
    for (name, count) in &lines {
        println!("  {name:60} {} passed, {} failed, {} ignored", count.passed, count.failed, count.ignored);
    }
    Ok(())
}

/// Returns the `cargo test` command for a target.
fn command(target: &Target, rustflags: &str) -> Result<Command> {
    let mut arguments = vec!["test".to_owned(), "--locked".into(), "--no-fail-fast".into()];
    let packages: &[&str] = match target.has_system {
        true => &["blosc-core", "bloscpack-format", "bloscpack-io", "blpk-cli"],
        false => &["blosc-core", "bloscpack-format"],
    };
    for package in packages {
        arguments.extend(["--package".into(), (*package).to_owned()]);
    }
    let features = metadata::testable_features()?;
    let tested = |feature: &&str| packages.iter().any(|package| feature.starts_with(&format!("{package}/")));
    let threads = |feature: &&str| target.has_system || !feature.ends_with("/rayon");
    let features: Vec<&str> = features.split(',').filter(tested).filter(threads).collect();
    arguments.extend(["--features".into(), features.join(",")]);
    let mut command = match std::env::var_os("BLOSC_CROSS") {
        Some(program) => {
            let mut command = sh::command(program);
            command.args([target.name, "--"]).args(&arguments);
            command
        }
        None => {
            let mut command = sh::cargo(arguments.iter().map(String::as_str));
            command.args(["--target", target.name]);
            if let Some(emulator) = target.emulator {
                let name = target.name.to_uppercase().replace('-', "_");
                command.env(format!("CARGO_TARGET_{name}_RUNNER"), emulator.join(" "));
            }
            command
        }
    };
    // Tests are not debugged there, and debug information takes half of the build time.
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_TEST_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    // Higher optimization levels add more compile time, for each of a hundred tests, than they save at run time.
    command.env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    if target.name.starts_with("wasm32") {
        let options = format!("--require \"{}\"", sh::root().join("xtask/cross/node.cjs").display());
        command.env("NODE_OPTIONS", options);
    }
    if !rustflags.is_empty() {
        command.env("RUSTFLAGS", rustflags).env("RUSTDOCFLAGS", rustflags);
    }
    Ok(command)
}
