//! Performance goals, checked against the saved tables of the races, without racing again.

use crate::race::geometric_mean;
use crate::report::short;
use crate::table::{self, Record, Table};
use anyhow::Result;
use std::path::Path;

/// A goal for two directions: compress and decompress, or a kernel and its inverse.
struct Goal {
    name: String,
    wanted: [f64; 2],
    /// The mean ratio, and the lowest data set with its ratio.
    found: [(f64, String); 2],
    /// Our compressed size divided by theirs, for goals that allow at most 1 % more.
    size: Option<f64>,
}

/// `codec level filter size`, and the required ratios to C-Blosc2.
const CHUNKS: [(&str, &str, &str, &str, [f64; 2]); 11] = [
    ("lz4", "5", "shuffle", "1048576", [1.5, 1.5]),
    ("lz4", "5", "bitshuffle", "1048576", [1.6, 1.8]),
    ("blosclz", "5", "shuffle", "1048576", [2.5, 1.4]),
    ("lz4hc", "5", "shuffle", "1048576", [1.5, 1.5]),
    ("zlib", "5", "shuffle", "1048576", [1.5, 1.5]),
    ("zstd", "1", "shuffle", "1048576", [1.0, 1.0]),
    ("zstd", "3", "shuffle", "1048576", [1.0, 1.0]),
    ("zstd", "5", "shuffle", "1048576", [1.0, 1.0]),
    ("zstd", "9", "shuffle", "1048576", [1.5, 1.0]),
    ("lz4", "5", "shuffle", "4096", [3.0, 1.8]),
    ("lz4", "5", "shuffle", "1024", [3.0, 1.8]),
];

const DIRECTIONS: [&str; 2] = ["ours_to_peer_compress", "ours_to_peer_decompress"];

/// Prints the goals that are met and missed, and writes them to the tables' folder.
pub fn report(folder: &Path) -> Result<()> {
    let mut goals = Vec::new();
    let (mut cells, mut slower) = (0, Vec::new());
    let chunks = Table::read(folder, "chunks.tsv");
    if let Some(chunks) = &chunks {
        goals.extend(of_chunks(chunks));
        for record in chunks.select(&[("peer", "C-Blosc2")]) {
            for direction in DIRECTIONS {
                cells += 1;
                if record.number(direction) < 1.0 {
                    slower.push((record.number(direction), cell(record, direction)));
                }
            }
        }
    }
    goals.extend(Table::read(folder, "blocks.tsv").iter().flat_map(of_kernels));
    goals.extend(Table::read(folder, "threads.tsv").iter().flat_map(of_threads));
    goals.extend(Table::read(folder, "appends.tsv").iter().filter_map(of_appends));
    goals.extend(Table::read(folder, "cli.tsv").iter().flat_map(of_programs));

    println!("\n{:52} {:>9} {:>14}            lowest", "goal", "wanted", "found");
    let mut lines = Vec::new();
    for Goal { name, wanted, found: [(first, low), (second, other_low)], size } in &goals {
        let is_small = size.is_none_or(|size| size <= 1.01);
        let is_reached = *first >= wanted[0] && *second >= wanted[1] && is_small;
        let verdict = if is_reached { "reached" } else { "missed" };
        let size = size.map_or(String::new(), |size| format!("{size:.3}"));
        let both = format!("{} / {}", wanted[0], wanted[1]);
        println!("{name:52} {both:>9} {first:>7.2} / {second:<6.2} {verdict:7}  {low}, {other_low}  {size}");
        lines.push(format!(
            "{name}\t{}\t{}\t{first:.3}\t{second:.3}\t{low}\t{other_low}\t{size}\t{verdict}",
            wanted[0], wanted[1]
        ));
    }
    slower.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!(
        "\n{} of {cells} cells (codec, level, filter, size, set, direction) are slower than C-Blosc2",
        slower.len()
    );
    for (_, cell) in slower.iter().take(20) {
        println!("  {cell}");
    }
    let columns = "goal\twanted_compress\twanted_decompress\tcompress\tdecompress\tlowest_compress\tlowest_decompress\t\
         size\tverdict";
    let comments = chunks.map(|chunks| chunks.comments.join("\n")).unwrap_or_default();
    table::write(folder, "goals.tsv", &comments, columns, &lines)
}

fn of_chunks(chunks: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (codec, level, filter, size, wanted) in CHUNKS {
        let beside = |peer| {
            chunks.select(&[("codec", codec), ("level", level), ("filter", filter), ("size", size), ("peer", peer)])
        };
        let records = beside("C-Blosc2");
        if records.is_empty() {
            continue;
        }
        let smaller =
            |records: &[Record<'_>]| geometric_mean(records.iter().map(|record| record.number("ours_to_peer_size")));
        let name = format!("{codec} {level} {filter} {}", size.parse().map_or(size.to_owned(), short));
        goals.push(Goal {
            name: name.clone(),
            wanted,
            found: DIRECTIONS.map(|direction| found(&records, "set", direction)),
            size: Some(smaller(&records)),
        });
        let records = beside("C-Blosc1");
        if codec == "blosclz" && !records.is_empty() {
            let ratio = 1.0 / smaller(&records);
            let found = [(ratio, "-".to_owned()), (ratio, "-".to_owned())];
            goals.push(Goal { name: format!("{name}: ratio to C-Blosc1's"), wanted: [1.0; 2], found, size: None });
        }
    }
    let of_noise = [("codec", "lz4"), ("level", "5"), ("filter", "shuffle"), ("size", "1048576"), ("set", "rand")];
    let stored = chunks.select(&[&of_noise[..], &[("peer", "memcpy")]].concat());
    if !stored.is_empty() {
        let found = DIRECTIONS.map(|direction| found(&stored, "set", direction));
        goals.push(Goal { name: "incompressible, to memcpy".to_owned(), wanted: [1.0; 2], found, size: None });
    }
    goals
}

fn of_kernels(blocks: &Table) -> Vec<Goal> {
    let goal = |state: &str, names: [&str; 2], typesizes: &[usize], peer, wanted| {
        let found = names.map(|kernel| {
            let case = |typesize| format!("{state}{kernel} {typesize}");
            let beside = |typesize| blocks.select(&[("case", case(typesize).as_str()), ("peer", peer)]);
            found(&typesizes.iter().flat_map(beside).collect::<Vec<_>>(), "case", "ours_to_peer")
        });
        let name = format!("{state}{} and {} {typesizes:?} to {peer}", names[0], names[1]);
        Goal { name, wanted, found, size: None }
    };
    let (shuffles, bitshuffles) = (["shuffle", "unshuffle"], ["bitshuffle", "bitunshuffle"]);
    let goals = [
        goal("", shuffles, &[3, 6, 12, 24], "C-Blosc2", [10.0; 2]),
        goal("", bitshuffles, &[1, 2, 4, 8, 16], "C-Blosc2", [3.0, 4.0]),
        goal("cold ", shuffles, &[2, 4, 8, 16], "memcpy", [0.9; 2]),
        goal("cold ", shuffles, &[2, 4, 8, 16], "C-Blosc2", [1.0; 2]),
        goal("cold ", bitshuffles, &[2, 4, 8, 16], "memcpy", [0.7; 2]),
        goal("cold ", bitshuffles, &[2, 4, 8, 16], "C-Blosc2", [1.0; 2]),
    ];
    goals.into_iter().filter(|goal| goal.found[0].0.is_finite()).collect()
}

/// Two threads compared with one, on sets where copying gains from threads.
fn of_threads(threads: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for codec in ["blosclz", "lz4", "zstd"] {
        let scales = |set: &str| {
            let copying = |peer| {
                let records = threads.select(&[("codec", codec), ("peer", peer), ("set", set)]);
                geometric_mean(records.iter().map(|record| record.number(DIRECTIONS[1])))
            };
            copying("memcpy, 1 thread") / copying("memcpy") >= 1.8
        };
        let alone = threads.select(&[("codec", codec), ("peer", "ours, 1 thread")]);
        let records: Vec<_> = alone.iter().copied().filter(|record| scales(record.text("set"))).collect();
        if alone.is_empty() {
            continue;
        }
        let name = format!("{codec}, 2 threads to 1 ({} sets where memcpy scales)", records.len());
        if !records.is_empty() {
            let found = DIRECTIONS.map(|direction| found(&records, "set", direction));
            goals.push(Goal { name, wanted: [1.8; 2], found, size: None });
        } else {
            println!("{name}: not measurable on this machine");
        }
    }
    goals
}

/// One append to the largest frame: compared with C-Blosc2, and with our append to the smallest frame. The goal for the
/// latter is a ratio of 0.67.
fn of_appends(appends: &Table) -> Option<Goal> {
    let largest = *appends.select(&[("peer", "C-Blosc2")]).last()?;
    let mib = largest.text("frame_mib");
    let ours = *appends.select(&[("peer", "ours"), ("frame_mib", mib)]).first()?;
    let found = [largest.number("ours_to_peer"), 1.0 / ours.number("to_smallest_frame")];
    let name = format!("append to {mib} MiB, to C-Blosc2 and to a small frame");
    Some(Goal { name, wanted: [1.0, 0.67], found: found.map(|ratio| (ratio, "-".to_owned())), size: None })
}

fn of_programs(cli: &Table) -> Vec<Goal> {
    let goal = |peer: &str, wanted| {
        let found = ["compress", "decompress"].map(|what| {
            let records = cli.select(&[("what", what), ("threads", "default"), ("peer", peer)]);
            found(&records, "peer", "ours_to_peer")
        });
        Goal { name: format!("blpk to {peer}"), wanted: [wanted; 2], found, size: None }
    };
    let goals = [goal("reference blpk", 3.0), goal("lz4", 1.0), goal("zstd -T0", 1.0)];
    let mut goals: Vec<Goal> = goals.into_iter().filter(|goal| goal.found[0].0.is_finite()).collect();
    for record in cli.select(&[("what", "start-up")]) {
        let found = (1e-3 / record.number("ours_s"), "-".to_owned());
        let name = format!("start-up in 1 ms: {:.2} ms", record.number("ours_s") * 1e3);
        goals.push(Goal { name, wanted: [1.0; 2], found: [found.clone(), found], size: None });
    }
    goals
}

/// Returns the mean of a column, and the record where it is lowest.
fn found(records: &[Record<'_>], label: &str, column: &str) -> (f64, String) {
    let lowest = records.iter().min_by(|a, b| a.number(column).total_cmp(&b.number(column)));
    let lowest = lowest.map_or(String::new(), |record| format!("{} {:.2}", record.text(label), record.number(column)));
    (geometric_mean(records.iter().map(|record| record.number(column))), lowest)
}

fn cell(record: Record<'_>, direction: &str) -> String {
    let words = ["codec", "level", "filter", "size", "set"].map(|column| record.text(column)).join(" ");
    format!("{words} {}: {:.2}", direction.trim_start_matches("ours_to_peer_"), record.number(direction))
}
