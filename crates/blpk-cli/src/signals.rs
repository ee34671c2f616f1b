//! SIGINT, SIGTERM and SIGHUP: exit code 1 and `interrupted`, never death by signal.
//!
//! The first signal sets the job's [`Cancel`], so that the job removes the files that it has created. The second signal
//! ends the process at once. The first one does so, too, if no job has requested the switch: then there is nothing to
//! remove.

use crate::report::{self, Report};
use anyhow::{Context as _, Result};
use bloscpack_io::Cancel;
use std::process::exit;
use std::sync::{LazyLock, OnceLock};
#[cfg(unix)]
use std::thread::Builder;

static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// Set by the first job that requests the switch. From then on, jobs check it.
static WATCHED: OnceLock<()> = OnceLock::new();
static REPORT: OnceLock<Report> = OnceLock::new();
/// Set by the thread that receives the signals.
#[cfg(unix)]
static RUNNING: OnceLock<()> = OnceLock::new();

/// Signals are received, or will be as soon as the thread for them runs.
pub(crate) struct Watch(());

/// Starts the thread that receives the signals. `main` calls this before any other thread starts; an earlier signal has
/// its default action.
#[cfg(unix)]
pub(crate) fn start() -> Result<Watch> {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    // Blocked in all threads, as they inherit the mask, a signal waits until the thread asks for it.
    signals.thread_block().context(WATCHING)?;
    let receive = move || {
        // Set once: there is one thread.
        let _ = RUNNING.set(());
        while signals.wait().is_ok() {
            received();
        }
    };
    Builder::new().name("signals".to_owned()).spawn(receive).context(WATCHING)?;
    Ok(Watch(()))
}

/// Installs the handler. `main` calls this before it runs a command; an earlier signal has its default action.
#[cfg(not(unix))]
pub(crate) fn start() -> Result<Watch> {
    ctrlc::set_handler(received).context(WATCHING)?;
    Ok(Watch(()))
}

impl Watch {
    /// Returns when the thread runs. It may allocate until then, and the C library ends the process if it cannot: a command
    /// that uses all memory must not have started.
    pub(crate) fn wait(self) {
        #[cfg(unix)]
        RUNNING.wait();
    }
}

const WATCHING: &str = "watching for Ctrl-C";

/// Sets the report whose progress bar must be removed before a message is printed.
pub(crate) fn tell(report: &Report) {
    // There is only one session. Another one would have the same bar, or none.
    let _ = REPORT.set(report.clone());
}

/// The switch that the first signal sets. Only for jobs that check it.
pub(crate) fn cancel() -> Cancel {
    let _ = WATCHED.set(());
    CANCEL.clone()
}

fn received() {
    if WATCHED.get().is_some() && !CANCEL.is_cancelled() {
        return CANCEL.cancel();
    }
    if let Some(report) = REPORT.get() {
        report.progress().end();
    }
    report::error("interrupted");
    exit(1);
}
