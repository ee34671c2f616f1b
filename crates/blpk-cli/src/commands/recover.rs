//! `blpk recover`: writes new bloscpack files, frames and bcolz directories from the intact parts of damaged ones.

use crate::args::RecoverArgs;
use crate::column_advice::ColumnAdvice;
use crate::file_kind::FileKind;
use crate::files;
use crate::foreign;
use crate::overwrite::Overwrite;
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::double_pretty_size;
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_format::python_bytes_repr;
use bloscpack_io::{Damaged, Error, Gaps, LostPart, RecoverOptions, RecoverReport, recover};
use std::fs;
use std::path::{Path, PathBuf};

/// A run of `blpk recover`.
pub(super) struct Plan {
    input: PathOrStdio,
    output: PathOrStdio,
    in_file: PathBuf,
    out_file: PathBuf,
    damaged: Damaged,
    gaps: Gaps,
}

impl Plan {
    pub(super) fn new(args: &RecoverArgs, session: &Session) -> Result<Plan> {
        let input = files::not_standard("in_file", &args.in_file)?;
        let output = files::not_standard("out_file", &args.out_file)?;
        let damaged = Damaged::of(&args.in_file);
        if !matches!(damaged, Ok(Damaged::Bcolz)) {
            if args.fill {
                bail!("input file '{input}' is not a bcolz directory, which --fill is for");
            }
            files::operand_must_exist("input file", &input, ColumnAdvice::ConvertFirst)?;
        }
        if fs::metadata(&args.in_file).is_ok_and(|found| found.is_file() && found.len() == 0) {
            bail!("input file '{input}' is empty: there is nothing to recover");
        }
        files::check_output(&input, &output, Overwrite::CONTAINER, session)?;
        let damaged = damaged.map_err(|error| refused(error, &input, &args.in_file))?;
        let gaps = if args.fill { Gaps::Fill } else { Gaps::Trim };
        Ok(Plan { input, output, in_file: args.in_file.clone(), out_file: args.out_file.clone(), damaged, gaps })
    }
}

/// Returns the error for an input that is not a damaged container.
fn refused(error: Error, input: &PathOrStdio, path: &Path) -> anyhow::Error {
    match error {
        Error::Unsupported { format } => anyhow!(
            "input file '{input}' is {}; only bloscpack files, Blosc2 frames and bcolz directories can be recovered",
            FileKind::of(format).map_or(format.to_string(), |kind| kind.to_string())
        ),
        Error::Unrecognised { found } => {
            let advice = foreign::advice_on(path).unwrap_or_else(|| "name a torn or damaged one".into());
            anyhow!(
                "input file '{input}' is no bloscpack file, Blosc2 frame or bcolz directory: it starts with {}, not with a \
                 magic of theirs; {advice}",
                python_bytes_repr(&found)
            )
        }
        error => error.into(),
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let _privacy = Privacy::of(&plan.input, &plan.output)?;
    let is_bloscpack = plan.damaged == Damaged::Bloscpack;
    if is_bloscpack {
        session.report.verbose(format!("input file is: '{}'", plan.input));
        session.report.verbose(format!("output file is: '{}'", plan.output));
    }
    let options = RecoverOptions::new().overwrite(session.force).gaps(plan.gaps).cancel(session.cancel());
    let report = recover(&plan.in_file, &plan.out_file, &options).with_context(|| plan.input.to_string())?;
    for lost in &report.lost {
        session.report.normal(lost.to_string());
    }
    if report.lost.iter().any(|lost| matches!(lost.part, LostPart::FollowingRows { .. })) {
        session.report.normal("--fill keeps the rows after a lost chunk, with the default value for lost rows");
    }
    let all = if report.lost.is_empty() { ", nothing is lost" } else { "" };
    session.report.normal(format!("{}: {}{all}", plan.output, kept(&report)));
    if is_bloscpack {
        session.report.verbose("done");
    }
    Ok(())
}

/// Describes the content of the new container: columns and rows, or chunks and uncompressed bytes.
fn kept(report: &RecoverReport) -> String {
    match report.rows {
        Some(rows) if report.columns.is_empty() => counted(rows, "row"),
        Some(rows) => format!("{}, {}", counted(report.columns.len() as u64, "column"), counted(rows, "row")),
        None => format!("{}, {}", counted(report.kept, "chunk"), double_pretty_size(report.nbytes)),
    }
}

fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
