//! `blpk recover` and `blpk compact`: new bloscpack files, frames and bcolz directories from the whole parts of damaged ones;
//! frames without dead bytes.

use crate::args::{CompactArgs, RecoverArgs};
use crate::files;
use crate::foreign;
use crate::kind::{Kind, kind_of, prefix};
use crate::names;
use crate::overwrite::Overwrite;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::Place;
use anyhow::{Context as _, Result, bail};
use bloscpack_format::bcolz::{ATTRS_FILE, DATA_DIR, META_DIR};
use bloscpack_format::python_bytes_repr;
use bloscpack_io::bcolz::{self, Gaps, LostPart};
use bloscpack_io::frame;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;

/// How a frame starts: MessagePack's markers of a list and a string, and the magic.
const FRAME_START: &[u8] = b"\x9e\xa8b2frame\0";

pub(super) fn recover(args: &RecoverArgs, session: &Session) -> Result<()> {
    let (input, output) = (file("in_file", &args.in_file)?, file("out_file", &args.out_file)?);
    let _privacy = fs::metadata(&args.in_file).ok().as_ref().map(Privacy::of);
    if is_bcolz(&args.in_file) {
        files::check_output(&input, &output, Overwrite::CONTAINER, session)?;
        let gaps = if args.fill { Gaps::Fill } else { Gaps::Trim };
        let report = bcolz::recover(&args.in_file, &args.out_file, session.force, gaps, &session.cancel());
        let report = report.with_context(|| input.to_string())?;
        for lost in &report.lost {
            session.report.normal(lost.to_string());
        }
        if report.lost.iter().any(|lost| matches!(lost.what, LostPart::Behind { .. })) {
            session.report.normal("--fill keeps rows behind a lost chunk, with the default value in its place");
        }
        let rows = if report.rows == 1 { "1 row".into() } else { format!("{} rows", report.rows) };
        let columns = match report.columns.len() {
            0 => String::new(),
            1 => "1 column, ".into(),
            columns => format!("{columns} columns, "),
        };
        let lost = if report.lost.is_empty() { ", nothing is lost" } else { "" };
        session.report.normal(format!("{output}: {columns}{rows}{lost}"));
        return Ok(());
    }
    if args.fill {
        bail!("input file '{input}' is not a bcolz directory, which --fill is for");
    }
    files::check(&input, &output, Overwrite::CONTAINER, session)?;
    // A damaged file may have lost the bytes that tell its kind. Its name then tells a bloscpack file from a frame.
    match kind_of(&args.in_file) {
        Some(Kind::Bloscpack) => return bloscpack(args, (&input, &output), session),
        None if names::has_extension(&args.in_file) => return bloscpack(args, (&input, &output), session),
        Some(kind @ (Kind::Chunk | Kind::Npy | Kind::Foreign(_))) => {
            bail!(
                "input file '{input}' is {kind}; only bloscpack files, Blosc2 frames and bcolz directories can be recovered"
            )
        }
        _ => {}
    }
    refuse_other_files(&input, &args.in_file)?;
    let report = frame::recover(&args.in_file, &args.out_file, session.force, &session.cancel());
    let report = report.with_context(|| input.to_string())?;
    tell(&report.lost, (report.chunks, report.nbytes), &output, session);
    Ok(())
}

fn bloscpack(args: &RecoverArgs, (input, output): (&Place, &Place), session: &Session) -> Result<()> {
    session.report.verbose(format!("input file is: '{input}'"));
    session.report.verbose(format!("output file is: '{output}'"));
    let report = bloscpack_io::recover::recover(&args.in_file, &args.out_file, session.force, &session.cancel());
    let report = report.with_context(|| input.to_string())?;
    tell(&report.lost, (report.chunks, report.nbytes), output, session);
    session.report.verbose("done");
    Ok(())
}

/// Says what is lost, and how many chunks of how many plain bytes the output has.
fn tell(lost: &[impl Display], (chunks, nbytes): (u64, u64), output: &Place, session: &Session) {
    for lost in lost {
        session.report.normal(lost.to_string());
    }
    let chunks = if chunks == 1 { "1 chunk".into() } else { format!("{chunks} chunks") };
    let all = if lost.is_empty() { ", nothing is lost" } else { "" };
    session.report.normal(format!("{output}: {chunks}, {}{all}", double_pretty_size(nbytes)));
}

/// Refuses a file that does not start as a frame does: there is nothing to recover. A file that ends before its header is
/// whole may have been a frame.
fn refuse_other_files(input: &Place, path: &Path) -> Result<()> {
    let regular = fs::metadata(path).is_ok_and(|found| found.is_file());
    let start = if regular { File::open(path).ok().and_then(|file| prefix(&file, FRAME_START.len())) } else { None };
    let Some(start) = start.filter(|start| !FRAME_START.starts_with(start)) else { return Ok(()) };
    let advice = foreign::advice_on(path).unwrap_or_else(|| "name a torn or damaged one".into());
    let start = python_bytes_repr(&start);
    bail!(
        "input file '{input}' is no bloscpack file, Blosc2 frame or bcolz directory: it starts with {start}, not with a magic of theirs; {advice}"
    )
}

/// A file or directory that is needed as such: nothing else can be gone back in.
fn file(what: &str, path: &Path) -> Result<Place> {
    match Place::from(path.to_owned()) {
        Place::Standard => bail!("<{what}> cannot be '-': a file or directory is needed"),
        place => Ok(place),
    }
}

/// Whether a directory is, or looks as if it was, one of bcolz: it may lack the files that tell one.
fn is_bcolz(path: &Path) -> bool {
    match kind_of(path) {
        Some(kind) => matches!(kind, Kind::Carray | Kind::Ctable),
        None => path.is_dir() && [ATTRS_FILE, DATA_DIR, META_DIR].iter().any(|name| path.join(name).exists()),
    }
}

pub(super) fn compact(args: &CompactArgs, session: &Session) -> Result<()> {
    let place = file("frame", &args.file)?;
    files::must_exist("file", &args.file)?;
    match kind_of(&args.file) {
        None | Some(Kind::Frame) => {}
        Some(kind) => bail!("file '{place}' is {kind}; only Blosc2 frames are compacted"),
    }
    let report = frame::compact(&args.file, &session.cancel()).with_context(|| place.to_string())?;
    let (before, after) = (double_pretty_size(report.before), double_pretty_size(report.after));
    session.report.normal(format!("{place}: {before} before, {after} now"));
    Ok(())
}
