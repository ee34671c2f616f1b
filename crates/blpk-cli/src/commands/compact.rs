//! `blpk compact`: rewrites a frame without dead bytes.

use crate::args::CompactArgs;
use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, kind_of};
use crate::files;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::size::double_pretty_size;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{OpenOptions, frame};
use std::path::PathBuf;

/// A run of `blpk compact`.
pub(super) struct Plan {
    operand: PathOrStdio,
    path: PathBuf,
}

impl Plan {
    pub(super) fn new(args: &CompactArgs) -> Result<Plan> {
        let (operand, path) = (files::not_standard("frame", &args.file)?, args.file.clone());
        files::must_exist("file", &path, ColumnAdvice::ConvertFirst)?;
        match kind_of(&path) {
            None | Some(FileKind::Frame) => Ok(Plan { operand, path }),
            Some(kind) => bail!("file '{operand}' is {kind}; only Blosc2 frames are compacted"),
        }
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { operand, path } = plan;
    let report =
        frame::compact(path, &OpenOptions::new().cancel(session.cancel())).with_context(|| operand.to_string())?;
    let (before, after) = (double_pretty_size(report.before), double_pretty_size(report.after));
    session.report.normal(format!("{operand}: {before} before, {after} now"));
    Ok(())
}
