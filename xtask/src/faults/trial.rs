//! One run with one failing system call, and its verdict.

use super::sandbox::Sandbox;
use super::tools::{Program, Tools};
use anyhow::Result;
use std::fs;
use std::process::Output;

const EAGAIN: i32 = 11;

/// A way to make a call fail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    call: &'static str,
    how: How,
    /// Number of consecutive calls that fail.
    last: u32,
    /// Whether the program must succeed despite the fault.
    harmless: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Error(i32),
    Short,
    Kill,
}

impl Fault {
    pub(crate) const fn once(call: &'static str, error: i32) -> Fault {
        Fault { call, how: How::Error(error), last: 1, harmless: false }
    }

    /// All later calls of this kind fail too.
    pub(crate) const fn for_ever(call: &'static str, error: i32) -> Fault {
        Fault { last: 1 << 30, ..Fault::once(call, error) }
    }

    pub(crate) const fn harmless(call: &'static str, error: i32) -> Fault {
        Fault { harmless: true, ..Fault::once(call, error) }
    }

    /// Transfers fewer bytes than requested, but at least one.
    pub(crate) const fn short(call: &'static str) -> Fault {
        Fault { call, how: How::Short, last: 1, harmless: true }
    }

    /// `kill -9` before a call that modifies something.
    pub(crate) const KILL: Fault = Fault { call: "change", how: How::Kill, last: 1, harmless: false };

    pub(crate) fn name(&self) -> String {
        let last = if self.last > 1 { ", and ever after" } else { "" };
        match self.how {
            How::Error(error) => format!("{}: {}{last}", self.call, text_of(error)),
            How::Short => format!("{}: short", self.call),
            How::Kill => "kill -9".into(),
        }
    }
}

fn text_of(error: i32) -> String {
    let text = std::io::Error::from_raw_os_error(error).to_string();
    text.split_once(" (os error").map_or(text.clone(), |(text, _)| text.into())
}

/// Outcome of a run.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The old state is intact.
    Clean,
    /// The command failed or was killed, but its effect is complete.
    Done,
    /// The fault had no visible effect.
    Harmless,
    Wrong(String),
}

/// Runs the command with call number `at` failing; `None` if it makes fewer calls.
pub(crate) fn run(sandbox: &Sandbox<'_>, tools: &Tools, fault: &Fault, at: u32) -> Result<Option<Verdict>> {
    sandbox.reset()?;
    let log = sandbox.dir.with_extension("log");
    let _ = fs::remove_file(&log);
    let mut command = sandbox.command()?;
    if let Some(interposer) = tools.interposer() {
        let how = match fault.how {
            How::Error(error) => error.to_string(),
            How::Short => "short".into(),
            How::Kill => "kill".into(),
        };
        command.env("LD_PRELOAD", interposer).env("FAULT_CALL", fault.call).env("FAULT_HOW", how);
        command.env("FAULT_AT", at.to_string()).env("FAULT_LAST", fault.last.to_string());
        command.env("FAULT_DIR", &sandbox.dir).env("FAULT_LOG", &log);
    }
    let output = command.output()?;
    let Ok(met) = fs::read_to_string(&log) else {
        anyhow::ensure!(output.status.success(), "nothing was in its way, but: {output:?}");
        return Ok(None);
    };
    let verdict = judge(sandbox, fault, &output).map_err(|why| {
        let met = met.lines().next().unwrap_or_default();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("{why:#}; met: {met}; it said: {}", stderr.trim())
    });
    Ok(Some(verdict.unwrap_or_else(Verdict::Wrong)))
}

fn judge(sandbox: &Sandbox<'_>, fault: &Fault, output: &Output) -> Result<Verdict> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let killed = fault.how == How::Kill;
    anyhow::ensure!(killed || output.status.code().is_some(), "{}", output.status);
    anyhow::ensure!(!stderr.contains("panicked"), "it panicked");
    let lenient = killed || ["unlink", "open", "stat", "list", "lock"].contains(&fault.call);
    if sandbox.case.salvages
        && output.status.success()
        && !String::from_utf8_lossy(&output.stdout).contains("nothing is")
    {
        // The command skipped unreadable data and reported it.
        sandbox.verify()?;
        return Ok(Verdict::Done);
    }
    let found = sandbox.judge(lenient)?;
    // Files may be left to the next run only after a kill, a failed removal, a failed `stat` or a busy lock. A process
    // that finds its new directory locked expects another process to remove it. One that cannot stat it assumes that it
    // has been removed.
    let may_leave = killed || ["unlink", "stat"].contains(&fault.call) || fault.how == How::Error(EAGAIN);
    anyhow::ensure!(may_leave || found.leftovers.is_empty(), "left: {:?}", found.leftovers);
    if output.status.success() {
        anyhow::ensure!(found.is_new, "success without effect");
        return Ok(Verdict::Harmless);
    }
    if !killed {
        anyhow::ensure!(output.status.code() == Some(1), "exit code {:?}", output.status.code());
        anyhow::ensure!(!fault.harmless, "it should not have failed");
        check_message(sandbox, fault, &stderr)?;
    }
    sandbox.verify()?;
    if !found.is_old {
        settle(sandbox)?;
        clean_up(sandbox, &found.leftovers)?;
        return Ok(Verdict::Done);
    }
    // The next run has to succeed and leave no files.
    let again = sandbox.command()?.output()?;
    anyhow::ensure!(again.status.success(), "the next run: {}", String::from_utf8_lossy(&again.stderr).trim());
    let found = sandbox.judge(lenient)?;
    anyhow::ensure!(found.is_new, "the next run did something else");
    anyhow::ensure!(found.leftovers.is_empty(), "left by the next run: {:?}", found.leftovers);
    check_edited(sandbox, may_leave)?;
    Ok(Verdict::Clean)
}

/// Checks for one line of error that names the cause and a file.
fn check_message(sandbox: &Sandbox<'_>, fault: &Fault, stderr: &str) -> Result<()> {
    let How::Error(error) = fault.how else { return Ok(()) };
    let causes = [text_of(error), "is locked by another process".into(), "Locked(".into()];
    let locked = fault.name().starts_with("lock: Resource temporarily");
    let causes = if locked { &causes[1..] } else { &causes[..1] };
    // A failed `stat` may be reported as a missing file.
    anyhow::ensure!(
        fault.call == "stat" || causes.iter().any(|cause| stderr.contains(cause)),
        "the cause is not named"
    );
    if sandbox.case.program != Program::Blpk {
        return Ok(());
    }
    let is_error = |line: &str| line.starts_with("blpk: error: ");
    let inputs = if sandbox.case.args.contains("--each") { 2 } else { 1 };
    let lines = stderr.lines().count();
    anyhow::ensure!((1..=inputs).contains(&lines) && stderr.lines().all(is_error), "not one line of error");
    let mut names = sandbox.old.keys().chain(sandbox.new.keys()).filter(|name| *name != "tmp");
    anyhow::ensure!(
        names.any(|name| stderr.contains(name.as_str()))
            || ["temporary file", "'-'"].iter().any(|name| stderr.contains(name)),
        "no file is named"
    );
    Ok(())
}

/// Opens the edited container again for writing. It has to hold the new state then, without leftovers of the change.
pub(crate) fn settle(sandbox: &Sandbox<'_>) -> Result<()> {
    sandbox.open_again()?;
    anyhow::ensure!(sandbox.case.edited.is_none() || sandbox.judge(false)?.is_new, "opening it again changed it");
    check_edited(sandbox, true)
}

/// Runs the command again if there are leftovers. Only commands that replace existing files may leave any, and the
/// second run has to remove them.
pub(crate) fn clean_up(sandbox: &Sandbox<'_>, leftovers: &[String]) -> Result<()> {
    if leftovers.is_empty() {
        return Ok(());
    }
    let replaces = sandbox.case.args.starts_with("-f ") || sandbox.case.stdin.starts_with("ctable ");
    anyhow::ensure!(replaces, "left for good: {leftovers:?}");
    anyhow::ensure!(sandbox.command()?.output()?.status.success(), "it cannot be run again");
    let found = sandbox.judge(false)?;
    anyhow::ensure!(found.leftovers.is_empty() && found.is_new, "left by the next run: {:?}", found.leftovers);
    Ok(())
}

/// Rejects unexpected files in the edited directory. Unreferenced chunk files of a sparse frame correspond to dead
/// bytes of other frames: compaction removes them.
pub(crate) fn check_edited(sandbox: &Sandbox<'_>, may_leave: bool) -> Result<()> {
    let Some(name) = sandbox.case.edited else { return Ok(()) };
    if may_leave {
        sandbox.compact()?;
    }
    let now = sandbox.paths(name)?;
    let strange: Vec<_> = now.iter().filter(|path| !sandbox.new.get(name).is_some_and(|new| new.has(path))).collect();
    anyhow::ensure!(strange.is_empty(), "left in it: {strange:?}");
    Ok(())
}
