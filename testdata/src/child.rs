//! Child processes for tests: another program, or this test binary with other environment variables, or to be killed.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Returns a command that runs only the test with the path `test` in this binary, such as `kernels::active`, with no
/// input and no output.
///
/// # Panics
///
/// If the system cannot tell the path of this executable.
#[must_use]
pub fn this_test(test: &str) -> Command {
    let mut command = program(&env::current_exe().expect("a system that knows its programs"));
    command.args(["--exact", test]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Returns a command for a program built along with the tests. It runs in the emulator of this process, if there is
/// one.
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

/// Returns how many times longer than usual things take: 15 in an emulator, otherwise 1. Multiply timeouts by it.
#[must_use]
pub fn slowness() -> u32 {
    if emulator().is_some() { 15 } else { 1 }
}

/// Returns when a process that a test kills ends by itself, in case the test was killed first.
#[must_use]
pub fn end_of_victim() -> Instant {
    Instant::now() + Duration::from_secs(60) * slowness()
}

/// Returns the emulator command that cargo runs this binary with, as in
/// `CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64 -L …`.
#[must_use]
pub fn emulator() -> Option<String> {
    let target = format!("CARGO_TARGET_{}_", env::consts::ARCH.to_uppercase());
    let is_it = |name: &str| name.starts_with(&target) && name.ends_with("_RUNNER");
    let found = env::vars().find(|(name, _)| is_it(name));
    found.map(|(_, runner)| runner).filter(|runner| !runner.trim().is_empty())
}
