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

static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// Set by the first job that requests the switch. From then on, jobs check it.
static WATCHED: OnceLock<()> = OnceLock::new();
static REPORT: OnceLock<Report> = OnceLock::new();

/// Installs the handlers. `main` calls this before it parses the command line; an earlier signal has its default
/// action.
pub(crate) fn install() -> Result<()> {
    ctrlc::set_handler(received).context("watching for Ctrl-C")
}

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
