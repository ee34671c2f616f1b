//! Node, the tools from npm, and the package.

use super::built::Built;
use super::place::CRATE;
use crate::{release, sh};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest major version of Node that the package supports.
const OLDEST: u32 = 20;

fn folder() -> PathBuf {
    sh::root().join(CRATE).join("js")
}

/// Returns a command that runs in the folder of the package.
pub(crate) fn command(program: &str) -> Command {
    let mut command = sh::command(program);
    command.current_dir(folder());
    command
}

/// Returns whether Node and npm are on this machine.
pub(crate) fn is_here() -> Result<bool> {
    if sh::find_program("node").is_none() || sh::find_program("npm").is_none() {
        println!("web: SKIPPED: node or npm was not found");
        return Ok(false);
    }
    let version = sh::capture(sh::command("node").arg("--version"))?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST) {
        println!("web: SKIPPED: node {} is older than {OLDEST}", version.trim());
        return Ok(false);
    }
    Ok(true)
}

/// Returns the size of a file in bytes after compression by gzip, as servers do it at the best level.
pub(crate) fn gzipped(file: &Path) -> Result<usize> {
    let script = "process.stdout.write(String(require('zlib').gzipSync(require('fs').readFileSync(process.argv[1]), { level: 9 }).length))";
    let size = sh::capture(sh::command("node").args(["-e", script]).arg(file))?;
    size.parse().context("node does not say a size")
}

/// Installs the tools, and builds the package and the page. Returns `false` if the tools cannot be had.
pub(crate) fn build(page: &Path) -> Result<bool> {
    let mut install = command("npm");
    install.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    if !is_installed() && sh::run(&mut install).is_err() {
        println!("web: SKIPPED: npm cannot install the tools in {CRATE}/js/package-lock.json");
        return Ok(false);
    }
    sh::run(command("node").arg("build.mjs").arg(page))?;
    Ok(true)
}

/// Returns whether the tools were installed after the lock file was last changed.
fn is_installed() -> bool {
    let changed = |file: &str| std::fs::metadata(folder().join(file)).and_then(|found| found.modified()).ok();
    // npm writes the second file when it has installed everything.
    changed("node_modules/.package-lock.json") >= changed("package-lock.json")
}

/// Runs the tests in Node.
pub(crate) fn test(_: &Built) -> Result<sh::Count> {
    let output = sh::capture(command("node").args(["--test", "--test-reporter=tap", "test/"]));
    let text = output.context("node --test")?;
    let number = |what: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {what} ")))?;
        line.trim().parse::<u64>().ok()
    };
    let (Some(passed), Some(failed), Some(ignored)) = (number("pass"), number("fail"), number("skipped")) else {
        bail!("node --test does not say its counts:\n{text}");
    };
    println!("{passed} passed, {failed} failed");
    Ok(sh::Count { passed, failed, ignored })
}

/// Compares the facts of all golden files with those that `blpk info` prints.
pub(crate) fn info(_: &Built) -> Result<sh::Count> {
    sh::run_counting(command("node").arg("info/compare.mjs").arg(release::blpk()?))
}

/// Packs the package, installs it in an empty folder, and uses it from there with its types.
pub(crate) fn pack(_: &Built) -> Result<sh::Count> {
    sh::run_counting(command("node").arg("pack/packed.mjs"))
}
