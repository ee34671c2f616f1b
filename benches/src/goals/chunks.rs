//! Goals for whole chunks: speed and size, compared with the C libraries.

use super::{Bound, Goal, Least, Most, Sample};
use crate::peers::{OURS_1, REFERENCE, REFERENCE_1};
use crate::report::short;
use crate::table::{Record, Table};

/// Bounds of a direction: for the mean over the core sets, and for each set.
type Wanted = (f64, Option<f64>);

/// `codec level filter size`, and the required ratios to C-Blosc2: compress, decompress.
const SPEEDS: [(&str, &str, &str, &str, [Wanted; 2]); 13] = [
    ("lz4", "5", "shuffle", "1048576", [(1.5, None), (1.4, None)]),
    ("lz4", "5", "bitshuffle", "1048576", [(1.6, None), (1.8, None)]),
    ("lz4", "5", "shuffle", "4096", SMALL),
    ("lz4", "5", "shuffle", "1024", SMALL),
    ("blosclz", "5", "shuffle", "1048576", [(2.5, None), (1.4, None)]),
    ("blosclz", "5", "shuffle", "4096", SMALL),
    ("blosclz", "5", "shuffle", "1024", SMALL),
    ("lz4hc", "5", "shuffle", "1048576", [(1.5, None), (1.5, None)]),
    ("zlib", "5", "shuffle", "1048576", [(1.5, Some(0.9)), (1.3, Some(0.95))]),
    ("zstd", "1", "shuffle", "1048576", [(1.15, None), (1.15, None)]),
    ("zstd", "3", "shuffle", "1048576", [(1.15, None), (1.15, None)]),
    ("zstd", "5", "shuffle", "1048576", [(1.15, None), (1.15, None)]),
    ("zstd", "9", "shuffle", "1048576", [(1.5, None), (1.15, None)]),
];

/// Chunks of a few KiB.
const SMALL: [Wanted; 2] = [(2.5, None), (1.2, Some(1.0))];

/// Our mean compressed size divided by that of C-Blosc2, at most.
const LARGEST: f64 = 1.01;

/// Sets whose size with LZ4 has its own bound: they compress little, so that small chunks of matches count.
const TIGHT: [&str; 2] = ["ohlc_f64", "audio"];

/// Figures, their columns.
const DIRECTIONS: [(&str, &str); 2] =
    [("compress", "ours_to_peer_compress"), ("decompress", "ours_to_peer_decompress")];

const SIZE: &str = "ours_to_peer_size";

pub(super) fn goals(chunks: &Table) -> Vec<Goal> {
    let mut goals: Vec<Goal> = SPEEDS.iter().flat_map(|goal| of_configuration(chunks, goal)).collect();
    goals.extend(of_tight_sets(chunks));
    goals.extend(["blosclz", "lz4", "lz4hc", "zlib", "zstd"].iter().filter_map(|codec| of_blosc1(chunks, codec)));
    goals.extend(of_incompressible(chunks));
    goals
}

fn of_configuration(
    chunks: &Table,
    (codec, level, filter, size, wanted): &(&str, &str, &str, &str, [Wanted; 2]),
) -> Vec<Goal> {
    let records = at(chunks, [codec, level, filter, size], REFERENCE);
    if records.is_empty() {
        return Vec::new();
    }
    let name = format!("{codec} {level} {filter} {}", size.parse().map_or((*size).to_owned(), short));
    let mut goals = Vec::new();
    for ((figure, column), (mean, each)) in DIRECTIONS.into_iter().zip(wanted) {
        let sample = Sample::of(&records, "set", column);
        goals.push(Goal::mean(&name, figure, Least(*mean), sample).each(each.map(Least)));
    }
    goals.push(Goal::mean(&name, "size", Most(LARGEST), Sample::of(&records, "set", SIZE)));
    goals
}

/// Sizes of the sets that compress little.
fn of_tight_sets(chunks: &Table) -> Option<Goal> {
    let mut records = at(chunks, ["lz4", "5", "shuffle", "1048576"], REFERENCE);
    records.retain(|record| TIGHT.contains(&record.text("set")));
    let goal = Goal::every(
        format!("lz4 5 shuffle 1M of {}", TIGHT.join(", ")),
        "size",
        Most(1.03),
        Sample::of(&records, "set", SIZE),
    );
    (!records.is_empty()).then_some(goal)
}

/// Sizes of our Blosc1 chunks divided by those of C-Blosc 1.
fn of_blosc1(chunks: &Table, codec: &str) -> Option<Goal> {
    let config = [codec, "5", "shuffle", "1048576"];
    let (ours, theirs) = (at(chunks, config, OURS_1), at(chunks, config, REFERENCE_1));
    // Both columns are the size of our Blosc2 chunk divided by that of the peer's.
    let ratio = |record: &Record<'_>| {
        let same = theirs.iter().find(|other| other.text("set") == record.text("set"))?;
        Some((record.text("set").to_owned(), same.number(SIZE) / record.number(SIZE)))
    };
    let sample = Sample(ours.iter().filter_map(ratio).collect());
    let wanted: Bound = Most(1.02);
    let name = format!("{codec} 5 shuffle 1M, Blosc1, to C-Blosc1");
    (!sample.is_empty()).then(|| Goal::every(name, "size", wanted, sample))
}

/// Data that is stored: the time of a copy.
fn of_incompressible(chunks: &Table) -> Vec<Goal> {
    let mut stored = at(chunks, ["lz4", "5", "shuffle", "1048576"], "memcpy");
    stored.retain(|record| record.text("set") == "rand");
    let goal = |(figure, column)| {
        Goal::mean("incompressible, to memcpy", figure, Least(1.0), Sample::of(&stored, "set", column))
    };
    if stored.is_empty() { Vec::new() } else { DIRECTIONS.map(goal).into() }
}

fn at<'a>(chunks: &'a Table, [codec, level, filter, size]: [&str; 4], peer: &str) -> Vec<Record<'a>> {
    chunks.select(&[("codec", codec), ("level", level), ("filter", filter), ("size", size), ("peer", peer)])
}
