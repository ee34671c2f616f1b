//! Real full disks and file size limits: a tmpfs of 1 MiB, `/dev/full`, `ulimit -f`.

use super::cases::CASES;
use super::sandbox::{Sandbox, empty_folder};
use super::tools::{Program, Tools};
use anyhow::Result;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the tests and returns a description of each failure.
pub(crate) fn run(tools: &Tools, fixture: &Path, work: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    println!();
    wrong.extend(file_limit(tools, fixture, work)?);
    wrong.extend(dev_full(tools, fixture, work)?);
    wrong.extend(full_file_system(tools, fixture, work)?);
    wrong.iter().for_each(|why| println!("WRONG {why}"));
    Ok(wrong)
}

/// Runs every `blpk` command with a file size limit. The `SIGXFSZ` that comes with it must not kill the process.
fn file_limit(tools: &Tools, fixture: &Path, work: &Path) -> Result<Vec<String>> {
    let (mut failed, mut fitted, mut wrong) = (0, 0, Vec::new());
    for case in CASES.iter().filter(|case| case.program == Program::Blpk) {
        let sandbox = Sandbox::new(case, tools, fixture, &work.join("limit"))?;
        // The unit is 512 or 1024 bytes, depending on the shell.
        for blocks in [0, 4, 40] {
            sandbox.reset()?;
            let output = sh(&format!("ulimit -f {blocks} && exec \"$0\" \"$@\""), &sandbox.command()?, &sandbox)?;
            let found = sandbox.judge(false);
            let whole = found.as_ref().is_ok_and(|found| found.leftovers.is_empty());
            match output.status.code() {
                Some(0) if whole => fitted += 1,
                Some(1) if whole && says(&output, "File too large") => failed += 1,
                _ => wrong.push(format!("{}, ulimit -f {blocks}: {found:?} {output:?}", case.name)),
            }
        }
    }
    println!("ulimit -f: {} runs, {failed} failed clean, {fitted} fitted", failed + fitted + wrong.len());
    Ok(wrong)
}

/// Runs commands that print data with `/dev/full` as stdout.
fn dev_full(tools: &Tools, fixture: &Path, work: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let all = [
        "c plain -",
        "d a.blp -",
        "cat --items 0..3000 a.b2nd",
        "cat --slice ::-1 --format text a.b2nd",
        "cat --slice ::2 --format csv a.blp",
        "stats a.b2nd",
        "verify -v a.blp",
        "info a.blp",
        "list a.blp",
        "chunk encode plain -",
    ];
    for args in all {
        let mut command = tools.command(Program::Blpk, args, fixture);
        let full = std::fs::File::options().write(true).open("/dev/full")?;
        let output = command.stdout(full).env("TMPDIR", work).output()?;
        if output.status.code() != Some(1) || !says(&output, "No space left on device") {
            wrong.push(format!("{args} > /dev/full: {output:?}"));
        }
    }
    println!("/dev/full: {} runs, {} failed clean", all.len(), all.len() - wrong.len());
    Ok(wrong)
}

/// Runs every command on a file system that is too small for its output.
fn full_file_system(tools: &Tools, fixture: &Path, work: &Path) -> Result<Vec<String>> {
    let mount = work.join("full");
    empty_folder(&mount)?;
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&mount).output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        println!("full file system: skipped, for mounting one is not allowed here");
        return Ok(Vec::new());
    }
    let done = on_mounted(tools, fixture, &mount);
    let _ = Command::new("umount").arg(&mount).status();
    done
}

fn on_mounted(tools: &Tools, fixture: &Path, mount: &Path) -> Result<Vec<String>> {
    let (mut failed, mut fitted, mut wrong) = (0, 0, Vec::new());
    for case in CASES {
        empty_folder(&mount.join("sandbox"))?;
        let sandbox = Sandbox::new(case, tools, fixture, &mount.join("sandbox"))?;
        // Free bytes on the file system.
        for left in [0, 4 << 10, 16 << 10, 48 << 10] {
            sandbox.reset()?;
            let mut command = sandbox.command()?;
            fill(&mount.join("ballast"), left)?;
            let output = command.output()?;
            std::fs::remove_file(mount.join("ballast"))?;
            let found = sandbox.judge(false);
            let whole = found.as_ref().is_ok_and(|found| found.leftovers.is_empty());
            match output.status.code() {
                Some(0) if whole => fitted += 1,
                Some(1) if whole && says(&output, "No space left on device") => failed += 1,
                _ => wrong.push(format!("{}, {left} bytes left: {found:?} {output:?}", case.name)),
            }
        }
    }
    println!("full file system: {} runs, {failed} failed clean, {fitted} fitted", failed + fitted + wrong.len());
    Ok(wrong)
}

/// Fills the file system except for `left` bytes.
fn fill(ballast: &Path, left: u64) -> Result<()> {
    use std::io::Write as _;
    let mut file = std::fs::File::create(ballast)?;
    let block = [0; 4096];
    let mut len = 0;
    while file.write_all(&block).is_ok() {
        len += block.len() as u64;
    }
    Ok(file.set_len(len.saturating_sub(left))?)
}

fn says(output: &Output, cause: &str) -> bool {
    let stderr = String::from_utf8_lossy(&output.stderr);
    stderr.contains(cause) && !stderr.contains("panicked")
}

/// Runs a command from a shell script that sets its limits first.
fn sh(script: &str, command: &Command, sandbox: &Sandbox<'_>) -> Result<Output> {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args()).current_dir(&sandbox.dir);
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    if sandbox.case.stdin.is_empty() {
        shell.stdin(std::process::Stdio::null());
    } else {
        shell.stdin(std::fs::File::open(sandbox.dir.join(sandbox.case.stdin.trim_start_matches('<')))?);
    }
    Ok(shell.output()?)
}
