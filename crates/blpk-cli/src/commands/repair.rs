//! `blpk recover` and `blpk compact`: frames written anew, with what still stands of them, and without what is dead.

use crate::args::{CompactArgs, RecoverArgs};
use crate::files;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::Place;
use anyhow::{Context as _, Result};
use bloscpack_io::frame;

pub(super) fn recover(args: &RecoverArgs, session: &Session) -> Result<()> {
    let (input, output) = (Place::File(args.in_file.clone()), Place::File(args.out_file.clone()));
    files::check(&input, &output, session)?;
    let report = frame::recover(&args.in_file, &args.out_file, session.force, &session.cancel()?);
    let report = report.with_context(|| input.to_string())?;
    for lost in &report.lost {
        session.report.normal(lost.to_string());
    }
    let chunks = if report.chunks == 1 { "1 chunk".into() } else { format!("{} chunks", report.chunks) };
    let lost = if report.lost.is_empty() { ", nothing is lost" } else { "" };
    session.report.normal(format!("{output}: {chunks}, {}{lost}", double_pretty_size(report.nbytes)));
    Ok(())
}

pub(super) fn compact(args: &CompactArgs, session: &Session) -> Result<()> {
    files::must_exist("file", &args.file)?;
    let place = Place::File(args.file.clone());
    let report = frame::compact(&args.file, &session.cancel()?).with_context(|| place.to_string())?;
    let (before, after) = (double_pretty_size(report.before), double_pretty_size(report.after));
    session.report.normal(format!("{place}: {before} before, {after} now"));
    Ok(())
}
