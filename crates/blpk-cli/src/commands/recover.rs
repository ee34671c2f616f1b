//! `blpk recover`: new bloscpack files, frames and bcolz directories from the whole parts of damaged ones.

use crate::args::RecoverArgs;
use crate::files;
use crate::foreign;
use crate::kind::{Kind, kind_of, prefix};
use crate::names;
use crate::overwrite::Overwrite;
use crate::place::Place;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::double_pretty_size;
use anyhow::{Context as _, Result, bail};
use bloscpack_format::bcolz::{ATTRS_FILE, DATA_DIR, META_DIR};
use bloscpack_format::python_bytes_repr;
use bloscpack_io::bcolz::{self, Gaps, LostPart};
use bloscpack_io::{RecoverOptions, frame, recover};
use std::fmt::Display;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// How a frame starts: MessagePack's markers of a list and a string, and the magic.
const FRAME_START: &[u8] = b"\x9e\xa8b2frame\0";

/// A run of `blpk recover`.
pub(super) struct Plan {
    input: Place,
    output: Place,
    in_file: PathBuf,
    out_file: PathBuf,
    damaged: Damaged,
}

/// The kind of the input.
#[derive(Debug, Clone, Copy)]
enum Damaged {
    Bloscpack,
    Frame,
    Bcolz(Gaps),
}

impl Plan {
    pub(super) fn new(args: &RecoverArgs, session: &Session) -> Result<Plan> {
        let input = files::not_standard("in_file", &args.in_file)?;
        let output = files::not_standard("out_file", &args.out_file)?;
        let damaged = if is_bcolz(&args.in_file) {
            files::check_output(&input, &output, Overwrite::CONTAINER, session)?;
            Damaged::Bcolz(if args.fill { Gaps::Fill } else { Gaps::Trim })
        } else {
            if args.fill {
                bail!("input file '{input}' is not a bcolz directory, which --fill is for");
            }
            files::check(&input, &output, Overwrite::CONTAINER, session)?;
            damaged_file(&input, &args.in_file)?
        };
        Ok(Plan { input, output, in_file: args.in_file.clone(), out_file: args.out_file.clone(), damaged })
    }
}

/// The kind of an input that is not of bcolz. A damaged file may have lost the bytes that tell its kind. Its name then tells
/// a bloscpack file from a frame.
fn damaged_file(input: &Place, path: &Path) -> Result<Damaged> {
    match kind_of(path) {
        Some(Kind::Bloscpack) => Ok(Damaged::Bloscpack),
        None if names::has_extension(path) => Ok(Damaged::Bloscpack),
        Some(kind @ (Kind::Chunk | Kind::Npy | Kind::Foreign(_))) => {
            bail!(
                "input file '{input}' is {kind}; only bloscpack files, Blosc2 frames and bcolz directories can be recovered"
            )
        }
        _ => {
            refuse_other_files(input, path)?;
            Ok(Damaged::Frame)
        }
    }
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

/// Whether a directory is, or looks as if it was, one of bcolz: it may lack the files that tell one.
fn is_bcolz(path: &Path) -> bool {
    match kind_of(path) {
        Some(kind) => matches!(kind, Kind::Carray | Kind::Ctable),
        None => path.is_dir() && [ATTRS_FILE, DATA_DIR, META_DIR].iter().any(|name| path.join(name).exists()),
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let _privacy = fs::metadata(&plan.in_file).ok().as_ref().map(Privacy::of);
    match plan.damaged {
        Damaged::Bloscpack => bloscpack(plan, session),
        Damaged::Frame => frame(plan, session),
        Damaged::Bcolz(gaps) => bcolz(plan, gaps, session),
    }
}

fn bloscpack(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { input, output, in_file, out_file, .. } = plan;
    session.report.verbose(format!("input file is: '{input}'"));
    session.report.verbose(format!("output file is: '{output}'"));
    let report =
        recover::recover(in_file, out_file, &RecoverOptions::new().overwrite(session.force).cancel(session.cancel()));
    let report = report.with_context(|| input.to_string())?;
    tell(&report.lost, (report.chunks, report.nbytes), output, session);
    session.report.verbose("done");
    Ok(())
}

fn frame(plan: &Plan, session: &Session) -> Result<()> {
    let report = frame::recover(
        &plan.in_file,
        &plan.out_file,
        &RecoverOptions::new().overwrite(session.force).cancel(session.cancel()),
    );
    let report = report.with_context(|| plan.input.to_string())?;
    tell(&report.lost, (report.chunks, report.nbytes), &plan.output, session);
    Ok(())
}

fn bcolz(plan: &Plan, gaps: Gaps, session: &Session) -> Result<()> {
    let report = bcolz::recover(
        &plan.in_file,
        &plan.out_file,
        &RecoverOptions::new().overwrite(session.force).gaps(gaps).cancel(session.cancel()),
    );
    let report = report.with_context(|| plan.input.to_string())?;
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
    session.report.normal(format!("{}: {columns}{rows}{lost}", plan.output));
    Ok(())
}

/// Prints the lost parts, and the number of chunks and plain bytes of the output.
fn tell(lost: &[impl Display], (chunks, nbytes): (u64, u64), output: &Place, session: &Session) {
    for lost in lost {
        session.report.normal(lost.to_string());
    }
    let chunks = if chunks == 1 { "1 chunk".into() } else { format!("{chunks} chunks") };
    let all = if lost.is_empty() { ", nothing is lost" } else { "" };
    session.report.normal(format!("{output}: {chunks}, {}{all}", double_pretty_size(nbytes)));
}
