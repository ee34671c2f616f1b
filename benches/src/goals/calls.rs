//! Goals for single calls: new contexts, reading parts of chunks, and calls through C.

use super::{Goal, Least, Most, Sample};
use crate::partial::Case;
use crate::table::{Record, Table};

/// Speed of a call with a new context, compared with a reused one: at most 10 % more time.
const FRESH: f64 = 0.909;

/// Speed of reads of parts of a chunk, compared with the C libraries.
const PARTIAL: f64 = 1.5;

/// The same for many ranges in one call, compared with one call for each range.
const COALESCED: f64 = 5.0;

/// Time of a call through C, compared with the Rust API.
const C_CALL: f64 = 1.03;

/// New contexts compared with reused ones, for every operation and size.
pub(super) fn of_contexts(contexts: &Table) -> Option<Goal> {
    let records = contexts.select(&[("context", "fresh")]);
    let sample = labelled(&records, &["codec", "size", "operation"], "ours_to_reused");
    (!sample.is_empty()).then(|| Goal::every("a new context, to a reused one", "speed", Least(FRESH), sample))
}

/// Each way to read a part compared with each peer, over codecs, chunk sizes and sets.
pub(super) fn of_partial_reads(partial: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for case in Case::ALL {
        let name = case.name();
        let records = partial.select(&[("case", name)]);
        let mut peers: Vec<&str> = records.iter().map(|record| record.text("peer")).collect();
        peers.retain(|peer| *peer != "ours");
        peers.sort_unstable();
        peers.dedup();
        for peer in peers {
            let records = partial.select(&[("case", name), ("peer", peer)]);
            let sample = labelled(&records, &["codec", "chunk", "set"], "ours_to_peer");
            let wanted = if case == Case::Coalesced { COALESCED } else { PARTIAL };
            goals.push(Goal::mean(format!("{name}, to {peer}"), "speed", Least(wanted), sample));
        }
    }
    goals
}

/// Each way to call the C libraries, in every codec and size, as a mean over the sets.
pub(super) fn of_interfaces(capi: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for interface in ["context, Blosc2", "global functions, Blosc1"] {
        let records = capi.select(&[("interface", interface)]);
        for figure in ["compress", "decompress"] {
            let sample = labelled(&records, &["codec", "size", "set"], figure);
            if !sample.is_empty() {
                goals.push(Goal::mean(format!("C {interface}, to the Rust API"), figure, Most(C_CALL), sample));
            }
        }
    }
    goals
}

/// Labels the figures of a column with the values of several others.
fn labelled(records: &[Record<'_>], columns: &[&str], figure: &str) -> Sample {
    let label = |record: &Record<'_>| columns.iter().map(|column| record.text(column)).collect::<Vec<_>>().join(" ");
    Sample(records.iter().map(|record| (label(record), record.number(figure))).collect())
}
