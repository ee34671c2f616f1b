//! Advice as text.

use super::advice::{Advice, Group};
use super::command::command;
use super::content::Content;
use super::plan::Plan;
use crate::choice::{is_split, level, settings};
use crate::path_or_stdio::PathOrStdio;
use crate::size::{double_pretty_size, pretty_size};
use blosc_core::{Candidate, FilterPipeline};
use std::fmt::Write as _;

/// Maximum number of settings in a table.
const MAX_ROWS: usize = 8;

/// Returns the text about a file: a table for each goal and group of pieces, and command lines to paste.
pub(super) fn all(plan: &Plan, operand: &PathOrStdio, content: &Content, advice: &[Advice]) -> String {
    let npieces = content.pieces().len();
    let plural = if npieces == 1 { "" } else { "s" };
    let mut text = format!("{operand}: {}, {npieces} piece{plural} read\n", double_pretty_size(content.nbytes()));
    for one in advice {
        for group in &one.groups {
            let _ = writeln!(text, "\n{}, {}: {}", one.goal, which(group, npieces), settings(&group.params));
            table(group, &mut text);
        }
    }
    text.push_str("\n* chosen; speeds are nominal, of one thread\n");
    for one in advice {
        let command = command(plan, one.goal, operand, content.is_container);
        let _ = writeln!(text, "{}: {command}", one.goal);
    }
    text
}

/// Names the pieces of a group: `all pieces`, or `pieces 1-3, 5 of 16, from 0B on`.
fn which(group: &Group, npieces: usize) -> String {
    match group.pieces.len() {
        count if count == npieces => "all pieces".into(),
        1 => format!("piece {} of {npieces}, at {}", runs(&group.pieces), pretty_size(group.offset)),
        _ => format!("pieces {} of {npieces}, from {} on", runs(&group.pieces), pretty_size(group.offset)),
    }
}

/// Formats ascending numbers from 0 as numbers from 1, runs of them in brief: `1-3, 5`.
fn runs(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next).map(|run| match run {
        [first, .., last] => format!("{}-{}", first + 1, last + 1),
        [only] => (only + 1).to_string(),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// A line for each of the best settings, with a mark for the chosen ones.
fn table(group: &Group, text: &mut String) {
    let _ = writeln!(
        text,
        "    {:8} {:>5}  {:20} {:>7} {:>5} {:>9} {:>11} {:>11}",
        "codec", "level", "filter", "element", "split", "ratio", "compress", "decompress"
    );
    let is_chosen = |candidate: &&Candidate| candidate.params == group.params;
    let first = group.tried.iter().take(MAX_ROWS);
    // The parameters in force are kept if others are hardly better.
    let kept = group.tried.iter().skip(MAX_ROWS).filter(is_chosen);
    for candidate in first.chain(kept) {
        let Candidate { params, ratio, compress, decompress, .. } = candidate;
        let filters = params.get_filters();
        let is_plain = filters == FilterPipeline::none();
        let _ = writeln!(
            text,
            "  {} {:8} {:>5}  {:20} {:>7} {:>5} {ratio:>9.3} {:>11} {:>11}",
            if is_chosen(&candidate) { '*' } else { ' ' },
            params.get_codec().name(),
            level(params),
            if is_plain { "none".into() } else { filters.to_string() },
            if is_plain { "-".into() } else { params.get_typesize().to_string() },
            if is_split(params) { "yes" } else { "no" },
            speed(*compress),
            speed(*decompress),
        );
    }
}

/// Formats a nominal speed, which has no more than two significant digits.
fn speed(mb: f64) -> String {
    match mb {
        mb if mb >= 995.0 => format!("{:.1} GB/s", mb / 1e3),
        mb if mb >= 99.5 => format!("{:.0} MB/s", (mb / 10.0).round() * 10.0),
        mb => format!("{mb:.0} MB/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_brief() {
        assert_eq!(runs(&[0, 1, 2, 4, 6, 7]), "1-3, 5, 7-8");
        assert_eq!((runs(&[3]), runs(&[])), ("4".into(), String::new()));
    }

    #[test]
    fn speeds_have_two_digits() {
        assert_eq!(
            [3.4, 42.0, 99.6, 344.0, 994.0, 1234.0].map(speed),
            ["3 MB/s", "42 MB/s", "100 MB/s", "340 MB/s", "990 MB/s", "1.2 GB/s"]
        );
    }
}
