//! The metadata of an input: printed, or written to a second output.

use crate::json::line;
use crate::path_or_stdio::PathOrStdio;
use crate::pprint::pformat;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::streams::{Output, refuse_same_file};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Opens the output of the metadata. Refuses the input and the output of the data.
pub(super) fn create(path: &Path, input: &PathOrStdio, output: &PathOrStdio, session: &Session) -> Result<Output> {
    let operand = PathOrStdio::from(path.to_owned());
    for other in [input, output] {
        refuse_same_file(other, &operand)?;
        if let (PathOrStdio::File(other), PathOrStdio::File(path)) = (other, &operand)
            && full(other) == full(path)
        {
            bail!("'{operand}' cannot be both for the data and for the metadata; name another file");
        }
    }
    let _privacy = Privacy::of(input, &operand)?;
    Output::create(&operand, session.force)
}

/// Returns the full path of a file that may not exist yet, by resolving its directory.
fn full(path: &Path) -> Option<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(parent.canonicalize().ok()?.join(path.file_name()?))
}

/// Prints the metadata, if there is any.
pub(super) fn print(metadata: Option<Json>, session: &Session) -> Result<()> {
    if let Some(metadata) = metadata.filter(Json::is_truthy) {
        session.report.normal("Metadata:");
        session.report.normal(pformat(&metadata)?);
    }
    Ok(())
}

/// Writes the metadata in the form that `compress --metadata` reads: `null` without metadata.
pub(super) fn write(mut output: Output, metadata: Option<Json>) -> Result<()> {
    let text = line(&metadata.unwrap_or(Json::Null))?;
    output.write_all(text.as_bytes()).context("writing the metadata")?;
    output.commit()
}
