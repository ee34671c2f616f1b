//! Starting other programs: run, capture output, or run and count test results.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the root of the repository in which `cargo xtask` was called. This binary may come from another clone,
/// because clones can share a target directory.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let xtask = PathBuf::from(xtask);
    xtask.parent().unwrap_or(&xtask).to_path_buf()
}

/// Returns a command for `program` that runs in the root of the repository, with empty stdin.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Returns a command for the cargo that runs this program, with `args`.
pub(crate) fn cargo<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// Runs `command` with its output shown.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command.status().with_context(|| format!("cannot start {}", text(command)))?;
    if !status.success() {
        bail!("{status}: {}", text(command));
    }
    Ok(())
}

/// Runs `command` and returns its stdout; stderr is shown.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {}", text(command)))?;
    if !output.status.success() {
        bail!("{}: {}", output.status, text(command));
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} wrote no UTF-8", text(command)))
}

/// Test counts reported by a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

/// Runs `command` with its output shown, and adds up the summary lines of its test runners.
pub(crate) fn run_counting(command: &mut Command) -> Result<Count> {
    announce(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", text(command)))?;
    let mut count = Count::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            println!("{line}");
            if let Some(found) = closing_line(&line) {
                count += found;
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{status}: {} ({} passed, {} failed)", text(command), count.passed, count.failed);
    }
    Ok(count)
}

/// Parses `test result: ok. 3 passed; 0 failed; 1 ignored; …` (cargo test), `3 passed, 0 failed` (the project's
/// scripts, which may name themselves first), and `3 passed, 1 skipped in 0.02s` (pytest, which names failures only if there are some).
fn closing_line(line: &str) -> Option<Count> {
    let words = line.strip_prefix("test result: ").unwrap_or(line);
    let number_before = |what: &str| {
        let words = words.split(" in ").next().unwrap_or_default();
        let before = words.split([';', ',', '.']).map(str::trim).find_map(|part| part.strip_suffix(what))?;
        before.trim().rsplit(' ').next()?.parse().ok()
    };
    // `in 0.02s`, or `in 74.29s (0:01:14)`.
    let is_pytest =
        words.split_once(" in ").is_some_and(|(_, time)| time.starts_with(|first: char| first.is_ascii_digit()));
    Some(Count {
        passed: number_before("passed")?,
        failed: number_before("failed").or_else(|| is_pytest.then_some(0))?,
        ignored: number_before("ignored").or_else(|| number_before("skipped")).unwrap_or(0),
    })
}

/// Returns the first file named `program` in the folders of `PATH`.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn announce(command: &Command) {
    println!("$ {}", text(command));
}

fn text(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Count, closing_line};

    #[test]
    fn closing_lines_of_all_runners() {
        let cargo = "test result: ok. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.05s";
        assert_eq!(closing_line(cargo), Some(Count { passed: 12, failed: 1, ignored: 2 }));
        assert_eq!(closing_line("4000 passed, 0 failed"), Some(Count { passed: 4000, failed: 0, ignored: 0 }));
        assert_eq!(closing_line("141 passed, 2 skipped in 34.35s"), Some(Count { passed: 141, failed: 0, ignored: 2 }));
        let long = "838 passed, 2 skipped, 7 warnings in 74.29s (0:01:14)";
        assert_eq!(closing_line(long), Some(Count { passed: 838, failed: 0, ignored: 2 }));
        assert_eq!(closing_line("1 failed, 3 passed in 1.2s"), Some(Count { passed: 3, failed: 1, ignored: 0 }));
        let suite = "suite numcodecs: 30 passed, 0 failed, 5 not applicable";
        assert_eq!(closing_line(suite), Some(Count { passed: 30, failed: 0, ignored: 0 }));
        assert_eq!(closing_line("running 12 tests"), None);
        assert_eq!(closing_line("test that_has_passed ... ok"), None);
    }
}
