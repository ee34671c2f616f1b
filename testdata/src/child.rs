//! Tests that start a program, or themselves as another process: to be killed there, or with other variables.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// This test binary, of which only `test` runs, with nothing to say.
///
/// # Panics
///
/// If the system does not know which program this is.
#[must_use]
pub fn this_test(test: &str) -> Command {
    let mut command = program(&env::current_exe().expect("a system that knows its programs"));
    command.args(["--exact", test]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A program that was built with the tests: run by the emulator that runs this process, if there is one.
#[must_use]
pub fn program(binary: &Path) -> Command {
    match emulator() {
        Some(words) => {
            let mut words = words.split_whitespace();
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words).arg(binary);
            command
        }
        None => Command::new(binary),
    }
}

/// How many times longer than usual things take: for tests that wait until another process is at work.
#[must_use]
pub fn slowness() -> u32 {
    if emulator().is_some() { 15 } else { 1 }
}

/// What runs this binary, as cargo was told: `CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64 -L …`.
#[must_use]
pub fn emulator() -> Option<String> {
    let target = format!("CARGO_TARGET_{}_", env::consts::ARCH.to_uppercase());
    let is_it = |name: &str| name.starts_with(&target) && name.ends_with("_RUNNER");
    let found = env::vars().find(|(name, _)| is_it(name));
    found.map(|(_, runner)| runner).filter(|runner| !runner.trim().is_empty())
}
