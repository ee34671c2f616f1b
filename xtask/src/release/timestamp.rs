//! The modification time of every file in the tarball.

use crate::sh;
use anyhow::{Context, Result};

/// Returns seconds since 1970: `SOURCE_DATE_EPOCH`, or the time of the last commit.
pub(super) fn time() -> Result<u64> {
    if let Ok(epoch) = std::env::var("SOURCE_DATE_EPOCH") {
        return epoch.parse().with_context(|| format!("SOURCE_DATE_EPOCH={epoch} is not a number of seconds"));
    }
    let commit = sh::capture(sh::command("git").args(["log", "-1", "--format=%ct"]));
    let commit = commit.context("no commit to take the time from; set SOURCE_DATE_EPOCH")?;
    commit.trim().parse().with_context(|| format!("git log says {commit}"))
}
