//! Races again the rows of the table of chunks in which C-Blosc2 was faster, in more rounds, or those that the options
//! select.
//!
//! Most of these are close, and another program on the machine can decide a race of a few rounds. The longer race
//! replaces the first, also if C-Blosc2 wins it. But if C-Blosc2 is much slower than in the table, so is the machine, and
//! the first race stays.

use crate::chunks::{self, Config};
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::{self, REFERENCE};
use crate::report::{self, Row};
use crate::table::{Record, Table};
use anyhow::{Context, Result};

const ROUNDS: usize = 25;
const SECONDS: f64 = 10.0;
/// The least speed of C-Blosc2, as a multiple of that in the table.
const LEAST_PACE: f64 = 0.8;

/// Races again, and replaces the rows in the table in the folder of `--out`.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let folder = options.out.as_deref().context("--out is missing")?;
    let mut table = Table::read(folder, "chunks.tsv").context("chunks.tsv is missing")?;
    let peers = peers::all(options)?;
    let sets = data::read(options.data.as_deref().context("--data is missing")?, &options.sets)?;
    let (which, chosen) = match options.selects_chunks() {
        true => ("selected rows", rows_with(&table, &sets, |config, _| options.has_asked_for(config))?),
        false => ("rows in which C-Blosc2 was faster", rows_with(&table, &sets, is_slower)?),
    };
    let length = options.length(ROUNDS, SECONDS);
    println!("{machine}\n\n{} {which}, at most {} rounds each", chosen.len(), length.rounds);
    let mut replaced = 0;
    for (config, set) in &chosen {
        let rows = chunks::run(&peers, config, set, length)
            .with_context(|| format!("{} {}", report::name(config), set.name))?;
        print!("{}{}", report::lines(&rows), report::each(&rows));
        let key = key(config, set);
        let pace = pace(&table, &key, &rows);
        if pace < LEAST_PACE {
            println!("     stays: C-Blosc2 is at {pace:.2} of its speed in the table");
            continue;
        }
        let lines: Vec<String> = rows.iter().map(report::tsv).collect();
        table.replace(&key, &lines);
        replaced += 1;
    }
    let about = format!("raced again in up to {} rounds: {replaced} of {} {which}", length.rounds, chosen.len());
    table.comments.push(format!("{about}; {machine}"));
    table.write(folder, "chunks.tsv")
}

/// Returns the rows of the reference for which `is_wanted` is true.
fn rows_with<'a>(
    table: &Table,
    sets: &'a [Set],
    is_wanted: impl Fn(&Config, Record<'_>) -> bool,
) -> Result<Vec<(Config, &'a Set)>> {
    let mut rows = Vec::new();
    for record in table.select(&[("peer", REFERENCE)]) {
        let Some(set) = sets.iter().find(|set| set.name == record.text("set")) else { continue };
        let config = config(record)?;
        if is_wanted(&config, record) {
            rows.push((config, set));
        }
    }
    Ok(rows)
}

/// Returns the speed of the reference in `rows` as a multiple of that in the table, the mean of both directions.
fn pace(table: &Table, key: &[(&str, String)], rows: &[Row]) -> f64 {
    let mut wanted: Vec<(&str, &str)> = key.iter().map(|(column, value)| (*column, &**value)).collect();
    wanted.push(("peer", REFERENCE));
    let before = table.select(&wanted);
    let (Some(before), Some(now)) = (before.first(), rows.iter().find(|row| row.peer == REFERENCE)) else { return 1.0 };
    let compress = now.compress_mbs / before.number("peer_compress_MB/s");
    let decompress = now.decompress_mbs / before.number("peer_decompress_MB/s");
    (compress * decompress).sqrt()
}

/// Returns whether the reference compressed or decompressed faster.
fn is_slower(_: &Config, record: Record<'_>) -> bool {
    record.number("ours_to_peer_compress").min(record.number("ours_to_peer_decompress")) < 1.0
}

fn config(record: Record<'_>) -> Result<Config> {
    Ok(Config {
        codec: record.text("codec").to_owned(),
        level: record.text("level").parse().context("level")?,
        filter: record.text("filter").parse()?,
        size: record.text("size").parse().context("size")?,
        threads: record.text("threads").parse().context("threads")?,
    })
}

/// Returns the columns that the rows of all peers have in common.
fn key(config: &Config, set: &Set) -> [(&'static str, String); 6] {
    let Config { codec, level, filter, size, threads } = config;
    [
        ("codec", codec.clone()),
        ("level", level.to_string()),
        ("filter", filter.to_string()),
        ("size", size.to_string()),
        ("threads", threads.to_string()),
        ("set", set.name.clone()),
    ]
}
