//! Sizes and ratio of a file, with `-v`.

use crate::commands::settings::describe_plan;
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::Result;

pub(super) fn describe_input(report: &Report, nbytes: u64, chunk_size: u32) -> Result<()> {
    report.verbose(format!("input file size: {}", double_pretty_size(nbytes)));
    describe_plan(report, nbytes, chunk_size.into())
}

pub(super) fn describe_output(report: &Report, nbytes: u64, cbytes: u64) {
    report.verbose(format!("output file size: {}", double_pretty_size(cbytes)));
    report.verbose(format!("compression ratio: {:.6}", nbytes as f64 / cbytes as f64));
    report.verbose("done");
}
