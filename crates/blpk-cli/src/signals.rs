//! SIGINT, SIGTERM and SIGHUP: exit code 1 and `interrupted`, never death by signal.
//!
//! The first signal sets the job's [`Cancel`], so that the job removes what it has made. The second ends the process at
//! once. So does the first one where no job has asked for the switch: nothing has to be removed then.

use crate::report::{self, Report};
use anyhow::{Context as _, Result};
use bloscpack_io::Cancel;
use std::process::exit;
use std::sync::{LazyLock, OnceLock};

static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// Set by the first job that asks for the switch: from then on, jobs look at it.
static WATCHED: OnceLock<()> = OnceLock::new();
static REPORT: OnceLock<Report> = OnceLock::new();

/// Installs the handlers. The first thing that `main` does: an earlier signal has its default action.
pub(crate) fn install() -> Result<()> {
    ctrlc::set_handler(received).context("watching for Ctrl-C")
}

/// Sets the report that has a progress bar to end before a message.
pub(crate) fn tell(report: &Report) {
    // There is one session. Another one would have the same bar, or none.
    let _ = REPORT.set(report.clone());
}

/// The switch that the first signal sets. Only for jobs that look at it.
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
