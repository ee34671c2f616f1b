//! Outputs at URLs: they are written to a temporary file or directory of the same name first.

use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::url;
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;

/// Writes an output by `write`. One at a URL is written to a temporary file or directory of the same name first, and
/// appears when it is complete.
pub(crate) fn write_output(
    output: &PathOrStdio,
    session: &Session,
    write: impl FnOnce(&PathOrStdio) -> Result<()>,
) -> Result<()> {
    let PathOrStdio::Url(target) = output else { return write(output) };
    let staging = tempfile::tempdir().context("creating a temporary directory")?;
    let name = target.file_name();
    if name.is_empty() || name.contains(['/', '\\']) || matches!(name.as_str(), "." | "..") {
        bail!("output '{output}' names no file");
    }
    let path = staging.path().join(name);
    write(&PathOrStdio::File(path.clone()))?;
    session.report.verbose(format!("uploading to '{output}'"));
    url::upload(&path, target, session.force)
}

/// Returns the path in the name of an output, from which its kind follows.
pub(crate) fn output_path(output: &PathOrStdio, typed: &std::path::Path) -> PathBuf {
    match output {
        PathOrStdio::Url(url) => url.path().into(),
        _ => typed.to_owned(),
    }
}
