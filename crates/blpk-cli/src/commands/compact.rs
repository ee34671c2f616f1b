//! `blpk compact`: rewrites a frame without dead bytes.

use crate::args::CompactArgs;
use crate::files;
use crate::kind::{Kind, kind_of};
use crate::place::Place;
use crate::session::Session;
use crate::size::double_pretty_size;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{OpenOptions, frame};
use std::path::PathBuf;

/// A run of `blpk compact`.
pub(super) struct Plan {
    place: Place,
    path: PathBuf,
}

impl Plan {
    pub(super) fn new(args: &CompactArgs) -> Result<Plan> {
        let (place, path) = (files::not_standard("frame", &args.file)?, args.file.clone());
        files::must_exist("file", &path)?;
        match kind_of(&path) {
            None | Some(Kind::Frame) => Ok(Plan { place, path }),
            Some(kind) => bail!("file '{place}' is {kind}; only Blosc2 frames are compacted"),
        }
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { place, path } = plan;
    let report =
        frame::compact(path, &OpenOptions::new().cancel(session.cancel())).with_context(|| place.to_string())?;
    let (before, after) = (double_pretty_size(report.before), double_pretty_size(report.after));
    session.report.normal(format!("{place}: {before} before, {after} now"));
    Ok(())
}
